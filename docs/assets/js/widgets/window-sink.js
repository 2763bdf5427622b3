// <window-sink>: how far each word sees, which first words stay open, and what a sink takes.

import { attentionWeights, blend, slidingWindowMask } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { frame, radio, sets, setting, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement, weightCell } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { counted, sum } from "../lib/numbers.js";

/**
 * How many words back each sees, the row that is chosen, and the most doublings of a sink.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { id: string, title: string, left: number, row: number, most: number }} Data
 */
/** @typedef {{ left: number, right: number, keep: number, sink: number, row: number }} State  sink 0 is off, n doubles n - 1 times */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ left, row }) => ({ left, right: 0, keep: 0, sink: 0, row });

/** @type {(data: Data, state: State) => { mask: boolean[][], weights: number[][], outputs: number[][] }} */
export function compute({ words, q, k, v }, { left, right, keep, sink }) {
  const mask = slidingWindowMask(words.length, words.length, left, right).map((row, i) =>
    row.map((seen, j) => seen || (j < keep && j <= i))
  );
  const weights = attentionWeights(q, k, { mask, sink: sink ? (sink - 1) * Math.LN2 : undefined });
  return { mask, weights, outputs: weights.map((row) => blend(row, v)) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words, most } = data;
  const { mask, weights, outputs } = compute(data, state);
  const rows = words.map((word, i) =>
    markup`
<tr ${i === state.row && "data-chosen"} ${live && sets({ row: i })}>
  <th scope="row" class="query">${
      live ? markup`<label>${radio("row", i, state.row)}<span>${word}</span></label>` : word
    }</th>
  ${weights[i].map((weight, j) => weightCell(weight, mask[i][j]))}
  ${sinkCell(state.sink > 0, 1 - sum(weights[i]))}
  ${outputCell(outputs[i])}</tr>`
  );
  const sink = markup`<th scope="col" class="sink">sink</th>`;
  const last = words.length - 1;
  return frame(data, {
    ...prediction(data),
    controls: [
      setting("words back", state.left, "left", "words back", state.left, [0, last], inWords),
      setting("words ahead", state.right, "right", "words ahead", state.right, [0, last], inWords),
      setting("first words kept", state.keep, "keep", "first words kept", state.keep, [0, last], inWords),
      setting("sink", sinkOf(state.sink), "sink", "sink", state.sink, [0, most + 1], sinkOf),
    ],
    figure: markup`<div class="attention-grid">${
      table("weights", title, [columns(words, sink, OUTPUT), markup`<tbody>${rows}</tbody>`], legend("forbidden"))
    }</div>`,
    says: say(data, state),
  }, live);
}

/** @type {(data: Data, from: State, to: State) => string} */
export function idle(data, from, to) {
  const moved = [from, to].map(({ left, right, keep }) => `${left} ${right} ${keep}`);
  const [before, after] = [from, to].map((state) => `${compute(data, state).weights}`);
  return moved[0] !== moved[1] && before === after ? "Each word sees the same words as before: nothing changes." : "";
}

/** @type {(on: boolean, weight: number) => unknown} */
const sinkCell = (on, weight) =>
  on ? weightCell(weight, true, "sink") : markup`<td class="sink"><span>none</span></td>`;

/** @type {(n: number) => string} */
const inWords = (n) => counted(n, "word");

/** @type {(step: number) => string} */
const sinkOf = (step) => (step ? counted(step - 1, "doubling") : "off");

/** @type {(data: Data) => { question: import("../lib/markup.js").Markup, answer: string }} */
function prediction(data) {
  const { words, left, row } = data;
  return {
    question: markup`each word sees itself and ${left} before it, so <em>${words[0]}</em> is hidden from
      <em>${words[row]}</em>. What changes for <em>${words[row]}</em> if the first word stays open to all?`,
    answer: `${say(data, { ...first(data), keep: 1 })}. The first word takes its share again, and the others keep ` +
      "their ratios.",
  };
}

/** @type {(data: Data, state: State) => string} */
function say(data, state) {
  const { mask, weights, outputs } = compute(data, state);
  const { row, sink } = state;
  const one = { weights: weights[row], allowed: mask[row], output: outputs[row] };
  return statement({ query: data.words[row], keys: data.words, ...one }, sink > 0);
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html, idle });
