// <mask-painter>: every cell of the grid is a checkbox, and weights, outputs and the sentence follow.

import { attentionWeights, blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, frame, held, sets, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement, weightCell } from "../lib/grid.js";
import { markup } from "../lib/markup.js";

/**
 * `predict` is the row and the key that the question forbids.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { id: string, title: string, row: number, predict: [number, number] }} Data
 */
/** @typedef {{ mask: string, row: number }} State  row by row: 1 may attend, 0 may not */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ words, row }) => ({ mask: masks(words.length)[0][0], row });

/** @type {(n: number) => [string, string][]} */
const masks = (n) => {
  const rows = Array.from({ length: n }, (_, i) => "1".repeat(i + 1).padEnd(n, "0"));
  return [[rows.join(""), "no word looks ahead"], ["1".repeat(n * n), "every word may look ahead"]];
};

/** @type {(data: Data, state: State) => { mask: boolean[][], weights: number[][], outputs: number[][], seen: boolean[] }} */
export function compute({ words, q, k, v }, state) {
  const mask = words.map((_, i) => words.map((_, j) => state.mask[i * words.length + j] === "1"));
  const weights = attentionWeights(q, k, { mask });
  const seen = words.slice(1).map((_, i) => mask[i][i + 1]); // may a row see the word that it has to guess?
  return { mask, weights, outputs: weights.map((row) => blend(row, v)), seen };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words } = data;
  const { mask, weights, outputs, seen } = compute(data, state);
  const n = words.length;
  /** @type {(i: number, j: number) => (content: unknown) => any} */
  const box = (i, j) => (content) =>
    markup`
<label><input type="checkbox" tabindex="${i + j ? -1 : 0}" ${mask[i][j] && "checked"}
  ${sets({ mask: flipped(state.mask, i * n + j), row: i })}>
  <span class="visually-hidden">${words[i]} may look at ${words[j]}: </span>${content}</label>`;
  const rows = words.map((word, i) =>
    markup`
<tr ${i === state.row && "data-chosen"}><th scope="row" class="query">${word} ${
      i in seen && markup`
<span class="guess">\u2192 <span class="next">${words[i + 1]}</span> ${seen[i] ? "\u2713" : "?"}</span>`
    }</th>
  ${
      weights[i].map((weight, j) =>
        weightCell(weight, mask[i][j], live ? box(i, j) : undefined, j === i + 1 ? "answer" : "")
      )
    }
  ${outputCell(outputs[i])}</tr>`
  );
  const body = markup`<tbody ${live && "data-roving"}>${rows}</tbody>`;
  const [asking, forbidden] = data.predict;
  const without = flipped(first(data).mask, asking * n + forbidden);
  return frame(data, {
    question: markup`hide <em>${words[forbidden]}</em> from <em>${words[asking]}</em> as well. How does
      <em>${words[asking]}</em> share its budget among the words that it still sees?`,
    answer: `${weighed(data, { mask: without, row: asking })}. They share the whole budget and keep their ratios.`,
    controls: live && [
      choice("Mask", "mask", masks(n), state.mask),
      held("mask", state.mask, `[01]{${n * n}}`),
      held("row", state.row, words.map((_, i) => i).join("|")),
      markup`<p class="hint">Click a cell, or reach the grid with Tab, move with the arrow keys and press Space.</p>`,
    ],
    figure: markup`<div class="attention-grid">${
      table("weights", title, [columns(words, OUTPUT), body], markup`${legend("forbidden")} ${KEY}`)
    }</div>`,
    says: say(data, state),
  }, live);
}

/** @type {(mask: string, at: number) => string} */
const flipped = (mask, at) => mask.slice(0, at) + (mask[at] === "1" ? "0" : "1") + mask.slice(at + 1);

const KEY = markup`
<span class="legend">\u2192 the next word, to be guessed: ? hidden, \u2713 can be read off</span>`;

/** @type {(data: Data, state: State) => string} */
function say(data, state) {
  const { seen } = compute(data, state), { words } = data, next = words[state.row + 1];
  const task = seen[state.row] ? `It can read off ${next}, so it has nothing to guess` : `It has to guess ${next}`;
  const open = `${seen.filter(Boolean).length} of the ${seen.length} answers can be read off`;
  return `${weighed(data, state)}. ${next ? `${task}; ${open}.` : `${open}.`}`;
}

/** @type {(data: Data, state: State) => string} */
function weighed(data, state) {
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
