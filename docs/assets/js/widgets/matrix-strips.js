// <matrix-strips>: X times three matrices. Choosing needs no script; this one says the products behind the number that
// is chosen, takes a click on any cell, keeps the choice in the address, and has a Reset.

import { dot } from "../lib/attention.js";
import { number, vector } from "../lib/numbers.js";
import { addForm, bindForm, dataOf, find, findAll, touched } from "../lib/widget.js";

/**
 * A matrix and what it makes of x; the unit is that of its numbers, in words.
 * @typedef {{ role: string, columns: string[], matrix: number[][], made: number[][], unit: string }} Product
 * @typedef {{ words: string[], x: number[][], products: Product[] }} Data
 */

/** @type {(x: number) => string} */
const bracketed = (x) => (x < 0 ? `(${number(x)})` : number(x));

/**
 * The sentence that matrix_strips.py writes.
 * @param {string} word
 * @param {number[]} x
 * @param {Product} product
 * @param {number} column
 */
function statement(word, x, { role, columns, matrix, unit }, column) {
  const made = columns.map((_, c) => dot(x, matrix.map((row) => row[c])));
  const terms = x.map((a, i) => `${number(a)} \u00b7 ${bracketed(matrix[i][column])}`);
  return `The ${role} of ${word}, ${columns[column]}: ${terms.join(" + ")} = ${number(made[column])}. ` +
    `The whole ${role} is ${vector(made)}${unit}.`;
}

customElements.define(
  "matrix-strips",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, x, products } = dataOf(this);
      const form = addForm(this);
      const radios = /** @type {HTMLInputElement[]} */ (findAll(form, "input"));
      for (const radio of radios) radio.name = radio.name.slice(this.id.length + 1); // "row" and "column"
      const [rows, columns] = ["row", "column"].map((name) => radios.filter((radio) => radio.name === name));
      const places = products.flatMap((product) => product.columns.map((_, column) => ({ product, column })));
      const output = find(form, "output");

      bindForm(form, this.id, (values) => {
        const { product, column } = places[Number(values.column)];
        const row = Number(values.row);
        output.textContent = statement(words[row], x[row], product, column);
      });

      const panels = findAll(form, ".panel");
      form.addEventListener("click", ({ target }) => {
        const cell = target instanceof Element ? target.closest("td") : null;
        if (!cell?.matches("tbody td")) return;
        const line = /** @type {HTMLTableRowElement} */ (cell.parentElement), panel = cell.closest(".panel");
        if (cell.closest(".given, .made")) rows[line.sectionRowIndex].checked = true;
        if (panel) {
          const first = places.findIndex(({ product }) =>
            product === products[panels.indexOf(/** @type {any} */ (panel))]
          );
          columns[first + cell.cellIndex - 1].checked = true;
        }
        touched(rows[0]);
      });
    }
  },
);
