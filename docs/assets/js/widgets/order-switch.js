// <order-switch>: two switches choose one of four cases, which the package has computed, and a word shows its arcs in it;
// behind them in a paler ink those of the case before.

import { bindFigure } from "../lib/bind.js";
import { beneath, choosers, folded, head, held, output, records, scrolling, sets } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { number, share, vector } from "../lib/numbers.js";
import { arcs, arcsWithShares, stage } from "../lib/stage.js";

/**
 * @typedef {{ swap: boolean, positions: boolean, words: string[], weights: number[][], output: number[][] }} Case
 * @typedef {{ id: string, title: string, cases: Case[], parts: string[], pair: string[], row: number }} Data
 */
/** @typedef {{ swap: string, positions: string, row: number, was: number }} State  was: the case before, or -1 */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ row }) => ({ swap: "false", positions: "true", row, was: -1 });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, title, cases, parts, pair } = data;
  const now = cases.findIndex(({ swap, positions }) => `${swap}` === state.swap && `${positions}` === state.positions);
  const one = cases[now], before = cases[state.was], word = one.words[state.row];
  /** @type {(name: "swap" | "positions", text: unknown) => Markup} */
  const box = (name, text) => {
    const on = state[name] === "true";
    const row = name === "swap" ? cases.find(({ swap }) => swap !== one.swap)?.words.indexOf(word) ?? 0 : state.row;
    return markup`
<label><input type="checkbox" ${on && "checked"} ${
      sets({ [name]: `${!on}`, row, was: now })
    }> <span>${text}</span></label>
${held(name, state[name], "true|false")}`;
  };
  return markup`
${head(id, title, live)}
${picture(one, state.row, before, live)}
${output(statement(one, word, before, parts), live)}
${
    live &&
    markup`<div class="widget-controls">${box("swap", markup`Swap <em>${pair[0]}</em> and <em>${pair[1]}</em>`)}${
      box("positions", "Words know their places")
    }${held("was", state.was, "-1|[0-3]")}</div>`
  }
${folded("All four cases", scrolling("All four cases", allCases(data)))}`;
}

/** @type {(one: Case, row: number, before: Case | undefined, live: Live | null) => Markup} */
function picture({ words, weights }, row, before, live) {
  const now = weights[row];
  const earlier = before &&
    words.map((word) => before.weights[before.words.indexOf(words[row])][before.words.indexOf(word)]);
  const [are, were] = [now, earlier ?? now].map((weights) => weights.map(share));
  const was = were.map((part, i) => part === are[i] ? "" : `was ${part}`);
  const ghost = earlier && markup`<g class="ghost">${arcs(words, row, earlier)}</g>`;
  return stage(words, [ghost ?? "", arcsWithShares(words, row, now)], [
    choosers(words, "The word that asks", "row", row, live),
    beneath("before", was, "before"),
  ]);
}

/** @type {(one: Case, word: string, before: Case | undefined, parts: string[]) => Markup} */
function statement(one, word, before, parts) {
  /** @type {(one: Case) => string} */
  const carries = ({ words, output }) =>
    parts.map((part, i) => `${number(output[words.indexOf(word)][i])} parts ${part}`).join(" and ");
  const was = before ? `, before ${carries(before)}` : "";
  return markup`<span><em>${one.words.join(" ")}</em>, ${one.positions ? "with" : "without"} positions: <em>${word}</em>
    now carries <strong>${carries(one)}</strong>${was}.</span>`;
}

/** @type {(data: Data) => Markup} */
function allCases({ cases, parts }) {
  const rows = cases.map(({ words, positions, output }) => [
    words.join(" "),
    positions ? "on" : "off",
    ...cases[0].words.map((word) => vector(output[words.indexOf(word)])),
  ]);
  const names = ["sentence", "positions", ...cases[0].words];
  return records(`What each word receives, in parts ${parts.join(" and parts ")}`, names, rows);
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
