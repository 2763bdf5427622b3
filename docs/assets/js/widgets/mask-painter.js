// <mask-painter>: every cell of the grid is a switch, a held pointer paints more, and the budget of the row re-flows.

import { attentionWeights, blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { budget, choice, frame, held, sets, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { share, short, sum } from "../lib/numbers.js";

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
  const { title, words } = data, n = words.length;
  const { mask, weights, outputs, seen } = compute(data, state);
  /** @type {(i: number, j: number) => unknown} */
  const cell = (i, j) =>
    markup`
<td ${j === i + 1 && markup`class="answer"`} data-weight="${weights[i][j]}" style="--w:${weights[i][j]}"
  ${!mask[i][j] && "data-masked"}>${live && box(i, j)}<span ${!mask[i][j] && markup`class="visually-hidden"`}>
  ${mask[i][j] ? share(weights[i][j]) : "masked"}</span></td>`;
  /** @type {(i: number, j: number) => unknown} */
  const box = (i, j) =>
    markup`
<input type="checkbox" role="switch" aria-label="${words[i]} may look at ${words[j]}" tabindex="${i + j ? -1 : 0}"
  ${mask[i][j] && "checked"} ${sets({ mask: painted(state.mask, i * n + j), row: i })}>`;
  const rows = words.map((word, i) =>
    markup`
<tr ${i === state.row && "data-chosen"}><th scope="row" class="query">${word} ${
      i in seen && markup`
<span class="guess">\u2192 <span class="next">${words[i + 1]}</span> ${seen[i] ? "\u2713" : "?"}</span>`
    }</th>${words.map((_, j) => cell(i, j))}${outputCell(outputs[i])}</tr>`
  );
  const body = markup`
<tbody ${live && "data-roving"}>${rows}</tbody>
<tfoot><tr><th scope="row" class="query">${words[state.row]} <span class="guess">budget</span></th>
  <td colspan="${n}">${pour(weights[state.row])}${
    budget(words.map((word, j) => [weights[state.row][j], word]))
  }</td><td></td></tr></tfoot>`;
  const [asking, forbidden] = data.predict;
  const without = painted(first(data).mask, asking * n + forbidden);
  return frame(data, {
    question: markup`hide <em>${words[forbidden]}</em> from <em>${words[asking]}</em> as well. How does
      <em>${words[asking]}</em> share its budget among the words that it still sees?`,
    answer: `${weighed(data, { mask: without, row: asking })}. They share the whole budget and keep their ratios.`,
    figure: markup`<div class="attention-grid">${
      table("weights", title, [columns(words, OUTPUT), body], markup`${legend("forbidden")} ${KEY}`)
    }</div>`,
    below: [
      markup`<p class="hint">Press a cell, and hold to paint more; on a keyboard, arrows and Space.</p>`,
      choice("Mask", "mask", masks(n), state.mask),
      held("mask", state.mask, `[01]{${n * n}}`),
      held("row", state.row, words.map((_, i) => i).join("|")),
    ],
    says: markup`<span class="visually-hidden">${weighed(data, state)}.</span> ${task(data, state)}`,
  }, live);
}

/** @type {(weights: number[]) => unknown} from each column to its part of the budget, which may stand below another */
const pour = (weights) =>
  markup`
<svg class="pour" viewBox="0 0 ${weights.length} 1" preserveAspectRatio="none" aria-hidden="true">${
    weights.map((w, j) => {
      const [from, to] = [j, j + 1].map((end) => short(sum(weights.slice(0, end)) * weights.length));
      return w > 0 && markup`<path style="--w:${short(w)}" d="M${j} 0h1L${to} 1H${from}Z"/>`;
    })
  }</svg>`;

const KEY = markup`
<span class="legend">\u2192 the next word, to be guessed: ? hidden, \u2713 can be read off</span>`;

/** @type {(mask: string, at: number, as?: string) => string} a cell becomes the other, or as it is told */
const painted = (mask, at, as = mask[at] === "1" ? "0" : "1") => mask.slice(0, at) + as + mask.slice(at + 1);

/** @type {(data: Data, state: State) => string} */
function task(data, state) {
  const { seen } = compute(data, state), { words } = data, { row } = state, next = words[row + 1];
  const guess = seen[row] ? `can read off ${next}, so it has nothing to guess` : `has to guess ${next}`;
  const open = `${seen.filter(Boolean).length} of the ${seen.length} answers can be read off.`;
  return next ? `${words[row]} ${guess}; ${open}` : open;
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

/** @type {(cell: any) => number[]} its row and column */
const place = (cell) => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { data, form, grab, set, state } = bindFigure(element, { first, html });
  grab("td[data-weight]", (cell, event) => {
    let last = place(cell);
    const as = cell.hasAttribute("data-masked") ? "1" : "0";
    cell.firstElementChild.focus({ preventScroll: true }); // arrow keys go on from here
    /** @type {(event: PointerEvent) => void} */
    const paint = ({ clientX, clientY }) => {
      const under = document.elementFromPoint(clientX, clientY)?.closest("td[data-weight]");
      if (!under || !form.contains(under)) return;
      const here = place(under), steps = Math.max(1, ...here.map((x, axis) => Math.abs(x - last[axis])));
      let mask = `${state().mask}`;
      for (let step = 1; step <= steps; step += 1) { // a fast hand skips none
        const [i, j] = last.map((x, axis) => Math.round(x + (here[axis] - x) * step / steps));
        mask = painted(mask, i * data.words.length + j, as);
      }
      last = here;
      set({ mask, row: here[0] });
    };
    paint(event);
    return paint;
  });
}
