// What head-browser draws when a reader asks for a head: as docs_ext/fences/head_browser.py writes the first one.

import { arcs, draw, widths } from "./arcs.js";
import { find, findAll, make } from "./widget.js";

const LEVELS = [100, 250, 500, 750];
const FAINT = 10;

/** @type {(thousandths: number) => string} */
function hundredths(thousandths) {
  const rounded = Math.floor((thousandths + 5) / 10);
  return `${Math.floor(rounded / 100) || ""}.${`${rounded % 100}`.padStart(2, "0")}`;
}

/** @type {(words: string[]) => string[]} */
function namesOf(words) {
  return words.map((word, i) => {
    if (words.indexOf(word) === words.lastIndexOf(word)) return word;
    const rank = words.slice(0, i + 1).filter((other) => other === word).length;
    return `${word} (${rank}${["st", "nd", "rd"][rank - 1] ?? "th"})`;
  });
}

/** @type {(weights: number[][]) => string[]} */
function paths(weights) {
  const drawn = LEVELS.map(() => "");
  weights.forEach((_, j) => {
    const column = weights.map((row) => LEVELS.findLastIndex((from) => row[j] >= from));
    for (let i = 0, end = 0; i < column.length; i = end) {
      while (column[end] === column[i]) end += 1;
      if (column[i] >= 0) drawn[column[i]] += `M${j} ${i}h1v${end - i}h-1z`;
    }
  });
  return drawn;
}

/** @type {(names: string[], weights: number[][]) => string} */
function most(names, weights) {
  const received = names.map((_, j) => weights.reduce((sum, row) => sum + row[j], 0));
  const key = received.indexOf(Math.max(...received));
  return `${names[key]} gets most, ${hundredths(received[key] / names.length)}`;
}

/** @type {(tokens: string[], weights: number[][], layer: number, head: number, row: number) => string} */
function statement(tokens, weights, layer, head, row) {
  const names = namesOf(tokens);
  const first = [...tokens.keys()].sort((a, b) => weights[row][b] - weights[row][a]).slice(0, 3);
  const given = first.map((key) => `${names[key]} ${hundredths(weights[row][key])}`).join(", ");
  return `Layer ${layer}, head ${head}: ${names[row]} gives ${given}. ` +
    `On average over all ${tokens.length} tokens, ${most(names, weights)}.`;
}

/**
 * The small pictures of all heads.
 * @type {(within: HTMLElement, sentence: { tokens: string[], weights: number[][][][] }) => void}
 */
export function drawMap(within, { tokens, weights }) {
  for (const cell of findAll(within, ".map td")) {
    const [layer, head] = [Number(cell.dataset.layer), Number(cell.dataset.head)];
    const svg = find(cell, "svg");
    svg.setAttribute("viewBox", `0 0 ${tokens.length} ${tokens.length}`);
    svg.setAttribute("aria-label", `layer ${layer}, head ${head}: ${most(namesOf(tokens), weights[layer][head])}`);
    svg.replaceChildren(
      ...paths(weights[layer][head]).flatMap((d, level) => {
        const path = document.createElementNS(svg.namespaceURI, "path");
        path.setAttribute("class", `l${level}`);
        path.setAttribute("d", d);
        return d ? [path] : [];
      }),
    );
  }
}

/**
 * One head, and whom one token in it looks at.
 * @type {(within: HTMLElement, tokens: string[], weights: number[][], layer: number, head: number, row: number) => void}
 */
export function drawHead(within, tokens, weights, layer, head, row) {
  for (const cell of findAll(within, ".map td")) {
    const chosen = cell.dataset.layer === `${layer}` && cell.dataset.head === `${head}`;
    if (chosen) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
  drawArcs(within, tokens, weights[row], row);
  drawGrid(within, tokens, weights, row);
  find(within, "output").textContent = statement(tokens, weights, layer, head, row);
}

/** @type {(within: HTMLElement, tokens: string[], weights: number[], row: number) => void} */
function drawArcs(within, tokens, weights, row) {
  const [columns, stage] = [widths(tokens), find(within, ".stage")];
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

/** @type {(within: HTMLElement, tokens: string[], weights: number[][], row: number) => void} */
function drawGrid(within, tokens, weights, row) {
  const table = find(within, "table.weights");
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
