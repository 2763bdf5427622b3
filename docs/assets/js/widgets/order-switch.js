// <order-switch>: two switches choose one of four grids, which the package has computed.

import { bindFigure } from "../lib/bind.js";
import { folded, head, held, output, records, scrolling, sets } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { number } from "../lib/numbers.js";
import { figure } from "./attention-grid.js";

/**
 * @typedef {import("./attention-grid.js").Data & { swap: boolean, positions: boolean, output: number[][] }} Case
 * @typedef {{ id: string, title: string, cases: Case[], parts: string[], pair: string[], row: number }} Data
 */
/** @typedef {{ swap: string, positions: string, row: number }} State  "true" or "false"; the row whose weights are told */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ row }) => ({ swap: "false", positions: "true", row });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, title, cases, pair, row } = data;
  const one = cases.find(({ swap, positions }) => `${swap}` === state.swap && `${positions}` === state.positions) ??
    cases[0];
  /** @type {(name: "swap" | "positions", text: unknown) => unknown} */
  const box = (name, text) => {
    const on = state[name] === "true";
    return markup`
<label><input type="checkbox" ${on && "checked"} ${sets({ [name]: `${!on}` })}> <span>${text}</span></label>
${held(name, state[name], "true|false")}`;
  };
  const swap = markup`Swap <em>${pair[0]}</em> and <em>${pair[1]}</em>`;
  return markup`
${head(id, title, live)}
${
    live &&
    markup`<div class="widget-controls">${box("swap", swap)}${box("positions", "Words know their places")}</div>`
  }
${figure({ ...one, id, title }, { row: state.row }, live)}
${output(statement(one, row, data.parts), live)}
${folded("All four cases", scrolling("All four cases", allCases(data)))}`;
}

/** @type {(one: Case, row: number, parts: string[]) => import("../lib/markup.js").Markup} */
function statement({ queries, positions, output }, row, parts) {
  const words = queries.map(([word]) => word);
  const received = parts.map((part, i) => `${number(output[row][i])} parts ${part}`).join(" and ");
  return markup`<span><em>${words.join(" ")}</em>, ${positions ? "with" : "without"} positions: <em>${
    words[row]
  }</em> now
    carries <strong>${received}</strong>.</span>`;
}

/** @type {(data: Data) => import("../lib/markup.js").Markup} */
function allCases({ cases, parts, row }) {
  const caption = `What ${cases[0].queries[row][0]} receives, in parts ${parts.join(" and parts ")}`;
  const rows = cases.map(({ queries, positions, output }) => [
    queries.map(([word]) => word).join(" "),
    positions ? "on" : "off",
    ...output[row].map((x) => Number(x.toPrecision(5))),
  ]);
  return records(caption, ["sentence", "positions", ...parts], rows);
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
