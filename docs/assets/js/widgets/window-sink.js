// <window-sink>: how far each word sees, which first words stay open, and what a sink takes.

import { attentionWeights, blend, slidingWindowMask, sum } from "../lib/attention.js";
import { chooseByCell, showWeight, statement } from "../lib/grid-parts.js";
import { counted, vector } from "../lib/numbers.js";
import { addForm, bindForm, dataOf, find, findAll, labelled, make, reading, slider } from "../lib/widget.js";

/**
 * How many words back each sees, the row that is chosen, and the most doublings of a sink.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { left: number, row: number, most: number }} Data
 */

/** @type {(n: number) => string} */
const inWords = (n) => counted(n, "word");

/** @type {(step: number) => string} */
const sinkOf = (step) => (step ? counted(step - 1, "doubling") : "off");

customElements.define(
  "window-sink",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, q, k, v, left, row, most } = dataOf(this);
      const last = words.length - 1;
      const fields = [
        slider("left", "words back", left, 0, last, inWords),
        slider("right", "words ahead", 0, 0, last, inWords),
        slider("keep", "first words kept", 0, 0, last, inWords),
        slider("sink", "sink", 0, 0, most + 1, sinkOf), // 0 is off, then doublings from 0
      ];
      const readings = fields.map(reading);
      const labels = fields.map((field, i) => labelled(field.ariaLabel ?? "", field, readings[i]));
      const form = addForm(this, ...labels);
      const rows = findAll(form, "tbody tr");
      rows.forEach((line, i) => {
        const radio = make("input", { type: "radio", name: "row", value: i });
        radio.defaultChecked = i === row;
        const header = find(line, "th");
        header.replaceChildren(make("label", {}, radio, make("span", {}, ...header.childNodes)));
        for (const cell of findAll(line, "td[data-weight]")) {
          cell.replaceChildren(make("span"), make("span", { class: "decimal" }));
        }
      });

      chooseByCell(find(form, "table"));
      bindForm(form, this.id, (values) => {
        const [back, ahead, keep, step] = fields.map((field) => field.valueAsNumber);
        const chosen = Number(values.row);
        const sink = step ? (step - 1) * Math.LN2 : undefined;
        const mask = slidingWindowMask(words.length, words.length, back, ahead).map((allowed, i) =>
          allowed.map((seen, j) => seen || (j < keep && j <= i))
        );
        const weights = attentionWeights(q, k, { mask, sink });
        const outputs = weights.map((shares) => blend(shares, v));
        rows.forEach((line, i) => {
          const cells = findAll(line, "td:not(.sink, .output)");
          weights[i].forEach((weight, j) => showWeight(cells[j], cells[j].children, weight, mask[i][j]));
          showSink(find(line, ".sink"), step > 0, 1 - sum(weights[i]));
          find(line, ".output").textContent = vector(outputs[i]);
          line.toggleAttribute("data-chosen", i === chosen);
        });
        readings.forEach((reading, i) => (reading.textContent = fields[i].value));
        readings[3].textContent = sinkOf(step);
        find(form, "output").textContent = statement(
          words,
          chosen,
          weights[chosen],
          mask[chosen],
          outputs[chosen],
          step > 0,
        );
      });
    }
  },
);

/** @type {(cell: HTMLElement, on: boolean, weight: number) => void} */
function showSink(cell, on, weight) {
  if (on) return showWeight(cell, cell.children, weight, true);
  delete cell.dataset.weight;
  cell.children[0].textContent = "none";
  cell.children[1].textContent = "";
}
