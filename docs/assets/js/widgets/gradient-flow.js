// <gradient-flow>: push one score; which weights move, where the output goes, and how both die in a saturated row.

import { blend, softmax, softmaxVjp } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { beneath, choice, choosers, frame, setting } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, fraction, number, share, short, vector } from "../lib/numbers.js";
import { pills, stage, ways } from "../lib/stage.js";

/**
 * Scores count doublings and are divided by the root of d_k; the word that asks, and the one that is pushed at first.
 * @typedef {{ words: string[], scores: number[], value: number[][], asks: number, push: number }} Row
 * @typedef {{ id: string, title: string, d_k: number, sizes: number[] } & Row} Data
 */
/** @typedef {{ push: number, n: number, divide: string }} State  n: which size */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ push, d_k, sizes }) => ({ push, n: sizes.indexOf(d_k), divide: "yes" });

/**
 * For a unit of push: how far each weight moves, and the output if that word is pushed.
 * @type {(data: Data, state: State) => { weights: number[], moves: number[], slopes: number[][], output: number[] }}
 */
export function compute({ words, scores, value, sizes }, { push, n, divide }) {
  const doublings = scores.map((s) => s * (divide === "no" ? Math.sqrt(sizes[n]) : 1));
  const weights = softmax(doublings.map((s) => s * Math.LN2));
  const features = value[0].map((_, c) => softmaxVjp(weights, value.map((v) => v[c])));
  return {
    weights,
    moves: softmaxVjp(weights, words.map((_, i) => i === push ? 1 : 0)),
    slopes: words.map((_, i) => features.map((column) => column[i])),
    output: blend(weights, value),
  };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words, value, sizes } = data;
  const { weights, moves, slopes } = compute(data, state);
  // no weight moves by more than 1/4, and the output by no more than that of the longest way between two values
  const ways = value.flatMap((one) => value.map((other) => Math.hypot(...one.map((x, c) => x - other[c]))));
  const longest = Math.max(...ways);
  const features = "features d\u2096";
  /** @type {(n: number) => string} */
  const size = (n) => counted(sizes[n], "feature");
  return frame(data, {
    ...prediction(data),
    controls: [
      setting(features, sizes[state.n], "n", features, state.n, [0, sizes.length - 1], size),
      choice("divide by \u221ad\u2096", "divide", [["yes", "yes"], ["no", "no"]], state.divide),
    ],
    figure: markup`
<figure>
${picture(data, state.push, { weights, moves }, live)}
<p class="moves legend">An arc is as wide as a weight. A push leaves <i></i>, takes
  <i class="loses"></i>, adds <i class="gains"></i>.</p>
<p class="moves"><span>So <em>${words[data.asks]}</em> moves by</span> <b class="role-output">${
      vector(slopes[state.push])
    }</b> <span class="bar" style="--w:${4 * Math.hypot(...slopes[state.push]) / longest}"></span></p>
</figure>`,
    says: statement(data, state),
  }, live);
}

/**
 * An arc is as wide as its weight before or after a push of 1, whichever is more; what stays is solid, what the weight
 * loses is hollow, and what it gains is pale. Slopes go on in a straight line: no weight loses more than it has.
 * @type {(data: Data, push: number, row: { weights: number[], moves: number[] }, live: Live | null) => Markup}
 */
function picture({ words, asks }, push, { weights, moves }, live) {
  const all = ways(words, asks, weights.map((w, key) => 1.25 * Math.max(w, w + moves[key])));
  const arcs = all.map(({ key, d, thickness }) => {
    const part = moves[key] / weights[key] || 0, gains = part > 0;
    return markup`
<g class="${gains ? "gains" : "loses"}"><path d="${d}" stroke-width="${thickness}"/>
  <path class="moved" d="${d}" stroke-width="${short(gains ? thickness : Math.max(thickness - 1.5, 0))}"/>
  <path d="${d}" stroke-width="${short(gains ? thickness / (1 + part) : thickness * (1 + part))}"/></g>`;
  });
  /** @type {(key: number) => string} */
  const says = (key) =>
    `${moves[key] > 0 ? "+" : ""}${(fraction(moves[key]) ?? number(moves[key])).replace("-", "\u2212")}`;
  return stage(words, [arcs, pills(words, all, says)], [
    choosers(words, "push the score of", "push", push, live, asks),
    beneath("weights", weights.map(share)),
  ]);
}

/** @type {(data: Data) => { question: Markup, answer: Markup }} */
function prediction(data) {
  const { words, d_k, sizes, push } = data;
  const before = compute(data, first(data));
  const n = sizes.length - 2;
  const after = compute(data, { push, n, divide: "no" });
  const left = 100 * Math.hypot(...after.slopes[push]) / Math.hypot(...before.slopes[push]);
  const most = Math.max(...after.weights);
  return {
    question: markup`at ${d_k} features a push of <em>${words[push]}</em> moves the output by
      ${vector(before.slopes[push])}. What is left of that at ${sizes[n]} features, if nobody divides by their root?`,
    answer: markup`${left.toFixed(1)}% of it. The scores are ${number(Math.sqrt(sizes[n]))} times as large,
      <em>${words[after.weights.indexOf(most)]}</em> has ${share(most)} of the budget, and a push moves next to nothing.
      With the division all stays as it was.`,
  };
}

/** @type {(data: Data, state: State) => string} */
function statement(data, state) {
  const { moves, slopes, output } = compute(data, state);
  const { push, n, divide } = state;
  return `At ${counted(data.sizes[n], "feature")}, ${divide === "no" ? "not divided" : "divided"}: pushed a little, ` +
    `${data.words[push]} gains ${number(moves[push])} times the push in weight, which the others lose. The output ` +
    `${vector(output)} moves by ${vector(slopes[push])} times the push, a distance of ` +
    `${Math.hypot(...slopes[push]).toFixed(6)}.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
