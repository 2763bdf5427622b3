// Attention grids: who attends to whom, and how much, as a table; a row of it as a sentence; and matrices as strips.

import { button } from "./frame.js";
import { markup } from "./markup.js";
import { decimal, fraction, largestFirst, number, share, short, sum, vector } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */

/**
 * A weight: as a fraction where it is exact, with the decimal beside it; the kind is a class of its cell.
 * @type {(weight: number, allowed: boolean, kind?: string) => Markup}
 */
export function weightCell(weight, allowed, kind = "") {
  const exact = fraction(weight), own = kind && markup`class="${kind}"`;
  if (!allowed) return markup`<td ${own} data-weight="0" data-masked>${MASKED}</td>`;
  const both = !!exact?.includes("/") && markup` <span class="decimal">${decimal(weight)}</span>`, text = share(weight);
  return markup`<td ${own} data-weight="${weight}" style="--w:${weight}"><span>${text}</span>${both}</td>`;
}
export const MASKED = markup`<span aria-hidden="true">–</span><span class="visually-hidden">masked</span>`;

/** @type {(keys: unknown[], ...others: unknown[]) => Markup} a span can be turned, and a cell not in every engine */
export const columns = (keys, ...others) =>
  markup`<thead><tr><td></td>${
    keys.map((key) => markup`<th scope="col" class="key"><span>${key}</span></th>`)
  }${others}</tr></thead>`;

export const OUTPUT = markup`<th scope="col" class="output">output</th>`;

/** @type {(output: number[]) => Markup} */
export const outputCell = (output) => markup`<td class="output">${vector(output)}</td>`;

/** @type {(masked: string) => Markup} */
export const legend = (masked) =>
  markup`
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  less <span class="swatch"></span> more weight${
    masked && markup`; <span class="swatch masked"></span> ${masked}`
  }</span>
`;

/**
 * What one word gets from the keys; words that are there twice have their rank in their names.
 * @typedef {{ query: string, keys: string[], weights: number[], allowed: boolean[], output: number[] | null }} Row
 */

/**
 * A row in words: "ran: cats 1/2, who 1/4, dogs 1/8, chased 1/16, ran 1/16; sum 1; output (5, 2)".
 * @type {(row: Row, hasSink?: boolean) => string}
 */
export function statement({ query, keys, weights, allowed, output }, hasSink = false) {
  const open = largestFirst(weights).filter((key) => allowed[key]);
  const shut = keys.filter((_, key) => !allowed[key]);
  const total = sum(weights);
  const parts = [open.map((key) => `${keys[key]} ${share(weights[key])}`).join(", ") || "no key to attend to"];
  if (shut.length) parts.push(`masked: ${shut.join(", ")}`);
  parts.push(`sum ${share(total)}`);
  if (hasSink) parts.push(`the sink takes ${share(1 - total)}`);
  if (output) parts.push(`output ${vector(output)}`);
  return `${query}: ${parts.join("; ")}`;
}

// Strips: a vector or a matrix as coloured cells with the numbers in them; rows are words, columns are features.
//
// The class says the role, which gives the colour; a cell is the stronger, the larger its number. A zero has no colour,
// and what is negative is hatched and has its minus: nothing is told by colour alone. The style is css/strips.css.

/** @typedef {import("./frame.js").Text} Text */
/**
 * @typedef {object} Heads
 * @property {"" | "query" | "key" | "value" | "output"} [role]
 * @property {Text} [name]  the caption
 * @property {Text[] | null} [words]  of the rows
 * @property {Text[] | null} [features]  of the columns
 * @property {(row: number, column: number) => Text} [cell]  further attributes of a cell
 * @property {(row: number) => boolean} [unused]  rows that add nothing
 */

/**
 * A number, but a dot for a zero.
 * @type {(x: number) => Markup | string}
 */
export const dotted = (x) =>
  Math.abs(x) < 1e-12
    ? markup`<span aria-hidden="true">\u00b7</span><span class="visually-hidden">0</span>`
    : number(x);

/** @type {(matrix: number[][], heads: Heads) => import("./markup.js").Markup} */
export function strips(
  matrix,
  { role = "", name = "", words = null, features = null, cell = () => "", unused = () => false },
) {
  const largest = Math.max(...matrix.flat().map(Math.abs)) || 1;
  return markup`
<table class="strips${role && ` ${role}`}">
${name && markup`<caption>${name}</caption>`}
${
    features && markup`
<thead><tr>${words && markup`<td></td>`}
  ${features.map((feature) => markup`<th scope="col"><span>${feature}</span></th>`)}</tr></thead>`
  }
<tbody>
${
    matrix.map((row, i) =>
      markup`
<tr>${words && markup`<th scope="row">${words[i]}</th>`}
  ${
        row.map((x, j) =>
          markup`<td data-number="${x}" class="${sign(x)}" style="--s:${short(Math.abs(x) / largest)}"
  ${cell(i, j)} ${unused(i) && "data-off"}>${dotted(x)}</td>`
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

// Dials: a matrix, one row of which is set number by number.

/**
 * `cell` writes a number of the matrix, and `below` what stands under the row.
 * @type {(caption: Text, features: { x: string[], key: string[] }, row: number,
 *   cell: (row: number, column: number) => unknown, below?: Text) => Markup}
 */
export const dials = (caption, { x: from, key: to }, row, cell, below = "") =>
  markup`
<table class="dials">
<caption>${caption}</caption>
<thead><tr><td></td>${to.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${
    from.map((name, i) =>
      markup`
<tr ${i === row && markup`class="set"`}><th scope="row">${name}</th>
  ${to.map((_, j) => markup`<td>${cell(i, j)}</td>`)}</tr>${i === row && below}`
    )
  }
</tbody>
</table>`;

/**
 * A number with a button above and below it; `sets` says to what state each leads, where a script runs.
 * @type {(name: string, now: number, range: [by: number, most: number], text: string,
 *   sets: ((next: number) => import("./frame.js").State) | null) => unknown}
 */
export function dial(name, now, [by, most], text, sets) {
  const press = (/** @type {number} */ step) => {
    const next = Number((now + step).toFixed(4)), edge = `The numbers here go from ${number(-most)} to ${most}.`;
    const says = markup`${step < 0 ? "\u2212" : "+"}<span class="visually-hidden"> ${name}</span>`;
    return sets && button(says, Math.abs(next) > most ? edge : sets(next));
  };
  return [press(by), markup`<b class="query">${text}</b>`, press(-by)];
}
