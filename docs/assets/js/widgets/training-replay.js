// <training-replay>: the grid of a head at some steps of its training, one behind the other; without a script all of them.

import { bindFigure } from "../lib/bind.js";
import { frame, labelled, reading, slider, table } from "../lib/frame.js";
import { columns } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { counted } from "../lib/numbers.js";

/**
 * Of each row that asks: its weights, what the head guesses, and whether that is right.
 * @typedef {{ step: number, weights: number[][], guesses: string[], accuracy: number }} Checkpoint
 * @typedef {{ id: string, title: string, words: string[], asks: number[], answers: string[] }} Rows
 * @typedef {Rows & { checkpoints: Checkpoint[] }} Data
 */
/** @typedef {{ at: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {() => State} */
export const first = () => ({ at: 0 });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, { at }, live) {
  const { asks, checkpoints } = data;
  const steps = checkpoints.map(({ step }) => step);
  const hits = checkpoints.map((one) => hitsOf(data, one));
  const last = steps[steps.length - 1];
  const [before, halfway, end] = [0, last / 2, last].map((step) => hits[steps.indexOf(step)]);
  const place = slider("at", "steps of training", at, [0, steps.length - 1], (i) => counted(steps[i], "step"));
  return frame(data, {
    question:
      `the matrices are random at first. How many of these ${asks.length} names does the head get right before ` +
      "the first step, half-way, and at the end?",
    answer: `${before}, ${halfway} and ${end}.`,
    controls: labelled("steps", place, reading(steps[at])),
    figure: markup`
<div class="attention-grid">
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  less <span class="swatch"></span> more weight; <span class="swatch masked"></span> masked</span>
${(live ? [checkpoints[at]] : checkpoints).map((one) => checkpoint(data, one, live))}
</div>`,
    says: live ? statement(data, checkpoints[at]) : "",
  }, live);
}

/** @type {(data: Data, one: Checkpoint, live: Live | null) => unknown} */
function checkpoint(data, one, live) {
  const { words, asks, answers } = data;
  const rows = asks.map((ask, i) =>
    markup`
<tr><th scope="row" class="query">${words[ask]}</th>
  ${
      one.weights[i].map((weight, key) =>
        key > ask
          ? markup`<td data-weight="0" data-masked><span>–</span></td>`
          : markup`<td data-weight="${weight}" style="--w:${weight.toFixed(4)}"><span>${
            weight.toFixed(2).replace(/^0/, "")
          }</span></td>`
      )
    }
  <td class="output">${one.guesses[i]}, ${one.guesses[i] === answers[i] ? "right" : `not ${answers[i]}`}</td></tr>`
  );
  const says = markup`<th scope="col" class="output">says</th>`;
  return markup`
<div class="checkpoint">
${!live && markup`<p>${statement(data, one)}</p>`}
${table("weights", `After ${one.step} steps`, [columns(words, says), markup`<tbody>${rows}</tbody>`])}
</div>`;
}

/** @type {(data: Data, one: Checkpoint) => number} */
const hitsOf = ({ answers }, { guesses }) => answers.filter((answer, i) => answer === guesses[i]).length;

/** @type {(data: Data, one: Checkpoint) => string} */
const statement = (data, one) =>
  `After ${one.step} steps: ${hitsOf(data, one)} of ${data.answers.length} names are right here, and ` +
  `${(100 * one.accuracy).toFixed()}% of all that are held out.`;

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
