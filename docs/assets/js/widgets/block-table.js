// <block-table>: texts that grow, fork and end share a pool of blocks. The moves are the state.

import { bindFigure } from "../lib/bind.js";
import { button, folded, frame, group, held, records, scrolling, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";

/**
 * A pool of blocks of `size` slots; all moves of an example, such as "At", and how many are made at first.
 * @typedef {{ id: string, title: string, blocks: number, size: number, moves: string[], step: number }} Data
 */
/** @typedef {{ moves: string }} State */
/** @typedef {{ slots: string[][], tables: Record<string, number[]>, lengths: Record<string, number> }} Texts */
/** @typedef {Texts & { users: number[], said: string }} Pool */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const NAMES = ["A", "B", "C"];
const KINDS = { t: "writes", f: "forks", e: "ends" };

/** @type {(data: Data) => State} */
export const first = ({ moves, step }) => ({ moves: moves.slice(0, step).join("") });

/**
 * The pool after some moves, or a sentence that says why one cannot be made.
 * @type {(data: Data, state: State) => Pool | string}
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
  const take = () => {
    const block = users.indexOf(0);
    users[block] = 1;
    slots[block] = [];
    return block;
  };
  for (const [name, kind] of moves.match(/../g) ?? []) {
    const table = tables[name];
    const length = lengths[name] ?? 0;
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
  return { users, slots, tables, lengths, said };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, size } = data;
  const { moves } = typeof compute(data, state) === "string" ? first(data) : state; // an address may hold any moves
  const pool = poolAfter(data, moves);
  const { users, slots, tables, lengths, said } = pool;
  const [used, shared, empty] = counts(data, pool);
  const texts = NAMES.map((name) =>
    markup`<tr><th scope="row">${name}</th><td>${lengths[name] ?? 0}</td><td>${tableOf(pool, name)}</td></tr>`
  );
  const blocks = users.map((count, block) => {
    const cells = [...Array(size).keys()].map((slot) => {
      const token = count ? slots[block][slot] : "free";
      return markup`<td ${!token && "data-empty"}>${token ?? "empty"}</td>`;
    });
    const readers = NAMES.filter((name) => tables[name]?.includes(block)).join(", ");
    return markup`
<tr data-state="${count > 1 ? "shared" : count ? "own" : "free"}"><th scope="row">${block}</th>${cells}
  <td class="users">${count ? `${readers} (count ${count})` : "none"}</td></tr>`;
  });
  const slotNames = [...Array(size).keys()].map((slot) => markup`<th scope="col">slot ${slot}</th>`);
  return frame(data, {
    ...prediction(data),
    controls: live && [
      ...NAMES.map((name) =>
        group(`Text ${name}`, ...Object.entries(KINDS).map(([kind, does]) => mover(data, moves, name, kind, does)))
      ),
      button("Undo", { moves: moves.slice(0, -2) }),
      held("moves", moves, `([${NAMES.join("")}][tfe])+`),
    ],
    figure: [
      markup`
<div class="pool-and-texts">
${
        table(
          "steps pool",
          title,
          markup`
<thead><tr><th scope="col">block</th>${slotNames}<th scope="col">in the tables of</th></tr></thead>
<tbody>${blocks}</tbody>`,
        )
      }
${
        table(
          "steps texts",
          "The block tables of the texts",
          markup`
<thead><tr><th scope="col">text</th><th scope="col">tokens</th><th scope="col">block table</th></tr></thead>
<tbody>${texts}</tbody>`,
        )
      }
</div>`,
      everyMove(data),
    ],
    says:
      `${said} Blocks in use: ${used} of ${users.length}; shared: ${shared}. Empty slots in these blocks: ${empty}.`,
  }, live);
}

/** @type {(data: Data, moves: string, name: string, kind: string, does: string) => Markup} */
function mover(data, moves, name, kind, does) {
  const next = { moves: moves + name + kind };
  const pool = compute(data, next);
  return button(`${name} ${does}`, typeof pool === "string" ? pool : next);
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
