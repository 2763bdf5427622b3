// <design-a-head>: one row of W_Q is set number by number, and goals are ticked as the weights reach them.

import { blend, dot, softmax } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { beneath, choosers, frame, held, sets } from "../lib/frame.js";
import { dial, dials, dotted } from "../lib/grid.js";
import { Markup, markup } from "../lib/markup.js";
import { number, share, short, vector } from "../lib/numbers.js";
import { arcs, stage } from "../lib/stage.js";

/**
 * Places of words in each of the two sentences: those that get at least so much, and more than others.
 * @typedef {{ says: string, least: number, to: number[][], than: number[][] }} Goal
 * The word that asks has a row x in each sentence; W_Q counts in doublings, and one row of it is set.
 * @typedef {{ words: string[][], rows: number[], x: number[][], w_q: number[][], k: number[][][], row: number }} Sentences
 * @typedef {{ features: { x: string[], key: string[] }, looks: string[][], goals: Goal[], solution: number[] }} Task
 * @typedef {Sentences & Task & { id: string, title: string, most: number }} Data
 */
/** @typedef {Record<string, number | string>} State  a number for each feature of a key; `met`: a 1 for each goal reached so far */
/** @typedef {import("../lib/frame.js").Live} Live */

const EXACT = 1e-9; // by which sums of floats may miss a goal
const W_Q = markup`W<sub>Q</sub>`;

/** @type {(data: Data, row?: number[]) => State} */
const stateOf = ({ features, goals }, row) => ({
  ...Object.fromEntries(features.key.map((name, i) => [name, (row ?? [])[i]])),
  met: "0".repeat(goals.length),
});

/** @type {(data: Data) => State} */
export const first = (data) => stateOf(data, data.w_q[data.row]);

/** @type {(data: { features: { key: string[] } }, state: State) => number[]} */
const rowOf = ({ features }, state) => features.key.map((name) => Number(state[name]));

/**
 * What the word gives to each word, in both sentences, and which goals that reaches.
 * @param {Pick<Data, "x" | "w_q" | "k" | "row" | "goals" | "features">} data
 * @param {State} state
 */
export function compute({ x, w_q, k, row, goals, features }, state) {
  const matrix = w_q.map((numbers, i) => i === row ? rowOf({ features }, state) : numbers);
  const scores = x.map((own, s) => {
    const query = blend(own, matrix); // x times W_Q
    return k[s].map((key) => dot(query, key) / Math.sqrt(query.length));
  });
  const weights = scores.map((of) => softmax(of.map((score) => score * Math.LN2)));
  const reached = goals.map(({ least, to, than }) =>
    weights.every((w, s) => to[s].every((i) => w[i] >= least - EXACT && than[s].every((j) => w[i] > w[j] + EXACT)))
  );
  return { scores, weights, reached };
}

/**
 * Which goals have been reached, now or before.
 * @type {(data: Data, state: State) => boolean[]}
 */
const met = (data, state) => compute(data, state).reached.map((now, i) => now || `${state.met}`[i] === "1");

/** @type {(parts: string[]) => string} */
const listed = (parts) => parts.map((part, i) => (i ? i === parts.length - 1 ? " and " : ", " : "") + part).join("");

/**
 * The row in words: ran looks for nouns and avoids early words.
 * @type {(data: Data, row: number[]) => string}
 */
export function question({ looks, words, rows }, row) {
  const order = [...row.keys()].sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
  const wants = order.flatMap((i) => row[i] > 0 ? [looks[i][0]] : row[i] < 0 ? looks[i].slice(1) : []);
  const avoids = order.flatMap((i) => row[i] < 0 && looks[i].length === 1 ? [looks[i][0]] : []);
  const does = [wants.length && `looks for ${listed(wants)}`, avoids.length && `avoids ${listed(avoids)}`];
  return `${words[0][rows[0]]} ${does.filter(Boolean).join(", and ") || "looks for nothing in particular"}`;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { goals, features, solution } = data;
  const row = rowOf(data, state);
  const { weights } = compute(data, state);
  const ticked = met(data, state);
  const solved = compute(data, stateOf(data, solution));
  const goal = goals[solved.reached.indexOf(true)];
  if (!goal) throw new Error("the solution reaches no goal");
  return frame(data, {
    question: markup`which numbers would reach the goal \u201c${new Markup(goal.says)}\u201d?`,
    answer: `For example ${vector(solution)}: ${question(data, solution)}, and the shares are ${
      listed(solved.weights[0].map(share))
    }.`,
    figure: [
      markup`${
        live && [
          features.key.map((name, i) => held(name, row[i], `-?[0-${data.most}]`)),
          held("met", `${state.met}`, `[01]{${goals.length}}`),
        ]
      }`,
      markup`
<div class="bench">
<div>
${matrix(data, state, live)}
${
        live &&
        markup`<button type="button" class="clear" ${
          sets(rowSet(data, state, Object.fromEntries(features.key.map((name) => [name, 0]))))
        }>All 0</button>`
      }
<p class="asked">${question(data, row)}.</p>
<ul class="aims">${goals.map(({ says }, i) => aim(new Markup(says), ticked[i]))}</ul>
</div>
<div>${data.words.map((sentence, s) => pictured(sentence, data.rows[s], weights[s]))}</div>
</div>`,
    ],
    says: statement(data, row, weights, ticked),
  }, live);
}

/** @type {(data: Data, row: number[], weights: number[][], ticked: boolean[]) => string} */
function statement(data, row, weights, ticked) {
  const gives = data.words.map((words, s) => listed(words.map((word, i) => `${word} ${share(weights[s][i])}`)));
  const pair = data.words[0].filter((word, i) => word !== data.words[1][i]);
  const [done, all] = [ticked.filter(Boolean).length, ticked.length];
  return `${vector(row)}: ${question(data, row)}. ${gives.join(`; with ${pair.join(" and ")} swapped, `)}. Goals ` +
    `reached: ${done === all ? `all ${all}` : `${done} of ${all}`}.`;
}

/** @type {(says: Markup, isTicked: boolean) => Markup} */
const aim = (says, isTicked) =>
  markup`
<li ${isTicked && "data-met"}><span class="tick" aria-hidden="true">${isTicked && "\u2713"}</span>
<span>${says}${isTicked && markup`<span class="visually-hidden">: reached</span>`}</span></li>`;

/** @type {(sentence: string[], row: number, weights: number[]) => Markup} */
const pictured = (sentence, row, weights) =>
  stage(sentence, arcs(sentence, row, weights), [
    choosers(sentence, sentence.join(" "), "", row, null),
    beneath("shares", weights.map((w) => markup`<i style="--w:${short(w)}"></i>${share(w)}`), "bars"),
  ]);

/**
 * What a button sets: numbers of the row, and the goals that this reaches.
 * @type {(data: Data, state: State, numbers: State) => State}
 */
const rowSet = (data, state, numbers) => ({
  ...numbers,
  met: met(data, { ...state, ...numbers }).map(Number).join(""),
});

/** @type {(data: Data, state: State, live: Live | null) => Markup} W_Q, one row of which can be set */
function matrix(data, state, live) {
  const { w_q, row, features, most } = data, numbers = rowOf(data, state);
  const caption = markup`<span class="query">${W_Q}</span>, of which you set the row <em>${features.x[row]}</em>`;
  return dials(caption, features, row, (i, j) => {
    const name = features.key[j], sets = (/** @type {number} */ next) => rowSet(data, state, { [name]: next });
    return i === row ? dial(name, numbers[j], [1, most], number(numbers[j]), live && sets) : dotted(w_q[i][j]);
  });
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
