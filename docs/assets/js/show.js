// Weights of any model in the site's figures, in the file or frame that attention.show writes. Python has written the
// first state (attention/show/still.py), so that it is complete without this script; a test compares it with `html`.

import { bindFigure, dataOf } from "./lib/bind.js";
import { choosers, folded, output, radio, scrolling, sets, setting, table } from "./lib/frame.js";
import { columns, legend, MASKED } from "./lib/grid.js";
import { markup } from "./lib/markup.js";
import { largestFirst } from "./lib/numbers.js";
import { arcs, shares, stage } from "./lib/stage.js";

/**
 * A token: as it is shown, the name that tells it from others, and the whole of one that is cut. Weights are in
 * thousandths, by layer, head, query and key; null is masked. `codes` holds them all until they are unpacked.
 * @typedef {{ label: string, name: string, whole: string }} Token
 * @typedef {(number | null)[][][][]} Weights
 * @typedef {{ title: string, queries: Token[], keys: Token[], weights: Weights, notes: string[][][] }} Text
 * @typedef {"map" | "stage" | "grid"} Part
 * @typedef {{ title: string, parts: Part[], layers: number[], texts: Text[], first: State, codes?: string }} Data
 * @typedef {{ layer: number, head: number, row0: number, row1: number }} State
 */
/** @typedef {import("./lib/frame.js").Live} Live */

const FAINT = 10; // thousandths, below which no arc is drawn

/** @type {(data: Data) => State} */
export const first = (data) => data.first;

/** @type {(data: Data, state: State, live: Live | null) => unknown} all but the map, which no state draws anew */
export function html(data, state, live) {
  const { layers, texts, parts } = data;
  const sizes = { layer: layers.length, head: texts[0].weights[0].length };
  const sliders = Object.entries(sizes).map(([name, size]) => {
    const says = (/** @type {number} */ at) => name === "layer" ? layers[at] : at;
    const at = name === "layer" ? state.layer : state.head;
    return setting(name, says(at), name, name, at, [0, size - 1], (value) => `${name} ${says(value)}`);
  });
  return markup`
${live && markup`<div class="widget-head"><button type="button" class="reset">Reset</button></div>`}
${live && parts.includes("map") && markup`<div class="widget-controls">${sliders}</div>`}
<div class="texts">
${texts.map((text, which) => figure(data, text, which, state, live))}
</div>
${output(texts.map((text, which) => statement(data, text, which, state)).join(" "), live)}
`;
}

/** @type {(data: Data, text: Text, which: number, state: State, live: Live | null) => unknown} */
function figure({ title, parts }, text, which, state, live) {
  const { queries, keys, weights, notes } = text;
  const grid = weights[state.layer][state.head], row = rowOf(state, which), name = `row${which}`;
  const caption = which ? text.title : title, asks = live && !parts.includes("stage");
  const says = markup`${legend(grid.some((line) => line.includes(null)) ? "masked" : "")} <span
    class="legend">Weights are in thousandths</span>`;
  const rows = queries.map((token, i) => {
    const word = asks ? markup`<label>${radio(name, i, row)} ${shown(token)}</label>` : shown(token);
    return markup`
<tr ${i === row && "data-chosen"} ${live && sets({ [name]: i })}><th scope="row" class="query">${word}</th>
  ${grid[i].map(cell)}</tr>`;
  });
  const cells = markup`<div class="attention-grid">${
    table("weights", caption, [columns(keys.map(shown)), markup`<tbody>${rows}</tbody>`], says)
  }</div>`;
  const labels = keys.map(({ label }) => label), heard = grid[row].map((weight) => weight ?? -1);
  const drawing = arcs(labels, row, heard.map((weight) => weight >= FAINT ? weight / 1000 : null));
  const choose = choosers(/** @type {any} */ (keys.map(shown)), `The token that asks: ${caption}`, name, row, live);
  const over = markup`<g data-anew="${[state.layer, state.head, row].join()}">${drawing}</g>`;
  const rest = parts.includes("grid") ? cells : folded("All weights", cells);
  return markup`
<div class="text">
${which > 0 && markup`<p class="widget-title">${text.title}</p>`}
${
    parts.includes("stage") && scrolling(
      `Arcs: ${caption}`,
      stage(labels, over, [choose, shares(heard, (weight) => weight < 0 ? "–" : digits(weight))]),
    )
  }
${rest}
<ul class="notes">${notes[state.layer][state.head].map((note) => markup`<li>${note}</li>`)}</ul>
</div>`;
}

/** @type {(token: Token) => unknown} */
const shown = ({ label, whole }) => markup`<bdi ${whole && markup`title="${whole}"`}>${label}</bdi>`;

/** @type {(weight: number | null) => unknown} */
const cell = (weight) =>
  weight === null
    ? markup`<td data-weight="0" data-masked>${MASKED}</td>`
    : markup`<td data-weight="${weight / 1000}" style="--w:${weight / 1000}">${digits(weight)}</td>`;

/** @type {(thousandths: number) => string} */
const digits = (thousandths) => thousandths === 1000 ? "1.000" : `.${`${thousandths}`.padStart(3, "0")}`;

/** @type {(state: State, which: number) => number} */
const rowOf = (state, which) => which ? state.row1 : state.row0;

/** @type {(data: Data, text: Text, which: number, state: State) => string} a row in words */
function statement({ parts, layers }, { title, queries, keys, weights }, which, state) {
  const row = rowOf(state, which), line = weights[state.layer][state.head][row];
  const open = line.filter((weight) => weight !== null).length;
  const top = largestFirst(line.map((weight) => weight ?? -1)).slice(0, Math.min(open, 3));
  const given = top.map((key) => `${keys[key].name} ${digits(line[key] ?? 0)}`).join(", ");
  const at = parts.includes("map") ? `Layer ${layers[state.layer]}, head ${state.head}: ` : "";
  const from = which ? `${title}: ` : at;
  if (!open) return `${from}${queries[row].name} may read nothing.`;
  return `${from}${queries[row].name} gives ${given}; an even spread would give each of ${open} ${
    digits(Math.floor(1000 / open + 0.5))
  }.`;
}

/** @type {(data: Data) => Promise<Data>} weights as numbers: low bytes, then high bytes, deflated */
async function unpacked(data) {
  const packed = Uint8Array.from(atob(data.codes ?? ""), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), size = bytes.length / 2;
  let at = 0;
  const next = () => {
    const code = bytes[at] + 256 * bytes[size + at++];
    return code > 1000 ? null : code;
  };
  for (const text of data.texts) {
    text.weights = text.notes.map((heads) => heads.map(() => text.queries.map(() => text.keys.map(next))));
  }
  return data;
}

/** @type {(element: HTMLElement) => Promise<void>} */
async function bind(element) {
  const data = await unpacked(dataOf(element)), cells = [...document.querySelectorAll(".map td")];
  const heads = data.texts[0].weights[0].length;
  const { set, settle } = bindFigure(element, {
    first,
    html: (data, state, live) => {
      cells.forEach((cell, at) => cell.ariaCurrent = at === state.layer * heads + state.head ? "true" : null);
      return html(data, state, live);
    },
  }, data);
  cells.forEach((cell, at) =>
    cell.addEventListener("click", () => {
      set({ layer: Math.floor(at / heads), head: at % heads });
      settle();
    })
  );
}

if (globalThis.document) bind(/** @type {HTMLElement} */ (document.querySelector("[data-given]")));
