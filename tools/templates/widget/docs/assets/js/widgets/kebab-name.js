// <kebab-name>: fill in: what the reader moves, and what follows it.

import { number } from "../lib/numbers.js";
import { addForm, bindForm, dataOf, find, findAll, labelled, reading, slider } from "../lib/widget.js";

/** @typedef {{ numbers: number[], largest: number }} Data as docs_ext/fences/snake_name.py writes it */

customElements.define(
  "kebab-name",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { numbers, largest } = dataOf(this);
      const factor = slider("factor", "factor", 1, 1, largest, (n) => `times ${n}`);
      const shown = reading();
      const form = addForm(this, labelled("times", factor, shown));

      bindForm(form, this.id, () => {
        const times = factor.valueAsNumber;
        const products = numbers.map((n) => n * times);
        findAll(form, ".product").forEach((cell, i) => (cell.textContent = number(products[i])));
        for (const place of [shown, find(form, ".at")]) place.textContent = factor.value;
        const total = products.reduce((a, b) => a + b);
        find(form, "output").textContent = `Times ${times} the numbers add up to ${number(total)}.`;
      });
    }
  },
);
