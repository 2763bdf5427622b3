// Arcs over words in HTML: a drawing as wide as they are, and below it what stands in their columns. It has units of its
// own, of which a letter is 13 wide on average; the style sheet scales it to the room that there is. A sentence that is a
// drawing as a whole is lib/sentence.js's.

import { markup } from "./markup.js";
import { centres, curves, sum, widths } from "./sentence.js";
import { short } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */

const FONT = 26;
const BUDGET = 34; // how thick a weight of 1 is
const [LOWEST, RISE] = [14, 0.4]; // the height of an arc: this, and so much of the way that it goes
const HIGHEST = 300; // what the longest arc of a long text rises by
const LOOP = 36; // the height of a word's arc to itself
const GAP = 15; // between the two ends of a loop

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
 * @type {(words: string[], row: number, weights: (number | null)[]) => Markup[]}
 */
export const arcs = (words, row, weights) =>
  ways(words, row, weights).map(({ key, d, thickness }) =>
    markup`<path d="${d}" pathLength="1" stroke-width="${thickness}" data-key="${key}"/>`
  );

/** @type {(words: string[], row: number, weights: (number | null)[]) => ReturnType<typeof curves>} */
export function ways(words, row, weights) {
  const columns = widths(words);
  const ground = { centres: centres(columns), floor: height(columns), budget: BUDGET };
  return curves({ ...ground, lowest: LOWEST, rise: riseOf(columns), loop: LOOP, gap: GAP }, row, weights);
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
