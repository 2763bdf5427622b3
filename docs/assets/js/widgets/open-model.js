// <open-model>: the little model as a picture, from words to probabilities. A word and a station are chosen, and the
// first numbers of the word's row are shown there, with what came in.

import { bindFigure } from "../lib/bind.js";
import { frame, radio, scrolling, sets } from "../lib/frame.js";
import { strips } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { largestFirst, number, short } from "../lib/numbers.js";

/**
 * A row of the picture: for each word the rows that are shown, and for the last two what their rows are called.
 * @typedef {{ name: string, kind: string, columns: string[], rows: number[][][], labels?: string[][] }} Station
 * @typedef {{ words: string[], ids: number[], known: number, stations: Station[], looks: number[][][][] }} Model
 * @typedef {Model & { id: string, title: string, row: number, station: number }} Data  looks: layer, head, query, key
 */
/** @typedef {{ row: number, station: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const FAINT = 0.05; // below it no line is drawn

/** @type {(data: Data) => State} */
export const first = ({ row, station }) => ({ row, station });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { stations, words } = data;
  const { name, columns, rows, labels } = stations[state.station];
  const numbers = rows[state.row];
  return frame(data, {
    ...prediction(data),
    figure: markup`
<div class="model">
${scrolling(data.title, picture(data, state, live))}
<div class="numbers">
<p><em>${words[state.row]}</em>, ${name}</p>
${
      strips(numbers, {
        words: labels?.[state.row] ?? numbers.map((_, i) => `${i + 1}`),
        features: columns,
      })
    }
</div>
</div>`,
    says: statement(data, state),
  }, live);
}

/** @type {(data: Data, state: State, live: Live | null) => Markup} */
function picture(data, state, live) {
  const { title, words, stations, looks } = data;
  /** @type {(name: "row" | "station", text: string, i: number) => Markup} */
  const chooser = (name, text, i) =>
    live
      ? markup`<label>${radio(name, i, state[name])} <span>${text}</span></label>`
      : markup`<span ${i === state[name] && "data-chosen"}>${text}</span>`;
  let layer = -1;
  const rows = stations.map(({ name, kind }, station) => {
    layer += Number(kind === "attention");
    const lines = kind === "attention" && attention(looks[layer], state.row);
    const cells = words.map((_, row) =>
      markup`
<td ${live && sets({ row, station })} ${row === state.row && station === state.station && "data-chosen"}>${
        row === 0 && lines
      }${drawing(kind)}</td>`
    );
    return markup`<tr><th scope="row">${chooser("station", name, station)}</th>${cells}</tr>`;
  });
  const heads = words.map((word, row) => markup`<th scope="col">${chooser("row", word, row)}</th>`);
  return markup`
<table class="stations" style="--n:${words.length}">
<caption><span><span class="title">${title}</span></span></caption>
<thead><tr><td></td>${heads}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

const LANE = markup`<path class="lane" d="M30 0V48"/>`;
const PLUS = markup`<circle cx="30" cy="38" r="7"/><path d="M26 38h8M30 34v8"/>`;
/** @type {Record<string, Markup>} what stands in the lane of a word; a lane is 60 wide and 48 high */
const DRAWINGS = {
  table: markup`<path class="lane" d="M30 24V48"/><path d="M6 14h48v14h-48zM18 14v14M30 14v14M42 14v14"/>`,
  plus: markup`${LANE}<path d="M8 38h15"/>${PLUS}`,
  attention: markup`${LANE}${PLUS}`,
  mlp: markup`${LANE}<path d="M30 5H49V12M49 28V38H37"/><path class="box" d="M41 12h16v16h-16z"/>${PLUS}`,
  norm: markup`${LANE}<path class="box" d="M12 12h36v20h-36z"/>`,
  logits: markup`<path class="lane" d="M30 0V12"/><path d="M10 20h30M10 28h22M10 36h14"/>`,
  shares: markup`<path d="M30 0V8"/><path class="bars" d="M10 12h34v7h-34zM10 23h18v7h-18zM10 34h8v7h-8z"/>`,
};
/** @type {(kind: string) => Markup} */
const drawing = (kind) => markup`<svg viewBox="0 0 60 48" aria-hidden="true">${DRAWINGS[kind]}</svg>`;

/**
 * Lines from the words to those that look at them, as thick as their weights, averaged over the heads.
 * @type {(heads: number[][][], chosen: number) => Markup}
 */
function attention(heads, chosen) {
  const n = heads[0].length;
  const lines = heads[0].flatMap((_, query) =>
    [...Array(query + 1).keys()].map((key) => {
      const weight = heads.reduce((sum, head) => sum + head[query][key], 0) / heads.length;
      const [from, to] = [key + 0.5, query + 0.5], out = key === query ? 0.3 : 0;
      return weight >= FAINT && markup`
<path d="M${from} 0C${from + out} .3 ${to + out} .5 ${to} .8" stroke-width="${short(1 + 5 * weight)}"
  ${query === chosen && "data-chosen"}/>`;
    })
  );
  return markup`<svg class="looks" viewBox="0 0 ${n} 1" preserveAspectRatio="none" aria-hidden="true">${lines}</svg>`;
}

/** @type {(data: Data, state: State) => Markup | string} */
function statement(data, { row, station }) {
  const { words, ids, known, stations, looks } = data;
  const word = words[row], { name, kind, rows, labels } = stations[station];
  const before = words.slice(0, row + 1).join(" ");
  switch (kind) {
    case "table":
      return `${word} has number ${ids[row]} in the vocabulary, so its row begins as row ${
        ids[row]
      } of the embedding ` +
        "table, times 8, the root of 64. You see the first 8 of its 64 numbers.";
    case "plus":
      return `${word} is at position ${row}. The sines and cosines of that position are added to its row.`;
    case "attention": {
      const heads = looks[Number(name.includes("1"))].map((head, i) => {
        const most = largestFirst(head[row])[0];
        return `head ${i} at ${words[most]} (${head[row][most].toFixed(2)})`;
      });
      return markup`${word} looks back, most of all ${
        heads.join(", ")
      }. W<sub>O</sub> makes one row of what the heads found, and it is added.`;
    }
    case "mlp":
      return `The MLP works on the row of ${word} by itself. Its result is added.`;
    case "norm":
      return `The row of ${word} is normalised: its mean is subtracted, it is divided by its spread, and each number ` +
        "has a gain.";
    case "logits":
      return `The row of ${word} is compared with the ${known} rows of the embedding table. Of the ${known} dot ` +
        `products, the logits, you see the largest 8: what could follow ${before}.`;
    default:
      return `A softmax over all ${known} logits. After ${before} the likeliest word is ${labels?.[row][0]}, with a ` +
        `probability of ${number(rows[row][0][1])}.`;
  }
}

/** @type {(data: Data) => { question: Markup, answer: Markup }} */
function prediction({ words, stations }) {
  const { rows } = /** @type {Station} */ (stations.find(({ kind }) => kind === "attention"));
  return {
    question: markup`<em>${
      words[0]
    }</em> is the first word, so it can look only at itself. Does attention in layer 0 add
      nothing to its row?`,
    answer: markup`It adds a row that begins with ${number(rows[0][0][1])}: every head gives <em>${
      words[0]
    }</em> its own
      value, and W<sub>O</sub> makes a row of the four. Nothing in it comes from other words.`,
  };
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
