// What the widgets around an attention grid share: a cell and the sentence about a row.

import { sum } from "./attention.js";
import { decimal, fraction, largestFirst, share, vector } from "./numbers.js";

/**
 * As the build writes a cell; the texts are its two spans.
 * @type {(cell: HTMLElement, texts: ArrayLike<Element>, weight: number, allowed: boolean) => void}
 */
export function showWeight(cell, texts, weight, allowed) {
  cell.dataset.weight = `${weight}`;
  cell.style.setProperty("--w", `${weight}`);
  cell.toggleAttribute("data-masked", !allowed);
  texts[0].textContent = allowed ? share(weight) : "–";
  texts[1].textContent = allowed && fraction(weight)?.includes("/") ? decimal(weight) : "";
}

/**
 * The sentence that the build writes about a row.
 * @param {string[]} words
 * @param {number} row
 * @param {number[]} weights
 * @param {boolean[]} allowed
 * @param {number[]} output
 * @param {boolean} [hasSink]
 */
export function statement(words, row, weights, allowed, output, hasSink = false) {
  const open = largestFirst(weights).filter((key) => allowed[key]);
  const shut = words.filter((_, key) => !allowed[key]);
  const total = sum(weights);
  const parts = [open.map((key) => `${words[key]} ${share(weights[key])}`).join(", ") || "no key to attend to"];
  if (shut.length) parts.push(`masked: ${shut.join(", ")}`);
  parts.push(`sum ${share(total)}`);
  if (hasSink) parts.push(`the sink takes ${share(1 - total)}`);
  return `${words[row]}: ${parts.join("; ")}; output ${vector(output)}`;
}

/**
 * Let a click on any cell choose its row, as one on the row's name does.
 * @type {(within: HTMLElement) => void}
 */
export function chooseByCell(within) {
  within.addEventListener("click", ({ target }) => {
    const row = /** @type {Element} */ (target).closest("td")?.closest("tbody tr");
    /** @type {HTMLInputElement | null | undefined} */ (row?.querySelector("input[type=radio]"))?.click();
  });
}
