// Weights of any model in the site's figures, in the file or frame that attention.show writes. Python has written the
// first state (attention/show/still.py), so that it is complete without this script; a test compares it with `html`.

import { bindFigure, dataOf } from "./lib/bind.js";
import { folded, output } from "./lib/frame.js";
import { arcsOf, chosen, FAINT, weightsOf } from "./lib/heads.js";
import { markup } from "./lib/markup.js";
import { largestFirst } from "./lib/numbers.js";

/**
 * A token: as it is shown, the name that tells it from others, and the whole of one that is cut. Weights are in
 * thousandths, by layer, head, query and key; null is masked. `codes` holds them all until they are unpacked.
 * @typedef {{ label: string, name: string, whole: string }} Token
 * @typedef {(number | null)[][][][]} Weights
 * @typedef {{ queries: Token[], keys: Token[], weights: Weights, notes: string[][][] }} Text
 * @typedef {"map" | "stage" | "grid"} Part
 * @typedef {{ title: string, parts: Part[], layers: number[], texts: Text[], first: State, codes?: string }} Data
 * @typedef {{ layer: number, head: number, row0: number, row1: number }} State
 */
/** @typedef {import("./lib/frame.js").Live} Live */

const SECOND = "The same head on a second text";

/** @type {(data: Data) => State} */
export const first = (data) => data.first;

/** @type {(data: Data, state: State, live: Live | null) => unknown} all but the map, which no state draws anew */
export function html(data, state, live) {
  const { layers, texts, parts } = data;
  const at = parts.includes("map") ? `Layer ${layers[state.layer]}, head ${state.head}: ` : "";
  return markup`
${live && markup`<div class="widget-head"><button type="button" class="reset">Reset</button></div>`}
${
    live && parts.includes("map") &&
    markup`<div class="widget-controls">${chosen(layers, texts[0].weights[0].length, state)}</div>`
  }
<div class="texts">
${texts.map((text, which) => figure(data, text, which, state, live))}
</div>
${output(`${at}${texts.map((text, which) => statement(text, which, state)).join(" On the second text ")}`, live)}
`;
}

/** @type {(data: Data, text: Text, which: number, state: State, live: Live | null) => unknown} */
function figure({ title, parts }, text, which, state, live) {
  const { queries, keys, weights, notes } = text, { layer, head } = state, name = `row${which}`;
  const caption = which ? SECOND : title, grid = weights[layer][head], row = rowOf(state, which);
  const how = { row, name, digits, live }, words = keys.map(shown), staged = parts.includes("stage");
  const labels = keys.map(({ label }) => label), asks = `The token that asks: ${caption}`;
  const cells = weightsOf(caption, queries.map(shown), words, grid, "thousandths", how, live && !staged);
  return markup`
<div class="text">
${which > 0 && markup`<p class="widget-title">${SECOND}</p>`}
${staged && arcsOf(`Arcs: ${caption}`, asks, labels, words, grid[row], [layer, head, row], { ...how, digits: share })}
${parts.includes("grid") ? cells : folded("All weights", cells)}
<ul class="notes">${notes[layer][head].map((note) => markup`<li>${note}</li>`)}</ul>
</div>`;
}

/** @type {(token: Token) => import("./lib/frame.js").Text} */
const shown = ({ label, whole }) => markup`<bdi ${whole && markup`title="${whole}"`}>${label}</bdi>`;

/** @type {(thousandths: number) => string} */
const digits = (thousandths) => thousandths === 1000 ? "1.000" : `.${`${thousandths}`.padStart(3, "0")}`;

/** @type {(thousandths: number) => string} nothing under a word without an arc: a comma has no room for four characters */
const share = (thousandths) => thousandths < FAINT ? "" : digits(thousandths);

/** @type {(state: State, which: number) => number} */
const rowOf = (state, which) => which ? state.row1 : state.row0;

/** @type {(text: Text, which: number, state: State) => string} a row in words */
function statement({ queries, keys, weights }, which, state) {
  const row = rowOf(state, which), line = weights[state.layer][state.head][row], { name } = queries[row];
  const open = line.filter((weight) => weight !== null).length;
  const top = largestFirst(line.map((weight) => weight ?? -1)).slice(0, Math.min(open, 3));
  const told = top.filter((key, i) => line[key] || i === 0);
  const given = told.map((key) => `${keys[key].name} ${digits(line[key] ?? 0)}`).join(", ");
  const even = digits(Math.floor(1000 / open + 0.5));
  return open
    ? `${name} gives ${given}; an even spread would give each of ${open} ${even}.`
    : `${name} may read nothing.`;
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
  const asks = element.querySelector(".words [data-asks]"), box = asks?.closest(".scroll");
  if (asks && box) box.scrollLeft = asks.getBoundingClientRect().left - innerWidth / 2; // of a long text
  cells.forEach((cell, at) =>
    cell.addEventListener("click", () => {
      set({ layer: Math.floor(at / heads), head: at % heads });
      settle();
    })
  );
}

if (globalThis.document) bind(/** @type {HTMLElement} */ (document.querySelector("[data-given]")));
