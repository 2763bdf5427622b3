// <tile-stepper>: one query reads its keys tile by tile; the registers change with the tiles, the result does not.

import { mergePartials, partialAttention } from "../lib/attention.js";
import { counted, number, vector } from "../lib/numbers.js";
import { addForm, bindForm, button, choice, dataOf, find, labelled, make } from "../lib/widget.js";
import { reading, slider, touched } from "../lib/widget.js";

/** @typedef {"first to last" | "last to first" | "from the middle"} Order */
/** @typedef {{ words: string[], scores: number[], v: number[][], size: number, orders: Order[] }} Data */
/** @typedef {{ tile: number[], rescale: number, m: number, l: number, o: number[], output: number[] }} Step */

/** @type {Record<Order, (i: number, n: number) => number>} */
const PLACE = {
  "first to last": (i) => i,
  "last to first": (i) => -i,
  "from the middle": (i, n) => Math.abs(i - (n - 1) / 2),
};

/**
 * Positions of keys, cut and ordered as the build does it.
 * @type {(nKeys: number, size: number, order: Order) => number[][]}
 */
function tilesOf(nKeys, size, order) {
  const tiles = Array.from(
    { length: Math.ceil(nKeys / size) },
    (_, b) => Array.from({ length: Math.min(size, nKeys - b * size) }, (_, i) => b * size + i),
  );
  /** @type {(b: number) => number} */
  const place = (b) => PLACE[order](b, tiles.length);
  return [...tiles.keys()].sort((a, b) => place(a) - place(b)).map((b) => tiles[b]);
}

/** @type {(scores: number[], v: number[][], tiles: number[][]) => Step[]} */
function trace(scores, v, tiles) {
  /** @type {ReturnType<typeof partialAttention> | undefined} */
  let soFar;
  let m = -Infinity;
  return tiles.map((tile) => {
    const before = m;
    const part = partialAttention(tile.map((key) => scores[key] * Math.LN2), tile.map((key) => v[key]));
    m = Math.max(m, ...tile.map((key) => scores[key]));
    const { output, logsumexp } = soFar = soFar ? mergePartials(soFar, part) : part;
    const l = Math.exp(logsumexp - m * Math.LN2);
    return { tile, rescale: 2 ** (before - m), m, l, o: output.map((x) => x * l), output };
  });
}

customElements.define(
  "tile-stepper",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, scores, v, size, orders } = dataOf(this);
      const sizes = slider("size", "words in a tile", size, 1, words.length, (n) => counted(n, "word"));
      const sizeShown = reading();
      const step = slider("step", "steps taken", words.length, 1, words.length); // the largest value is all steps
      step.hidden = true; // the buttons move it
      /** @type {Step[]} */
      let steps;
      /** @type {number} */
      let shown;
      /** @type {(by: number) => void} */
      const move = (by) => {
        const next = ((shown + by + steps.length - 1) % steps.length) + 1; // after the last step comes the first
        step.valueAsNumber = next === steps.length ? words.length : next;
        touched(step);
      };
      const form = addForm(
        this,
        labelled("words in a tile", sizes, sizeShown),
        choice("order", "order", orders.map((name) => [name, name])),
        step,
        button("Step", () => move(1)),
        button("Back", () => move(-1)),
      );

      bindForm(form, this.id, (values) => {
        const order = /** @type {Order} */ (values.order);
        steps = trace(scores, v, tilesOf(words.length, sizes.valueAsNumber, order));
        shown = Math.min(step.valueAsNumber, steps.length);
        find(form, "tbody").replaceChildren(...steps.map((one, i) => row(one, i, i < shown, words, scores)));
        sizeShown.textContent = values.size;
        const { m, l, o, output } = steps[shown - 1];
        find(form, "output").textContent =
          `Tiles of ${values.size}, ${order}. After step ${shown} of ${steps.length}: m = ${number(m)}, ` +
          `\u2113 = ${number(l)}, o = ${vector(o)}; o / \u2113 = ${vector(output)}, ` +
          `${shown === steps.length ? "the result" : "so far"}.`;
      });
    }
  },
);

/** @type {(step: Step, i: number, read: boolean, words: string[], scores: number[]) => HTMLTableRowElement} */
function row({ tile, rescale, m, l, o, output }, i, read, words, scores) {
  const old = i === 0 ? "none" : `\u00d7 ${number(rescale)}`;
  const registers = [old, number(m), number(l), vector(o), vector(output)];
  const classes = ["", "", "", "value", "output"];
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, `${i + 1}`),
    make("td", {}, tile.map((key) => words[key]).join(", ")),
    make("td", { class: "key" }, tile.map((key) => number(scores[key])).join(", ")),
    ...registers.map((text, c) => make("td", { class: classes[c] }, read ? text : "")),
  );
}
