// <block-table>: texts that grow, fork and end share a pool of blocks. The moves are the state.

import { bindFigure } from "../lib/bind.js";
import { button, folded, frame, group, held, radio, records, scrolling } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted } from "../lib/numbers.js";

/**
 * A pool of blocks of `size` slots; all moves of an example, such as "At", and how many are made at first.
 * @typedef {{ id: string, title: string, blocks: number, size: number, moves: string[], step: number }} Data
 */
/** @typedef {{ moves: string, text: number }} State  text: whose move is next, of NAMES */
/** @typedef {{ slots: string[][], tables: Record<string, number[]>, lengths: Record<string, number> }} Texts */
/** @typedef {Texts & { users: number[], copied: number[], said: string }} Pool  copied: from, to */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const NAMES = ["A", "B", "C"];
const KINDS = { t: "writes", f: "forks", e: "ends" };
/** @type {Record<string, number[]>} widths: of the drawing, an entry and a slot */
const LAYOUTS = { wide: [656, 34, 84], narrow: [304, 20, 44] };
const ROW = 44; // of a block

/** @type {(data: Data) => State} */
export const first = ({ moves, step }) => ({ moves: moves.slice(0, step).join(""), text: 0 });

/**
 * The pool after some moves, or a sentence that says why one cannot be made.
 * @type {(data: Data, state: { moves: string }) => Pool | string}
 */
export function compute({ blocks, size }, { moves }) {
  const users = Array(blocks).fill(0);
  /** @type {string[][]} */
  const slots = users.map(() => []);
  /** @type {Pool["tables"]} */
  const tables = {};
  /** @type {Pool["lengths"]} */
  const lengths = {};
  let said = "Nobody has written yet.";
  /** @type {number[]} */
  let copied = [];
  const take = () => {
    const block = users.indexOf(0);
    users[block] = 1;
    slots[block] = [];
    return block;
  };
  for (const [name, kind] of moves.match(/../g) ?? []) {
    const table = tables[name];
    const length = lengths[name] ?? 0;
    copied = [];
    if (kind === "t") {
      const own = table ?? [];
      const [place, slot, token] = [Math.floor(length / size), length % size, `${name}${length}`];
      const source = own[place];
      const shared = users[source] > 1;
      if ((shared || slot === 0) && !users.includes(0)) {
        return `No block is free. ${name} must wait until another text ends.`;
      }
      if (slot === 0) {
        own.push(take());
        said = `${name} writes ${token} into block ${own[place]}, which was free.`;
      } else if (shared) {
        own[place] = take();
        users[source] -= 1;
        slots[own[place]] = [...slots[source]];
        copied = [source, own[place]];
        said = `${name} writes ${token}. Block ${source} is shared, so it is first copied to block ${own[place]}, ` +
          `and ${token} goes into the copy.`;
      } else {
        said = `${name} writes ${token} into block ${source}, slot ${slot}.`;
      }
      slots[own[place]].push(token);
      tables[name] = own;
      lengths[name] = length + 1;
    } else if (!table) {
      return `${name} is not there. It begins with the first token that it writes.`;
    } else if (kind === "f") {
      const other = NAMES.find((name) => !(name in tables));
      if (!other) return `${NAMES.join(", ")} are all there. One of them must end first.`;
      tables[other] = [...table];
      lengths[other] = length;
      for (const block of table) users[block] += 1;
      said = `${name} forks to ${other}, which gets a copy of the table and of no block.`;
    } else {
      delete tables[name];
      delete lengths[name];
      for (const block of table) users[block] -= 1;
      said = `${name} ends. Blocks that are free again: ${table.filter((block) => !users[block]).length}.`;
    }
  }
  return { users, slots, tables, lengths, copied, said };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { moves } = typeof compute(data, state) === "string" ? first(data) : state; // an address may hold any moves
  const pool = poolAfter(data, moves);
  const [used, shared, empty] = counts(data, pool);
  const chosen = NAMES[state.text];
  const lanes = NAMES.map((name, i) => {
    const text = markup`<b>${name}</b> <span>${counted(pool.lengths[name] ?? 0, "token")}</span>`;
    return live ? markup`<label>${radio("text", i, state.text)}${text}</label>` : markup`<div>${text}</div>`;
  });
  const movers = Object.entries(KINDS).map(([kind, does]) => {
    const next = { moves: moves + chosen + kind };
    const made = compute(data, next);
    return button(does, typeof made === "string" ? made : next);
  });
  return frame(data, {
    ...prediction(data),
    figure: [
      markup`
<div class="lanes-and-blocks">
<div class="lanes" role="group" aria-label="texts">${lanes}</div>
<div class="two-layouts">${Object.keys(LAYOUTS).map((kind) => drawing(data, moves, chosen, kind))}</div>
</div>`,
      live && markup`
<div class="widget-controls">
${group(`text ${chosen}`, ...movers)}
${button("Undo", moves ? { moves: moves.slice(0, -2) } : "There is no move to undo.")}
${held("moves", moves, `([${NAMES.join("")}][tfe])+`)}
</div>`,
      everyMove(data),
    ],
    says: `${pool.said} Blocks in use: ${used} of ${data.blocks}; shared: ${shared}. Empty slots in these blocks: ` +
      `${empty}. Table of ${chosen}: ${tableOf(pool, chosen)}.`,
  }, live);
}

/**
 * The tables of the texts on the left, each beside its name, the blocks on the right, and a line from every entry to its
 * block. What the last move has brought is drawn anew, and moves.
 * @type {(data: Data, moves: string, chosen: string, kind: string) => Markup}
 */
function drawing(data, moves, chosen, kind) {
  const { blocks, size, id } = data;
  const [pool, before] = [moves, moves.slice(0, -2)].map((moves) => poolAfter(data, moves));
  const [width, entry, slot] = LAYOUTS[kind];
  const [high, left] = [ROW * blocks, width - 57 - size * slot];
  const anew = markup`data-anew="${moves.length}"`;
  /** @type {Markup[]} */
  const lines = [];
  const tables = NAMES.map((name, i) => {
    const y = (i + 0.5) * high / NAMES.length;
    const entries = (pool.tables[name] ?? []).map((block, place) => {
      const [x, to] = [6 + (place + 0.5) * entry, (block + 0.5) * ROW + 7 * (i - 1)];
      const from = y + (to < y ? -13 : 13);
      lines.push(markup`
<path d="M${x} ${from}C${x} ${from + 1.5 * (from - y)} ${x + 60} ${to} ${left - 24} ${to}" pathLength="1"
  ${name === chosen && "data-chosen"} ${before.tables[name]?.[place] !== block && anew}/>`);
      return markup`
<rect x="${x - entry / 2}" y="${y - 13}" width="${entry}" height="26"/><text x="${x}" y="${y + 5}">${block}</text>`;
    });
    return markup`<g class="entries" ${name === chosen && "data-chosen"}>${entries}</g>`;
  });
  const pools = pool.users.map((count, block) => {
    const y = block * ROW + 7;
    const cells = [...Array(size).keys()].map((place) => {
      const token = count ? pool.slots[block][place] : "free";
      const x = left + place * slot;
      return markup`
<rect x="${x}" y="${y}" width="${slot}" height="30" ${!token && "data-empty"}/>
<text x="${x + slot / 2}" y="${y + 20}">${token ?? "empty"}</text>`;
    });
    const [source, copy] = pool.copied;
    return markup`
<g class="block" data-state="${count > 1 ? "shared" : count ? "own" : "free"}"
  ${block === copy && markup`style="--from:${(source - block) * ROW}px" ${anew}`}>
  ${count > 1 && markup`<rect x="${left - 3}" y="${y - 3}" width="${size * slot + 6}" height="36"/>`}${cells}
  <text class="number" x="${left - 8}" y="${y + 20}">${block}</text>
  <text class="count" x="${left + size * slot + 9}" y="${y + 20}">${count > 1 && `${count} texts`}</text></g>`;
  });
  const tell = NAMES.map((name) => `${name}: ${tableOf(pool, name)}`).join("; ");
  return markup`
<svg class="pool ${kind}" viewBox="0 0 ${width} ${high}" role="img" aria-labelledby="${id}-${kind}">
<title id="${id}-${kind}">A line from every entry of a block table to its block. ${tell}</title>
<g class="lines">${lines}</g>${tables}${pools}
</svg>`;
}

/** @type {(data: Data, moves: string) => Pool} */
const poolAfter = (data, moves) => /** @type {Pool} */ (compute(data, { moves }));

/** @type {(pool: Pool, name: string) => string} */
const tableOf = ({ tables }, name) => tables[name]?.join(", ") ?? "none";

/**
 * Blocks in use, shared blocks, and empty slots in blocks in use.
 * @type {(data: Data, pool: Pool) => number[]}
 */
function counts({ size }, { users, slots }) {
  const [used, shared] = [0, 1].map((more) => users.filter((count) => count > more).length);
  const written = slots.filter((_, block) => users[block]).flat();
  return [used, shared, used * size - written.length];
}

/** @type {(move: string) => string} */
const told = ([name, kind]) => `${name} ${KINDS[/** @type {keyof KINDS} */ (kind)]}`;

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const { moves, step } = data;
  const next = moves.slice(step, step + 2);
  const pools = next.map((_, i) => poolAfter(data, moves.slice(0, step + i + 1).join("")));
  const [used] = counts(data, pools.at(-1) ?? poolAfter(data, moves.join("")));
  return {
    question: `next ${next.map(told).join(" and then ") || "nobody moves"}. Which blocks change, and how many are in ` +
      "use afterwards?",
    answer: [...pools.map(({ said }) => said), `Then ${used} blocks are in use.`].join(" "),
  };
}

/** @type {(data: Data) => Markup} */
function everyMove(data) {
  const names = ["move", ...NAMES.map((name) => `table of ${name}`), "in use", "shared", "empty slots"];
  const rows = data.moves.map((move, i) => {
    const pool = poolAfter(data, data.moves.slice(0, i + 1).join(""));
    return [`${i + 1}: ${told(move)}`, ...NAMES.map((name) => tableOf(pool, name)), ...counts(data, pool)];
  });
  const label = "All moves of an example";
  return folded(label, scrolling(label, records("Texts that grow, fork and end, move by move", names, rows)));
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
