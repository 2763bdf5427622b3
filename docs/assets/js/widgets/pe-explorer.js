// <pe-explorer>: sinusoidal encodings of two positions, as hands, as numbers, and as their dot product.

import { dot, sinusoidalEncoding } from "../lib/attention.js";
import { addForm, bindForm, choice, dataOf, find, findAll, labelled, movers, reading, slider } from "../lib/widget.js";

/** @typedef {{ positions: number[], d_model: number, sizes: number[], last: number }} Data */

/**
 * Five decimals, and no minus before zero.
 * @type {(x: number) => string}
 */
const short = (x) => (Number(x.toFixed(5)) === 0 ? "0.00000" : x.toFixed(5).replace("-", "\u2212"));

customElements.define(
  "pe-explorer",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { positions, d_model, sizes, last } = dataOf(this);
      const names = ["first position", "second position"];
      const fields = names.map((name, i) => slider(`p${i}`, name, positions[i], 0, last, (p) => `position ${p}`));
      const readings = names.map(reading);
      const output = find(this, "output");
      const form = addForm(
        this,
        ...names.map((name, i) => labelled(name, fields[i], readings[i])),
        choice("columns d", "d", sizes.map((size) => [size, `${size}`]), sizes.indexOf(d_model)),
        ...movers(fields, last, output),
      );
      const body = /** @type {HTMLTableSectionElement} */ (find(form, "tbody"));

      bindForm(form, this.id, (values) => {
        const [first, second] = fields.map((field) => field.valueAsNumber);
        const encoding = sinusoidalEncoding(last + 1, Number(values.d));
        const hands = encoding[0].length / 2;
        while (body.rows.length > hands) body.lastElementChild?.remove();
        while (body.rows.length < hands) body.append(body.rows[0].cloneNode(true));
        let total = 0;
        [...body.rows].forEach((row, i) => {
          total += showHand(row, i, encoding.map((columns) => columns.slice(2 * i, 2 * i + 2)), first, second);
        });
        find(form, ".total").textContent = short(total);
        findAll(form, "thead .at").forEach((at, i) => (at.textContent = fields[i].value));
        readings.forEach((reading, i) => (reading.textContent = fields[i].value));
        const apart = Math.abs(first - second);
        output.textContent =
          `Positions ${first} and ${second} are ${apart} apart: their dot product is ${short(total)}, ` +
          `and so it is for any two positions ${apart} apart.`;
      });
    }
  },
);

/**
 * Fill a row of the table from the pair of columns of one hand; return what the hand adds to the dot product.
 * @type {(row: HTMLElement, i: number, pair: number[][], first: number, second: number) => number}
 */
function showHand(row, i, pair, first, second) {
  const turn = Math.atan2(pair[1][0], pair[1][1]); // where position 1 points; no hand turns by more than 1 radian
  const [a, b] = [pair[first], pair[second]];
  const adds = dot(a, b);
  find(row, "th").textContent = `${i}`;
  find(row, ".turn").textContent = `${Number(turn.toPrecision(3))}`;
  find(row, ".dial").style.setProperty("--first", `${turn * first}rad`);
  find(row, ".dial").style.setProperty("--second", `${turn * second}rad`);
  findAll(row, ".signed").forEach((cell, c) => {
    const x = [...a, ...b][c];
    cell.style.setProperty("--v", `${x}`);
    cell.textContent = short(x);
  });
  find(row, ".adds").textContent = short(adds);
  return adds;
}
