// <rotation-dial>: a query and a key, each turned by its position, as hands, as numbers, and as their dot product.

import { applyRotary } from "../lib/attention.js";
import { addForm, bindForm, dataOf, labelled, make, number, slider, vector } from "../lib/widget.js";

const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

customElements.define(
  "rotation-dial",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const { positions, turns, query, key, step, last } = dataOf(this);
      const names = ["query", "key"];
      const fields = names.map((name, i) => slider(`p${i}`, `position of the ${name}`, positions[i], 0, last));
      const readings = names.map(() => make("span", { class: "reading" }));
      const moves = [-1, 1].map((by) => {
        const button = make("button", { type: "button" }, by < 0 ? "Both one back" : "Both one on");
        button.addEventListener("click", () => move(by));
        return button;
      });
      const form = addForm(this, ...names.map((name, i) => labelled(`${name} at`, fields[i], readings[i])), ...moves);
      const rows = [...form.querySelectorAll("tbody tr")];
      const angles = rows.map((row, i) => {
        const angle = make("span", { class: "reading" });
        row.querySelector(".turn").replaceChildren(slider(`t${i}`, `turn of pair ${i}, in steps of ${step} degrees`, turns[i], 0, 180 / step), angle);
        return angle;
      });
      const output = form.querySelector("output");
      const longest = Math.max(...[...query, ...key].map((pair) => Math.hypot(...pair)));
      const hand = ([x, y]) => `M0 0L${((17 * x) / longest).toFixed(3)} ${((-17 * y) / longest).toFixed(3)}`;

      const move = (by) => {
        const moved = fields.map((field) => Number(field.value) + by);
        if (moved.some((p) => p < 0 || p > last)) {
          output.textContent = `Positions here go from 0 to ${last}: both stay where they are.`;
          return;
        }
        fields.forEach((field, i) => (field.value = moved[i]));
        form.dispatchEvent(new Event("input"));
        form.dispatchEvent(new Event("change"));
      };

      bindForm(form, this.id, (values) => {
        const [m, n] = [Number(values.p0), Number(values.p1)];
        let total = 0;
        rows.forEach((row, i) => {
          const degrees = step * Number(values[`t${i}`]);
          const turn = (pair, position) => {
            const angle = (position * degrees * Math.PI) / 180;
            return applyRotary([pair], [[Math.cos(angle)]], [[Math.sin(angle)]], "interleaved")[0];
          };
          const [a, b] = [turn(query[i], m), turn(key[i], n)];
          total += dot(a, b);
          angles[i].textContent = `${degrees}\u00b0`;
          row.querySelector(".first").setAttribute("d", hand(a));
          row.querySelector(".second").setAttribute("d", hand(b));
          row.querySelectorAll(".vector").forEach((cell, c) => (cell.textContent = vector([a, b][c])));
          row.querySelector(".adds").textContent = number(dot(a, b));
        });
        form.querySelector(".total").textContent = number(total);
        form.querySelectorAll("thead .at").forEach((at, i) => (at.textContent = [m, n][i]));
        readings.forEach((reading, i) => (reading.textContent = fields[i].value));
        const apart = Math.abs(n - m);
        const where = apart ? `${apart} ${n < m ? "before" : "after"} the query` : "where the query stands";
        output.textContent = `The key stands ${where}: the dot product is ${number(total)}, wherever the two are in the text.`;
      });
    }
  },
);
