// <pe-explorer>: a clock above each word, whose hands are the sinusoids of its position; the text moves on, and all turn.

import { sinusoidalEncoding } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, frame, setting } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted } from "../lib/numbers.js";

/** @typedef {{ words: string[], hands: number, hand: number, sizes: number[], last: number }} Given */
/** @typedef {{ id: string, title: string } & Given} Data */
/** @typedef {{ at: number, hands: number, hand: number }} State  the position of the first word; the hand that is read */
/** @typedef {import("../lib/frame.js").Live} Live */

const NAMES = ["fast", "slow", "slowest"];
const LENGTHS = [46, 36, 26]; // of the hands, on a face whose radius is 50

/** @type {(data: Data) => State} */
export const first = ({ hands, hand }) => ({ at: 0, hands, hand });

/**
 * Sine and cosine of every hand of every word; how far each hand turns a word, and how far all have turned so far.
 * @type {(data: Given, state: State) => { readings: number[][], speeds: number[], turned: number[] }}
 */
export function compute({ words }, { at, hands }) {
  const readings = sinusoidalEncoding(at + words.length, 2 * hands, 2 ** hands).slice(at);
  const speeds = [...Array(hands).keys()].map((i) => 2 ** -i);
  return { readings, speeds, turned: speeds.map((speed) => at * speed) };
}

/** @type {(radians: number) => string} */
const degrees = (radians) => `${Math.round(radians * 180 / Math.PI)}°`;

/** @type {(x: number) => string} two decimals, and no minus before zero */
const short = (x) => (Math.abs(x) < 0.005 ? "0.00" : x.toFixed(2).replace("-", "\u2212"));

/**
 * The sector through which a hand has turned, without whole turns, and the hand where it was.
 * @type {(from: number, by: number, length: number) => unknown}
 */
function sector(from, by, length) {
  const rest = by % (2 * Math.PI);
  /** @type {(angle: number) => string} */
  const tip = (angle) => `${(length * Math.sin(angle)).toFixed(2)} ${(-length * Math.cos(angle)).toFixed(2)}`;
  const large = rest > Math.PI ? 1 : 0;
  return markup`<path class="sector" d="M0 0L${tip(from)}A${length} ${length} 0 ${large} 1 ${tip(from + rest)}Z"/>
  <path class="ghost" d="M0 0L${tip(from)}"/>`;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, given, live) {
  const hand = Math.min(given.hand, given.hands - 1); // a clock with fewer hands
  const state = { ...given, hand }, { at, hands } = state, { words, last } = data;
  const { readings, speeds, turned } = compute(data, state);
  const clocks = words.map((word, i) =>
    markup`
<figure><svg viewBox="-52 -52 104 104" aria-hidden="true"><circle r="50"/>
  ${at > 0 && sector(i * speeds[hand], turned[hand], LENGTHS[hand])}${
      speeds.map((speed, h) =>
        markup`<path class="${NAMES[h]}" d="M0 0V${-LENGTHS[h]}" style="--turn:${(at + i) * speed}rad"/>`
      )
    }</svg>
  <figcaption><em>${word}</em> <span>position <b>${at + i}</b></span>
    <span>height <b>${short(readings[i][2 * hand + 1])}</b></span></figcaption></figure>`
  );
  const names = NAMES.slice(0, hands);
  return frame(data, {
    ...prediction(data),
    below: [
      setting(
        markup`<em>${words[0]}</em> is at`,
        `position ${at}`,
        "at",
        `position of ${words[0]}`,
        at,
        [0, last],
        (n) => `position ${n}`,
      ),
      choice("hands", "hands", data.sizes.map((size) => [size, size]), hands),
      choice("read the", "hand", names.map((name, i) => [i, `${name} hand`]), hand),
    ],
    figure: markup`<div class="clocks">${clocks}</div>`,
    says: statement(data, state),
  }, live);
}

/** @type {(data: Data) => { question: import("../lib/frame.js").Text, answer: string }} */
function prediction(data) {
  const { words } = data, ahead = 3;
  const { turned } = compute(data, { ...first(data), at: ahead });
  return {
    question: markup`a heading of ${ahead} words is put before the text. How far does the fast hand of
      <em>${words[0]}</em> turn, and how far that of <em>${words[words.length - 1]}</em>?`,
    answer: `Both turn by ${degrees(turned[0])}, and both slow hands by ${degrees(turned[1])}. A shift turns a hand ` +
      "by the same angle at every position.",
  };
}

/** @type {(data: Data, state: State) => string} */
function statement(data, state) {
  const { speeds, turned } = compute(data, state);
  /** @type {(angles: number[], verb: string) => string} */
  const each = (angles, verb) =>
    angles.map((angle, i) => `every ${NAMES[i]} hand ${i ? "" : `${verb} `}by ${degrees(angle)}`).join(", ");
  return state.at
    ? `The text has moved on by ${counted(state.at, "word")}: ${each(turned, "has turned")}.`
    : `The text begins at position 0. From each word to the next ${each(speeds, "turns")}.`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
