// <attention-grid> says the chosen row aloud and keeps the choice in the address. Choosing itself needs no script.

import { find, findAll, make, readState, writeState } from "../lib/widget.js";

class AttentionGrid extends HTMLElement {
  get state() {
    return this.dataset.state ?? "";
  }

  get radios() {
    return /** @type {HTMLInputElement[]} */ (findAll(this, "input"));
  }

  connectedCallback() {
    if (!this.querySelector("output")) this.addOutput();
    const { row } = readState(this.state);
    const saved = this.radios.find((radio) => radio.value === row);
    if (saved) saved.checked = true; // else what the reader has chosen before this script came stays
    this.say();
    this.describe();
    this.addEventListener("change", this); // adding the same listener twice adds it once
    this.addEventListener("focusout", this);
  }

  // The output lies upon the statements, which keep its room but are no longer seen.
  addOutput() {
    for (const statement of findAll(this, ".statements > *")) statement.style.visibility = "hidden";
    find(this, ".statements").append(make("output", { id: `${this.state}-says` }));
  }

  /** @type {(event: Event) => void} */
  handleEvent({ type, target }) {
    const chosen = this.radios.find((radio) => radio === target);
    if (type === "focusout") this.describe();
    else if (chosen) {
      this.say();
      writeState(this.state, { row: chosen.defaultChecked ? null : chosen.value });
    }
  }

  say() {
    const chosen = this.radios.findIndex((radio) => radio.checked);
    find(this, "output").textContent = `Query ${findAll(this, ".statements > p")[chosen].textContent}`;
  }

  // A radio that is reached by Tab is described by the statement. One that is chosen by an arrow key is not, since the
  // output speaks: a screen reader would say everything twice. So the description moves when the focus leaves.
  describe() {
    for (const radio of this.radios) {
      if (radio.checked) radio.setAttribute("aria-describedby", find(this, "output").id);
      else radio.removeAttribute("aria-describedby");
    }
  }
}

customElements.define("attention-grid", AttentionGrid);
