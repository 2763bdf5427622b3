// <decode-stepper>: a causal head writes one token at a time. The texts are those of docs_ext/decoding.py.

import { attentionScores, attentionWeights, blend } from "../lib/attention.js";
import { addForm, bindForm, dataOf, labelled, make, number, share, slider, vector } from "../lib/widget.js";

customElements.define(
  "decode-stepper",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const { words, q, k, v, window, step } = dataOf(this);
      const steps = slider("step", "step", step, 1, words.length);
      const reading = make("span", { class: "reading" });
      const buttons = [-1, 1].map((by) => {
        const button = make("button", { type: "button" }, by < 0 ? "Back" : "Next token");
        button.addEventListener("click", () => {
          steps.value = Number(steps.value) + by; // a slider stays within its range
          form.dispatchEvent(new Event("input"));
          form.dispatchEvent(new Event("change"));
        });
        return button;
      });
      const choices = { all: "all that is cached", window: `the last ${window}`, first: "a top-left mask (wrong)" };
      const radios = Object.entries(choices).map(([value, text], i) => {
        const radio = make("input", { type: "radio", name: "sees", value });
        radio.defaultChecked = i === 0;
        return make("label", {}, radio, text);
      });
      const form = addForm(
        this,
        labelled("step", steps, reading),
        ...buttons,
        make("fieldset", {}, make("legend", {}, "The new query sees"), ...radios),
      );
      const rows = [...form.querySelectorAll(".steps tbody tr")];

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
          weight.dataset.weight = weights[j];
          weight.textContent = allowed[j] ? share(weights[j]) : there ? "masked" : "";
          value.textContent = there ? vector(v[j]) : "";
          part.textContent = there ? vector(v[j].map((x) => x * weights[j])) : "";
        });
        reading.textContent = t;
        buttons.forEach((button, i) => button.setAttribute("aria-disabled", t === (i ? words.length : 1)));
        form.querySelector("tfoot .output").textContent = output;
        const seen = words.flatMap((word, j) => (allowed[j] ? [`${word} ${share(weights[j])}`] : []));
        form.querySelector("output").textContent =
          `Step ${t}, ${words[t - 1]}${sees === "first" ? ", wrongly under a top-left mask" : ""}: ${seen.join(", ")}; ` +
          `output ${output}. Keys computed so far: ${t}, without a cache ${(t * (t + 1)) / 2}. Keys kept: ${t - first}.`;
      });
    }
  },
);
