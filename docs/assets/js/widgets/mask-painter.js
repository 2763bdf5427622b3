// <mask-painter>: every cell of the grid is a checkbox, and weights, outputs and the sentence follow.

import { attentionWeights, blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, frame, held, sets, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement, weightCell } from "../lib/grid.js";
import { markup } from "../lib/markup.js";

/**
 * A mask is written row by row: 1 may attend, 0 may not. `predict` is the row and the key that the question forbids.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { id: string, title: string, masks: Record<string, string>, row: number, predict: [number, number] }} Data
 */
/** @typedef {{ mask: string, row: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ masks, row }) => ({ mask: Object.values(masks)[0], row });

/** @type {(data: Data, state: State) => { mask: boolean[][], weights: number[][], outputs: number[][] }} */
export function compute({ words, q, k, v }, state) {
  const mask = words.map((_, i) => words.map((_, j) => state.mask[i * words.length + j] === "1"));
  const weights = attentionWeights(q, k, { mask });
  return { mask, weights, outputs: weights.map((row) => blend(row, v)) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words, masks } = data;
  const { mask, weights, outputs } = compute(data, state);
  const n = words.length;
  /** @type {(i: number, j: number) => (content: unknown) => any} */
  const box = (i, j) => (content) =>
    markup`
<label><input type="checkbox" tabindex="${i + j ? -1 : 0}" ${mask[i][j] && "checked"}
  ${sets({ mask: flipped(state.mask, i * n + j), row: i })}>
  <span class="visually-hidden">${words[i]} may look at ${words[j]}: </span>${content}</label>`;
  const rows = words.map((word, i) =>
    markup`
<tr ${i === state.row && "data-chosen"}><th scope="row" class="query">${word}</th>
  ${weights[i].map((weight, j) => weightCell(weight, mask[i][j], live ? box(i, j) : undefined))}
  ${outputCell(outputs[i])}</tr>`
  );
  const body = markup`<tbody ${live && "data-roving"}>${rows}</tbody>`;
  const [asking, forbidden] = data.predict;
  const without = flipped(first(data).mask, asking * n + forbidden);
  return frame(data, {
    question: markup`forbid <em>${words[forbidden]}</em> for <em>${words[asking]}</em> too. What do the keys get that
      it may still look at?`,
    answer: `${say(data, { mask: without, row: asking })}. They share the whole budget and keep their ratios.`,
    controls: live && [
      choice("Mask", "mask", Object.entries(masks).map(([name, bits]) => [bits, name]), state.mask),
      held("mask", state.mask, `[01]{${n * n}}`),
      held("row", state.row, words.map((_, i) => i).join("|")),
      markup`<p class="hint">Click a cell, or reach the grid with Tab, move with the arrow keys and press Space.</p>`,
    ],
    figure: markup`<div class="attention-grid">${
      table("weights", title, [columns(words, OUTPUT), body], legend("forbidden"))
    }</div>`,
    says: say(data, state),
  }, live);
}

/** @type {(mask: string, at: number) => string} */
const flipped = (mask, at) => mask.slice(0, at) + (mask[at] === "1" ? "0" : "1") + mask.slice(at + 1);

/** @type {(data: Data, state: State) => string} */
function say(data, state) {
  const { mask, weights, outputs } = compute(data, state);
  const { row } = state;
  return statement({
    query: data.words[row],
    keys: data.words,
    weights: weights[row],
    allowed: mask[row],
    output: outputs[row],
  });
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
