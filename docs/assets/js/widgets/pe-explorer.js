// <pe-explorer>: sinusoidal encodings of two positions, as hands, as numbers, and as their dot product.

import { sinusoidalEncoding } from "../lib/attention.js";
import { addForm, bindForm, dataOf, labelled, make, slider } from "../lib/widget.js";

// Five decimals, and no minus before zero.
const short = (x) => (Number(x.toFixed(5)) === 0 ? "0.00000" : x.toFixed(5).replace("-", "\u2212"));

customElements.define(
  "pe-explorer",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const { positions, d_model, sizes, last } = dataOf(this);
      const names = ["first position", "second position"];
      const fields = names.map((name, i) => slider(`p${i}`, name, positions[i], 0, last));
      const readings = names.map(() => make("span", { class: "reading" }));
      const radios = sizes.map((size) => {
        const radio = make("input", { type: "radio", name: "d", value: size });
        radio.defaultChecked = size === d_model;
        return make("label", {}, radio, `${size}`);
      });
      const moves = [-1, 1].map((step) => {
        const button = make("button", { type: "button" }, step < 0 ? "Both one back" : "Both one on");
        button.addEventListener("click", () => move(step));
        return button;
      });
      const form = addForm(
        this,
        ...names.map((name, i) => labelled(name, fields[i], readings[i])),
        make("fieldset", {}, make("legend", {}, "columns d"), ...radios),
        ...moves,
      );
      const body = form.querySelector("tbody");
      const output = form.querySelector("output");

      const move = (step) => {
        const moved = fields.map((field) => Number(field.value) + step);
        if (moved.some((p) => p < 0 || p > last)) {
          output.textContent = `Positions here go from 0 to ${last}: both stay where they are.`;
          return;
        }
        fields.forEach((field, i) => (field.value = moved[i]));
        form.dispatchEvent(new Event("input"));
        form.dispatchEvent(new Event("change"));
      };

      bindForm(form, this.id, (values) => {
        const [first, second] = [Number(values.p0), Number(values.p1)];
        const encoding = sinusoidalEncoding(last + 1, Number(values.d));
        const hands = encoding[0].length / 2;
        while (body.rows.length > hands) body.lastElementChild.remove();
        while (body.rows.length < hands) body.append(body.rows[0].cloneNode(true));
        let total = 0;
        [...body.rows].forEach((row, i) => {
          total += showHand(row, i, encoding.map((columns) => columns.slice(2 * i, 2 * i + 2)), first, second);
        });
        form.querySelector(".total").textContent = short(total);
        form.querySelectorAll("thead .at").forEach((at, i) => (at.textContent = [first, second][i]));
        readings.forEach((reading, i) => (reading.textContent = fields[i].value));
        const apart = Math.abs(first - second);
        output.textContent =
          `Positions ${first} and ${second} are ${apart} apart: their dot product is ${short(total)}, ` +
          `and so it is for any two positions ${apart} apart.`;
      });
    }
  },
);

// Fill a row of the table from the pair of columns of one hand; return what the hand adds to the dot product.
function showHand(row, i, pair, first, second) {
  const turn = Math.atan2(...pair[1]); // where position 1 points; no hand turns by more than 1 radian
  const [a, b] = [pair[first], pair[second]];
  const adds = a[0] * b[0] + a[1] * b[1];
  row.querySelector("th").textContent = i;
  row.querySelector(".turn").textContent = Number(turn.toPrecision(3));
  row.querySelector(".dial").style.setProperty("--first", `${turn * first}rad`);
  row.querySelector(".dial").style.setProperty("--second", `${turn * second}rad`);
  row.querySelectorAll(".signed").forEach((cell, c) => {
    const x = [...a, ...b][c];
    cell.style.setProperty("--v", x);
    cell.textContent = short(x);
  });
  row.querySelector(".adds").textContent = short(adds);
  return adds;
}
