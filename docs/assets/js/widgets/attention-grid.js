// <attention-grid> says the chosen row aloud and keeps the choice in the address. Choosing itself needs no script, but a
// click on any cell does.

import { chooseByCell } from "../lib/grid-parts.js";
import { addReset, find, findAll, hearAtRest, make, readState, writeState } from "../lib/widget.js";

class AttentionGrid extends HTMLElement {
  get state() {
    return this.dataset.state ?? "";
  }

  get radios() {
    return /** @type {HTMLInputElement[]} */ (findAll(this, "input"));
  }

  connectedCallback() {
    this.read(); // what the reader has chosen before this script came stays, unless the address says otherwise
    if (!this.querySelector("output")) this.build();
    this.say();
    this.describe();
  }

  read() {
    const { row } = readState(this.state);
    const saved = this.radios.find((radio) => radio.value === row);
    if (saved) saved.checked = true;
  }

  // Show what the address says, and nothing else.
  restore() {
    for (const radio of this.radios) radio.checked = radio.defaultChecked;
    this.read();
    this.say();
    this.describe();
  }

  build() {
    // The output lies upon the statements, which keep its room but are no longer seen.
    for (const statement of findAll(this, ".statements > *")) statement.style.visibility = "hidden";
    find(this, ".statements").append(make("output", { id: `${this.state}-says` }));
    this.say();
    hearAtRest(find(this, "output"));
    if (this.querySelector(".widget-head")) addReset(this, () => this.reset()); // else it is part of a widget that has one
    chooseByCell(this);
    this.addEventListener("change", this);
    this.addEventListener("focusout", this);
    this.addEventListener("addresschange", () => this.restore());
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

  reset() {
    writeState(this.state, { row: null });
    this.restore();
  }

  say() {
    const chosen = this.radios.findIndex((radio) => radio.checked);
    find(this, "output").textContent = `Query ${findAll(this, ".statements > p")[chosen].textContent}`;
  }

  // A radio that is reached by Tab is described by the statement. One that is chosen by an arrow key is not, since the
  // statement is heard: a screen reader would say everything twice. So the description moves when the focus leaves.
  describe() {
    for (const radio of this.radios) {
      if (radio.checked) radio.setAttribute("aria-describedby", find(this, "output").id);
      else radio.removeAttribute("aria-describedby");
    }
  }
}

customElements.define("attention-grid", AttentionGrid);
