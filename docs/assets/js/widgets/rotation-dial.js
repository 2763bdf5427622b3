// <rotation-dial>: a query and a key, each turned by its position, as hands, as numbers, and as their dot product.

import { applyRotary, dot, sum } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { frame, movers, reading, setting, slider, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { number, vector } from "../lib/numbers.js";

/**
 * A query and a key as pairs of features, their positions, and degrees a word, one a pair.
 * @typedef {{ id: string, title: string, query: number[][], key: number[][] }} Vectors
 * @typedef {Vectors & { positions: number[], last: number, turns: number[], step: number }} Data
 */
/** @typedef {Record<string, number>} State  positions p0 and p1; t0, t1, … of the pairs, in steps */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ positions, turns, step }) => ({
  p0: positions[0],
  p1: positions[1],
  ...Object.fromEntries(turns.map((turn, i) => [`t${i}`, turn / step])),
});

/**
 * The turned pairs, and what each adds to the dot product.
 * @type {(data: Data, state: State) => { query: number[][], key: number[][], adds: number[], product: number }}
 */
export function compute(data, { p0, p1, ...steps }) {
  /** @type {(pairs: number[][], position: number) => number[][]} */
  const turned = (pairs, position) => {
    const angles = pairs.map((_, i) => [position * steps[`t${i}`] * data.step * Math.PI / 180]);
    return applyRotary(pairs, angles.map(([a]) => [Math.cos(a)]), angles.map(([a]) => [Math.sin(a)]), "interleaved");
  };
  const [query, key] = [turned(data.query, p0), turned(data.key, p1)];
  const adds = query.map((pair, i) => dot(pair, key[i]));
  return { query, key, adds, product: sum(adds) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { p0, p1 } = state;
  const { query, key, adds, product } = compute(data, state);
  const longest = Math.max(...[...data.query, ...data.key].map((pair) => Math.hypot(...pair)));
  /** @type {(pair: number[]) => string} */
  const hand = ([x, y]) => `M0 0L${(17 * x / longest).toFixed(3)} ${(-17 * y / longest).toFixed(3)}`;
  /** @type {(i: number) => unknown} */
  const turn = (i) => {
    /** @type {(steps: number) => string} */
    const degrees = (steps) => `${steps * data.step}°`;
    const steps = state[`t${i}`];
    if (!live) return degrees(steps);
    return [slider(`t${i}`, `turn of pair ${i}`, steps, [0, 180 / data.step], degrees), reading(degrees(steps))];
  };
  const rows = markup`
<thead>
<tr><th scope="col">pair</th><th scope="col">turn a word</th><td></td>
  <th scope="col" class="first">query at <span class="at">${p0}</span></th>
  <th scope="col" class="second">key at <span class="at">${p1}</span></th><th scope="col">adds</th></tr>
</thead>
<tbody>
${
    adds.map((added, i) =>
      markup`
<tr><th scope="row">${i}</th><td class="turn">${turn(i)}</td>
  <td><svg class="dial" viewBox="-21 -21 42 42" aria-hidden="true"><circle r="19"/><path class="zero" d="M0 0H19"/>
  <path class="first" d="${hand(query[i])}"/><path class="second" d="${hand(key[i])}"/></svg></td>
  <td class="vector">${vector(query[i])}</td><td class="vector">${vector(key[i])}</td>
  <td class="adds">${number(added)}</td></tr>`
    )
  }
</tbody>
<tfoot>
<tr><th scope="row" colspan="2">dot product</th><td class="total" colspan="4">${number(product)}</td></tr>
</tfoot>`;
  const place = (/** @type {number} */ position) => `position ${position}`;
  return frame(data, {
    ...prediction(data),
    controls: [
      setting("query at", p0, "p0", "position of the query", p0, [0, data.last], place),
      setting("key at", p1, "p1", "position of the key", p1, [0, data.last], place),
      ...movers({ p0, p1 }, data.last),
    ],
    figure: table("steps", data.title, rows),
    says: statement(p0, p1, product),
  }, live);
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const start = first(data);
  const [m, n] = data.positions;
  const [now, both, alone] = [[m, n], [m + 1, n + 1], [m + 1, n]].map(([p0, p1]) =>
    number(compute(data, { ...start, p0, p1 }).product)
  );
  return {
    question: `with the query at ${m} and the key at ${n} the dot product is ${now}. First both move one word on, ` +
      "then only the query does. When does it change?",
    answer:
      `Only when one moves alone. At ${m + 1} and ${n + 1} it is ${both}, since both turn by the same angle; at ` +
      `${m + 1} and ${n} it is ${alone}.`,
  };
}

/** @type {(query: number, key: number, product: number) => string} */
function statement(query, key, product) {
  const apart = Math.abs(key - query);
  const where = apart ? `${apart} ${key < query ? "before" : "after"} the query` : "where the query stands";
  return `The key stands ${where}: the dot product is ${number(product)}, wherever the two are in the text.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
