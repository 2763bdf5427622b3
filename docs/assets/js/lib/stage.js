// Arcs over words in HTML: a drawing as wide as they are, and below it what stands in their columns. It has units of its
// own, of which a letter is 13 wide on average; the style sheet scales it to the room that there is. A sentence that is a
// drawing as a whole is lib/sentence.js's.

import { markup } from "./markup.js";
import { centres, curves, pillsOf, widths } from "./sentence.js";
import { share, short, sum } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */

const FONT = 26;
const BUDGET = 28; // how thick a weight of 1 is: to letters as it is on the home page
const [LOWEST, RISE] = [24, 0.25]; // the height of an arc: this, and so much of the way that it goes
const [HIGHEST, STEEPEST] = [300, 0.4]; // what the longest arc of a long text rises by, and any arc as part of its way
const [LOOP, GAP] = [19, 22]; // a word's arc to itself: its height, and the gap between its ends
const [PILL, DIGIT] = [20, 8]; // the height of a pill, and how wide what it says is

/**
 * A stage as wide as its words: the drawing, and below it what stands in their columns.
 * @type {(words: string[], drawing: unknown, below: unknown) => Markup}
 */
export function stage(words, drawing, below) {
  const columns = widths(words);
  const [units, high] = [sum(columns), short(height(columns))];
  const fractions = columns.map((width) => `${width}fr`).join(" ");
  return markup`
<div class="stage" style="--units:${units};--high:${high};--font:${FONT};--columns:${fractions}">
<svg viewBox="0 0 ${units} ${high}" aria-hidden="true">${drawing}</svg>
${below}
</div>`;
}

/**
 * The arcs of a word to those that have a weight; null is no arc.
 * @type {(words: string[], row: number, weights: (number | null)[], hang?: boolean) => Markup[]}
 */
export const arcs = (words, row, weights, hang = false) =>
  ways(words, row, weights, hang).map(({ key, d, thickness }) =>
    markup`<path d="${d}" pathLength="1" stroke-width="${thickness}" data-key="${key}"/>`
  );

/** @type {(words: string[], row: number, weights: (number | null)[], hang?: boolean) => Markup[]} */
export const arcsWithShares = (words, row, weights, hang) => [
  ...arcs(words, row, weights, hang),
  ...pills(words, ways(words, row, weights, hang), (key) => share(Number(weights[key]))),
];

/** @type {(words: string[], ways: ReturnType<typeof curves>, says: (key: number) => string) => Markup[]} */
export function pills(words, ways, says) {
  const letters = Math.max(...ways.map(({ key }) => says(key).length));
  return pillsOf({ size: [sum(widths(words))], pill: [DIGIT * letters + 12, PILL] }, ways, says, true);
}

/** @type {(weights: number[], says: (weight: number) => string) => Markup} the largest in bold */
export const shares = (weights, says) =>
  markup`<div class="shares" aria-hidden="true">${
    weights.map((weight) => markup`<span ${weight === Math.max(...weights) && "data-most"}>${says(weight)}</span> `)
  }</div>`;

/**
 * The farthest arc of any word is as high as the stage; arcs hang if the words stand above them.
 * @type {(words: string[], row: number, weights: (number | null)[], hang?: boolean) => ReturnType<typeof curves>}
 */
export function ways(words, row, weights, hang = false) {
  const columns = widths(words), middles = centres(columns), up = hang ? -1 : 1;
  const reach = Math.max(middles[row] - middles[0], middles[words.length - 1] - middles[row]);
  const rise = Math.min(STEEPEST, riseOf(columns) * longest(columns) / (reach || 1));
  const ground = { centres: middles, floor: hang ? 0 : height(columns), budget: BUDGET, gap: GAP };
  return curves({ ...ground, lowest: up * LOWEST, rise: up * rise, loop: up * LOOP }, row, weights);
}

/** @type {(columns: number[]) => number} */
const longest = (columns) => sum(columns) - (columns[0] + columns[columns.length - 1]) / 2;

/** @type {(columns: number[]) => number} */
const riseOf = (columns) => Math.min(RISE, HIGHEST / longest(columns));

/**
 * What the longest arc needs, at its thickest.
 * @type {(columns: number[]) => number}
 */
const height = (columns) => Math.max(LOWEST + riseOf(columns) * longest(columns), LOOP) + BUDGET / 2;

/**
 * Words that can be told apart: dog (1st), dog (2nd).
 * @type {(words: string[]) => string[]}
 */
export function namesOf(words) {
  return words.map((word, i) => {
    if (words.indexOf(word) === words.lastIndexOf(word)) return word;
    const rank = words.slice(0, i + 1).filter((other) => other === word).length;
    return `${word} (${rank}${["st", "nd", "rd"][rank - 1] ?? "th"})`;
  });
}
