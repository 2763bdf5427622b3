// The arithmetic of attention/ for widgets: same names, same conventions, no DOM.
// A matrix is an array of rows; a token is a row. tests/site/html compares every function with the package.

import { sum } from "./numbers.js";

/** @typedef {number[]} Vector */
/** @typedef {number[][]} Matrix */
/** @typedef {boolean[][]} Mask  true means "may attend" */

/** @type {(a: Vector, b: Vector) => number} */
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** @type {(matrix: Matrix, j: number) => Vector} */
const column = (matrix, j) => matrix.map((row) => row[j]);

/** @type {(n: number) => Vector} */
const indices = (n) => Array.from({ length: n }, (_, i) => i);

// numerics

/** @type {(x: Vector) => Vector} */
export function softmax(x) {
  const top = Math.max(...x);
  if (top === -Infinity) return x.map(() => 0); // the sum over nothing
  const exponentials = x.map((s) => Math.exp(s - top));
  const total = sum(exponentials);
  return exponentials.map((e) => e / total);
}

/**
 * A score gains by how far its own gradient lies above the weighted average of its row.
 * @type {(weights: Vector, gradWeights: Vector) => Vector}
 */
export function softmaxVjp(weights, gradWeights) {
  const average = dot(weights, gradWeights);
  return weights.map((w, i) => w * (gradWeights[i] - average));
}

/** @type {(x: Vector) => number} */
function logsumexp(x) {
  const top = Math.max(...x);
  if (top === -Infinity) return top; // the sum over nothing
  return top + Math.log(sum(x.map((s) => Math.exp(s - top))));
}

// masks

/**
 * An Infinity to the left or right: no edge on that side.
 * @type {(nQueries: number, nKeys: number, left: number, right?: number, offset?: number) => Mask}
 */
export const slidingWindowMask = (nQueries, nKeys, left, right = 0, offset = 0) =>
  indices(nQueries).map((i) => indices(nKeys).map((j) => i + offset - left <= j && j <= i + offset + right));

// positions

/** @type {(nPositions: number, dModel: number, base?: number) => Matrix} */
export const sinusoidalEncoding = (nPositions, dModel, base = 10000) =>
  indices(nPositions).map((p) =>
    indices(dModel).map((c) => {
      const angle = p * base ** (-(c - (c % 2)) / dModel); // the columns of a pair share a frequency
      return c % 2 ? Math.cos(angle) : Math.sin(angle);
    })
  );

/**
 * Row n of x is turned by the angles whose cosines and sines are in row n of the tables.
 * @type {(x: Matrix, cos: Matrix, sin: Matrix, layout: "half" | "interleaved") => Matrix}
 */
export const applyRotary = (x, cos, sin, layout) =>
  x.map((row, n) => {
    const turned = [...row];
    cos[n].forEach((c, i) => {
      const [a, b] = layout === "half" ? [i, i + cos[n].length] : [2 * i, 2 * i + 1];
      turned[a] = row[a] * c - row[b] * sin[n][i];
      turned[b] = row[a] * sin[n][i] + row[b] * c;
    });
    return turned;
  });

// scaled dot-product attention

/** @type {(query: Matrix, key: Matrix, scale?: number) => Matrix} */
export const attentionScores = (query, key, scale = 1 / Math.sqrt(query[0].length)) =>
  query.map((q) => key.map((k) => dot(q, k) * scale));

/** @type {(scores: Matrix, mask?: Mask) => Matrix} */
const maskScores = (scores, mask) =>
  mask ? scores.map((row, i) => row.map((s, j) => (mask[mask.length === 1 ? 0 : i][j] ? s : -Infinity))) : scores;

/**
 * `sink` is the score of one key more, whose weight is left out.
 * @type {(query: Matrix, key: Matrix, options?: { mask?: Mask, scale?: number, sink?: number }) => Matrix}
 */
export const attentionWeights = (query, key, { mask, scale, sink = -Infinity } = {}) =>
  maskScores(attentionScores(query, key, scale), mask).map((row) => softmax([...row, sink]).slice(0, -1));

/** @type {(weights: Vector, value: Matrix) => Vector} */
export const blend = (weights, value) => value[0].map((_, c) => dot(weights, column(value, c)));

// online softmax: attention over some of the keys, and the merge of two such parts

/** @typedef {{ output: Vector, logsumexp: number }} Partial */

/** @type {(scores: Vector, value: Matrix) => Partial} */
export const partialAttention = (scores, value) => ({
  output: blend(softmax(scores), value),
  logsumexp: logsumexp(scores),
});

/** @type {(a: Partial, b: Partial) => Partial} */
export function mergePartials(a, b) {
  const total = logsumexp([a.logsumexp, b.logsumexp]);
  const [wa, wb] = softmax([a.logsumexp, b.logsumexp]);
  return { output: a.output.map((x, c) => wa * x + wb * b.output[c]), logsumexp: total };
}
