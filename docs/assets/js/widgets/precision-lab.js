// <precision-lab>: attention over a sentence whose numbers are kept in formats of the reader's choice.

import { bindFigure } from "../lib/bind.js";
import { roundToFormat } from "../lib/formats.js";
import { frame, menu, setting } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted } from "../lib/numbers.js";

/** @typedef {{ q: number[], k: number[][], v: number[][] }} Head  q: of the last word, which asks */
/** @typedef {Record<string, string>} Formats  of the four places, by name */
/**
 * The exact output; formats and places, each with what it is called; the format shown first; the copies of the sentence
 * in the prediction; and its doublings, the first and the most.
 * @typedef {{ output: number[], formats: Record<string, string>, places: Record<string, string>, format: string,
 *   copies: number, begins: number, most: number }} Choices
 * @typedef {{ id: string, title: string, words: string[] } & Head & Choices} Data
 */
/** @typedef {Formats & { copies: number }} State  copies: as doublings */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ places, format, begins }) => /** @type {any} */ ({
  ...everywhere(places, format),
  copies: begins,
});

/** @type {(places: Record<string, string>, format: string) => Formats} */
const everywhere = (places, format) => Object.fromEntries(Object.keys(places).map((place) => [place, format]));

/** @type {(format: string) => (x: number) => number} */
const rounding = (format) => {
  if (format === "float64") return (x) => x;
  return format === "float32" ? Math.fround : (x) => roundToFormat(x, format);
};

/**
 * Add the terms one after the other, and all of them again for every copy.
 * @type {(terms: number[], round: (x: number) => number, copies?: number) => number}
 */
function runningSum(terms, round, copies = 1) {
  let total = 0;
  for (let copy = 0; copy < copies; copy += 1) {
    const before = total;
    for (const term of terms) total = round(total + term);
    if (total === before) break; // it has stopped, and no further copy moves it
  }
  return total;
}

/**
 * The output over all copies.
 * @type {(head: Head, formats: Formats, copies: number) => number[]}
 */
function attend({ q, k, v }, formats, copies) {
  const [operand, score, soft, out] = ["operands", "scores", "softmax", "output"].map((place) =>
    rounding(formats[place])
  );
  const query = q.map(operand);
  const s = k.map((key) => {
    const terms = key.map((x, c) => score(query[c] * operand(x)));
    return score(runningSum(terms, score) / Math.sqrt(q.length));
  });
  const top = Math.max(...s);
  const e = s.map((x) => soft(Math.exp(soft(x - top))));
  const total = runningSum(e, soft, copies);
  const weights = e.map((x) => operand(soft(x / total)));
  return v[0].map((_, c) => runningSum(weights.map((w, j) => out(w * operand(v[j][c]))), out, copies));
}

/**
 * The output, and how far it is off, as a part of its length, once each place in turn is rounded as well.
 * @type {(data: Data, state: State) => { output: number[], errors: number[] }}
 */
export function compute(data, state) {
  const names = Object.keys(data.places);
  const outputs = names.map((_, i) => {
    const formats = names.map((name, j) => [name, j > i ? "float64" : state[name]]);
    return attend(data, Object.fromEntries(formats), 2 ** state.copies);
  });
  const size = Math.hypot(...data.output);
  const errors = outputs.map((row) => Math.hypot(...row.map((x, c) => x - data.output[c])) / size);
  return { output: outputs[names.length - 1], errors };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words, formats, places, most, output: right } = data;
  const { output, errors } = compute(data, state);
  const length = (/** @type {number} */ n) => counted(words.length * 2 ** n, "word");
  const [last, end, worst] = [words[words.length - 1], errors[errors.length - 1], Math.max(...errors)];
  const nodes = Object.entries(places).map(([place, name], i) =>
    markup`
<div class="place ${place}">
  <b class="box">${NODES[place][0]}</b> <span class="what">${NODES[place][1]}</span>
  <span class="format">${
      live ? menu(place, `format: ${name}`, Object.entries(formats), state[place]) : formats[state[place]]
    }</span>
  ${bar(errors[i])}
</div>`
  );
  return frame(data, {
    ...prediction(data),
    figure: [
      markup`
<figure class="four-places" aria-label="four places">${nodes}<span class="carried role-value"><span>V</span></span></figure>
<div class="received">
  <p class="role-output"><span>${last} receives</span> <b>${points(output)}</b></p>
  <p><span>right is</span> <b>${points(right)}</b></p>
  ${bar(end)}
</div>`,
      live && markup`
<div class="widget-controls">${
        setting("length", length(state.copies), "copies", "copies of the sentence", state.copies, [0, most], length)
      }</div>`,
    ],
    says: `${length(state.copies)}: ${last} receives ${points(output)}; right is ${points(right)}. It is ${off(end)}${
      worst > end ? `, and ${off(worst)} after ${Object.values(places)[errors.indexOf(worst)]}` : ""
    }.`,
  }, live);
}

/** @type {Record<string, [Markup | string, string]>} what stands in the box of a place, and below it */
const NODES = {
  operands: [
    markup`<span class="role-query">Q</span> <span class="role-key">K</span> <span class="role-value">V</span>`,
    "what is multiplied",
  ],
  scores: ["scores", "Q times K, summed"],
  softmax: ["exponentials", "and their sum"],
  output: [markup`<span class="role-output">output</span>`, "weights times V"],
};

/** @type {(error: number) => string} */
const off = (error) => percent(error) === "0" ? "exact" : `${percent(error)} off`;

/**
 * A bar as long as an error, at most that of an error as large as the output.
 * @type {(error: number) => Markup}
 */
const bar = (error) =>
  markup`
<span class="error-bar" data-weight="${error}" style="--w:${off(error) === "exact" ? 0 : Math.min(error, 1)}"
  ${error > 1 && "data-over"}></span> <span class="percent">${off(error)}</span>`;

/** @type {(data: Data, from: State, to: State) => string} */
export function idle(data, from, to) {
  if (!Object.keys(data.places).some((place) => from[place] !== to[place])) return "";
  const [before, after] = [from, to].map((state) => {
    const { output, errors } = compute(data, state);
    return [points(output), ...errors.map(off)].join();
  });
  return before === after
    ? "Nothing that is shown changes: both formats hold these numbers, or another rounding hides the difference."
    : "";
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const { words, output, formats, places, format, copies } = data;
  const [once, many] = [1, copies].map((n) => points(attend(data, everywhere(places, format), n)));
  const last = words.length - 1;
  return {
    question: `everything is kept in ${formats[format]}. If the sentence stands there ${copies} times in a row, the ` +
      `right output of ${words[last]} is still ${points(output)}. What comes out?`,
    answer:
      `${many}. Once, the output was ${once}. The sums have become long, and further terms are too small to move ` +
      "them.",
  };
}

// how errors are shown

/**
 * A relative error with two digits.
 * @type {(error: number) => string}
 */
export function percent(error) {
  const size = error * 100;
  if (size < 1e-10) return "0";
  if (size < 0.001) return "<0.001%";
  let scale = 1;
  while (size * scale < 10 && scale < 10000) scale *= 10;
  return `${Math.floor(size * scale + 0.5) / scale}%`;
}

/**
 * A coordinate with up to three decimals.
 * @type {(x: number) => string}
 */
const point = (x) => `${Math.floor(x * 1000 + 0.5) / 1000 || 0}`.replace("-", "\u2212");

/** @type {(row: number[]) => string} */
const points = (row) => `(${row.map(point).join(", ")})`;

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html, idle });
