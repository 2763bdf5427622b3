// <wave-lengths>: the wavelengths of the pairs of a rotary head, before and after a rule for long texts.

import { bindFigure } from "../lib/bind.js";
import { choice, frame, setting, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { grouped } from "../lib/numbers.js";

/** @typedef {"none" | "interpolation" | "ntk" | "yarn" | "llama"} Rule */
/** @typedef {{ rule: Rule, factor: number, trained: number, base: number, features: number }} Shown  at first */
/** @typedef {{ factors: number[], lengths: number[], bases: number[], sizes: number[] }} Choices */
/** @typedef {{ id: string, title: string } & Shown & Choices} Data */
/** @typedef {{ rule: Rule, s: number, n: number, base: number, d: number }} State  s, n: exponents of 2; d: features */
/** @typedef {{ factor: number, trained: number, base: number, features: number }} Head */
/**
 * Wavelengths before and after, which pairs meet angles that they never showed, how many never completed a turn, and how
 * many stay, become slower, or slower by the whole factor; degrees a token, of the fastest.
 * @typedef {{ before: number[], after: number[], fresh: boolean[], never: number, kept: number, between: number,
 *   whole: number, degrees: number, scores: number }} Change
 */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const TURN = 2 * Math.PI;
const ROUNDING = 1e-9; // what two equal frequencies may differ by

/** @type {(data: Data) => State} */
export const first = ({ rule, factor, trained, base, features }) => ({
  rule,
  s: Math.log2(factor),
  n: Math.log2(trained),
  base,
  d: features,
});

/**
 * What a rule makes of radians a token.
 * @type {Record<Rule, [string, (theta: number[], head: Head) => number[]]>}
 */
const RULES = {
  none: ["no rule", (theta) => theta],
  interpolation: ["position interpolation", (theta, { factor }) => theta.map((t) => t / factor)],
  ntk: ["NTK-aware", (theta, { factor }) => theta.map((t, c) => t / factor ** (c / (theta.length - 1)))],
  yarn: ["YaRN", yarn],
  llama: [
    "Llama 3.1",
    (theta, { factor, trained }) => theta.map((t) => blend(t, (trained * t / TURN - 1) / (4 - 1), factor)),
  ],
};

/**
 * The share that stays falls along the pairs, from the one with 32 turns to the one with one, as in the published code.
 * @type {(theta: number[], head: Head) => number[]}
 */
function yarn(theta, { factor, trained, base, features }) {
  /** @type {(turns: number) => number} */
  const pair = (turns) => features * (Math.log(trained / (TURN * turns)) / (2 * Math.log(base)));
  const from = Math.max(Math.floor(pair(32)), 0);
  const to = Math.min(Math.ceil(pair(1)), features - 1);
  return theta.map((t, c) => blend(t, 1 - (c - from) / (to - from || 0.001), factor));
}

/** @type {(theta: number, keep: number, factor: number) => number} */
function blend(theta, keep, factor) {
  const share = Math.min(1, Math.max(0, keep));
  return share * theta + (1 - share) * theta / factor;
}

/** @type {(state: State) => Head} */
const headOf = ({ s, n, base, d }) => ({ factor: 2 ** s, trained: 2 ** n, base, features: d });

/**
 * Apply a rule and count what it does.
 * @type {(data: Data, state: State) => Change}
 */
export function compute(_data, state) {
  const head = headOf(state);
  const { factor, trained, base, features } = head;
  const theta = Array.from({ length: features / 2 }, (_, c) => base ** (-2 * c / features));
  const slow = RULES[state.rule][1](theta, head);
  const never = theta.map((t) => TURN / t > trained);
  const kept = theta.filter((t, c) => t / slow[c] < 1 + ROUNDING).length;
  const less = theta.filter((t, c) => t / slow[c] <= factor * (1 - ROUNDING)).length;
  const between = Math.max(0, less - kept);
  return {
    before: theta.map((t) => TURN / t),
    after: slow.map((t) => TURN / t),
    fresh: theta.map((t, c) => never[c] && factor * slow[c] > t * (1 + ROUNDING)),
    never: never.filter(Boolean).length,
    kept,
    between,
    whole: theta.length - kept - between,
    degrees: slow[0] * 360 / TURN,
    scores: state.rule === "yarn" ? (0.1 * Math.log(factor) + 1) ** 2 : 1, // what all scores are multiplied by
  };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { factor, trained } = headOf(state);
  const made = compute(data, state);
  const says = statement(state, made);
  const keys = /** @type {Rule[]} */ (Object.keys(RULES));
  const rows = keys.map((rule) => {
    const { fresh, kept, between, whole, degrees, scores } = compute(data, { ...state, rule });
    const cells = [count(fresh), kept, between, whole, degrees.toFixed(1), scores.toFixed(3)];
    return markup`
<tr data-rule="${rule}" ${rule === state.rule && "data-chosen"}><th scope="row">${RULES[rule][0]}</th>
  ${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
  });
  const counts = markup`
<thead>
<tr><th scope="col">rule</th><th scope="col">pairs that meet new angles</th><th scope="col">that stay</th>
  <th scope="col">slowed by less</th><th scope="col">by the whole factor</th>
  <th scope="col">degrees a token, fastest</th><th scope="col">scores times</th></tr>
</thead>
<tbody>${rows}</tbody>`;
  const { factors, lengths, bases, sizes } = data;
  const times = (/** @type {number} */ k) => k ? `${2 ** k} times as long` : "as long as before";
  const tokens = (/** @type {number} */ k) => `${grouped(2 ** k)} tokens`;
  return frame(data, {
    ...prediction(data),
    controls: live && [
      choice("rule", "rule", keys.map((rule) => [rule, RULES[rule][0]]), state.rule),
      setting("factor", factor, "s", "factor", state.s, exponents(factors), times),
      setting("trained on", grouped(trained), "n", "trained on", state.n, exponents(lengths), tokens),
      choice("base", "base", bases.map((base) => [base, grouped(base)]), state.base),
      choice("features", "d", sizes.map((size) => [size, size]), state.d),
    ],
    figure: [drawing(data, state, made, says), table("steps", data.title, counts)],
    says,
  }, live);
}

/** @type {(options: number[]) => [number, number]} */
const exponents = (options) => [Math.log2(options[0]), Math.log2(options[options.length - 1])];

/** @type {(those: boolean[]) => number} */
const count = (those) => those.filter(Boolean).length;

/**
 * A line for each pair, from its wavelength before to that after; the axis is the same for all rules.
 * @type {(data: Data, state: State, made: Change, says: string) => Markup}
 */
function drawing({ id, title }, state, { before, after, fresh }, says) {
  const { factor, trained } = headOf(state);
  const target = factor * trained;
  const decades = Math.ceil(Math.log10(Math.max(target, factor * before[before.length - 1])));
  /** @type {(wavelength: number) => string} */
  const x = (wavelength) => (8 + 376 * Math.log10(wavelength) / decades).toFixed(1);
  /** @type {(power: number) => string} */
  const short = (power) => `${10 ** (power % 3)}${["", "k", "M", "G"][Math.floor(power / 3)]}`;
  const powers = [...Array(decades + 1).keys()];
  return markup`
<svg class="waves" viewBox="0 0 400 170" role="img" aria-labelledby="${id}-drawing"
  aria-describedby="${id}-desc">
<title id="${id}-drawing">${title}</title>
<desc id="${id}-desc">${says}</desc>
<g class="pairs">
${
    after.map((end, c) =>
      markup`<path ${fresh[c] && markup`class="new"`} d="M${x(before[c])} 40V54L${x(end)} 106V120"/>`
    )
  }
</g>
<g class="lengths"><path d="M${x(trained)} 20V128"/>
  <text x="${x(trained)}" y="28">trained on ${grouped(trained)}</text>
  <path class="target" d="M${x(target)} 6V128"/><text x="${x(target)}" y="13">to read ${grouped(target)}</text></g>
<text class="row" y="51">before</text><text class="row" y="117">after</text>
<path class="axis" d="M8 128H384"/>
<g class="ticks">${powers.map((power) => markup`<text x="${x(10 ** power)}" y="143">${short(power)}</text>`)}</g>
<text class="title" x="196" y="162">wavelength in tokens</text>
</svg>`;
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const { before, never, fresh } = compute(data, { ...first(data), rule: "ntk" });
  return {
    question:
      `${never} of the ${before.length} pairs never completed a turn in training. NTK-aware scaling slows the ` +
      `last of them by the whole factor ${data.factor}. How many of the ${never} still meet new angles?`,
    answer:
      `${count(fresh)}. Only the last pair is slowed by the whole factor. The others move on into a part of the ` +
      "circle that they never showed.",
  };
}

/** @type {(state: State, made: Change) => string} */
function statement(state, { before, never, fresh, kept, between, whole, degrees }) {
  const { factor, trained } = headOf(state);
  return `${RULES[state.rule][0]}, factor ${factor}: ${never} of ${before.length} pairs never completed a turn in ` +
    `${grouped(trained)} tokens. In ${grouped(factor * trained)} tokens ${count(fresh)} of them meet new angles. ` +
    `${kept} pairs stay as they are, ${between} become slower by less than ${factor}, and ${whole} by ${factor}. ` +
    `The fastest turns by ${degrees.toFixed(1)} degrees a token.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
