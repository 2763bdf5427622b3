// <order-switch>: two switches choose one of four grids, all of which the build has written.

import { addReset, find, findAll, hearAtRest, readState, writeState } from "../lib/widget.js";

class OrderSwitch extends HTMLElement {
  get boxes() {
    return /** @type {HTMLInputElement[]} */ (findAll(this, ".widget-controls input"));
  }

  connectedCallback() {
    this.read();
    if (this.boxes.some((box) => box.checked !== box.defaultChecked)) this.show();
    if (this.querySelector(".reset")) return; // moved within its page
    addReset(this, () => this.reset());
    this.addEventListener("addresschange", () => this.restore());
    find(this, ".widget-controls").addEventListener("change", this);
    hearAtRest(find(this, ":scope > output"));
  }

  read() {
    const saved = readState(this.id);
    for (const box of this.boxes) {
      if (["true", "false"].includes(saved[box.name])) box.checked = saved[box.name] === "true";
    }
  }

  // Show what the address says, and nothing else.
  restore() {
    for (const box of this.boxes) box.checked = box.defaultChecked;
    this.read();
    this.show();
  }

  /** @type {(event: Event) => void} */
  handleEvent({ target }) {
    const { name, checked, defaultChecked } = /** @type {HTMLInputElement} */ (target);
    writeState(this.id, { [name]: checked === defaultChecked ? null : `${checked}` });
    this.show();
  }

  reset() {
    writeState(this.id, { swap: null, positions: null, row: null });
    this.restore();
  }

  // The new grid finds the chosen row in the address.
  show() {
    const state = this.boxes.map((box) => `[data-${box.name}="${box.checked}"]`).join("");
    const { content } = /** @type {HTMLTemplateElement} */ (find(this, `template${state}`));
    const [grid, says] = /** @type {DocumentFragment} */ (content.cloneNode(true)).children;
    const shown = find(this, ".attention-grid");
    const { scrollLeft } = find(shown, ".scroll");
    shown.replaceWith(grid);
    find(grid, ".scroll").scrollLeft = scrollLeft;
    find(this, ":scope > output").replaceChildren(says);
    this.dispatchEvent(new Event("contentchange", { bubbles: true }));
  }
}

customElements.define("order-switch", OrderSwitch);
