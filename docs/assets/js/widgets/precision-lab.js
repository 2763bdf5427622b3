// <precision-lab>: attention over a sentence whose numbers are kept in formats of the reader's choice.

import { bindFigure } from "../lib/bind.js";
import { roundToFormat } from "../lib/formats.js";
import { choice, folded, frame, scrolling, setting, table } from "../lib/frame.js";
import { columns, OUTPUT } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { counted } from "../lib/numbers.js";

/** @typedef {{ q: number[][], k: number[][], v: number[][] }} Head */
/** @typedef {{ weights: number[][], output: number[][] }} Result */
/** @typedef {Record<string, string>} Formats  of the four places, by name */
/**
 * The exact result; formats and places, each with what it is called; the format shown first; the copies of the sentence
 * in the prediction and the table of choices; and the most doublings of it.
 * @typedef {{ formats: Record<string, string>, places: Record<string, string>, format: string, copies: number,
 *   most: number }} Choices
 * @typedef {{ id: string, title: string, words: string[] } & Head & Result & Choices} Data
 */
/** @typedef {Formats & { copies: number }} State  copies: as doublings */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ places, format }) => /** @type {any} */ ({ ...everywhere(places, format), copies: 0 });

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
 * The weights of one copy of the keys, and the output over all copies.
 * @type {(head: Head, formats: Formats, copies: number) => Result}
 */
function attend({ q, k, v }, formats, copies) {
  const [operand, score, soft, out] = ["operands", "scores", "softmax", "output"].map((place) =>
    rounding(formats[place])
  );
  const [queries, keys, values] = [q, k, v].map((rows) => rows.map((row) => row.map(operand)));
  const weights = queries.map((query) => {
    const products = keys.map((key) => key.map((x, c) => score(query[c] * x)));
    const s = products.map((terms) => score(runningSum(terms, score) / Math.sqrt(query.length)));
    const top = Math.max(...s);
    const e = s.map((x) => soft(Math.exp(soft(x - top))));
    const total = runningSum(e, soft, copies);
    return e.map((x) => soft(x / total));
  });
  const output = weights.map((row) =>
    values[0].map((_, c) => runningSum(row.map((w, j) => out(operand(w) * values[j][c])), out, copies))
  );
  return { weights, output };
}

/**
 * The result, and how far each weight is off, as a share of itself.
 * @type {(data: Data, state: State) => Result & { errors: number[][] }}
 */
export function compute(data, state) {
  const copies = 2 ** state.copies;
  const { weights, output } = attend(data, state, copies);
  const errors = weights.map((row, i) => row.map((w, j) => w * copies / data.weights[i][j] - 1));
  return { weights, output, errors };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words, formats, places, most } = data;
  const { errors, output } = compute(data, state);
  const rows = words.map((word, i) =>
    markup`
<tr><th scope="row" class="query">${word}</th>
  ${errors[i].map((x) => markup`<td data-weight="${x}" style="--w:${level(x)}">${percent(x)}</td>`)}
  <td class="output">${points(output[i])}</td></tr>`
  );
  const legend = markup`
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  <span class="swatch"></span> error of a weight, from none to all of it</span>`;
  const grid = table("weights", title, [columns(words, OUTPUT), markup`<tbody>${rows}</tbody>`], legend);
  const length = (/** @type {number} */ n) => counted(words.length * 2 ** n, "word");
  return frame(data, {
    ...fixed(data),
    controls: [
      ...Object.entries(places).map(([place, text]) => choice(text, place, Object.entries(formats), state[place])),
      setting("length", length(state.copies), "copies", "copies of the sentence", state.copies, [0, most], length),
    ],
    figure: [markup`<div class="attention-grid">${grid}</div>`, fixed(data).compared],
    says: statement(data, length(state.copies), errors, output),
  }, live);
}

/** @type {(data: Data, length: string, errors: number[][], output: number[][]) => string} */
function statement({ words, output: wanted }, length, errors, output) {
  const worst = Math.max(...errors.flat().map(Math.abs));
  const off = Math.max(...output.flatMap((row, i) => row.map((x, c) => Math.abs(x - wanted[i][c]))));
  const last = words.length - 1;
  return `${length}. The worst weight is off by ${percent(worst)}, the worst output by ${point(off)}. ` +
    `${words[last]} receives ${points(output[last])}; right is ${points(wanted[last])}.`;
}

/** @type {(data: Data, from: State, to: State) => string} */
export function idle(data, from, to) {
  if (!Object.keys(data.places).some((place) => from[place] !== to[place])) return "";
  const [before, after] = [from, to].map((state) => {
    const { errors, output } = compute(data, state);
    return [...errors.flat().map(percent), ...output.map(points)].join();
  });
  return before === after
    ? "Nothing that is shown changes: both formats hold these numbers, or another rounding hides the difference."
    : "";
}

// what no state changes

/** @typedef {{ question: string, answer: string, compared: Markup }} Fixed */
/** @type {WeakMap<Data, Fixed>} */
const FIXED = new WeakMap();

/** @type {(data: Data) => Fixed} */
function fixed(data) {
  const made = FIXED.get(data) ?? { ...prediction(data), compared: compared(data) };
  FIXED.set(data, made);
  return made;
}

/** @type {(data: Data, formats: Formats, copies: number) => string} */
const lastOutput = ({ q, k, v }, formats, copies) =>
  points(attend({ q: q.slice(-1), k, v }, formats, copies).output[0]);

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const { words, output, formats, places, format, copies } = data;
  const [once, many] = [1, copies].map((n) => lastOutput(data, everywhere(places, format), n));
  const last = words.length - 1;
  return {
    question: `everything is kept in ${formats[format]}. If the sentence stands there ${copies} times in a row, the ` +
      `right output of ${words[last]} is still ${points(output[last])}. What comes out?`,
    answer:
      `${many}. Once, the output was ${once}. The sums have become long, and further terms are too small to move ` +
      "them.",
  };
}

/**
 * What the last word receives from one sentence and from many copies, for some choices.
 * @type {(data: Data) => Markup}
 */
function compared(data) {
  const { words, formats, places, copies } = data;
  const [bfloat16, float32, fp8] = ["bfloat16", "float32", "float8_e4m3fn"];
  const sums = everywhere(places, float32);
  /** @type {[string, Formats][]} */
  const choices = [
    ...Object.entries(formats).slice(1).map((
      [name, text],
    ) => /** @type {[string, Formats]} */ ([`all in ${text}`, everywhere(places, name)])),
    ["bfloat16 multiplied, float32 summed", { ...sums, operands: bfloat16 }],
    ["fp8 multiplied, float32 summed", { ...sums, operands: fp8 }],
    ["float32, but scores in bfloat16", { ...sums, scores: bfloat16 }],
    ["float32, but the sum of exponentials in bfloat16", { ...sums, softmax: bfloat16 }],
    ["float32, but the output in bfloat16", { ...sums, output: bfloat16 }],
  ];
  const [summary, last] = ["Some choices side by side", words[words.length - 1]];
  const heads = ["formats", `output of ${last}, once`, `output of ${last}, ${copies} times`];
  const rows = choices.map(([name, one]) => [name, lastOutput(data, one, 1), lastOutput(data, one, copies)]);
  return folded(
    summary,
    scrolling(
      summary,
      markup`
<table class="numbers">
<thead><tr>${heads.map((text) => markup`<th scope="col" class="word">${text}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${row.map((text) => markup`<td class="word">${text}</td>`)}</tr>`)}</tbody>
</table>
`,
    ),
  );
}

// how errors are shown

/** @type {(text: string) => string} */
const minus = (text) => text.replace("-", "\u2212");

/**
 * A relative error with two digits.
 * @type {(error: number) => string}
 */
export function percent(error) {
  const size = Math.abs(error) * 100;
  if (size < 1e-10) return "0";
  if (size < 0.001) return "<0.001%";
  let scale = 1;
  while (size * scale < 10 && scale < 10000) scale *= 10;
  return minus(`${error < 0 ? "-" : ""}${Math.floor(size * scale + 0.5) / scale}%`);
}

/**
 * How dark a cell is: 0 up to an error of 1e-8, 1 from 1 on, and as the digits between.
 * @type {(error: number) => number}
 */
const level = (error) => Math.min(1, 1 + Math.log10(Math.max(Math.abs(error), 1e-8)) / 8);

/**
 * A coordinate with up to three decimals.
 * @type {(x: number) => string}
 */
const point = (x) => minus(`${Math.floor(x * 1000 + 0.5) / 1000 || 0}`);

/** @type {(row: number[]) => string} */
const points = (row) => `(${row.map(point).join(", ")})`;

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html, idle });
