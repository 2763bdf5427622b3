// <window-sink>: how far each word sees, which first words stay open, and what a sink takes.

import { attentionWeights, blend, slidingWindowMask } from "../lib/attention.js";
import { showWeight, statement } from "../lib/grid-parts.js";
import { addForm, bindForm, dataOf, labelled, make, slider, vector } from "../lib/widget.js";

customElements.define(
  "window-sink",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const { words, q, k, v, left, row, most } = dataOf(this);
      const last = words.length - 1;
      const controls = [
        ["left", "words back", left, last],
        ["right", "words ahead", 0, last],
        ["keep", "first words kept", 0, last],
        ["sink", "sink", 0, most + 1], // 0 is off, then doublings from 0
      ].map(([name, label, start, end]) => ({ label, field: slider(name, label, start, 0, end), reading: make("span", { class: "reading" }) }));
      const form = addForm(this, ...controls.map(({ label, field, reading }) => labelled(label, field, reading)));
      const rows = [...form.querySelectorAll("tbody tr")];
      rows.forEach((line, i) => {
        const radio = make("input", { type: "radio", name: "row", value: i });
        radio.defaultChecked = i === row;
        const header = line.querySelector("th");
        header.replaceChildren(make("label", {}, radio, make("span", {}, ...header.childNodes)));
        for (const cell of line.querySelectorAll("td[data-weight]")) cell.replaceChildren(make("span"), make("span", { class: "decimal" }));
      });

      bindForm(form, this.id, (values) => {
        const [back, ahead, keep, step] = ["left", "right", "keep", "sink"].map((name) => Number(values[name]));
        const chosen = Number(values.row);
        const sink = step ? (step - 1) * Math.LN2 : undefined;
        const mask = slidingWindowMask(words.length, words.length, back, ahead).map((allowed, i) =>
          allowed.map((seen, j) => seen || (j < keep && j <= i)),
        );
        const weights = attentionWeights(q, k, { mask, sink });
        const outputs = weights.map((shares) => blend(shares, v));
        rows.forEach((line, i) => {
          const cells = line.querySelectorAll("td:not(.sink, .output)");
          weights[i].forEach((weight, j) => showWeight(cells[j], cells[j].children, weight, mask[i][j]));
          showSink(line.querySelector(".sink"), step, 1 - weights[i].reduce((sum, w) => sum + w, 0));
          line.querySelector(".output").textContent = vector(outputs[i]);
          line.toggleAttribute("data-chosen", i === chosen);
        });
        controls.forEach(({ field, reading }) => (reading.textContent = field.value));
        controls[3].reading.textContent = step ? `${step - 1} doubling${step === 2 ? "" : "s"}` : "off";
        form.querySelector("output").textContent =
          statement(words, chosen, weights[chosen], mask[chosen], outputs[chosen], step > 0);
      });
    }
  },
);

function showSink(cell, on, weight) {
  if (on) showWeight(cell, cell.children, weight, true);
  else {
    delete cell.dataset.weight;
    cell.children[0].textContent = "none";
    cell.children[1].textContent = "";
  }
}
