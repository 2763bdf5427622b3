// <tile-stepper>: one query reads its keys tile by tile; m, l and o change with the tiles, the result does not.

import { mergePartials, partialAttention } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, folded, frame, setting, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, number, short, vector } from "../lib/numbers.js";
import { film, playBar } from "../lib/play.js";

/**
 * Scores are doublings; `size` is how many words a tile has at first.
 * @typedef {{ id: string, title: string, words: string[], scores: number[], v: number[][], size: number }} Data
 */
/** @typedef {{ size: number, order: string, step: number }} State  a step beyond the last is the last */
/** @typedef {{ tile: number[], rescale: number, m: number, l: number, o: number[], output: number[] }} Step */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const ORDERS = ["first to last", "last to first"];

/** @type {(data: Data) => State} */
export const first = ({ size }) => ({ size, order: ORDERS[0], step: 1 });

/**
 * The running statistics after each tile: m counts doublings, l and o are sums of exponentials relative to it, and `rescale` is
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
 * @type {(nKeys: number, size: number, order: string) => number[][]}
 */
function tilesOf(nKeys, size, order) {
  const tiles = Array.from(
    { length: Math.ceil(nKeys / size) },
    (_, b) => Array.from({ length: Math.min(size, nKeys - b * size) }, (_, i) => b * size + i),
  );
  return order === ORDERS[0] ? tiles : tiles.reverse();
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { words } = data;
  const { size, order } = state;
  const steps = compute(data, state);
  const last = steps.length, shown = Math.min(state.step, last);
  return frame(data, {
    ...prediction(data),
    figure: [
      memories(data, state, steps, shown),
      playBar(
        live,
        ["step", "step", shown, [1, last], (n) => `step ${n} of ${last}`],
        setting("words in a tile", size, "size", "words in a tile", size, [1, words.length], (n) => counted(n, "word")),
        choice("order", "order", ORDERS.map((name) => [name, name]), order),
      ),
      folded("All steps in numbers", trace(data, steps)),
    ],
    says: `Tiles of ${size}, ${order}. After step ${shown} of ${last}: ${statistics(steps[shown - 1])}; ` +
      `o / \u2113 = ${vector(steps[shown - 1].output)}, ${shown === last ? "the result" : "so far"}.`,
  }, live);
}

/**
 * The large memory with all tiles, and the small one with the tile of this step and the running statistics.
 * @type {(data: Data, state: State, steps: Step[], shown: number) => Markup}
 */
function memories({ words, scores, v }, { size, order }, steps, shown) {
  const now = steps[shown - 1], before = steps[shown - 2];
  const most = Math.max(...v.flat()) || 1;
  /** @type {(key: number, score: unknown) => Markup} */
  const card = (key, score) =>
    markup`
<span class="card"><b>${words[key]}</b>${score}<i class="value">${
      v[key].map((x) => bar(0, x / most))
    }<span>value</span></i></span>`;
  const shelf = steps.map((step, i) => ({
    ...step,
    state: i + 1 < shown ? "read" : i + 1 === shown ? "now" : "to come",
  }))
    .sort((a, b) => a.tile[0] - b.tile[0]);
  /** @type {(name: unknown, role: string, bars: unknown, text: unknown) => Markup} */
  const gauge = (name, role, bars, text) =>
    markup`<tr class="${role}"><th scope="row">${name}</th><td class="gauge">${bars}</td><td>${text}</td></tr>`;
  /** @type {(of: (step: Step) => number) => [number, number]} parts of a gauge's room: what was there, rescaled, and all */
  const filled = (of) => {
    const room = Math.max(...steps.map(of)) || 1;
    return [before ? of(before) * now.rescale / room : 0, of(now) / room];
  };
  const low = Math.min(...scores) - 1, room = Math.max(...scores) - low;
  return markup`
<div class="memories" style="--n:${words.length};--size:${size}">
<div class="slow"><p>large, slow memory</p>
<div class="shelf">${
    shelf.map(({ tile, state }) =>
      markup`
<span class="tile" data-state="${state}"><span class="cards">${
        tile.map((key) => card(key, markup`<i class="key">key</i>`))
      }</span><small>${state}</small></span>`
    )
  }</div></div>
<div class="fast"><p>small, fast memory, step ${shown} of ${steps.length}</p>
<div class="held">
<span class="cards" data-anew="${shown} ${size} ${order}" style="--from:${now.tile[0]}">${
    now.tile.map((key) =>
      card(
        key,
        markup`<i class="key">${number(scores[key])}</i><span>counts <em>${
          number(2 ** (scores[key] - now.m))
        }</em></span>`,
      )
    )
  }</span>
<table class="gauges">
<caption><span>${
    before ? markup`old \u2113 and o \u00d7 <b>${number(now.rescale)}</b>, pale` : "running statistics"
  }</span></caption>
<tbody>
${gauge("m", "", bar(0, (now.m - low) / room), number(now.m))}
${gauge("\u2113", "", bar(...filled(({ l }) => l)), number(now.l))}
${gauge("o", "value", v[0].map((_, c) => bar(...filled(({ o }) => o[c]))), vector(now.o))}
${
    gauge(
      "o / \u2113",
      "output",
      now.output.map((x) => bar(0, x / most)),
      [vector(now.output), markup` <small>${shown === steps.length ? "the result" : "so far"}</small>`],
    )
  }
</tbody>
</table></div></div></div>`;
}

/**
 * A bar of a part of its room, of which the first part was there before.
 * @type {(old: number, all: number) => Markup}
 */
const bar = (old, all) => markup`<i style="--old:${short(Math.max(old, 0))};--w:${short(Math.max(all, 0))}"></i>`;

/** @type {(data: Data, steps: Step[]) => Markup} */
function trace({ title, words, scores }, steps) {
  const rows = steps.map(({ tile, rescale, m, l, o, output }, i) =>
    markup`
<tr><th scope="row">${i + 1}</th><td>${tile.map((key) => words[key]).join(", ")}</td>
  <td class="key">${tile.map((key) => number(scores[key])).join(", ")}</td>
  <td>${i === 0 ? "none" : `\u00d7 ${number(rescale)}`}</td><td>${number(m)}</td><td>${number(l)}</td>
  <td class="value">${vector(o)}</td><td class="output">${vector(output)}</td></tr>`
  );
  return table(
    "steps",
    `${title}; scores and m in doublings`,
    markup`
<thead>
<tr><th scope="col">step</th><th scope="col">tile</th><th scope="col" class="key">scores</th>
  <th scope="col">old \u2113, o</th><th scope="col">m</th><th scope="col">\u2113</th>
  <th scope="col" class="value">o</th><th scope="col" class="output">o / \u2113</th></tr>
</thead>
<tbody>${rows}</tbody>`,
  );
}

/** @type {(step: Step) => string} */
const statistics = ({ m, l, o }) => `m = ${number(m)}, \u2113 = ${number(l)}, o = ${vector(o)}`;

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const steps = compute(data, first(data));
  const reverse = compute(data, { ...first(data), order: ORDERS[1] });
  const end = /** @type {Step} */ (reverse.at(-1));
  return {
    question:
      "the same tiles come in the reverse order. What are m, \u2113 and o after the first step, and what is the result?",
    answer: `After the first step ${statistics(reverse[0])} instead of ${statistics(steps[0])}. At the end ` +
      `${statistics(end)} both times, and the result is ${vector(end.output)}.`,
  };
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => film(element, bindFigure(element, { first, html }));
