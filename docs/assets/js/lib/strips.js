// Strips: a vector or a matrix as coloured cells with the numbers in them; rows are words, columns are features.
//
// The class says the role, which gives the colour; a cell is the stronger, the larger its number. A zero has no colour,
// and what is negative is hatched and has its minus: nothing is told by colour alone. The style is css/strips.css.

import { markup } from "./markup.js";
import { number, short } from "./numbers.js";

/** @typedef {import("./frame.js").Text} Text */
/**
 * @typedef {object} Heads
 * @property {"" | "query" | "key" | "value" | "output"} [role]
 * @property {Text} [name]  the caption
 * @property {Text[] | null} [words]  of the rows
 * @property {Text[] | null} [features]  of the columns
 * @property {(row: number, column: number) => Text} [cell]  further attributes of a cell
 */

/** @type {(matrix: number[][], heads: Heads) => import("./markup.js").Markup} */
export function strips(matrix, { role = "", name = "", words = null, features = null, cell = () => "" }) {
  const largest = Math.max(...matrix.flat().map(Math.abs)) || 1;
  return markup`
<table class="strips${role && ` ${role}`}">
${name && markup`<caption>${name}</caption>`}
${
    features && markup`
<thead><tr>${words && markup`<td></td>`}
  ${features.map((feature) => markup`<th scope="col">${feature}</th>`)}</tr></thead>`
  }
<tbody>
${
    matrix.map((row, i) =>
      markup`
<tr>${words && markup`<th scope="row">${words[i]}</th>`}
  ${
        row.map((x, j) =>
          markup`<td data-number="${x}" class="${sign(x)}" style="--s:${short(Math.abs(x) / largest)}"
  ${cell(i, j)}>${number(x)}</td>`
        )
      }</tr>`
    )
  }
</tbody>
</table>
`;
}

/** @type {(x: number) => string} */
const sign = (x) => (Math.abs(x) < 1e-12 ? "zero" : x < 0 ? "negative" : "positive");
