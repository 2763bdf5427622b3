// attention.little_model, forwards, and what to do with its scores. Same steps, same names, no DOM;
// tests/site/fences/test_next_word.py compares every score and every weight with the package.

import { softmax } from "./attention.js";

/** @typedef {{ shape: number[], int8: string, scales: number[] }} Pack  a matrix as the record holds it */
/** @typedef {{ layers: number, heads: number, base: number, eps: number }} Sizes */
/** @typedef {{ words: string[], model: Sizes, weights: Record<string, Pack> }} Recorded */
/** @typedef {{ data: Float64Array, rows: number, columns: number }} Matrix  row by row */
/** @typedef {{ words: string[], sizes: Sizes, w: Record<string, Matrix> }} Model */
/** @typedef {{ mask?: boolean, positions?: boolean, mlp?: boolean, norms?: boolean, residual?: boolean }} Parts */
/** @typedef {Parts & { heads?: number[][] }} Switches  what is false or 0 is off */
/** @typedef {{ scores: number[], weights: number[][][][] }} Found  of the last row; by layer, head, query, key */

export const N_WORDS = 40; // of a text that the model has learned from

const DIGITS = new Uint8Array(128); // of base64, by the code of the letter
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, digit) => {
  DIGITS[letter.charCodeAt(0)] = digit;
});

/** @type {(text: string) => Int8Array} */
function bytes(text) {
  const found = new Int8Array(Math.floor(text.replace(/=+$/, "").length * 3 / 4));
  for (let i = 0; i < found.length; i += 1) {
    const at = Math.floor(i / 3) * 4 + i % 3, shift = 2 * (i % 3);
    found[i] = DIGITS[text.charCodeAt(at)] << (2 + shift) | DIGITS[text.charCodeAt(at + 1)] >> (4 - shift);
  }
  return found;
}

/**
 * Each whole number times the scale of its row; a gain of a norm is a matrix of one row.
 * @type {(record: Recorded) => Model}
 */
export function unpacked({ words, model, weights }) {
  /** @type {(pack: Pack) => Matrix} */
  const matrix = ({ int8, scales }) => {
    const whole = bytes(int8), columns = whole.length / scales.length;
    const data = Float64Array.from(whole, (x, i) => x * scales[Math.floor(i / columns)]);
    return { data, rows: scales.length, columns };
  };
  const w = Object.fromEntries(Object.entries(weights).map(([name, pack]) => [name, matrix(pack)]));
  return { words, sizes: model, w };
}

/**
 * Four rows of the matrix at a time, which halves the time.
 * @type {(x: Float64Array, w: Matrix) => Float64Array}
 */
function times(x, { data, rows, columns }) {
  const y = new Float64Array(x.length / rows * columns);
  for (let at = 0, to = 0; at < x.length; to += columns) {
    for (let from = 0; from < data.length; from += 4 * columns, at += 4) {
      const [p, q, r, s] = [from, from + columns, from + 2 * columns, from + 3 * columns];
      const a = x[at], b = x[at + 1], c = x[at + 2], d = x[at + 3];
      for (let j = 0; j < columns; j += 1) {
        y[to + j] += a * data[p + j] + b * data[q + j] + c * data[r + j] + d * data[s + j];
      }
    }
  }
  return y;
}

/** @type {(x: Float64Array, y: Float64Array) => Float64Array} */
const plus = (x, y) => x.map((number, i) => number + y[i]);

/**
 * Each row less its mean, by the root of its variance, times a gain for each feature.
 * @type {(x: Float64Array, gain: Matrix, eps: number) => Float64Array}
 */
function layerNorm(x, { data: gain, columns }, eps) {
  const y = new Float64Array(x.length);
  for (let row = 0; row < x.length; row += columns) {
    let sum = 0, squares = 0;
    for (let j = 0; j < columns; j += 1) sum += x[row + j];
    const mean = sum / columns;
    for (let j = 0; j < columns; j += 1) squares += (x[row + j] - mean) ** 2;
    const root = Math.sqrt(squares / columns + eps);
    for (let j = 0; j < columns; j += 1) y[row + j] = (x[row + j] - mean) / root * gain[j];
  }
  return y;
}

/**
 * The rows of the words, times the root of their length, and the sines and cosines of their positions.
 * @type {(table: Matrix, ids: number[], base: number, positions: boolean) => Float64Array}
 */
function firstRows({ data: table, columns }, ids, base, positions) {
  return Float64Array.from({ length: ids.length * columns }, (_, at) => {
    const place = Math.floor(at / columns), j = at % columns;
    const angle = place * base ** (-(j - j % 2) / columns);
    const wave = j % 2 ? Math.cos(angle) : Math.sin(angle);
    return Math.sqrt(columns) * table[ids[place] * columns + j] + (positions ? wave : 0);
  });
}

/**
 * The weights of one head, and its blends, which go into their columns of all heads' blends.
 * @param {Float64Array[]} qkv
 * @param {{ columns: number, first: number, size: number, mask: boolean, on: number }} head
 * @param {Float64Array} blends
 */
function attend([query, key, value], { columns, first, size, mask, on }, blends) {
  const n = query.length / columns;
  return Array.from({ length: n }, (_, i) => {
    const scores = Array(n).fill(-Infinity);
    for (let j = 0; j < (mask ? i + 1 : n); j += 1) {
      let sum = 0;
      for (let c = first; c < first + size; c += 1) sum += query[i * columns + c] * key[j * columns + c];
      scores[j] = sum / Math.sqrt(size);
    }
    const weights = softmax(scores);
    for (let j = 0; j < n; j += 1) {
      const share = on * weights[j];
      for (let c = first; c < first + size; c += 1) blends[i * columns + c] += share * value[j * columns + c];
    }
    return weights;
  });
}

/**
 * Score every word that could come next, and return the weights of every head. Below the last layer's attention only the
 * last row goes on: no other is asked for a word.
 * @type {(model: Model, ids: number[], switches?: Switches) => Found}
 */
export function forward({ sizes, w }, ids, switches = {}) {
  const { mask = true, positions = true, mlp = true, norms = true, residual = true, heads } = switches;
  const { data: table, columns } = w.embedding;
  const { layers, eps } = sizes, size = columns / sizes.heads;
  /** @type {(x: Float64Array, gain: Matrix) => Float64Array} */
  const normed = (x, gain) => norms ? layerNorm(x, gain, eps) : x;
  /** @type {(x: Float64Array, found: Float64Array) => Float64Array} */
  const added = (x, found) => residual ? plus(x, found) : found;
  let x = firstRows(w.embedding, ids, sizes.base, positions);
  const weights = [...Array(layers).keys()].map((i) => {
    const rows = normed(x, w[`${i}.norm_1`]);
    const qkv = ["q", "k", "v"].map((name) => times(rows, w[`${i}.w_${name}`]));
    const blends = new Float64Array(x.length);
    const found = [...Array(sizes.heads).keys()].map((head) =>
      attend(qkv, { columns, first: head * size, size, mask, on: heads?.[i][head] ?? 1 }, blends)
    );
    const from = i === layers - 1 ? x.length - columns : 0;
    const middle = added(x.subarray(from), times(blends.subarray(from), w[`${i}.w_o`]));
    const hidden = times(normed(middle, w[`${i}.norm_2`]), w[`${i}.w_in`]).map((one) => mlp ? Math.max(one, 0) : 0);
    x = added(middle, times(hidden, w[`${i}.w_out`]));
    return found;
  });
  const last = normed(x, w.norm);
  const scores = Array.from({ length: table.length / columns }, (_, word) => {
    let sum = 0;
    for (let c = 0; c < columns; c += 1) sum += last[c] * table[word * columns + c];
    return sum;
  });
  return { scores, weights };
}

/** @type {(scores: number[], temperature: number) => number[]} */
export const sharesAt = (scores, temperature) => softmax(scores.map((score) => score / temperature));

/**
 * Draw a place by chance, each as often as its share says; the same seed draws the same.
 * @type {(shares: number[], seed: number) => number}
 */
export function drawn(shares, seed) {
  let mixed = Math.imul(seed + 1, 0x9e3779b1); // xorshift and multiply, until no bit shows where it came from
  for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35], [16, 1]]) {
    mixed = Math.imul(mixed ^ mixed >>> shift, factor);
  }
  let left = (mixed >>> 0) / 2 ** 32;
  const found = shares.findIndex((share) => (left -= share) < 0);
  return found < 0 ? shares.length - 1 : found; // shares may sum to a little less than 1
}

/**
 * Split what somebody has typed into words of the language, or say which cannot be read.
 * Capitals do not matter, and signs that the language does not have are left out.
 * @type {(typed: string, known: string[]) => { words: string[], problem: string }}
 */
export function readWords(typed, known) {
  const byLower = new Map(known.map((word) => [word.toLowerCase(), word]));
  const given = typed.replace(/[.?]/g, " $& ").replace(/[^\p{L}\p{N}.?'’-]+/gu, " ").trim().split(" ").filter(Boolean);
  const strange = [...new Set(given.filter((word) => !byLower.has(word.toLowerCase())))];
  const words = given.map((word) => byLower.get(word.toLowerCase()) ?? "");
  if (!given.length) return { words, problem: `Type one or more of the ${known.length} words, such as ${known[1]}.` };
  if (!strange.length) return { words, problem: "" };
  const told = strange.slice(0, 3).map((word) => `\u201c${word.slice(0, 30)}\u201d`).join(", ");
  const rest = strange.length > 3 ? ` and ${strange.length - 3} more` : "";
  return { words: [], problem: `Not among the ${known.length} words that this model knows: ${told}${rest}.` };
}
