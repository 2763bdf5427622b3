// <decode-stepper>: a causal head writes one token at a time. The texts are those that the build writes.

import { attentionScores, attentionWeights, blend } from "../lib/attention.js";
import { number, share, vector } from "../lib/numbers.js";
import { addForm, bindForm, button, choice, dataOf, find, findAll, labelled } from "../lib/widget.js";
import { reading, slider, touched } from "../lib/widget.js";

/** @typedef {{ words: string[], q: number[][], k: number[][], v: number[][], window: number, step: number }} Data */

customElements.define(
  "decode-stepper",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, q, k, v, window, step } = dataOf(this);
      const steps = slider("step", "step", step, 1, words.length, (t) => `step ${t}, ${words[t - 1]}`);
      const shown = reading();
      const buttons = [-1, 1].map((by) =>
        button(by < 0 ? "Back" : "Next token", () => {
          steps.valueAsNumber += by; // a slider stays within its range
          touched(steps);
        })
      );
      const sees = choice("The new query sees", "sees", [
        ["all", "all that is cached"],
        ["window", `the last ${window}`],
        ["first", "a top-left mask (wrong)"],
      ]);
      const form = addForm(this, labelled("step", steps, shown), ...buttons, sees);
      const rows = /** @type {HTMLTableRowElement[]} */ (findAll(form, ".steps tbody tr"));

      bindForm(form, this.id, ({ step, sees }) => {
        const t = Number(step);
        const first = sees === "window" ? Math.max(0, t - window) : 0;
        const allowed = words.map((_, j) => j >= first && j < t && (sees !== "first" || j === 0));
        const scores = attentionScores([q[t - 1]], k)[0];
        const weights = attentionWeights([q[t - 1]], k, { mask: [allowed] })[0];
        const output = vector(blend(weights, v));
        rows.forEach((row, j) => {
          const state = j === t - 1 ? "new" : j >= t ? "to come" : j < first ? "pushed out" : "cached";
          const there = j >= first && j < t;
          const [, about, key, score, weight, value, part] = row.cells;
          row.dataset.state = about.textContent = state;
          key.textContent = there ? vector(k[j]) : "";
          score.textContent = there ? number(scores[j] / Math.LN2) : "";
          weight.dataset.weight = `${weights[j]}`;
          weight.textContent = allowed[j] ? share(weights[j]) : there ? "masked" : "";
          value.textContent = there ? vector(v[j]) : "";
          part.textContent = there ? vector(v[j].map((x) => x * weights[j])) : "";
        });
        shown.textContent = step;
        buttons.forEach((button, i) => button.setAttribute("aria-disabled", `${t === (i ? words.length : 1)}`));
        find(form, "tfoot .output").textContent = output;
        const seen = words.flatMap((word, j) => (allowed[j] ? [`${word} ${share(weights[j])}`] : [])).join(", ");
        const wrong = sees === "first" ? ", wrongly under a top-left mask" : "";
        const computed = `Keys computed so far: ${t}, without a cache ${(t * (t + 1)) / 2}. Keys kept: ${t - first}.`;
        find(form, "output").textContent = `Step ${t}, ${words[t - 1]}${wrong}: ${seen}; output ${output}. ${computed}`;
      });
    }
  },
);
