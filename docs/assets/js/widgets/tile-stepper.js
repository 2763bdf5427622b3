// <tile-stepper>: one query reads its keys tile by tile; the registers change with the tiles, the result does not.

import { mergePartials, partialAttention } from "../lib/attention.js";
import { addForm, bindForm, dataOf, labelled, make, number, slider, vector } from "../lib/widget.js";

const ORDER = {
  "first to last": (i) => i,
  "last to first": (i) => -i,
  "from the middle": (i, n) => Math.abs(i - (n - 1) / 2),
};

// The tiles of docs_ext/stepper.py: positions of keys.
function tilesOf(nKeys, size, order) {
  const tiles = Array.from({ length: Math.ceil(nKeys / size) }, (_, b) =>
    Array.from({ length: Math.min(size, nKeys - b * size) }, (_, i) => b * size + i),
  );
  const place = (b) => ORDER[order](b, tiles.length);
  return tiles.map((_, b) => b).sort((a, b) => place(a) - place(b)).map((b) => tiles[b]);
}

function trace(scores, v, tiles) {
  let soFar = null;
  let m = -Infinity;
  return tiles.map((tile) => {
    const before = m;
    const part = partialAttention(tile.map((key) => scores[key] * Math.LN2), tile.map((key) => v[key]));
    m = Math.max(m, ...tile.map((key) => scores[key]));
    soFar = soFar ? mergePartials(soFar, part) : part;
    const l = Math.exp(soFar.logsumexp - m * Math.LN2);
    return { tile, rescale: 2 ** (before - m), m, l, o: soFar.output.map((x) => x * l), output: soFar.output };
  });
}

class TileStepper extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("form")) return; // moved within its page
    const { words, scores, v, size, orders } = dataOf(this);
    const sizes = slider("size", "words in a tile", size, 1, words.length);
    const sizeShown = make("span", { class: "reading" });
    const radios = orders.map((name, i) => {
      const radio = make("input", { type: "radio", name: "order", value: name });
      radio.defaultChecked = i === 0;
      return make("label", {}, radio, name);
    });
    const step = slider("step", "steps taken", words.length, 1, words.length); // the largest value is all steps
    step.hidden = true; // the buttons move it
    let steps, shown;
    const button = (text, by) => {
      const element = make("button", { type: "button" }, text);
      element.addEventListener("click", () => {
        const next = ((shown + by + steps.length - 1) % steps.length) + 1; // after the last step comes the first
        step.value = next === steps.length ? words.length : next;
        for (const kind of ["input", "change"]) step.dispatchEvent(new Event(kind, { bubbles: true }));
      });
      return element;
    };
    const form = addForm(
      this,
      labelled("words in a tile", sizes, sizeShown),
      make("fieldset", {}, make("legend", {}, "order"), ...radios),
      step,
      button("Step", 1),
      button("Back", -1),
    );

    bindForm(form, this.id, (values) => {
      steps = trace(scores, v, tilesOf(words.length, Number(values.size), values.order));
      shown = Math.min(Number(values.step), steps.length);
      form.querySelector("tbody").replaceChildren(...steps.map((one, i) => row(one, i, i < shown, words, scores)));
      sizeShown.textContent = values.size;
      const { m, l, o, output } = steps[shown - 1];
      form.querySelector("output").textContent =
        `Tiles of ${values.size}, ${values.order}. After step ${shown} of ${steps.length}: m = ${number(m)}, ` +
        `\u2113 = ${number(l)}, o = ${vector(o)}; o / \u2113 = ${vector(output)}, ` +
        `${shown === steps.length ? "the result" : "so far"}.`;
    });
  }
}

function row({ tile, rescale, m, l, o, output }, i, read, words, scores) {
  const old = i === 0 ? "none" : `\u00d7 ${number(rescale)}`;
  const registers = [old, number(m), number(l), vector(o), vector(output)];
  const classes = ["", "", "", "value", "output"];
  const cells = registers.map((text, c) => make("td", { class: classes[c] }, read ? text : ""));
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, `${i + 1}`),
    make("td", {}, tile.map((key) => words[key]).join(", ")),
    make("td", { class: "key" }, tile.map((key) => number(scores[key])).join(", ")),
    ...cells,
  );
}

customElements.define("tile-stepper", TileStepper);
