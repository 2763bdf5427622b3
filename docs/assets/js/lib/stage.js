// Arcs over a sentence: one for each word that the chosen one listens to, as thick as its weight.
//
// The drawing has units of its own, in which a letter is LETTER wide on average; the style sheet scales it to the room
// that there is. Nothing in it needs the metrics of a font: a word has a column, and an arc ends in the middle of it.

import { markup } from "./markup.js";
import { short } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */

const [FONT, LETTER] = [26, 13];
const [PADDING, NARROWEST] = [26, 44]; // around the letters of a word; a column in which a finger finds room
const BUDGET = 34; // how thick a weight of 1 is
const THINNEST = 1.5; // so that 1/32 can be seen
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

/**
 * Arcs in units of any drawing: where the words have their middles, the line on which all arcs end, how thick a weight of
 * 1 is, and how high an arc rises.
 * @typedef {{ centres: number[], floor: number, budget: number }} Ground
 * @typedef {Ground & { lowest: number, rise: number, loop: number, gap: number }} Place
 */

/**
 * Arcs leave a word side by side, so that together they are as thick as the whole budget. The one that goes farthest to a
 * side leaves in the middle, and goes above the others: no two cross. Each has its highest point.
 * @type {(place: Place, row: number, weights: (number | null)[]) => { key: number, d: string, thickness: number, top: number[] }[]}
 */
export function curves({ centres, floor, budget, lowest, rise, loop, gap }, row, weights) {
  const heard = [...weights.keys()].filter((key) => weights[key] !== null);
  const left = heard.filter((key) => key < row).reverse(); // the nearest first
  const right = heard.filter((key) => key > row).reverse();
  const order = [...left, ...heard.filter((key) => key === row), ...right];
  /** @type {(key: number) => number} */
  const thickness = (key) => Math.round(1000 * Math.max(budget * (weights[key] ?? 0), THINNEST)) / 1000;
  const spans = order.map((key) => thickness(key) + (key === row ? thickness(key) + gap : 0));
  return order.map((key, i) => {
    const from = centres[row] - sum(spans) / 2 + sum(spans.slice(0, i));
    const start = from + thickness(key) / 2;
    const own = key === row; // a drop that hangs above the word
    const end = own ? from + spans[i] - thickness(key) / 2 : centres[key];
    const bulge = own ? gap / 2 : 0;
    const up = own ? loop : lowest + rise * Math.abs(centres[key] - centres[row]);
    const top = floor - up * 4 / 3; // of a curve whose highest point is `up`
    const [a, b, c, d, y, high] = [start, start - bulge, end + bulge, end, floor, top].map(short);
    return {
      key,
      d: `M${a} ${y}C${b} ${high} ${c} ${high} ${d} ${y}`,
      thickness: thickness(key),
      top: [short((start + end) / 2), short(floor - up)],
    };
  });
}

/**
 * The middles of columns.
 * @type {(columns: number[]) => number[]}
 */
export const centres = (columns) => columns.map((width, i) => sum(columns.slice(0, i)) + width / 2);

/** @type {(numbers: number[]) => number} */
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

/** @type {(words: string[]) => number[]} */
export const widths = (words) => words.map((word) => Math.max(LETTER * [...word].length + PADDING, NARROWEST));

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
