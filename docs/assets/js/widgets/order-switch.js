// Two switches choose one of four grids, all of which the package has computed: see docs_ext/switch.py.

import { watchScrollRegions } from "../lib/scroll.js";
import { readState, writeState } from "../lib/widget.js";

class OrderSwitch extends HTMLElement {
  connectedCallback() {
    const saved = readState(this.id);
    this.controls = this.querySelector(".widget-controls");
    this.boxes = [...this.controls.querySelectorAll("input")];
    for (const box of this.boxes) if (saved[box.name]) box.checked = saved[box.name] === "true";
    if (this.boxes.some((box) => box.checked !== box.defaultChecked)) this.show();
    this.controls.addEventListener("change", this); // adding the same listener twice adds it once
  }

  handleEvent({ target }) {
    writeState(this.id, { [target.name]: target.checked === target.defaultChecked ? null : target.checked });
    this.show();
  }

  // The new grid finds the chosen row in the address.
  show() {
    const state = this.boxes.map((box) => `[data-${box.name}="${box.checked}"]`).join("");
    const { content } = this.querySelector(`template${state}`);
    const [grid, says] = content.cloneNode(true).children;
    const shown = this.querySelector(".attention-grid");
    const { scrollLeft } = shown.querySelector(".scroll");
    shown.replaceWith(grid);
    grid.querySelector(".scroll").scrollLeft = scrollLeft;
    watchScrollRegions();
    this.querySelector(":scope > output").replaceChildren(says);
  }
}

customElements.define("order-switch", OrderSwitch);
