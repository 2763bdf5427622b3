// <rotation-dial>: a query and a key as hands that are dragged; the shadow of one on the other is what a pair adds.

import { applyRotary, dot } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { button, frame, setting, slider } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { number, short, sum } from "../lib/numbers.js";

/**
 * A query and a key as pairs of features, their positions, and degrees a word, one a pair.
 * @typedef {{ id: string, title: string, query: number[][], key: number[][] }} Vectors
 * @typedef {Vectors & { positions: number[], last: number, turns: number[], step: number, reach: [number, number] }} Data
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

/** @type {(data: Data, from: State, to: State) => string} */
export const idle = (_, from, to) =>
  from.p0 + from.p1 + to.p0 + to.p1 ? "" : "At position 0 no hand has turned, whatever it turns a word.";

/**
 * A face with both hands. The shadow of the key lies along the query, and once more below, on a rule that does not turn.
 * @type {(data: Data, state: State, i: number) => import("../lib/markup.js").Markup}
 */
function dial(data, state, i) {
  const longest = Math.max(...[...data.query, ...data.key].map((pair) => Math.hypot(...pair)));
  const hands = [data.query[i], data.key[i]].map(([x, y], who) => ({
    length: short(17 * Math.hypot(x, y) / longest),
    turn: short(-Math.atan2(y, x) * 180 / Math.PI - state[`p${who}`] * state[`t${i}`] * data.step),
  }));
  const [first, second] = hands, apart = (second.turn - first.turn) * Math.PI / 180;
  const [along, down] = [Math.cos(apart), Math.sin(apart)].map((x) => Number((second.length * x).toFixed(3)));
  return markup`
<svg viewBox="-24 -24 48 54" aria-hidden="true" data-pair="${i}"><circle class="face" r="20.5"/>
  <circle class="rim" r="20.5" data-moves="p0 p1"/>
  <g class="frame" style="--turn:${first.turn}deg;--along:${along}">
  <path class="axis" d="M-19 0H19"/><path class="drop" d="M${along} 0V${down}"/><path class="shadow" d="M0 0H1"/></g>
  ${
    hands.map(({ length, turn }, who) =>
      markup`
<g class="${["first", "second"][who]}" style="--turn:${turn}deg"><path d="M0 0H${length}"/>
  <g transform="translate(${[1, 0.62][who] * length})"><circle r="2.6"/><text y=".38em">${"qk"[who]}</text></g></g>`
    )
  }${
    hands.map(({ length, turn }, who) =>
      markup`<path class="hold" data-moves="p${who}" d="M0 0H${[19, 0.88 * length][who]}" style="--turn:${turn}deg"/>`
    )
  }
  <g style="--along:${along}"><path class="axis" d="M-19 28H19M0 26V30"/><path class="shadow" d="M0 28H1"/></g></svg>`;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { p0, p1 } = state, { adds, product } = compute(data, state);
  /** @type {(steps: number) => string} */
  const degrees = (steps) => `${steps * data.step}\u00b0 a word`;
  const edge = `Positions here go from 0 to ${data.last}: both stay where they are.`;
  const where = p0 === p1 ? "where the query stands" : `${Math.abs(p1 - p0)} ${p1 < p0 ? "before" : "after"} the query`;
  const places = [p0, p1].map((at, who) =>
    slider(`p${who}`, `position of the ${["query", "key"][who]}`, at, [0, data.last], (n) => `position ${n}`)
  );
  const figures = adds.map((added, i) =>
    markup`
${i > 0 && markup`<b class="sign">+</b>`}<figure>${dial(data, state, i)}<figcaption><span>pair ${i}: ${
      degrees(state[`t${i}`])
    }</span> <b>${number(added)}</b></figcaption></figure>`
  );
  return frame(data, {
    ...prediction(data),
    figure: markup`
<div class="dials">${live && places}
<p class="hands"><span class="first">query at ${p0}</span> <span class="second">key at ${p1}</span>
  <span class="cast">shadow of the key on the query</span></p>
${figures}<p class="sum"><b class="sign">=</b> <b class="total">${
      number(product)
    }</b> <span>dot product</span></p></div>`,
    below: [
      button("Both one back", Math.min(p0, p1) > 0 ? { p0: p0 - 1, p1: p1 - 1 } : edge),
      button("Both one on", Math.max(p0, p1) < data.last ? { p0: p0 + 1, p1: p1 + 1 } : edge),
      markup`<p class="hint">Drag a hand, or the rim to turn both.</p>`,
      ...data.turns.map((_, i) =>
        setting(
          `pair ${i} turns`,
          degrees(state[`t${i}`]),
          `t${i}`,
          `turn of pair ${i}`,
          state[`t${i}`],
          data.reach,
          degrees,
        )
      ),
    ],
    says: `The key stands ${where}: the dot product is ${number(product)}, wherever the two are in the text.`,
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

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { data, form, grab, set, state } = bindFigure(element, { first, html, idle });
  grab("[data-moves]", (held, event) => {
    /** @type {string[]} */
    const names = held.dataset.moves.split(" "), places = names.map((name) => Number(state()[name]));
    const face = held.parentElement, turn = Number(state()[`t${face.dataset.pair}`]) * data.step;
    const { left, top, width } = face.firstElementChild.getBoundingClientRect();
    /** @type {(event: PointerEvent) => number} degrees against the clock, around the middle of the face */
    const angle = ({ clientX, clientY }) =>
      Math.atan2(top + width / 2 - clientY, clientX - left - width / 2) * 180 / Math.PI;
    let last = angle(event), by = 0;
    /** @type {HTMLElement | null} */ (form.querySelector(`[name=${names[0]}]`))?.focus({ preventScroll: true });
    return (moved) => {
      by += (angle(moved) - last + 540) % 360 - 180; // the short way round
      last = angle(moved);
      const shift = Math.min(Math.max(Math.round(by / turn), -Math.min(...places)), data.last - Math.max(...places));
      set(Object.fromEntries(names.map((name, i) => [name, places[i] + shift])));
    };
  });
}
