// <head-browser>: any head on any recorded sentence. The first one stands in the page; the record of all is fetched when a
// reader asks for another, unless the document holds it (a file that stands alone).

import { arcs, draw, widths } from "../lib/arcs.js";
import { addForm, bindForm, dataOf, find, findAll, labelled, make, reading, slider, touched } from "../lib/widget.js";

/**
 * Weights in thousandths: by layer, head, token that asks, token that answers.
 * @typedef {{ text: string, tokens: string[], weights: number[][][][] }} Sentence
 * @typedef {{ texts: string[], layers: number, heads: number, tokens: string[] }} Size
 * @typedef {Size & { sentence: number, layer: number, head: number, row: number }} Data
 */

const LEVELS = [100, 250, 500, 750];
const FAINT = 10;
const MOST_WORDS = 16; // of a recorded sentence

/** @type {Sentence[] | null} */
let sentences = null;

async function load() {
  const held = document.getElementById("heads-record");
  const main = document.querySelector('script[src$="assets/js/main.js"]');
  if (held) sentences = JSON.parse(held.textContent).sentences;
  else if (main instanceof HTMLScriptElement) {
    const answer = await fetch(new URL("../records/heads.json", main.src));
    if (!answer.ok) throw new Error(`${answer.status}`);
    sentences = (await answer.json()).sentences;
  }
}

/** @type {(thousandths: number) => string} */
export function hundredths(thousandths) {
  const rounded = Math.floor((thousandths + 5) / 10);
  return `${Math.floor(rounded / 100) || ""}.${`${rounded % 100}`.padStart(2, "0")}`;
}

/** @type {(words: string[]) => string[]} */
export function namesOf(words) {
  return words.map((word, i) => {
    if (words.indexOf(word) === words.lastIndexOf(word)) return word;
    const rank = words.slice(0, i + 1).filter((other) => other === word).length;
    return `${word} (${rank}${["st", "nd", "rd"][rank - 1] ?? "th"})`;
  });
}

/** @type {(weights: number[][]) => string[]} */
export function paths(weights) {
  const drawn = LEVELS.map(() => "");
  weights.forEach((row, i) =>
    row.forEach((weight, j) => {
      const level = LEVELS.findLastIndex((from) => weight >= from);
      if (level >= 0) drawn[level] += `M${j} ${i}h1v1h-1z`;
    })
  );
  return drawn;
}

/** @type {(names: string[], weights: number[][]) => string} */
function most(names, weights) {
  const received = names.map((_, j) => weights.reduce((sum, row) => sum + row[j], 0));
  const key = received.indexOf(Math.max(...received));
  return `${names[key]} gets most, ${hundredths(received[key] / names.length)}`;
}

/** @type {(tokens: string[], weights: number[][], layer: number, head: number, row: number) => string} */
export function statement(tokens, weights, layer, head, row) {
  const names = namesOf(tokens);
  const first = [...tokens.keys()].sort((a, b) => weights[row][b] - weights[row][a]).slice(0, 3);
  const given = first.map((key) => `${names[key]} ${hundredths(weights[row][key])}`).join(", ");
  return `Layer ${layer}, head ${head}: ${names[row]} gives ${given}. ` +
    `On average over all ${tokens.length} tokens, ${most(names, weights)}.`;
}

class HeadBrowser extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("form")) return; // moved within its page
    /** @type {Data} */
    const start = dataOf(this);
    this.first = start;
    this.shown = start.sentence; // whose small pictures stand in the map
    const cells = findAll(this, ".attention-grid tbody tr").map((line) => findAll(line, "td"));
    this.weights = cells.map((row) => row.map((cell) => Math.round(1000 * Number(cell.dataset.weight))));

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
      return make("label", {}, radio, make("span"));
    });
    find(this, ".words").replaceChildren(...labels);
  }

  /** @type {(values: Record<string, string>) => void} */
  show(values) {
    const { first } = this;
    if (!first || !this.weights) return;
    const [sentence, layer, head] = [values.sentence, values.layer, values.head].map(Number);
    this.readings?.forEach((part, i) => (part.textContent = `${[layer, head][i]}`));
    const isFirst = sentence === first.sentence && layer === first.layer && head === first.head;
    const held = sentences?.[sentence];
    if (held && this.shown !== sentence) this.showMap(held);
    if (!held && !(isFirst && this.shown === sentence)) {
      this.wait(values);
      return;
    }
    this.mark(layer, head);
    const [tokens, weights] = held ? [held.tokens, held.weights[layer][head]] : [first.tokens, this.weights];
    const row = Math.min(Number(values.row), tokens.length - 1);
    this.showArcs(tokens, weights[row], row);
    this.showGrid(tokens, weights, row);
    find(this, "output").textContent = statement(tokens, weights, layer, head, row);
    this.removeAttribute("aria-busy");
  }

  // What stood there stays, dimmed, until the record has come; what is wanted by then is shown.
  /** @type {(values: Record<string, string>) => void} */
  wait(values) {
    this.wanted = values;
    if (this.getAttribute("aria-busy")) return;
    this.setAttribute("aria-busy", "true");
    load().then(() => this.show(this.wanted ?? values)).catch(({ message }) => {
      this.removeAttribute("aria-busy");
      find(this, "output").textContent = `The record could not be fetched (${message}). Choose once more to try again.`;
    });
  }

  /** @type {(sentence: Sentence) => void} */
  showMap({ tokens, weights }) {
    for (const cell of findAll(this, ".map td")) {
      const [layer, head] = [Number(cell.dataset.layer), Number(cell.dataset.head)];
      const svg = find(cell, "svg");
      svg.setAttribute("viewBox", `0 0 ${tokens.length} ${tokens.length}`);
      svg.setAttribute("aria-label", `layer ${layer}, head ${head}: ${most(namesOf(tokens), weights[layer][head])}`);
      svg.replaceChildren(
        ...paths(weights[layer][head]).flatMap((d, level) => {
          const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
          path.setAttribute("class", `l${level}`);
          path.setAttribute("d", d);
          return d ? [path] : [];
        }),
      );
    }
    this.shown = sentences?.findIndex(({ weights: its }) => its === weights);
  }

  /** @type {(layer: number, head: number) => void} */
  mark(layer, head) {
    for (const cell of findAll(this, ".map td")) {
      const chosen = cell.dataset.layer === `${layer}` && cell.dataset.head === `${head}`;
      if (chosen) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
    }
  }

  /** @type {(tokens: string[], weights: number[], row: number) => void} */
  showArcs(tokens, weights, row) {
    const [columns, stage] = [widths(tokens), find(this, ".stage")];
    draw(stage, columns, arcs(row, weights.map((weight) => weight >= FAINT ? weight / 1000 : null), columns));
    findAll(stage, ".words label").forEach((label, i) => {
      label.hidden = i >= tokens.length;
      find(label, "span").textContent = tokens[i] ?? "";
      label.toggleAttribute("data-chosen", i === row);
    });
    const top = Math.max(...weights);
    find(stage, ".shares").replaceChildren(...weights.map((weight) => {
      const part = make("span", {}, hundredths(weight));
      part.toggleAttribute("data-most", weight === top);
      return part;
    }));
  }

  /** @type {(tokens: string[], weights: number[][], row: number) => void} */
  showGrid(tokens, weights, row) {
    const table = find(this, "table.weights");
    const names = tokens.map((token) => make("th", { scope: "col", class: "key" }, token));
    find(table, "thead tr").replaceChildren(make("td"), ...names);
    find(table, "tbody").replaceChildren(...weights.map((shares, i) => {
      const cells = shares.map((weight) => {
        const cell = make("td", { "data-weight": weight / 1000 }, hundredths(weight));
        cell.style.setProperty("--w", `${weight / 1000}`);
        return cell;
      });
      const line = make("tr", {}, make("th", { scope: "row", class: "query" }, tokens[i]), ...cells);
      line.toggleAttribute("data-chosen", i === row);
      return line;
    }));
  }
}

customElements.define("head-browser", HeadBrowser);
