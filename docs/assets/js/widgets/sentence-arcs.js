// <sentence-arcs>: the style sheet shows the state that the fields are in. This says it aloud, keeps it in the address
// and gives the default back.

import { button, find, findAll, make, readState, writeState } from "../lib/widget.js";

class SentenceArcs extends HTMLElement {
  get fields() {
    return /** @type {HTMLInputElement[]} */ (findAll(this, "input"));
  }

  connectedCallback() {
    if (!this.querySelector("output")) this.addParts();
    this.read();
    this.addEventListener("change", this); // adding the same listener twice adds it once
  }

  read() {
    const { row, ...switches } = readState(this.id);
    for (const field of this.fields) {
      const on = switches[field.name];
      if (field.type === "radio") field.checked ||= field.value === row;
      else if (on === "true" || on === "false") field.checked = on === "true";
    }
    this.say();
  }

  // Show what the address says, and nothing else.
  restore() {
    for (const field of this.fields) field.checked = field.defaultChecked;
    this.read();
  }

  // The output lies upon the statements, which keep its room but are no longer seen.
  addParts() {
    find(this, ".statements").append(make("output"));
    this.prepend(button("Reset", () => this.reset()));
    this.addEventListener("addresschange", () => this.restore());
  }

  handleEvent() {
    this.say();
    this.write();
  }

  reset() {
    for (const field of this.fields) field.checked = field.defaultChecked;
    this.handleEvent();
  }

  say() {
    const where = this.fields.map(({ type, name, value, checked }) => {
      if (type === "checkbox") return `[data-${name}="${checked}"]`;
      return checked ? `[data-row="${value}"]` : "";
    });
    const copy = find(this, `.statements > p${where.join("")}`).cloneNode(true);
    find(this, "output").replaceChildren(...copy.childNodes);
  }

  write() {
    /** @type {Record<string, string | null>} */
    const state = {};
    for (const { type, name, value, checked, defaultChecked } of this.fields) {
      if (type === "checkbox") state[name] = checked === defaultChecked ? null : `${checked}`;
      else if (checked) state.row = defaultChecked ? null : value;
    }
    writeState(this.id, state);
  }
}

customElements.define("sentence-arcs", SentenceArcs);
