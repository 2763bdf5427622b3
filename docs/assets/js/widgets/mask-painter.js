// <mask-painter>: every cell of the grid gets a checkbox, and weights, outputs and the sentence follow.

import { attentionWeights, blend } from "../lib/attention.js";
import { showWeight, statement } from "../lib/grid-parts.js";
import { vector } from "../lib/numbers.js";
import { addReset, choice, dataOf, find, findAll, hearAtRest, make, readState, writeState } from "../lib/widget.js";

/**
 * A mask is written row by row: 1 may attend, 0 may not.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { masks: Record<string, string>, row: number }} Data
 */

/** @type {Record<string, number[]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

customElements.define(
  "mask-painter",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector(".widget-controls")) return; // moved within its page
      const { id } = this;
      /** @type {Data} */
      const { words, q, k, v, masks, row } = dataOf(this);
      const [first] = Object.values(masks);
      let chosen = row;
      const output = find(this, "output");
      const rows = findAll(this, "tbody tr");
      const cells = rows.map((line) => findAll(line, "td[data-weight]"));
      const boxes = cells.map((line, i) => line.map((cell, j) => box(cell, i, j)));
      boxes[0][0].tabIndex = 0;
      const texts = cells.map((line) => line.map((cell) => findAll(cell, "label > span:not(.visually-hidden)")));

      const presets = choice("Mask", `${id}-preset`, Object.entries(masks).map(([name, bits]) => [bits, name]));
      const radios = /** @type {HTMLInputElement[]} */ (findAll(presets, "input"));
      for (const radio of radios) radio.addEventListener("change", () => choose(radio.value, chosen));
      const hint = "Click a cell, or reach the grid with Tab, move with the arrow keys and press Space.";
      find(this, ".attention-grid").before(
        make(
          "div",
          { class: "widget-controls" },
          presets,
          make("p", { class: "hint" }, hint),
        ),
      );

      addReset(this, () => choose(first, row));

      const restore = () => {
        const saved = readState(id);
        const known = new RegExp(`^[01]{${first.length}}$`).test(saved.mask);
        paint(known ? saved.mask : first, saved.row && rows[Number(saved.row)] ? Number(saved.row) : row);
      };
      restore();
      this.addEventListener("addresschange", restore);
      hearAtRest(output);

      /**
       * One tab stop for the whole grid; the arrow keys move it.
       * @type {(cell: HTMLElement, i: number, j: number) => HTMLInputElement}
       */
      function box(cell, i, j) {
        const box = make("input", { type: "checkbox", tabindex: -1 });
        box.addEventListener("change", () => choose(bits(), i));
        box.addEventListener("focus", () => {
          for (const other of boxes.flat()) other.tabIndex = other === box ? 0 : -1;
        });
        box.addEventListener("keydown", (event) => {
          if (!STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault(); // the page stays where it is
          const [down, right] = STEPS[event.key];
          boxes[i + down]?.[j + right]?.focus();
        });
        const about = make("span", { class: "visually-hidden" }, `${words[i]} may look at ${words[j]}: `);
        cell.replaceChildren(make("label", {}, box, about, make("span"), make("span", { class: "decimal" })));
        return box;
      }

      function bits() {
        return boxes.flat().map((box) => (box.checked ? "1" : "0")).join("");
      }

      /** @type {(mask: string, asking: number) => void} */
      function choose(mask, asking) {
        paint(mask, asking);
        writeState(id, { mask: mask === first ? null : mask, row: asking === row ? null : `${asking}` });
      }

      /** @type {(bits: string, asking: number) => void} */
      function paint(bits, asking) {
        chosen = asking;
        const mask = words.map((_, i) => words.map((_, j) => bits[i * words.length + j] === "1"));
        const weights = attentionWeights(q, k, { mask });
        const outputs = weights.map((shares) => blend(shares, v));
        weights.forEach((shares, i) => {
          shares.forEach((weight, j) => {
            boxes[i][j].checked = mask[i][j];
            showWeight(cells[i][j], texts[i][j], weight, mask[i][j]);
          });
          find(rows[i], ".output").textContent = vector(outputs[i]);
          rows[i].toggleAttribute("data-chosen", i === asking);
        });
        for (const radio of radios) radio.checked = radio.value === bits;
        output.textContent = statement(words, asking, weights[asking], mask[asking], outputs[asking]);
      }
    }
  },
);
