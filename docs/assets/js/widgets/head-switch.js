// <head-switch>: two heads side by side or averaged, in two word orders.

import { attentionWeights, blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, choosers, frame } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { share, vector } from "../lib/numbers.js";
import { arcsWithShares, stage } from "../lib/stage.js";

/**
 * Two word orders, in each the queries of two heads; keys, values. `asks` is what each head looks for.
 * @typedef {{ words: string[][], q: number[][][][], k: number[][][], v: number[][][] }} Orders
 * @typedef {Orders & { id: string, title: string, asks: string[], w_o: number[][], row: number }} Data
 */
/** @typedef {{ order: number, heads: number, asks: number }} State  heads: 0 side by side, 1 averaged; asks: a row */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const HOW = ["side by side", "averaged"];
const W_O = markup`W<sub>O</sub>`;

/** @type {(data: Data) => State} */
export const first = ({ row }) => ({ order: 0, heads: 0, asks: row });

/**
 * Weights and blends of both heads and of their average, for one word; and the long row times W_O.
 * @type {(data: Data, state: { order: number, asks: number }) => { weights: number[][], blends: number[][], joined: number[] }}
 */
export function compute({ q, k, v, w_o }, { order, asks }) {
  const heads = q[order].map((queries) => attentionWeights([queries[asks]], k[order])[0]);
  const weights = [...heads, heads[0].map((w, j) => (w + heads[1][j]) / 2)];
  const blends = weights.map((row) => blend(row, v[order]));
  return { weights, blends, joined: blend([...blends[0], ...blends[1]], w_o) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { order, heads } = state;
  return frame(data, {
    ...prediction(data),
    controls: [
      choice(
        "Sentence",
        "order",
        data.words.map((sentence, i) => [i, markup`<span>${sentence.join(" ")}</span>`]),
        order,
      ),
      choice("Heads", "heads", HOW.map((how, i) => [i, markup`<span>${how}</span>`]), heads),
    ],
    figure: picture(data, state, live),
    says: statement(data, state),
  }, live);
}

/**
 * Head 1 above the words and head 2 below them; or only the average, and the output.
 * @type {(data: Data, state: State, live: Live | null) => Markup}
 */
function picture(data, state, live) {
  const { order, heads, asks } = state;
  const words = data.words[order];
  const { weights, blends, joined } = compute(data, state);
  /** @type {(name: string, i: number) => Markup} */
  const label = (name, i) =>
    markup`<p class="head"><span>${name}</span> <span class="visually-hidden">${
      words.map((word, key) => `${word} ${share(weights[i][key])}`).join(", ")
    }:</span> <b class="role-output">${vector(blends[i])}</b></p>`;
  return markup`
<figure class="heads">
${heads ? label("average", 2) : label(`head 1: ${data.asks[0]}`, 0)}
${stage(words, arcsWithShares(words, asks, weights[heads ? 2 : 0]), choosers(words, "Who asks?", "asks", asks, live))}
${!heads && [stage(words, arcsWithShares(words, asks, weights[1], true), ""), label(`head 2: ${data.asks[1]}`, 1)]}
<p class="head"><span>output</span> ${
    heads ? "" : markup`<span>${longRow(blends)} times ${W_O} =</span> `
  }<b class="role-output">${vector(heads ? blends[2] : joined)}</b></p>
</figure>`;
}

/** @type {(data: Data) => { question: import("../lib/markup.js").Markup, answer: import("../lib/markup.js").Markup }} */
function prediction(data) {
  const { words, row } = data;
  const [here, there] = [0, 1].map((order) => compute(data, { order, asks: row }));
  const [one, other] = swapped(data);
  return {
    question: markup`average the weights of the two heads, then swap <em>${one}</em> and <em>${other}</em>. Does what
      <em>${words[0][row]}</em> receives change?`,
    answer: markup`It receives ${vector(here.blends[2])}, and ${vector(there.blends[2])} after the swap. Side by side,
      and joined by ${W_O}, it is ${vector(here.joined)} and ${vector(there.joined)}.`,
  };
}

/** @type {(blends: number[][]) => string} */
const longRow = (blends) => `[${blends.slice(0, 2).map((one) => vector(one).slice(1, -1)).join(" | ")}]`;

/** @type {(data: Data) => string[]} */
const swapped = ({ words }) => words[0].filter((word, i) => word !== words[1][i]);

/** @type {(data: Data, state: State) => string} */
function statement(data, { order, heads, asks }) {
  const [here, there] = [order, 1 - order].map((o) => compute(data, { order: o, asks }));
  const [result, other] = [here, there].map(({ blends, joined }) => vector(heads ? blends[2] : joined));
  const [one, two] = here.blends.map(vector);
  const words = data.words[order];
  return `${words.join(" ")}, heads ${HOW[heads]}: ${words[asks]} receives ` +
    `${heads ? result : `${one} and ${two}, which the output matrix turns into ${result}`}. ` +
    `With ${swapped(data).join(" and ")} swapped, ${data.words[1 - order][asks]} ${
      heads ? "receives" : "ends with"
    } ${other}.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
