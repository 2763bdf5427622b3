// <rotation-dial>: a query and a key, each turned by its position, as hands, as numbers, and as their dot product.

import { applyRotary, dot } from "../lib/attention.js";
import { number, vector } from "../lib/numbers.js";
import { addForm, bindForm, dataOf, find, findAll, labelled, movers, reading, slider } from "../lib/widget.js";

/**
 * A query and a key as pairs of features, and their positions; turns count steps of so many degrees.
 * @typedef {{ query: number[][], key: number[][], positions: number[], last: number }} Pair
 * @typedef {Pair & { turns: number[], step: number }} Data
 */

customElements.define(
  "rotation-dial",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { positions, turns, query, key, step, last } = dataOf(this);
      const names = ["query", "key"];
      const fields = names.map((name, i) =>
        slider(`p${i}`, `position of the ${name}`, positions[i], 0, last, (p) => `position ${p}`)
      );
      const readings = names.map(reading);
      const output = find(this, "output");
      const form = addForm(
        this,
        ...names.map((name, i) => labelled(`${name} at`, fields[i], readings[i])),
        ...movers(fields, last, output),
      );
      const rows = findAll(form, "tbody tr");
      const angles = rows.map((row, i) => {
        const angle = reading();
        const turn = slider(`t${i}`, `turn of pair ${i}`, turns[i], 0, 180 / step, (n) => `${n * step}\u00b0`);
        find(row, ".turn").replaceChildren(turn, angle);
        return angle;
      });
      const longest = Math.max(...[...query, ...key].map((pair) => Math.hypot(...pair)));
      /** @type {(pair: number[]) => string} */
      const hand = ([x, y]) => `M0 0L${((17 * x) / longest).toFixed(3)} ${((-17 * y) / longest).toFixed(3)}`;

      bindForm(form, this.id, (values) => {
        const [m, n] = fields.map((field) => field.valueAsNumber);
        let total = 0;
        rows.forEach((row, i) => {
          const degrees = step * Number(values[`t${i}`]);
          /** @type {(pair: number[], position: number) => number[]} */
          const turn = (pair, position) => {
            const angle = (position * degrees * Math.PI) / 180;
            return applyRotary([pair], [[Math.cos(angle)]], [[Math.sin(angle)]], "interleaved")[0];
          };
          const [a, b] = [turn(query[i], m), turn(key[i], n)];
          total += dot(a, b);
          angles[i].textContent = `${degrees}\u00b0`;
          find(row, ".first").setAttribute("d", hand(a));
          find(row, ".second").setAttribute("d", hand(b));
          findAll(row, ".vector").forEach((cell, c) => (cell.textContent = vector([a, b][c])));
          find(row, ".adds").textContent = number(dot(a, b));
        });
        findAll(form, "thead .at").forEach((at, i) => (at.textContent = fields[i].value));
        readings.forEach((reading, i) => (reading.textContent = fields[i].value));
        const apart = Math.abs(n - m);
        const where = apart ? `${apart} ${n < m ? "before" : "after"} the query` : "where the query stands";
        const product = number(total);
        find(form, ".total").textContent = product;
        output.textContent =
          `The key stands ${where}: the dot product is ${product}, wherever the two are in the text.`;
      });
    }
  },
);
