// <head-switch>: two heads side by side or averaged, in two word orders. The texts are those that the build writes.

import { attentionWeights, blend } from "../lib/attention.js";
import { share, vector } from "../lib/numbers.js";
import { addForm, bindForm, choice, dataOf, find, findAll, make } from "../lib/widget.js";

/**
 * Two word orders, in each the queries of two heads; keys, values.
 * @typedef {{ words: string[][], q: number[][][][], k: number[][][], v: number[][][] }} Orders
 * @typedef {Orders & { w_o: number[][], row: number }} Data
 */

/** @type {(texts: string[]) => [number, Node][]} */
const numbered = (texts) => texts.map((text, i) => [i, make("span", {}, text)]);

/**
 * Weights and blends of both heads and of their average, for one word; and the long row times W_O.
 * @param {number[][][]} q
 * @param {number[][]} k
 * @param {number[][]} v
 * @param {number[][]} w_o
 * @param {number} row
 */
function receive(q, k, v, w_o, row) {
  const heads = q.map((queries) => attentionWeights([queries[row]], k)[0]);
  const weights = [...heads, heads[0].map((w, j) => (w + heads[1][j]) / 2)];
  const blends = weights.map((shares) => blend(shares, v));
  return { weights, blends, joined: blend([...blends[0], ...blends[1]], w_o) };
}

customElements.define(
  "head-switch",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, q, k, v, w_o, row } = dataOf(this);
      const asks = choice("Who asks?", "asks", numbered(words[0]), row);
      const form = addForm(
        this,
        choice("Sentence", "order", numbered(words.map((sentence) => sentence.join(" ")))),
        choice("Heads", "heads", numbered(["side by side", "averaged"])),
        asks,
      );
      const table = find(form, "table"); // the second one holds all cases
      const rows = /** @type {HTMLTableRowElement[]} */ (findAll(table, "tbody tr"));
      const [parts, result] = findAll(table, "tfoot td");
      const times = [...parts.childNodes].slice(1); // the sub of W_O
      const pair = words[0].filter((word, i) => word !== words[1][i]);

      bindForm(form, this.id, (values) => {
        const [order, averaged, asking] = [Number(values.order), values.heads === "1", Number(values.asks)];
        const [here, there] = [order, 1 - order].map((o) => receive(q[o], k[o], v[o], w_o, asking));
        const results = [here, there].map((one) => vector(averaged ? one.blends[2] : one.joined));
        findAll(table, "th.key").forEach((th, j) => (th.textContent = words[order][j]));
        findAll(asks, "label span").forEach((span, j) => (span.textContent = words[order][j]));
        rows.forEach((line, i) => {
          here.weights[i].forEach((weight, j) => {
            const cell = line.cells[j + 1];
            cell.dataset.weight = `${weight}`;
            cell.style.setProperty("--w", `${weight}`);
            cell.textContent = share(weight);
          });
          find(line, ".output").textContent = vector(here.blends[i]);
        });
        rows[2].hidden = !averaged;
        const [first, second] = here.blends.map(vector);
        const concatenated = `[${first.slice(1, -1)} | ${second.slice(1, -1)}]`;
        parts.replaceChildren(...(averaged ? ["the average alone"] : [`${concatenated} times W`, ...times]));
        result.textContent = results[0];
        const [heads, ends] = averaged ? ["averaged", "receives"] : ["side by side", "ends with"];
        const receives = averaged ? results[0] : `${first} and ${second}, which the output matrix makes ${results[0]}`;
        find(form, "output").textContent =
          `${words[order].join(" ")}, heads ${heads}: ${words[order][asking]} receives ${receives}. ` +
          `With ${pair.join(" and ")} swapped, ${words[1 - order][asking]} ${ends} ${results[1]}.`;
      });
    }
  },
);
