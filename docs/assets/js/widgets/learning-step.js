// <learning-step>: one row of W_Q is nudged number by number, or moved a little against all its slopes at once.

import { attentionWeights, blend, softmaxVjp } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { button, frame, held } from "../lib/frame.js";
import { dial, dials, dotted } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { counted, decimal, number, short, sum, vector } from "../lib/numbers.js";

/**
 * The word that asks has the feature `row` alone, which is x. Each sentence has a place that is right, and its keys.
 * @typedef {{ row: number, x: number, k: number[][][], right: number[], rate: number, nudge: number }} Numbers
 * @typedef {{ words: string[][], query: string, features: { x: string[], key: string[] } }} Names
 * @typedef {Numbers & Names & { id: string, title: string }} Data
 */
/** @typedef {Record<string, number>} State  a number for each feature of a key, and how many steps have been taken */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const MOST = 5; // a number of the row, above zero or below
const STILL = 0.01; // a step that moves no number by as much ends the training
const W_Q = markup`W<sub>Q</sub>`;

/** @type {(data: { features: { key: string[] } }, row: number[], steps: number) => State} */
const stateOf = ({ features }, row, steps) => ({
  ...Object.fromEntries(features.key.map((name, i) => [name, Number(row[i].toFixed(4))])),
  steps,
});

/** @type {(data: Data) => State} */
export const first = (data) => stateOf(data, data.features.key.map(() => 0), 0);

/** @type {(data: { features: { key: string[] } }, state: State) => number[]} */
const rowOf = ({ features }, state) => features.key.map((name) => state[name]);

/**
 * The weights in each sentence, the loss, and its slope for each number of the row.
 * @param {Pick<Data, "x" | "k" | "right" | "features">} data
 * @param {State} state
 */
export function compute({ x, k, right, features }, state) {
  const query = rowOf({ features }, state).map((number) => x * number);
  const weights = k.map((keys) => attentionWeights([query], keys)[0]);
  const loss = sum(weights.map((w, s) => -Math.log(w[right[s]]))) / k.length;
  const scale = 1 / Math.sqrt(query.length);
  const ofQueries = k.map((keys, s) => {
    const ofWeights = weights[s].map((w, i) => (i === right[s] ? -1 / w / k.length : 0));
    return blend(softmaxVjp(weights[s], ofWeights), keys).map((slope) => slope * scale);
  });
  const slopes = query.map((_, i) => x * sum(ofQueries.map((slope) => slope[i])));
  return { weights, loss, slopes };
}

/**
 * After so many steps of gradient descent, each against all slopes, unless none would move a number any more.
 * @type {(data: Pick<Data, "x" | "k" | "right" | "features" | "rate">, state: State, times: number) => State}
 */
export function descended(data, state, times) {
  const moves = compute(data, state).slopes.map((slope) => data.rate * slope);
  if (!times || moves.every((move) => Math.abs(move) < STILL)) return state;
  const row = rowOf(data, state).map((number, i) => number - moves[i]);
  return descended(data, stateOf(data, row, state.steps + 1), times - 1);
}

/** @type {(x: number) => string} */
const rounded = (x) => number(Number(x.toFixed(2)));

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words, right, query, features } = data;
  const one = compute(data, state);
  return frame(data, {
    ...prediction(data),
    figure: [
      markup`${
        live && [
          features.key.map((name) => held(name, state[name], String.raw`-?\d(\.\d{1,4})?`)),
          held("steps", state.steps, String.raw`\d{1,3}`),
        ]
      }`,
      markup`
<div class="bench">
<div>
${matrix(data, state, one.slopes, live)}
${live && markup`<div class="widget-controls">${step(data, state, 1)}${step(data, state, 10)}</div>`}
<p class="loss">${counted(state.steps, "step")}, loss <b>${one.loss.toFixed(3)}</b></p>
</div>
<div>${words.map((sentence, s) => given(sentence, query, right[s], one.weights[s]))}</div>
</div>`,
    ],
    says: statement(data, state),
  }, live);
}

/** @type {(data: Data) => { question: Markup, answer: string }} */
function prediction(data) {
  const { words, right, features, nudge } = data, start = first(data);
  const before = compute(data, start);
  const steepest = Math.max(...before.slopes.map(Math.abs));
  const i = before.slopes.findIndex((slope) => Math.abs(slope) === steepest), name = features.key[i];
  const after = compute(data, { ...start, [name]: -Math.sign(before.slopes[i]) * nudge });
  const [was, is] = [before, after].map(({ weights }) => decimal(weights[0][right[0]]));
  return {
    question: markup`which way must the number <em>${name}</em> move, up or down, so that <em>${
      words[0][right[0]]
    }</em> gets more?`,
    answer: `${before.slopes[i] < 0 ? "Up" : "Down"}. The weight then goes from ${was} to ${is}, and the loss from ${
      before.loss.toFixed(3)
    } to ${after.loss.toFixed(3)}.`,
  };
}

/** @type {(data: Data, state: State) => string} */
function statement(data, state) {
  const { words, right, query } = data, { weights, loss, slopes } = compute(data, state);
  const [one, other] = words.map((sentence, s) => `${sentence[right[s]]} ${decimal(weights[s][right[s]])}`);
  return `${query} gives ${one}, and ${other} where the nouns are swapped: the loss is ${
    loss.toFixed(3)
  }. Its slopes are ${vector(slopes.map((slope) => Number(slope.toFixed(2))))}.`;
}

/** @type {(data: Data, state: State, times: number) => Markup} */
function step(data, state, times) {
  const text = times === 1 ? "A little, for all of them" : "Ten times";
  const next = descended(data, state, times);
  return button(
    text,
    next === state ? `A step would move no number by as much as ${STILL}, so the training ends here.` : next,
  );
}

/** @type {(data: Data, state: State, slopes: number[], live: Live | null) => Markup} W_Q, one row of which can move */
function matrix({ row, nudge, query, features }, state, slopes, live) {
  const caption = markup`${W_Q}, of which <em>${query}</em> uses the row <em>${features.x[row]}</em>`;
  const below = markup`
<tr class="slopes"><th scope="row">slope</th>${slopes.map((slope) => markup`<td>${rounded(slope)}</td>`)}</tr>`;
  return dials(caption, features, row, (i, j) => {
    const name = features.key[j], sets = (/** @type {number} */ next) => ({ [name]: next });
    return i === row ? dial(name, state[name], [nudge, MOST], rounded(state[name]), live && sets) : dotted(0);
  }, below);
}

/** @type {(words: string[], query: string, right: number, weights: number[]) => Markup} what a word gives in one sentence */
const given = (words, query, right, weights) =>
  markup`
<table class="gives">
<caption>What <em>${query}</em> gives; right is <em>${words[right]}</em></caption>
<thead><tr>${words.map((word, i) => markup`<th scope="col" ${i === right && "data-right"}>${word}</th>`)}</tr></thead>
<tbody><tr>${
    weights.map((w, i) => markup`<td ${i === right && "data-right"}><i style="--w:${short(w)}"></i>${decimal(w)}</td>`)
  }</tr></tbody>
</table>`;

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
