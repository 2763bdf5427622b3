// <head-browser>: any head on any recorded sentence. The page holds one head, and the pictures of all on its sentence; the
// record comes when a reader asks for another head.

import { bindFigure, dataOf } from "../lib/bind.js";
import { frame, held, labelled, menu, scrolling, sets } from "../lib/frame.js";
import { arcsOf, chosen, weightsOf } from "../lib/heads.js";
import { markup } from "../lib/markup.js";
import { largestFirst } from "../lib/numbers.js";
import { recordOf } from "../lib/record.js";
import { namesOf } from "../lib/stage.js";

/**
 * Weights in thousandths: by layer, head, token that asks, token that answers. A picture: its paths, and what it shows.
 * @typedef {{ tokens: string[], weights: number[][][][] }} Sentence
 * @typedef {{ paths: string[], says: string }} Picture
 * @typedef {{ id: string, title: string, question: string, answer: string, texts: string[] }} Texts
 * @typedef {{ tokens: string[], grid: number[][], pictures: Picture[][] }} Shown
 * @typedef {Texts & Shown & State & { record?: Sentence[] }} Data
 */
/** @typedef {{ sentence: number, layer: number, head: number, row: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const LEVELS = [100, 250, 500, 750]; // thousandths, from which a cell of a small picture is darker
const MOST_WORDS = 16; // of a recorded sentence
const PLACE = /** @type {const} */ (["sentence", "layer", "head"]);

/** @type {(data: Data) => State} */
export const first = ({ sentence, layer, head, row }) => ({ sentence, layer, head, row });

/**
 * Until the record has come, the head of the page is shown.
 * @type {(data: Data, state: State) => Shown & { layer: number, head: number, row: number }}
 */
export function shown(data, { sentence, layer, head, row }) {
  const held = data.record?.[sentence];
  const { tokens } = held ?? data;
  const at = { row: Math.min(row, tokens.length - 1), layer, head };
  return held ? { tokens, grid: held.weights[layer][head], pictures: pictures(held), ...at } : { ...data, row: at.row };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, question, answer, texts } = data;
  const one = shown(data, state);
  const { tokens, grid, row } = one;
  const rows = [...Array(Math.max(MOST_WORDS, tokens.length)).keys()];
  const how = { row, name: "row", digits: hundredths, live }, anew = [state.sentence, one.layer, one.head, row];
  return frame(data, {
    question,
    answer,
    controls: live && [
      labelled("sentence", menu("sentence", "sentence", texts.map((text, i) => [i, text]), state.sentence)),
      ...chosen([...one.pictures.keys()], one.pictures[0].length, state),
      held("row", state.row, rows.join("|")), // of a sentence that may not have come
    ],
    figure: [
      markup`<div class="map">${scrolling("All heads", map(one, live))}</div>`,
      arcsOf("Arcs", "The word that asks", tokens, tokens, grid[row], anew, how),
      weightsOf(title, tokens, tokens, grid, "hundredths", how),
    ],
    says: statement(one),
  }, live);
}

/**
 * Every head, a row for each layer.
 * @type {(one: ReturnType<typeof shown>, live: Live | null) => Markup}
 */
function map({ tokens: { length: n }, pictures, layer, head }, live) {
  const cell = (/** @type {Picture} */ { paths, says }, /** @type {number} */ i, /** @type {number} */ j) =>
    markup`
<td ${i === layer && j === head && markup`aria-current="true"`} ${live && sets({ layer: i, head: j })}>
  <svg viewBox="0 0 ${n} ${n}" shape-rendering="crispEdges" role="img" aria-label="layer ${i}, head ${j}: ${says}">
  ${paths.map((d, level) => d && markup`<path class="l${level}" d="${d}"/>`)}</svg></td>`;
  return markup`
<table class="heads">
<caption><span>All heads on this sentence. Rows ask, columns answer; the stronger the colour, the more weight</span></caption>
<thead><tr><th scope="col">layer</th>${pictures[0].map((_, j) => markup`<th scope="col">${j}</th>`)}</tr></thead>
<tbody>
${pictures.map((heads, i) => markup`<tr><th scope="row">${i}</th>${heads.map((one, j) => cell(one, i, j))}</tr>`)}
</tbody>
</table>`;
}

/** @type {(sentence: Sentence) => Picture[][]} */
export function pictures({ tokens, weights }) {
  const names = namesOf(tokens);
  return weights.map((heads) => heads.map((one) => ({ paths: paths(one), says: most(names, one) })));
}

/**
 * A grid of weights as at most four paths of rectangles: cells of a column that are alike are one.
 * @type {(weights: number[][]) => string[]}
 */
function paths(weights) {
  const drawn = LEVELS.map(() => "");
  weights.forEach((_, j) => {
    const column = weights.map((row) => LEVELS.findLastIndex((from) => row[j] >= from));
    for (let i = 0, end = 0; i < column.length; i = end) {
      while (column[end] === column[i]) end += 1;
      if (column[i] >= 0) drawn[column[i]] += `M${j} ${i}h1v${end - i}h-1z`;
    }
  });
  return drawn;
}

/**
 * To whom a token gives most, and what the same token gets from all.
 * @type {(one: ReturnType<typeof shown>) => string}
 */
function statement({ tokens, grid, layer, head, row }) {
  const names = namesOf(tokens);
  const top = largestFirst(grid[row]).slice(0, 3);
  const given = top.map((key) => `${names[key]} ${hundredths(grid[row][key])}`).join(", ");
  return `Layer ${layer}, head ${head}: ${names[row]} gives ${given}. ` +
    `On average over all ${tokens.length} tokens, ${most(names, grid)}.`;
}

/** @type {(names: string[], weights: number[][]) => string} */
function most(names, weights) {
  const received = names.map((_, j) => weights.reduce((sum, row) => sum + row[j], 0));
  const key = received.indexOf(Math.max(...received));
  return `${names[key]} gets most, ${hundredths(received[key] / names.length)}`;
}

/** @type {(thousandths: number) => string} */
function hundredths(thousandths) {
  const rounded = Math.floor((thousandths + 5) / 10);
  return `${Math.floor(rounded / 100) || ""}.${`${rounded % 100}`.padStart(2, "0")}`;
}

/**
 * While the record is on its way, what stood there stays, dimmed.
 * @type {(element: HTMLElement) => void}
 */
export function bind(element) {
  /** @type {Data} */
  const start = dataOf(element);
  let { record } = start; // of a file that stands alone
  const figure = bindFigure(element, {
    first,
    html: (data, state, live) => {
      const other = PLACE.some((name) => state[name] !== start[name]);
      if (other && !record && !live?.message) load();
      return html({ ...data, record }, state, live);
    },
  });

  async function load() {
    if (element.ariaBusy) return;
    element.ariaBusy = "true";
    try {
      const { sentences, example } = await recordOf("heads");
      record = [...sentences, ...example];
      figure.set();
    } catch (error) {
      const why = /** @type {Error} */ (error).message;
      figure.set({}, `The record could not be fetched (${why}). Choose once more to try again.`);
    }
    element.ariaBusy = null;
  }
}
