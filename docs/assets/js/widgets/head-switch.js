// <head-switch>: two heads side by side or averaged, in two word orders. The texts are those of docs_ext/head_switch.py.

import { attentionWeights, blend } from "../lib/attention.js";
import { addForm, bindForm, dataOf, make, share, vector } from "../lib/widget.js";

const group = (legend, name, texts, chosen) => {
  const labels = texts.map((text, i) => {
    const radio = make("input", { type: "radio", name, value: i });
    radio.defaultChecked = i === chosen;
    return make("label", {}, radio, make("span", {}, text));
  });
  return make("fieldset", {}, make("legend", {}, legend), ...labels);
};

// Weights and blends of both heads and of their average, for one word; and the long row times W_O.
export function receive(q, k, v, w_o, row) {
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
      const { words, q, k, v, w_o, row } = dataOf(this);
      const asks = group("Who asks?", "asks", words[0], row);
      const form = addForm(
        this,
        group("Sentence", "order", words.map((sentence) => sentence.join(" ")), 0),
        group("Heads", "heads", ["side by side", "averaged"], 0),
        asks,
      );
      const table = form.querySelector("table");
      const rows = [...table.tBodies[0].rows];
      const [, parts, result] = table.tFoot.rows[0].cells;
      const times = [...parts.childNodes].slice(1); // the sub of W_O
      const pair = words[0].filter((word, i) => word !== words[1][i]);

      bindForm(form, this.id, (values) => {
        const [order, averaged, asking] = [Number(values.order), values.heads === "1", Number(values.asks)];
        const [here, there] = [order, 1 - order].map((o) => receive(q[o], k[o], v[o], w_o, asking));
        const results = [here, there].map((one) => vector(averaged ? one.blends[2] : one.joined));
        table.querySelectorAll("th.key").forEach((th, j) => (th.textContent = words[order][j]));
        asks.querySelectorAll("span").forEach((span, j) => (span.textContent = words[order][j]));
        rows.forEach((line, i) => {
          here.weights[i].forEach((weight, j) => {
            const cell = line.cells[j + 1];
            cell.dataset.weight = weight;
            cell.style.setProperty("--w", weight);
            cell.textContent = share(weight);
          });
          line.querySelector(".output").textContent = vector(here.blends[i]);
        });
        rows[2].hidden = !averaged;
        const [first, second] = here.blends.map(vector);
        const concatenated = `[${first.slice(1, -1)} | ${second.slice(1, -1)}]`;
        parts.replaceChildren(...(averaged ? ["the average alone"] : [`${concatenated} times W`, ...times]));
        result.textContent = results[0];
        form.querySelector("output").textContent =
          `${words[order].join(" ")}, heads ${averaged ? "averaged" : "side by side"}: ${words[order][asking]} receives ` +
          (averaged ? results[0] : `${first} and ${second}, of which W_O makes ${results[0]}`) +
          `. With ${pair.join(" and ")} swapped, ${words[1 - order][asking]} ${averaged ? "receives" : "ends with"} ${results[1]}.`;
      });
    }
  },
);
