// <pe-explorer>: sinusoidal encodings of two positions, as the hands of two clocks, as numbers, and as their dot product.

import { dot, sinusoidalEncoding, sum } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, folded, frame, movers, setting, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";

/** @typedef {{ positions: number[], d_model: number, sizes: number[], last: number }} Given */
/** @typedef {{ id: string, title: string } & Given} Data */
/** @typedef {{ p0: number, p1: number, d: number, pair: number }} State  pair: the hand that is drawn in full */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ positions: [p0, p1], d_model }) => ({ p0, p1, d: d_model, pair: 0 });

/**
 * Of every hand: how far it turns a word, sine and cosine at both positions, and what it adds to the dot product.
 * @type {(data: Data, state: State) => { turns: number[], readings: number[][], adds: number[], product: number }}
 */
export function compute({ last }, { p0, p1, d }) {
  const encoding = sinusoidalEncoding(last + 2, d); // one position more, for the prediction
  const hands = [...Array(d / 2).keys()];
  const [one, first, second] = [1, p0, p1].map((at) => hands.map((i) => encoding[at].slice(2 * i, 2 * i + 2)));
  const adds = hands.map((i) => dot(first[i], second[i]));
  return {
    turns: one.map(([sin, cos]) => Math.atan2(sin, cos)), // where position 1 points: no hand turns by more than 1 radian
    readings: hands.map((i) => [...first[i], ...second[i]]),
    adds,
    product: sum(adds),
  };
}

/**
 * Five decimals, and no minus before zero.
 * @type {(x: number) => string}
 */
const short = (x) => (Number(x.toFixed(5)) === 0 ? "0.00000" : x.toFixed(5).replace("-", "\u2212"));

const HAND = 46; // its length, on a face whose radius is 50

/**
 * A face with all hands, that of the pair in full; and behind it, if there is one, the shadow of another's hand on it.
 * @type {(kind: string, position: number, turns: number[], pair: number, other?: number | null) => unknown}
 */
function clock(kind, position, turns, pair, other = null) {
  /** @type {(turn: number, at: number, kind: unknown) => unknown} */
  const hand = (turn, at, kind) => markup`<path ${kind} d="M0 0V${-HAND}" style="--turn:${turn * at}rad"/>`;
  const apart = turns[pair] * ((other ?? 0) - position);
  const [x, y] = [HAND * Math.sin(apart), -HAND * Math.cos(apart)].map((z) => z.toFixed(3));
  const shadow = other !== null && markup`
<g class="shadow" style="--turn:${turns[pair] * position}rad"><line class="drop" x1="${x}" y1="${y}" y2="${y}"/>
  <line class="${Number(y) > 0 ? "cast back" : "cast"}" y2="${y}"/>
  <line class="ghost" x2="${x}" y2="${y}"/></g>`;
  return markup`
<figure class="${kind}"><svg viewBox="-52 -52 104 104" aria-hidden="true"><circle r="50"/>
  ${shadow}${turns.map((turn, i) => hand(turn, position, i === pair ? markup`class="full"` : ""))}</svg>
  <figcaption>position <b>${position}</b></figcaption></figure>`;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { p0, p1 } = state;
  const { turns, readings, adds, product } = compute(data, state);
  const pair = Math.min(state.pair, turns.length - 1); // fewer columns have fewer hands
  const here = first(data);
  const [now, further] = [0, 1].map((by) =>
    short(compute(data, { ...here, p0: here.p0 + by, p1: here.p1 + by }).product)
  );
  const apart = Math.abs(p0 - p1);
  const rows = markup`
<thead>
<tr><th scope="col" rowspan="2">hand</th><th scope="col" rowspan="2">turn a word,<br>radians</th>
  <th scope="colgroup" colspan="2" class="first">position <span class="at">${p0}</span></th>
  <th scope="colgroup" colspan="2" class="second">position <span class="at">${p1}</span></th>
  <th scope="col" rowspan="2">adds</th></tr>
<tr><th scope="col">sin</th><th scope="col">cos</th><th scope="col">sin</th><th scope="col">cos</th></tr>
</thead>
<tbody>
${
    turns.map((turn, i) =>
      markup`
<tr><th scope="row">${i}</th><td class="turn">${Number(turn.toPrecision(3))}</td>
  ${readings[i].map((x) => markup`<td class="signed" style="--v:${x}">${short(x)}</td>`)}
  <td class="adds">${short(adds[i])}</td></tr>`
    )
  }
</tbody>
<tfoot>
<tr><th scope="row" colspan="2">dot product</th><td colspan="5">${short(product)}</td></tr>
</tfoot>`;
  const place = (/** @type {number} */ position) => `position ${position}`;
  const speed = (/** @type {number} */ i) => Number((turns[i] ?? 0).toPrecision(3));
  const pace = (/** @type {number} */ i) => `${speed(i)} radian${speed(i) === 1 ? "" : "s"} a word`;
  /** @type {(x: number) => string} */
  const rough = (x) => x.toFixed(3).replace("-", "\u2212");
  return frame(data, {
    question:
      `the dot product of positions ${here.p0} and ${here.p1} is ${now}. Both move one word on. Does it grow, ` +
      "shrink or stay?",
    answer: `It stays: positions ${here.p0 + 1} and ${here.p1 + 1} give ${further}. Both readings of a hand turn by ` +
      "the same angle, so the angle between them stays, and its cosine is what the pair adds.",
    controls: [
      setting("first position", p0, "p0", "first position", p0, [0, data.last], place),
      setting("second position", p1, "p1", "second position", p1, [0, data.last], place),
      setting("hand", `${speed(pair)} rad`, "pair", "hand", pair, [0, turns.length - 1], pace),
      choice("columns d", "d", data.sizes.map((size) => [size, size]), state.d),
      ...movers({ p0, p1 }, data.last),
    ],
    figure: [
      markup`
<div class="clocks">${clock("first", p0, turns, pair)}${clock("second", p1, turns, pair, p0)}
<p>The first hand casts a shadow of <b>${rough(adds[pair])}</b> on the second. All the hands together:
  ${
        adds.map((x, i) => [
          i > 0 && " + ",
          markup`<span ${i === pair && markup`class="full"`}>${x < 0 && i > 0 ? `(${rough(x)})` : rough(x)}</span>`,
        ])
      } \u2248 <b class="total">${rough(product)}</b></p></div>`,
      folded("Every sine and cosine", table("steps", data.title, rows)),
    ],
    says:
      `Positions ${p0} and ${p1} are ${apart} apart: their dot product is ${short(product)}, and so it is for any ` +
      `two positions ${apart} apart.`,
  }, live);
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
