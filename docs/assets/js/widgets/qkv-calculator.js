// <qkv-calculator>: attention on paper. Every number of q, k and v is a field, and the four steps follow. Queries are in
// doublings, and so are scores.

import { attentionScores, blend, softmax, sum } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, frame, group, labelled, slider, table } from "../lib/frame.js";
import { Markup, markup } from "../lib/markup.js";
import { counted, largestFirst, number, readNumbers, share, vector } from "../lib/numbers.js";

/**
 * The formulas are HTML, by what they stand beside.
 * @typedef {{ q: number[][], k: number[][], v: number[][], query: number, words: string[] }} Numbers
 * @typedef {{ id: string, title: string, formulas: Record<string, string> }} Texts
 * @typedef {Numbers & Texts & { features: { key: string[], value: string[] } }} Data
 */
/** @typedef {Record<string, any>} State  who asks; more0, more1, …; what is typed for q00, …, k00, …, v00, … */
/** @typedef {import("../lib/frame.js").Live} Live */

const LIMIT = 100;
const MATRICES = /** @type {const} */ ({
  q: ["query", "asks, in doublings"],
  k: ["key", "answers"],
  v: ["value", "is handed over"],
});
const STEPS = [ // class of the column, its words
  ["", "product"],
  ["", "score"],
  ["", "power of two"],
  ["share", "weight"],
  ["output", "weight \u00d7 value"],
];

/** @type {(data: Numbers) => State} */
export function first(data) {
  const { query, words, ...matrices } = data;
  const more = words.map((_, i) => [`more${i}`, 0]);
  const typed = ["q", "k", "v"].flatMap((name) =>
    matrices[/** @type {"q" | "k" | "v"} */ (name)].flatMap((row, i) => row.map((x, j) => [`${name}${i}${j}`, `${x}`]))
  );
  return { asks: query, ...Object.fromEntries([...more, ...typed]) };
}

/**
 * The steps for the word that asks; `plain` are the scores without what the sliders add.
 * @param {Numbers} data
 * @param {State} state
 */
export function compute(data, state) {
  /** @type {(name: string, matrix: number[][]) => number[][]} */
  const typed = (name, matrix) =>
    matrix.map((row, i) => row.map((_, j) => Number(readNumbers(state[`${name}${i}${j}`])[0])));
  const [q, k, v] = [typed("q", data.q), typed("k", data.k), typed("v", data.v)];
  const query = q[state.asks];
  const plain = attentionScores([query], k)[0];
  const more = data.words.map((_, j) => state[`more${j}`]);
  const scores = plain.map((score, j) => score + more[j]);
  const powers = scores.map((score) => 2 ** score);
  const weights = shares(scores);
  return {
    ...{ q, k, v, query, plain, more, scores, powers, weights },
    products: attentionScores([query], k, 1)[0],
    total: sum(powers),
    given: v.map((value, j) => value.map((x) => weights[j] * x)),
    output: blend(weights, v),
  };
}

/** @type {(doublings: number[]) => number[]} */
const shares = (doublings) => softmax(doublings.map((score) => score * Math.LN2));

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words } = data;
  const one = compute(data, state);
  const sliders = words.map((word, i) =>
    labelled(
      word,
      slider(`more${i}`, `more for ${word}`, one.more[i], [-4, 4], (n) => counted(n, "doubling")),
      markup`<span class="more">${added(one.more[i]) || "0"}</span>`,
    )
  );
  const matrices = /** @type {("q" | "k" | "v")[]} */ (["q", "k", "v"]).map((name) => matrix(name, one[name]));
  return frame(data, {
    ...prediction(data),
    controls: live && [
      choice("Who asks?", "asks", words.map((word, i) => [i, word]), state.asks),
      group("More doublings", ...sliders),
    ],
    figure: [markup`<div class="matrices">${matrices}</div>`, table("steps lanes", title, lanes(data, one))],
    says: statement(words, state.asks, one),
  }, live);

  /** @type {(name: "q" | "k" | "v", numbers: number[][]) => Markup} */
  function matrix(name, numbers) {
    const [role, does] = MATRICES[name];
    const features = data.features[name === "v" ? "value" : "key"];
    const error = `${data.id}-${name}-error`;
    /** @type {[string, string][]} what is wrong with which number */
    const problems = [];
    /** @type {(i: number, j: number) => Markup} */
    const field = (i, j) => {
      const [key, label] = [`${name}${i}${j}`, `${name} of ${words[i]}, ${features[j]}`];
      const problem = live?.problems[key];
      if (problem) problems.push([label, problem]);
      return markup`
<input type="text" name="${key}" aria-label="${label}" value="${state[key]}" data-min="${-LIMIT}" data-max="${LIMIT}"
  aria-invalid="${`${Boolean(problem)}`}" aria-describedby="${error}" autocomplete="off">`;
    };
    const rows = numbers.map((row, i) =>
      markup`
<tr ${name === "q" && i === state.asks && "data-chosen"}><th scope="row">${words[i]}</th>
  ${row.map((x, j) => markup`<td>${live ? field(i, j) : number(x)}</td>`)}</tr>`
    );
    const written = markup`
<table class="matrix" data-role="${role}">
<caption>${formula(data, name)} ${does}</caption>
<thead><tr><td></td>${features.map((feature) => markup`<th scope="col">${feature}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
    const wrong = problems.map(([label, problem]) => `${label}: ${problem}`).join(" ");
    return live ? markup`<div>${written}<p class="error" id="${error}" role="alert">${wrong}</p></div>` : written;
  }
}

/** @type {(data: Data, name: string) => Markup} */
const formula = ({ formulas }, name) => markup`<span class="arithmatex">${new Markup(formulas[name])}</span>`;

/** @type {(data: Data, one: ReturnType<typeof compute>) => Markup} */
function lanes(data, { query, k, more, products, scores, powers, weights, given, total, output }) {
  const heads = STEPS.map(([role, words]) =>
    markup`<th scope="col" class="${role}">${words}<br>${formula(data, words)}</th>`
  );
  const rows = data.words.map((word, j) =>
    markup`
<tr><th scope="row">${word}</th><td>${product(query, k[j])} = ${number(products[j])}</td>
  <td>${number(products[j])}/&radic;${query.length}${added(more[j])} = ${number(scores[j])}</td>
  <td>2<sup>${number(scores[j])}</sup>${written(powers[j])}</td>
  <td class="share" style="--w:${weights[j]}">
  <span class="bar"></span> <span>${quotient(powers[j], total, weights[j])}</span></td><td class="output">${
      vector(given[j])
    }</td></tr>`
  );
  return markup`
<thead><tr><th scope="col">word</th>${heads}</tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row">sum</th><td></td><td></td><td>${written(total).slice(3)}</td>
  <td class="share">1</td><td class="output">${vector(output)}</td></tr></tfoot>`;
}

/**
 * What the other words lose when the score of the last one rises.
 * @type {(data: Data) => { question: Markup, answer: Markup }}
 */
function prediction(data) {
  const [a, b] = data.words, last = data.words.length - 1, start = first(data);
  const [before, after] = [start, { ...start, [`more${last}`]: 1 }].map((state) => compute(data, state).weights);
  return {
    question: markup`the score of <em>${data.words[last]}</em> rises by one doubling. Which loses the larger part of its
      weight, <em>${a}</em> or <em>${b}</em>?`,
    answer: markup`Neither. <em>${a}</em> falls from ${share(before[0])} to ${share(after[0])}, <em>${b}</em> from
      ${share(before[1])} to ${share(after[1])}. Both keep ${number(after[0] / before[0])} of what they had, so their
      ratio stays ${number(before[0] / before[1])} : 1.`,
  };
}

/** @type {(words: string[], asks: number, one: ReturnType<typeof compute>) => string} */
function statement(words, asks, { plain, more, weights, output }) {
  /** @type {(weights: number[]) => string} cat 4/7, that 2/7, dog 1/7 */
  const list = (weights) => largestFirst(weights).map((j) => `${words[j]} ${share(weights[j])}`).join(", ");
  const says = `${words[asks]}: ${list(weights)}; sum 1; output ${vector(output)}`;
  if (!more.some(Boolean)) return says;
  // what the sliders do not change: the ratio of words whose scores stay
  const [a, b] = [...plain.keys()].filter((j) => more[j] === 0).sort((i, j) => plain[j] - plain[i]);
  const ratio = written(2 ** (plain[a] - plain[b])).slice(3);
  const stays = ratio && ` ${words[a]} : ${words[b]} stays ${ratio} : 1.`;
  return `${says}. Without the extra doublings: ${list(shares(plain))}.${stays}`;
}

/** @type {(a: number[], b: number[]) => string} */
const product = (a, b) => a.map((x, i) => `${factor(x)}\u00b7${factor(b[i])}`).join(" + ");

/** @type {(x: number) => string} */
const factor = (x) => (x < 0 ? `(${number(x)})` : number(x));

/** @type {(more: number) => string} */
const added = (more) => (more ? ` ${more < 0 ? "\u2212" : "+"} ${Math.abs(more)}` : "");

/**
 * " = 8", or nothing where the number is too large or too small to be read.
 * @type {(power: number) => string}
 */
const written = (power) => (power >= 0.001 && power < 1e6 ? ` = ${number(power)}` : "");

/**
 * A weight with its division if both numbers are whole: 8/14 = 4/7.
 * @type {(power: number, total: number, weight: number) => string}
 */
function quotient(power, total, weight) {
  const [parts, short] = [`${number(power)}/${number(total)}`, share(weight)];
  const whole = [power, total].every((x) => Number.isInteger(x) && written(x));
  return whole && parts !== short ? `${parts} = ${short}` : short;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
