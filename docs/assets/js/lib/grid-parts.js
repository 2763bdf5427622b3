// What the widgets around an attention grid share: a cell and the sentence about a row.

import { decimal, fraction, share, vector } from "./widget.js";

// As docs_ext/painter.py writes a cell; `texts` are its two spans.
export function showWeight(cell, [text, more], weight, allowed) {
  cell.dataset.weight = weight;
  cell.style.setProperty("--w", weight);
  cell.toggleAttribute("data-masked", !allowed);
  text.textContent = allowed ? share(weight) : "–";
  more.textContent = allowed && fraction(weight)?.includes("/") ? decimal(weight) : "";
}

// The sentence of docs_ext/grid.py.
export function statement(words, row, weights, allowed, output, hasSink = false) {
  const keys = [...words.keys()];
  const rounded = (key) => Number(weights[key].toFixed(12)); // ties keep the order of the words
  const open = keys.filter((key) => allowed[key]).sort((a, b) => rounded(b) - rounded(a));
  const shut = keys.filter((key) => !allowed[key]);
  const total = weights.reduce((sum, w) => sum + w, 0);
  const parts = [open.map((key) => `${words[key]} ${share(weights[key])}`).join(", ") || "no key to attend to"];
  if (shut.length) parts.push(`masked: ${shut.map((key) => words[key]).join(", ")}`);
  parts.push(`sum ${share(total)}`);
  if (hasSink) parts.push(`the sink takes ${share(1 - total)}`);
  return `${words[row]}: ${parts.join("; ")}; output ${vector(output)}`;
}
