// <decode-stepper>: a causal head writes one token at a time, with its cache.

import { attentionWeights, blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, choosers, folded, frame, records, scrolling } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { share, short, vector } from "../lib/numbers.js";
import { film, playBar } from "../lib/play.js";
import { arcsWithShares, stage } from "../lib/stage.js";

/**
 * The step that the page shows first, counted from 1; `window` is how many tokens the second choice keeps.
 * @typedef {{ words: string[], q: number[][], k: number[][], v: number[][] }} Head
 * @typedef {Head & { id: string, title: string, window: number, step: number }} Data
 */
/** @typedef {{ step: number, sees: string }} State  "all" that is cached, the "window", or by mistake the "first" alone */
/** @typedef {{ from: number, allowed: boolean[], weights: number[], output: number[] }} Step */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ step }) => ({ step, sees: "all" });

/**
 * What the new query does with all keys; `from` is the first that the cache has kept.
 * @type {(data: Data, state: State) => Step}
 */
export function compute({ q, k, v, window }, { step, sees }) {
  const from = sees === "window" ? Math.max(0, step - window) : 0;
  const allowed = k.map((_, j) => j >= from && j < step && (sees !== "first" || j === 0));
  const [weights] = attentionWeights([q[step - 1]], k, { mask: [allowed] });
  return { from, allowed, weights, output: blend(weights, v) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words, window } = data;
  const { step, sees } = state;
  const one = compute(data, state);
  const { from, allowed, weights, output } = one;
  const n = words.length;
  const seen = words.flatMap((word, j) => allowed[j] ? [`${word} ${share(weights[j])}`] : []).join(", ");
  const wrong = sees === "first" ? ", wrongly under a top-left mask" : "";
  return frame(data, {
    question: markup`in step ${data.step} <em>${words[data.step - 1]}</em> is new. How many keys must be computed in
      this step, and how many in all ${n} steps?`,
    answer: `One in each step, ${n} in all: the others are in the cache. Without a cache step ${data.step} computes ` +
      `${data.step} keys, and all steps together ${n * (n + 1) / 2}.`,
    figure: [
      shelf(data, step, one),
      playBar(
        live,
        ["step", "step", step, [1, n], (t) => `step ${t}, ${words[t - 1]}`],
        choice("The new query sees", "sees", [
          ["all", "all that is cached"],
          ["window", `the last ${window}`],
          ["first", "a top-left mask (wrong)"],
        ], sees),
      ),
      everyStep(data),
    ],
    says:
      `Step ${step}, ${words[step - 1]}${wrong}: ${seen}; output ${vector(output)}. Keys computed so far: ${step}, ` +
      `without a cache ${step * (step + 1) / 2}. Keys kept: ${step - from}.`,
  }, live);
}

/** @type {(data: Data, from: State, to: State) => string} */
export const idle = ({ window }, from, to) =>
  from.sees === to.sees || from.step !== to.step || to.step > window || [from.sees, to.sees].includes("first")
    ? ""
    : `A window of ${window} holds all that is cached in step ${to.step}, so nothing changes.`;

/** @type {(step: number, from: number, j: number) => string} */
const statusOf = (step, from, j) => j === step - 1 ? "new" : j >= step ? "to come" : j < from ? "pushed out" : "cached";

/**
 * A key or a query as a strip of cells, a value as bars, each as full as its number is large.
 * @type {(role: string, row: number[], most: number) => Markup}
 */
const card = (role, row, most) =>
  markup`
<span class="card ${role}"><b>${role}</b><span>${
    row.map((x) => markup`<i style="--w:${short(Math.max(0, x) / most)}"></i>`)
  }</span></span>`;

/**
 * The tokens with what the cache holds of them, the arcs of the new query, its output, and how many keys were computed.
 * @type {(data: Data, step: number, one: Step) => Markup}
 */
function shelf({ words, q, k, v }, step, { from, allowed, weights, output }) {
  const [asks, keys, values] = [q, k, v].map((rows) => Math.max(...rows.flat()) || 1);
  const columns = words.map((_, j) => {
    const status = statusOf(step, from, j), there = j >= from && j < step;
    return markup`
<div data-state="${status}" data-anew="${status}"><small>${there && !allowed[j] ? "masked" : status}</small>${
      there && [card("key", k[j], keys), card("value", v[j], values)]
    }${j === step - 1 && card("query", q[j], asks)}</div>`;
  });
  /** @type {(name: string, all: number, now: number) => Markup} */
  const stack = (name, all, now) =>
    markup`
<div><b>${all}</b><i style="--n:${all};--now:${now}"></i><span>${name}</span></div>`;
  const most = words.length * (words.length + 1) / 2;
  return markup`
<div class="scene">
${
    stage(words, arcsWithShares(words, step - 1, weights.map((weight, j) => allowed[j] ? weight : null)), [
      choosers(words.map((word, j) => j < step ? word : ""), "tokens", "", step - 1, null),
      markup`<div class="shelf">${columns}</div>`,
    ])
  }
<div class="stacks" style="--most:${most}"><p>keys computed so far</p>
${stack("with the cache", step, 1)}
${stack("without", step * (step + 1) / 2, step)}</div>
<p class="gives"><span><em>${words[step - 1]}</em> receives</span> ${card("output", output, values)} <b>${
    vector(output)
  }</b></p>
</div>`;
}

/** @type {(data: Data) => Markup} */
function everyStep(data) {
  const names = ["step", "new", "output", "keys, with", "keys, without", "scores, with", "scores, without"];
  const rows = data.words.map((word, i) => {
    const t = i + 1;
    return [t, word, vector(compute(data, { step: t, sees: "all" }).output), 1, t, t, t ** 2];
  });
  return folded("All steps", scrolling("All steps", records("All steps, with the whole cache", names, rows)));
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => film(element, bindFigure(element, { first, html, idle }));
