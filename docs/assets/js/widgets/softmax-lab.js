// <softmax-lab>: scores in doublings become a budget; and two keys, with and without the division by the root of d_k.

import { softmax } from "../lib/attention.js";
import { addForm, bindForm, dataOf, decimal, labelled, make, number, slider } from "../lib/widget.js";

const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

// What a format makes of a number. JavaScript has no float16 everywhere: eleven binary digits, none above 65504.
const ROUND = {
  float16: (x) => {
    if (x === 0 || !Number.isFinite(x)) return x;
    const step = 2 ** Math.max(Math.floor(Math.log2(x)) - 10, -24);
    const rounded = Math.round(x / step) * step;
    return rounded > 65504 ? Infinity : rounded;
  },
  float32: Math.fround,
  float64: (x) => x,
};

function plainSoftmax(scores, round) {
  const exponentials = scores.map((s) => round(Math.exp(round(s))));
  const total = round(sum(exponentials));
  return { exponentials, total, weights: exponentials.map((e) => round(e / total)) };
}

const short = (x, inFormat) => (inFormat === Infinity ? "inf" : x < 10000 ? number(x) : x.toExponential(1));

function setBar(cell, weight, text) {
  cell.style.setProperty("--w", weight);
  cell.querySelector(".text").textContent = text;
}

function scoresLab(lab, { words, scores, most, formats }) {
  const temperature = slider("t", "temperature", 0, -9, 3);
  const shown = make("span", { class: "reading" });
  const radios = Object.keys(formats).map((name, i) => {
    const radio = make("input", { type: "radio", name: "format", value: name });
    radio.defaultChecked = i === 0;
    return make("label", {}, radio, name);
  });
  const form = addForm(
    lab,
    labelled("temperature", temperature, shown),
    make("fieldset", {}, make("legend", {}, "number format"), ...radios),
  );
  const rows = [...form.querySelectorAll("tbody tr")];
  const readings = rows.map((row, i) => {
    const reading = make("span", { class: "reading" });
    const input = slider(`s${i}`, `score of ${words[i]}, in doublings`, scores[i], 0, most);
    row.querySelector(".score").replaceChildren(input, reading);
    return reading;
  });
  const about = make("p", { class: "plain", "aria-live": "polite" });
  form.append(about);

  function show(values) {
    const doublings = words.map((_, i) => Number(values[`s${i}`]));
    const divisor = 2 ** Number(values.t);
    const inputs = doublings.map((d) => (d * Math.LN2) / divisor);
    const weights = softmax(inputs);
    const plain = plainSoftmax(inputs, ROUND[values.format]);
    const powers = doublings.map((d) => 2 ** (d / divisor));
    const total = sum(powers);
    const countable = total < 10000 && powers.every(Number.isInteger);
    const shares = weights.map((w, i) => (countable ? `${powers[i]}/${total}` : decimal(w)));

    shown.textContent = divisor < 1 ? `1/${1 / divisor}` : `${divisor}`;
    temperature.setAttribute("aria-valuetext", shown.textContent);
    rows.forEach((row, i) => {
      readings[i].textContent = doublings[i];
      row.querySelector(".power").textContent = short(powers[i], plain.exponentials[i]);
      setBar(row.querySelector(".share"), weights[i], shares[i]);
    });
    form.querySelector(".total").textContent = short(total, plain.total);
    form.querySelector("output").textContent = `${words.map((word, i) => `${word} ${shares[i]}`).join(", ")}; sum 1.`;

    const { largest, first } = formats[values.format];
    const top = Math.max(...inputs).toFixed(2);
    const fails = !(Math.abs(sum(plain.weights) - 1) < 0.5); // nan, or nothing left
    about.textContent =
      `${values.format} ends at ${largest.toPrecision(5)}; the first whole score whose exponential is beyond it is ${first}. ` +
      `The largest score here, as a plain number, is ${top}: ` +
      (fails
        ? `the plain softmax gives ${plain.weights.map((w) => (Number.isNaN(w) ? "nan" : decimal(w))).join(", ")}. ` +
          "The stable one subtracts the largest score first and gives the weights above."
        : "the plain softmax works, and the stable one gives the same.");
  }

  bindForm(form, lab.id, show);
}

function scalingLab(lab, { d_k, sizes }) {
  const size = slider("n", "features d\u2096", Math.log2(d_k), 0, sizes.length - 1);
  const shown = make("span", { class: "reading" });
  const form = addForm(lab, labelled("features d\u2096", size, shown));

  function show(values) {
    const features = sizes[Number(values.n)];
    const says = { raw: Math.sqrt(features), scaled: 1 };
    for (const [name, score] of Object.entries(says)) {
      const row = form.querySelector(`tr.${name}`);
      const [first, second] = softmax([score, 0]);
      const [weight, slope] = [first.toFixed(5), (2 * first * second).toFixed(5)];
      row.querySelector(".score").textContent = `(${number(score)}, 0)`;
      row.querySelector(".slope").textContent = slope;
      setBar(row.querySelector(".share"), first, weight);
      says[name] = [weight, slope];
    }
    shown.textContent = features;
    size.setAttribute("aria-valuetext", features);
    form.querySelector("output").textContent =
      `${features} features: raw, the better key gets ${says.raw[0]} and the gradient is ${says.raw[1]}; ` +
      `scaled, ${says.scaled.join(" and ")}.`;
  }

  bindForm(form, lab.id, show);
}

const LABS = { scores: scoresLab, scaling: scalingLab };

customElements.define(
  "softmax-lab",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      const data = dataOf(this);
      LABS[data.mode](this, data);
    }
  },
);
