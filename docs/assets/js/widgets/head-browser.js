// <head-browser>: any head on any recorded sentence. The first one stands in the page. What draws others comes when a
// reader asks for one, and so does the record of all, unless the document holds it (a file that stands alone).

import { addForm, bindForm, dataOf, find, findAll, labelled, make, reading, slider, touched } from "../lib/widget.js";

/**
 * Weights in thousandths: by layer, head, token that asks, token that answers.
 * @typedef {{ text: string, tokens: string[], weights: number[][][][] }} Sentence
 * @typedef {{ texts: string[], layers: number, heads: number, tokens: string[] }} Size
 * @typedef {Size & { sentence: number, layer: number, head: number, row: number }} Data
 */

const MOST_WORDS = 16; // of a recorded sentence

/** @type {Sentence[] | null} */
let sentences = null;
/** @type {typeof import("../lib/heads.js") | null} */
let heads = null;

/** @type {(withRecord: boolean) => Promise<void>} */
async function load(withRecord) {
  heads ??= await import("../lib/heads.js");
  const held = document.getElementById("heads-record");
  const main = document.querySelector('script[src$="assets/js/main.js"]');
  if (held) sentences ??= JSON.parse(held.textContent).sentences;
  else if (withRecord && main instanceof HTMLScriptElement) {
    const answer = await fetch(new URL("../records/heads.json", main.src));
    if (!answer.ok) throw new Error(`${answer.status}`);
    sentences = (await answer.json()).sentences;
  }
}

class HeadBrowser extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("form")) return; // moved within its page
    /** @type {Data} */
    const start = dataOf(this);
    this.first = start;
    /** @type {number} */
    this.shown = start.sentence; // whose small pictures stand in the map
    const lines = findAll(this, ".attention-grid tbody tr").map((line) => findAll(line, "td"));
    this.weights = lines.map((cells) => cells.map(({ dataset }) => Math.round(1000 * Number(dataset.weight))));

    const options = start.texts.map((text, i) => new Option(text, `${i}`, i === start.sentence));
    const sentence = make("select", { "name": "sentence", "aria-label": "sentence" }, ...options);
    const [layer, head] = [["layer", start.layers], ["head", start.heads]].map(([name, size]) => {
      const value = name === "layer" ? start.layer : start.head;
      return slider(`${name}`, `${name}`, value, 0, Number(size) - 1, (at) => `${name} ${at}`);
    });
    this.readings = [reading(), reading()];
    const form = addForm(
      this,
      labelled("sentence", sentence),
      labelled("layer", layer, this.readings[0]),
      labelled("head", head, this.readings[1]),
    );
    this.addWords(start);

    find(form, ".map").addEventListener("click", ({ target }) => {
      const cell = /** @type {Element} */ (target).closest("td");
      if (!cell) return;
      layer.value = cell.dataset.layer ?? "0";
      head.value = cell.dataset.head ?? "0";
      touched(head);
    });
    find(form, ".attention-grid").addEventListener("click", ({ target }) => {
      const line = /** @type {Element} */ (target).closest("tbody tr");
      const at = findAll(form, ".attention-grid tbody tr").findIndex((one) => one === line);
      this.radios[at]?.click();
    });
    bindForm(form, this.id, (values) => this.show(values));
  }

  get radios() {
    return findAll(this, ".words input");
  }

  // The tokens of a longer sentence have their radio buttons from the beginning, so that an address can mean them.
  /** @type {(start: Data) => void} */
  addWords({ tokens, row }) {
    const labels = Array.from({ length: Math.max(tokens.length, MOST_WORDS) }, (_, i) => {
      const radio = make("input", { type: "radio", name: "row", value: i });
      radio.defaultChecked = i === row;
      const label = make("label", {}, radio, make("span", {}, tokens[i] ?? ""));
      label.hidden = i >= tokens.length;
      label.toggleAttribute("data-chosen", i === row);
      return label;
    });
    find(this, ".words").replaceChildren(...labels);
  }

  /** @type {(values: Record<string, string>) => void} */
  show(values) {
    const { first } = this;
    if (!first || !this.weights) return;
    this.wanted = values;
    const [sentence, layer, head, asks] = [values.sentence, values.layer, values.head, values.row].map(Number);
    this.readings?.forEach((part, i) => (part.textContent = `${[layer, head][i]}`));
    const here = sentence === first.sentence && layer === first.layer && head === first.head;
    if (!heads && here && asks === first.row) return; // as it stands
    const held = sentences?.[sentence];
    const missing = !held && !(here && this.shown === sentence);
    if (!heads || missing) {
      this.wait(missing);
      return;
    }
    if (held && this.shown !== sentence) {
      heads.drawMap(this, held);
      this.shown = sentence;
    }
    const [tokens, weights] = held ? [held.tokens, held.weights[layer][head]] : [first.tokens, this.weights];
    heads.drawHead(this, tokens, weights, layer, head, Math.min(asks, tokens.length - 1));
    this.removeAttribute("aria-busy");
  }

  // What stood there stays, dimmed, until all has come; then what is wanted by then is shown.
  /** @type {(withRecord: boolean) => void} */
  wait(withRecord) {
    this.setAttribute("aria-busy", "true");
    if (this.loading) return;
    this.loading = true;
    load(withRecord).finally(() => (this.loading = false)).then(() => this.show(this.wanted ?? {})).catch(
      ({ message }) => {
        this.removeAttribute("aria-busy");
        find(this, "output").textContent =
          `The record could not be fetched (${message}). Choose once more to try again.`;
      },
    );
  }
}

customElements.define("head-browser", HeadBrowser);
