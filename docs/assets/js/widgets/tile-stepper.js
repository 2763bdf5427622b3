// <tile-stepper>: one query reads its keys tile by tile; the registers change with the tiles, the result does not.

import { mergePartials, partialAttention } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { button, choice, frame, held, setting, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, number, vector } from "../lib/numbers.js";

/**
 * Scores are doublings; `size` is how many words a tile has at first.
 * @typedef {{ id: string, title: string, words: string[], scores: number[], v: number[][], size: number }} Data
 */
/** @typedef {"first to last" | "last to first" | "from the middle"} Order */
/** @typedef {{ size: number, order: Order, step: number }} State  as many steps as words are all there are */
/** @typedef {{ tile: number[], rescale: number, m: number, l: number, o: number[], output: number[] }} Step */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {Record<Order, (i: number, n: number) => number>} */
const PLACE = {
  "first to last": (i) => i,
  "last to first": (i) => -i,
  "from the middle": (i, n) => Math.abs(i - (n - 1) / 2),
};

/** @type {(data: Data) => State} */
export const first = ({ words, size }) => ({ size, order: "first to last", step: words.length });

/**
 * The registers after each tile: m counts doublings, l and o are sums of exponentials relative to it, and `rescale` is
 * what was done to the sums before.
 * @type {(data: Data, state: State) => Step[]}
 */
export function compute({ scores, v }, { size, order }) {
  /** @type {ReturnType<typeof partialAttention> | undefined} */
  let soFar;
  let m = -Infinity;
  return tilesOf(scores.length, size, order).map((tile) => {
    const before = m;
    const part = partialAttention(tile.map((key) => scores[key] * Math.LN2), tile.map((key) => v[key]));
    m = Math.max(m, ...tile.map((key) => scores[key]));
    const { output, logsumexp } = soFar = soFar ? mergePartials(soFar, part) : part;
    const l = Math.exp(logsumexp - m * Math.LN2);
    return { tile, rescale: 2 ** (before - m), m, l, o: output.map((x) => x * l), output };
  });
}

/**
 * Positions of keys, in tiles of which the last may be shorter.
 * @type {(nKeys: number, size: number, order: Order) => number[][]}
 */
function tilesOf(nKeys, size, order) {
  const tiles = Array.from(
    { length: Math.ceil(nKeys / size) },
    (_, b) => Array.from({ length: Math.min(size, nKeys - b * size) }, (_, i) => b * size + i),
  );
  /** @type {(b: number) => number} */
  const place = (b) => PLACE[order](b, tiles.length);
  return [...tiles.keys()].sort((a, b) => place(a) - place(b)).map((b) => tiles[b]);
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words, scores } = data;
  const { size, order } = state;
  const title = `${data.title}; scores and m in doublings`;
  const steps = compute(data, state);
  const shown = Math.min(state.step, steps.length);
  /** @type {(by: number) => { step: number }} */
  const moved = (by) => {
    const next = ((shown + by + steps.length - 1) % steps.length) + 1; // after the last step comes the first
    return { step: next === steps.length ? words.length : next };
  };
  const rows = steps.map(({ tile, rescale, m, l, o, output }, i) => {
    /** @type {(text: string) => string} */
    const read = (text) => i < shown ? text : "";
    return markup`
<tr><th scope="row">${i + 1}</th><td>${tile.map((key) => words[key]).join(", ")}</td>
  <td class="key">${tile.map((key) => number(scores[key])).join(", ")}</td>
  <td>${read(i === 0 ? "none" : `\u00d7 ${number(rescale)}`)}</td><td>${read(number(m))}</td><td>${read(number(l))}</td>
  <td class="value">${read(vector(o))}</td><td class="output">${read(vector(output))}</td></tr>`;
  });
  const { output } = steps[shown - 1];
  return frame({ ...data, title }, {
    ...prediction(data),
    controls: [
      setting("words in a tile", size, "size", "words in a tile", size, [1, words.length], (n) => counted(n, "word")),
      choice("order", "order", Object.keys(PLACE).map((name) => [name, name]), order),
      held("step", state.step, words.map((_, i) => i + 1).join("|")),
      button("Step", moved(1)),
      button("Back", moved(-1)),
    ],
    figure: table(
      "steps",
      title,
      markup`
<thead>
<tr><th scope="col">step</th><th scope="col">tile</th><th scope="col" class="key">scores</th>
  <th scope="col">old registers</th><th scope="col">m</th><th scope="col">\u2113</th>
  <th scope="col" class="value">o</th><th scope="col" class="output">o / \u2113</th></tr>
</thead>
<tbody>${rows}</tbody>`,
    ),
    says: `Tiles of ${size}, ${order}. After step ${shown} of ${steps.length}: ${registers(steps[shown - 1])}; ` +
      `o / \u2113 = ${vector(output)}, ${shown === steps.length ? "the result" : "so far"}.`,
  }, live);
}

/** @type {(step: Step) => string} */
const registers = ({ m, l, o }) => `m = ${number(m)}, \u2113 = ${number(l)}, o = ${vector(o)}`;

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const steps = compute(data, first(data));
  const reverse = compute(data, { ...first(data), order: "last to first" });
  const end = /** @type {Step} */ (reverse.at(-1));
  return {
    question:
      "the same tiles come in the reverse order. What do the registers hold after the first step, and what is " +
      "the result?",
    answer: `After the first step they hold ${registers(reverse[0])} instead of ${registers(steps[0])}. At the end ` +
      `they hold ${registers(end)} both times, and the result is ${vector(end.output)}.`,
  };
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
