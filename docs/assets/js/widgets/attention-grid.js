// <attention-grid>: choosing a row needs no script. This one says the row, takes a click on any cell, and keeps the row in
// the address.

import { bindFigure } from "../lib/bind.js";
import { head, output, sets, table } from "../lib/frame.js";
import { columns, legend, OUTPUT, outputCell, statement, weightCell } from "../lib/grid.js";
import { markup } from "../lib/markup.js";

/**
 * Each word with its rank, "" for one that is there once; the row that is chosen at first.
 * @typedef {{ id: string, title: string, queries: [string, string][], keys: [string, string][], row: number }} Words
 * @typedef {{ weights: number[][], allowed: boolean[][], output: number[][] | null, hasSink: boolean }} Numbers
 * @typedef {Words & Numbers} Data
 */
/** @typedef {{ row: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ row }) => ({ row });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export const html = (data, state, live) => markup`${head(data.id, data.title, live)}${figure(data, state, live)}`;

/**
 * The grid and what is said of its rows, which may stand in another widget.
 * @type {(data: Data, state: State, live: Live | null) => import("../lib/markup.js").Markup}
 */
export function figure(data, state, live) {
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

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
