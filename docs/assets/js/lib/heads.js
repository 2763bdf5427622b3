// One head on one text: the arcs of the token that asks, and all weights as a table. Weights are in thousandths, and null
// is masked; `digits` writes one.

import { choosers, radio, scrolling, sets, setting, table } from "./frame.js";
import { columns, legend, MASKED } from "./grid.js";
import { markup } from "./markup.js";
import { arcs, shares, stage } from "./stage.js";

/** @typedef {import("./frame.js").Text} Text */
/** @typedef {number | null} Weight */
/** @typedef {{ row: number, name: string, digits: (weight: number) => string, live: unknown }} Shown  `name` holds the row */

export const FAINT = 10; // thousandths, below which no arc is drawn

/** @type {(layers: Text[], heads: number, at: { layer: number, head: number }) => Text[]} sliders for layer and head */
export const chosen = (layers, heads, at) =>
  Object.entries({ layer: layers, head: [...Array(heads).keys()] }).map(([name, all]) => {
    const value = name === "layer" ? at.layer : at.head;
    return setting(name, all[value], name, name, value, [0, all.length - 1], (i) => `${name} ${all[i]}`);
  });

/** @type {(label: string, asks: string, labels: string[], words: Text[], line: Weight[], anew: unknown[], shown: Shown) => Text} */
export function arcsOf(label, asks, labels, words, line, anew, { row, name, digits, live }) {
  const heard = line.map((weight) => weight ?? -1);
  const drawn = arcs(labels, row, heard.map((weight) => weight >= FAINT ? weight / 1000 : null));
  return scrolling(
    label,
    stage(labels, markup`<g data-anew="${anew.join()}">${drawn}</g>`, [
      choosers(words, asks, name, row, live),
      shares(heard, (weight) => weight < 0 ? "–" : digits(weight)),
    ]),
  );
}

/** @type {(caption: string, queries: Text[], keys: Text[], grid: Weight[][], unit: string, shown: Shown, asks?: unknown) => Text} */
export function weightsOf(caption, queries, keys, grid, unit, { row, name, digits, live }, asks = false) {
  const masked = grid.some((line) => line.includes(null)) ? "masked" : "";
  const rows = queries.map((word, i) =>
    markup`
<tr ${i === row && "data-chosen"} ${live && sets({ [name]: i })}><th scope="row" class="query">${
      asks ? markup`<label>${radio(name, i, row)} ${word}</label>` : word
    }</th>
  ${
      grid[i].map((weight) =>
        weight === null
          ? markup`<td data-weight="0" data-masked>${MASKED}</td>`
          : markup`<td data-weight="${weight / 1000}" style="--w:${weight / 1000}">${digits(weight)}</td>`
      )
    }</tr>`
  );
  const says = markup`${legend(masked)} <span class="legend">Weights are in ${unit}</span>`;
  return markup`<div class="attention-grid">${
    table("weights", caption, [columns(keys), markup`<tbody>${rows}</tbody>`], says)
  }</div>`;
}
