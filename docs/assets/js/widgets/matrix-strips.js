// <matrix-strips>: X times three matrices. Choosing needs no script: the heads of rows and columns are radio buttons, to
// which the style sheet answers. This one says the products behind the number that is chosen, takes a click on any cell,
// and keeps the choice in the address.

import { blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { frame, held, radio, scrolling, sets } from "../lib/frame.js";
import { strips } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { number, vector } from "../lib/numbers.js";

/**
 * A matrix and what it makes of x.
 * @typedef {{ role: Role, columns: string[], matrix: number[][], made: number[][] }} Product
 * @typedef {"query" | "key" | "value"} Role
 * @typedef {{ words: string[], features: string[], x: number[][], products: Product[] }} Numbers
 * @typedef {Numbers & { row: number, column: number, id: string, title: string }} Data
 */
/** @typedef {{ row: number, column: number, twice: number }} State  the column of all three; the row doubled, or -1 */
/** @typedef {import("../lib/frame.js").Live} Live */

const NAMES = { query: ["Q", "queries"], key: ["K", "keys"], value: ["V", "values"] };

/** @type {(data: Data) => State} */
export const first = ({ row, column }) => ({ row, column, twice: -1 });

/**
 * X and what the matrices make of it, with every feature of one row doubled.
 * @type {<T extends Numbers>(data: T, state: { twice: number }) => T}
 */
function doubled(data, { twice }) {
  if (twice < 0) return data;
  const x = data.x.map((row, i) => i === twice ? row.map((feature) => 2 * feature) : row);
  const products = data.products.map((product) => ({ ...product, made: x.map((row) => blend(row, product.matrix)) }));
  return { ...data, x, products };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, title, words, features, x, products } = doubled(data, state);
  const isTwice = state.twice === state.row;
  const own = live ? "" : `${id}-`; // a form keeps its radio buttons apart from those of others
  const asks = words.map((word, i) => markup`<label>${radio(`${own}row`, i, state.row)} ${word}</label>`);
  const choosesRow = (/** @type {number} */ row) => live ? sets({ row }) : "";
  const widths = products.map(({ columns }) => columns.length);
  const panels = products.map(({ role, columns, matrix, made }, n) => {
    const before = widths.slice(0, n).reduce((sum, width) => sum + width, 0);
    const [letter, plural] = NAMES[role];
    const aside = (/** @type {string} */ text) => markup`<span>${text}</span>`; // it stands beside the table
    const heads = columns.map((name, i) =>
      markup`<label><input type="radio" name="${own}column" id="${id}-column-${before + i}" value="${before + i}"
  aria-label="${role}: ${name}" ${before + i === state.column && "checked"}> ${name}</label>`
    );
    return {
      label: markup`<label class="${role}" for="${id}-column-${before}">W<sub>${letter}</sub> makes ${plural}</label>`,
      tables: markup`
<div class="panel ${role}">${
        strips(matrix, {
          role,
          name: markup`W<sub>${letter}</sub>`,
          words: features.map(aside),
          features: heads,
          cell: (_, j) => live ? sets({ column: before + j }) : "",
        })
      }<div class="made">${
        strips(made, {
          role,
          name: letter,
          words: words.map(aside),
          cell: (i, j) => live ? sets({ row: i, column: before + j }) : "",
        })
      }</div></div>`,
    };
  });
  const [one, every] = [Math.max(...widths), widths.reduce((sum, width) => sum + width)];
  return frame(data, {
    ...prediction(data),
    controls: [
      held("twice", state.twice, `-1|[0-${words.length - 1}]`),
      markup`<button type="button" class="toggle" aria-pressed="${`${isTwice}`}" ${
        sets({ twice: isTwice ? -1 : state.row })
      }>Double every feature of <em>${words[state.row]}</em></button>`,
    ],
    figure: scrolling(
      title,
      markup`
<div class="matrix-strips" style="--one:${features.length + one};--every:${features.length + every}">
<div class="which">${panels.map(({ label }) => label)}</div>
<div class="given">${strips(x, { name: "X", words: asks, features, cell: choosesRow })}</div>
${panels.map(({ tables }) => tables)}
</div>`,
    ),
    says: statement(data, state),
  }, live);
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction({ words, products, row }) {
  const [query, key, value] = products.map(({ made }) => vector(made[row].map((x) => 2 * x)));
  return {
    question: `double every feature of ${words[row]}. What happens to its query, its key and its value?`,
    answer: "All three double, because each of their numbers is a sum of products with these features: the key is " +
      `then ${key}, the value ${value} and the query ${query}.`,
  };
}

/**
 * How a number comes about: "The key of cats, early: 2 · 0 + 0 · 0 + 0 · 0 + 2 · 2 = 4. …"
 * @type {(data: Numbers, state: State) => string}
 */
export function statement(data, state) {
  const { row, column } = state, { words, x, products } = doubled(data, state);
  const places = products.flatMap((product) => product.columns.map((_, i) => /** @type {const} */ ([product, i])));
  const [product, i] = places[column];
  const { role, columns, matrix, made } = product;
  const terms = x[row].map((a, feature) => `${number(a)} \u00b7 ${bracketed(matrix[feature][i])}`);
  return `The ${role} of ${words[row]}, ${columns[i]}: ${terms.join(" + ")} = ${number(made[row][i])}. ` +
    `The whole ${role} is ${vector(made[row])}.`;
}

/** @type {(x: number) => string} */
const bracketed = (x) => (x < 0 ? `(${number(x)})` : number(x));

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
