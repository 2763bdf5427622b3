// <row-stepper>: four figures, of which the style sheet shows the one whose radio is checked.

import { addForm, bindForm, button, find, findAll, touched } from "../lib/widget.js";

customElements.define(
  "row-stepper",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const steps = find(this, "fieldset");
      const radios = /** @type {HTMLInputElement[]} */ (findAll(steps, "input"));
      const says = findAll(this, ".says").map((text) => text.textContent ?? "");
      const current = () => radios.findIndex((radio) => radio.checked);
      const buttons = [-1, 1].map((by) =>
        button(by < 0 ? "Back" : "Next", () => {
          const next = radios[current() + by];
          if (!next) return;
          next.checked = true;
          touched(next);
        })
      );
      const form = addForm(this, steps, ...buttons);
      radios.forEach((radio) => (radio.name = "step")); // the form keeps them apart from those of another figure

      bindForm(form, this.id, () => {
        const at = current();
        buttons.forEach((button, i) => button.setAttribute("aria-disabled", `${at === (i ? radios.length - 1 : 0)}`));
        find(form, "output").textContent = says[at];
      });
    }
  },
);
