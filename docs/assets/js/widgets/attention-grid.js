// <attention-grid>: choosing a row needs no script. This one says the row, takes a click on any cell, and keeps the row in
// the address. With names for the features it draws scores between Q and K transposed, where a column is chosen too.

import { attentionScores } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { head, output, radio, scrolling, sets, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement, strips, weightCell } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { counted, number } from "../lib/numbers.js";

/**
 * Each word with its rank, "" for one that is there once; the row that is chosen at first.
 * @typedef {{ id: string, title: string, queries: [string, string][], keys: [string, string][], row: number }} Words
 * @typedef {{ weights: number[][], allowed: boolean[][], output: number[][] | null, hasSink: boolean }} Numbers
 * @typedef {Words & Numbers} Data
 * @typedef {{ id: string, title: string, queries: string[], keys: string[], row: number, column: number }} Named
 * @typedef {Named & { features: string[], q: number[][], k: number[][] }} Product  queries in doublings
 */
/** @typedef {{ row: number, column?: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data | Product) => State} */
export const first = (data) => "q" in data ? { row: data.row, column: data.column } : { row: data.row };

/** @type {(data: any, state: any, live: Live | null) => unknown} */
export const html = (data, state, live) =>
  markup`${head(data.id, data.title, live)}${(data.q ? product : figure)(data, state, live)}`;

/** @type {(data: Data, state: State, live: Live | null) => import("../lib/markup.js").Markup} */
function figure(data, state, live) {
  const { id, title, queries, keys, weights, allowed, output: outputs } = data;
  const rows = queries.map((query, i) => {
    const at = sets({ row: i });
    return markup`
<tr ${live && at}><th scope="row" class="query"><label>
  <input type="radio" name="${live ? "row" : `${id}-row`}" value="${i}" ${i === state.row && "checked"}
  ${!live && markup`aria-describedby="${id}-says-${i}"`}> <span>${ranked(query)}</span></label></th>
  ${weights[i].map((weight, j) => weightCell(weight, allowed[i][j]))}
  ${outputs && outputCell(outputs[i])}</tr>`;
  });
  const says = queries.map((_, i) => say(data, i));
  const masked = allowed.flat().every(Boolean) ? "" : "masked";
  return markup`
<div class="attention-grid">
${
    table(
      "weights",
      title,
      [columns(keys.map(ranked), outputs && OUTPUT), markup`<tbody>${rows}</tbody>`],
      legend(masked),
    )
  }
<div class="statements">
${
    says.map((text, i) =>
      live ? markup`<p style="visibility:hidden">${text}</p>` : markup`<p id="${id}-says-${i}">${text}</p>`
    )
  }
${live && output(`Query ${says[state.row]}`, live)}
</div>
</div>
`;
}

/** @type {(word: [string, string]) => unknown} */
const ranked = ([word, rank]) => [word, rank && markup`<span class="visually-hidden">${rank}</span>`];

/** @type {(data: Data, row: number) => string} */
function say({ queries, keys, weights, allowed, output, hasSink }, row) {
  const names = keys.map(([word, rank]) => word + rank);
  const one = { weights: weights[row], allowed: allowed[row], output: output && output[row] };
  return statement({ query: queries[row].join(""), keys: names, ...one }, hasSink);
}

/**
 * Q at the left of the scores and K transposed above them, so that a score stands where its row and column meet.
 * @type {(data: Product, state: { row: number, column: number }, live: Live | null) => import("../lib/markup.js").Markup}
 */
function product(data, state, live) {
  const { id, title, queries, keys, features, q, k } = data;
  const own = live ? "" : `${id}-`, aside = (/** @type {string} */ text) => markup`<span>${text}</span>`;
  /** @type {(name: "row" | "column") => (word: string, i: number) => import("../lib/markup.js").Markup} */
  const pick = (name) => (word, i) => markup`<label>${radio(`${own}${name}`, i, state[name])} ${word}</label>`;
  const transposed = features.map((_, feature) => k.map((key) => key[feature]));
  return markup`
${
    scrolling(
      title,
      markup`
<div class="matrix-strips meeting" style="--one:${features.length + keys.length}">
<div class="given">${
        strips(q, {
          role: "query",
          name: "Q",
          words: queries.map(pick("row")),
          features,
          cell: (row) => live ? sets({ row }) : "",
        })
      }</div>
<div class="panel key">${
        strips(transposed, {
          role: "key",
          name: markup`K<sup>\u22a4</sup>`,
          words: features.map(aside),
          features: keys.map(pick("column")),
          cell: (_, column) => live ? sets({ column }) : "",
        })
      }<div class="made">${
        strips(scores(data), {
          name: "scores",
          words: queries.map(aside),
          cell: (row, column) => live ? sets({ row, column }) : "",
        })
      }</div></div>
</div>`,
    )
  }
${output(meeting(data, state), live)}
`;
}

/** @type {(data: Product) => number[][]} */
export const scores = ({ q, k }) => attentionScores(q, k);

/**
 * How a score comes about: "ran asks, cats answers: (1 · 2 + 1 · 4 + 0 · 0 + 0 · 2) / 2 = 3 doublings."
 * @type {(data: Product, state: { row: number, column: number }) => string}
 */
function meeting(data, { row, column }) {
  const { queries, keys, q, k } = data;
  const terms = q[row].map((a, i) =>
    [a, k[column][i]].map((x) => x < 0 ? `(${number(x)})` : number(x)).join(" \u00b7 ")
  );
  const score = counted(scores(data)[row][column], "doubling");
  return `${queries[row]} asks, ${keys[column]} answers: (${terms.join(" + ")}) / ${
    number(Math.sqrt(q[row].length))
  } = ${score}.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
