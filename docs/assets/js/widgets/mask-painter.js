// Paint the mask: every cell of the grid gets a checkbox, and weights, outputs and the sentence follow.

import { attentionWeights, blend } from "../lib/attention.js";
import { showWeight, statement } from "../lib/grid-parts.js";
import { dataOf, make, readState, vector, writeState } from "../lib/widget.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const hidden = (text) => make("span", { class: "visually-hidden" }, text);

class MaskPainter extends HTMLElement {
  connectedCallback() {
    if (this.start) return; // moved, not new
    this.start = dataOf(this);
    this.first = Object.values(this.start.masks)[0];
    this.output = this.querySelector("output");
    this.querySelector(".attention-grid").before(this.controls());
    this.rows = [...this.querySelectorAll("tbody tr")];
    this.boxes = this.rows.map((row, i) => [...row.querySelectorAll("td[data-weight]")].map((cell, j) => this.box(cell, i, j)));
    this.boxes[0][0].tabIndex = 0;
    const { mask, row } = readState(this.id);
    const known = new RegExp(`^[01]{${this.first.length}}$`).test(mask);
    this.paint(known ? mask : this.first, this.rows[row] ? Number(row) : this.start.row);
  }

  controls() {
    const presets = make("fieldset", {}, make("legend", {}, "Mask"));
    this.presets = Object.entries(this.start.masks).map(([name, bits]) => {
      const radio = make("input", { type: "radio", name: `${this.id}-preset`, value: bits });
      radio.addEventListener("change", () => this.paint(bits, this.row, true));
      presets.append(make("label", {}, radio, name));
      return radio;
    });
    const reset = make("button", { type: "button" }, "Reset");
    reset.addEventListener("click", () => this.paint(this.first, this.start.row, true));
    const hint = make("p", { class: "hint" }, "Click a cell, or reach the grid with Tab, move with the arrow keys and press Space.");
    return make("div", { class: "widget-controls" }, presets, reset, hint);
  }

  // One tab stop for the whole grid; the arrow keys move it.
  box(cell, i, j) {
    const { words } = this.start;
    const box = make("input", { type: "checkbox", tabindex: "-1" });
    box.addEventListener("change", () => this.paint(this.bits(), i, true));
    box.addEventListener("focus", () => {
      this.boxes.flat().forEach((other) => (other.tabIndex = other === box ? 0 : -1));
    });
    box.addEventListener("keydown", (event) => {
      if (!STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // the page stays where it is
      const [down, right] = STEPS[event.key];
      this.boxes[i + down]?.[j + right]?.focus();
    });
    cell.replaceChildren(make("label", {}, box, hidden(`${words[i]} may look at ${words[j]}: `), make("span"), make("span", { class: "decimal" })));
    return box;
  }

  bits() {
    return this.boxes.flat().map((box) => (box.checked ? "1" : "0")).join("");
  }

  paint(bits, row, byReader = false) {
    const { words, q, k, v } = this.start;
    this.row = row;
    const mask = words.map((_, i) => words.map((_, j) => bits[i * words.length + j] === "1"));
    const weights = attentionWeights(q, k, { mask });
    const outputs = weights.map((shares) => blend(shares, v));
    weights.forEach((shares, i) => {
      shares.forEach((weight, j) => this.show(this.boxes[i][j], weight, mask[i][j]));
      this.rows[i].querySelector(".output").textContent = vector(outputs[i]);
      this.rows[i].toggleAttribute("data-chosen", i === row);
    });
    this.presets.forEach((radio) => (radio.checked = radio.value === bits));
    this.output.textContent = statement(words, row, weights[row], mask[row], outputs[row]);
    if (!byReader) return;
    writeState(this.id, { mask: bits === this.first ? null : bits, row: row === this.start.row ? null : row });
  }

  show(box, weight, allowed) {
    const cell = box.closest("td");
    box.checked = allowed;
    showWeight(cell, cell.querySelectorAll("label > span:not(.visually-hidden)"), weight, allowed);
  }
}

customElements.define("mask-painter", MaskPainter);
