// Says the chosen row aloud and keeps the choice in the address. Choosing itself needs no script: see docs_ext/grid.py.

import { make, readState, writeState } from "../lib/widget.js";

class AttentionGrid extends HTMLElement {
  connectedCallback() {
    this.radios = [...this.querySelectorAll("input")];
    this.output = this.querySelector("output") ?? this.addOutput();
    const { row } = readState(this.dataset.state);
    const saved = this.radios.find((radio) => radio.value === row);
    if (saved) saved.checked = true; // else what the reader has chosen before this script came stays
    this.say();
    this.describe();
    this.addEventListener("change", this); // adding the same listener twice adds it once
    this.addEventListener("focusout", this);
  }

  // The output lies upon the statements, which keep its room but are no longer seen.
  addOutput() {
    const statements = this.querySelector(".statements");
    for (const statement of statements.children) statement.style.visibility = "hidden";
    statements.append(make("output", { id: `${this.dataset.state}-says` }));
    return statements.lastChild;
  }

  handleEvent({ type, target }) {
    if (type === "focusout") this.describe();
    else if (this.radios.includes(target)) {
      this.say();
      writeState(this.dataset.state, { row: target.defaultChecked ? null : target.value });
    }
  }

  say() {
    const chosen = this.radios.findIndex((radio) => radio.checked);
    this.output.textContent = `Query ${this.querySelectorAll(".statements > p")[chosen].textContent}`;
  }

  // A radio that is reached by Tab is described by the statement. One that is chosen by an arrow key is not, since the
  // output speaks: a screen reader would say everything twice. So the description moves when the focus leaves.
  describe() {
    for (const radio of this.radios) {
      if (radio.checked) radio.setAttribute("aria-describedby", this.output.id);
      else radio.removeAttribute("aria-describedby");
    }
  }
}

customElements.define("attention-grid", AttentionGrid);
