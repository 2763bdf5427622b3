// The arithmetic of attention/ for widgets: same names, same conventions, no DOM.
// A matrix is an array of rows; a token is a row. tests/browser compares every function with the package.

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const column = (matrix, j) => matrix.map((row) => row[j]);
const indices = (n) => Array.from({ length: n }, (_, i) => i);

// numerics

export function softmax(x) {
  const top = Math.max(...x);
  if (x.length === 0 || top === -Infinity) return x.map(() => 0); // the sum over nothing
  const exponentials = x.map((s) => Math.exp(s - top));
  const total = exponentials.reduce((sum, e) => sum + e, 0);
  return exponentials.map((e) => e / total);
}

export function logsumexp(x) {
  const top = Math.max(...x);
  if (!Number.isFinite(top)) return top; // nothing to sum, or nothing else counts
  return top + Math.log(x.reduce((sum, s) => sum + Math.exp(s - top), 0));
}

export const entropy = (weights) => weights.reduce((sum, w) => (w === 0 ? sum : sum - w * Math.log(w)), 0);

// masks: true means "may attend"

export const causalMask = (nQueries, nKeys = nQueries, offset = 0) =>
  indices(nQueries).map((i) => indices(nKeys).map((j) => j <= i + offset));

export const paddingMask = (length, nKeys) => [indices(nKeys).map((j) => j < length)];

export const segmentMask = (querySegments, keySegments = querySegments) =>
  querySegments.map((a) => keySegments.map((b) => a === b));

// null for left or right: no edge on that side
export const slidingWindowMask = (nQueries, nKeys, left, right = 0, offset = 0) =>
  indices(nQueries).map((i) =>
    indices(nKeys).map((j) => i + offset - (left ?? Infinity) <= j && j <= i + offset + (right ?? Infinity)),
  );

// projections and positions

export const project = (x, weight) => x.map((row) => weight[0].map((_, j) => dot(row, column(weight, j))));

export const sinusoidalEncoding = (nPositions, dModel, base = 10000) =>
  indices(nPositions).map((p) =>
    indices(dModel).map((c) => {
      const angle = p * base ** (-(c - (c % 2)) / dModel); // the columns of a pair share a frequency
      return c % 2 ? Math.cos(angle) : Math.sin(angle);
    }),
  );

// Row n of x is turned by the angles whose cosines and sines are in row n of the tables.
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

export const attentionScores = (query, key, scale = 1 / Math.sqrt(query[0].length)) =>
  query.map((q) => key.map((k) => dot(q, k) * scale));

export const maskScores = (scores, mask) =>
  mask ? scores.map((row, i) => row.map((s, j) => (mask[mask.length === 1 ? 0 : i][j] ? s : -Infinity))) : scores;

// sink is the score of one key more, whose weight is left out
export const attentionWeights = (query, key, { mask, scale, sink = -Infinity } = {}) =>
  maskScores(attentionScores(query, key, scale), mask).map((row) => softmax([...row, sink]).slice(0, -1));

export const blend = (weights, value) => value[0].map((_, c) => dot(weights, column(value, c)));

export const scaledDotProductAttention = (query, key, value, options) =>
  attentionWeights(query, key, options).map((row) => blend(row, value));

// online softmax: attention over some of the keys, and the merge of two such parts

export const partialAttention = (scores, value) => ({ output: blend(softmax(scores), value), logsumexp: logsumexp(scores) });

export function mergePartials(a, b) {
  const total = logsumexp([a.logsumexp, b.logsumexp]);
  const [wa, wb] = total === -Infinity ? [0, 0] : [Math.exp(a.logsumexp - total), Math.exp(b.logsumexp - total)];
  return { output: a.output.map((x, c) => wa * x + wb * b.output[c]), logsumexp: total };
}
