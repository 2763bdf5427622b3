// <row-stepper>: one row of attention in four figures, of which the style sheet shows the one whose radio is checked.

import { blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { frame, radio } from "../lib/frame.js";
import { dotted, strips } from "../lib/grid.js";
import { markup } from "../lib/markup.js";
import { largestFirst, number, share, short, sum, vector } from "../lib/numbers.js";
import { film, playBar } from "../lib/play.js";

/**
 * The word of a row asks: its query is counted in doublings, as W_Q is. Each value has two features.
 * @typedef {{ x: string[], key: string[], value: string[] }} Features
 * @typedef {{ x: number[][], w_q: number[][], w_k: number[][], q: number[], k: number[][], v: number[][] }} Matrices
 * @typedef {Matrices & { id: string, title: string, words: string[], row: number, features: Features }} Data
 */
/** @typedef {{ step: number }} State  from 1 */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */
/** @typedef {Data & ReturnType<typeof compute> & { word: string }} Row */

const STEPS = ["Project", "Score", "Normalise", "Blend"];

/** @type {(data: Data) => State} */
export const first = () => ({ step: 1 });

/**
 * The query times each key, feature by feature, and what follows from that.
 * @param {{ q: number[], k: number[][], v: number[][] }} data
 */
export function compute({ q, k, v }) {
  const root = Math.sqrt(q.length);
  const parts = k.map((key) => key.map((x, i) => q[i] * x));
  const products = parts.map(sum);
  const scores = products.map((product) => product / root);
  const powers = scores.map((score) => 2 ** score);
  const total = sum(powers);
  const weights = powers.map((power) => power / total);
  const given = v.map((value, i) => value.map((x) => weights[i] * x));
  return { root, parts, products, scores, powers, total, weights, given, output: blend(weights, v) };
}

/** @type {(data: Data) => { row: Row, figures: { says: Markup, figure: Markup }[] }} */
function drawn(data) {
  const row = { ...data, ...compute(data), word: data.words[data.row] };
  return { row, figures: [project, score, normalise, blending].map((draw) => draw(row)) };
}

/**
 * One step by itself, for the text that explains it.
 * @type {(data: Data, step: number) => Markup}
 */
export function still(data, step) {
  return markup`
<figure class="step">
${drawn(data).figures[step - 1].figure}
<figcaption>${data.title}</figcaption>
</figure>`;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, { step }, live) {
  const { id } = data;
  const { row, figures } = drawn(data);
  const track = markup`
<fieldset>
<legend class="visually-hidden">Step</legend>
${
    STEPS.map((name, i) =>
      markup`
<label>${radio(live ? "step" : `${id}-step`, i + 1, step)} <span class="count">${i + 1}</span> ${name}</label>`
    )
  }
</fieldset>`;
  const stage = markup`
<div class="stage">
${
    STEPS.map((name, i) =>
      markup`
<figure class="step" data-step="${i + 1}" aria-labelledby="${id}-step-${i + 1}">
<figcaption id="${id}-step-${i + 1}">
<strong>${i + 1}. ${name}.</strong> <span class="says">${figures[i].says}</span>
</figcaption>
${figures[i].figure}
</figure>`
    )
  }
</div>`;
  return frame(data, {
    ...prediction(row),
    controls: live && track,
    figure: [live ? null : track, stage, playBar(live, ["step", "Step", step, [1, 4], (n) => `${n}, ${STEPS[n - 1]}`])],
    says: figures[step - 1].says,
  }, live);
}

/**
 * Whom the word will listen to most.
 * @type {(row: Row) => { question: Markup, answer: string }}
 */
function prediction({ word, words, scores, weights }) {
  const [best] = largestFirst(scores);
  return {
    question: markup`to which word will <em>${word}</em> give the largest share of its budget?`,
    answer: `To ${words[best]}, whose score is ${number(scores[best])}. Its share is ${share(weights[best])}.`,
  };
}

/**
 * cat 1/2, that 1/4
 * @type {(words: string[], numbers: number[]) => string}
 */
const listed = (words, numbers) => words.map((word, i) => `${word} ${share(numbers[i])}`).join(", ");

// the steps: what each says, and its figure

/** @type {(text: string) => Markup} */
const sign = (text) => markup`<span class="sign">${text}</span>`;

/** @type {(figure: Markup) => Markup} what a product is, on one line with its sign */
const result = (figure) => markup`<div class="result">${sign("=")}${figure}</div>`;

/**
 * A row times a matrix, of which a feature that the row lacks uses nothing. A row that uses one row alone, as it is, is
 * that row: it stands beside it, and slides out of the matrix.
 * @type {(x: number[], matrix: number[][], out: number[], names: { word: string, of: string[], to: string[], role: "query", matrix: Markup }) => Markup}
 */
function product(x, matrix, out, { word, of, to, role, matrix: name }) {
  const used = [...x.keys()].filter((i) => x[i]);
  const picked = used.length === 1 && x[used[0]] === 1 && markup`style="--up:${used[0] - (x.length - 1) / 2}"`;
  return markup`
<div class="product" ${picked}>${strips([x], { name: `x of ${word}`, words: [word], features: of })}${sign("\u00d7")}
${strips(matrix, { role, name, words: of, features: to, unused: (i) => !x[i] })}
${result(strips([out], { role, name: `${role} of ${word}`, features: to }))}</div>`;
}

/**
 * A row times a matrix, in full: the row is laid on its side, each of its numbers multiplies a row of the matrix, and
 * each column is added up. One column is marked.
 * @type {(x: number[], matrix: number[][], out: number[], names: { word: string, of: string[], to: string[], matrix: Markup, marked: number }) => Markup}
 */
function summed(x, matrix, out, { word, of, to, matrix: name, marked }) {
  const products = matrix.map((row, i) => row.map((y) => x[i] * y));
  const most = Math.max(...products.flat().map(Math.abs)) || 1;
  /** @type {(j: number) => Markup | false} */
  const mark = (j) => j === marked && markup`data-marked`;
  return markup`
<table class="row-step sums">
<thead>
<tr><td></td><th scope="col"><em>${word}</em></th><th scope="colgroup" colspan="${to.length}">&times; <span class="key">${name}</span></th></tr>
<tr><td></td><td></td>${to.map((feature, j) => markup`<th scope="col" ${mark(j)}><span>${feature}</span></th>`)}</tr>
</thead>
<tbody>
${
    of.map((feature, i) =>
      markup`
<tr><th scope="row">${feature}</th><td class="own">${number(x[i])}</td>
  ${
        matrix[i].map((y, j) =>
          markup`
<td class="cell${!products[i][j] && " zero"}" style="--s:${short(Math.abs(products[i][j]) / most)}" ${mark(j)}>
  <small>${number(x[i])}&middot;${number(y)}</small> <b>${number(products[i][j])}</b></td>`
        )
      }</tr>`
    )
  }
</tbody>
<tfoot><tr><th scope="row" colspan="2">sum = <span class="key">key</span></th>
  ${out.map((y, j) => markup`<td class="cell key" ${mark(j)}>${number(y)}</td>`)}</tr></tfoot>
</table>`;
}

/** @type {(row: Row) => { says: Markup, figure: Markup }} */
function project({ x, w_q, w_k, q, k, words, word, row, scores, features: { x: of, key: to } }) {
  const [best] = largestFirst(scores);
  const [marked] = largestFirst(k[best]);
  const [query, key] = [markup`W<sub>Q</sub>`, markup`W<sub>K</sub>`];
  const terms = x[best].map((number_, i) => `${number(number_)}\u00b7${number(w_k[i][marked])}`).join(" + ");
  return {
    says: markup`<em>${words[best]}</em> is the row ${
      vector(x[best])
    }. Its numbers multiply the rows of W<sub>K</sub>, and each
      column is added up: <em>${to[marked]}</em> gets ${terms} = ${number(k[best][marked])}. So the key is
      ${vector(k[best])}. <em>${word}</em> is ${vector(x[row])}, and times W<sub>Q</sub> it becomes the query
      ${vector(q)}. A row of W<sub>Q</sub> is pale where the word has a 0, because it adds nothing.`,
    figure: markup`
${summed(x[best], w_k, k[best], { word: words[best], of, to, matrix: key, marked })}
${product(x[row], w_q, q, { word, of, to, role: "query", matrix: query })}`,
  };
}

/** @type {(row: Row) => { says: Markup, figure: Markup }} */
function score({ q, k, words, word, features, root, parts, products, scores }) {
  const most = Math.max(...parts.flat().map(Math.abs)) || 1;
  /** @type {(role: string, x: number) => Markup} */
  const of = (role, x) => markup`<span class="${role}">${number(x)}</span>`;
  return {
    says: markup`Multiply the query with each key, feature by feature, add up, and divide by
      &radic;${q.length}&nbsp;=&nbsp;${number(root)}. The scores are ${listed(words, scores)}. Where
      the query has a 0, nothing can count.`,
    figure: markup`
<table class="row-step products">
<thead>
<tr><td></td>${features.key.map((feature) => markup`<th scope="col"><span>${feature}</span></th>`)}
  <th scope="col">sum/${number(root)} = score</th></tr>
<tr class="asks"><th scope="row">${word} asks</th>
  ${
      q.map((x) => markup`<td class="cell" ${!x && "data-off"}><span class="query">${dotted(x)}</span></td>`)
    }<td></td></tr>
</thead>
<tbody>
${
      words.map((one, i) =>
        markup`
<tr><th scope="row">${one}</th>
  ${
          parts[i].map((part, j) =>
            q[j]
              ? markup`
<td class="cell${!part && " zero"}" data-number="${part}" style="--s:${short(Math.abs(part) / most)}">
  <small>${of("query", q[j])}&middot;${of("key", k[i][j])}</small> <b>${dotted(part)}</b></td>`
              : markup`<td class="cell zero" data-number="0" data-off>${dotted(k[i][j])}</td>`
          )
        }
  <td class="score"><small>${parts[i].filter((_, j) => q[j]).map(number).join(" + ")} = ${
          number(products[i])
        }</small> ${number(products[i])}/${number(root)} = <b>${number(scores[i])}</b></td></tr>`
      )
    }
</tbody>
</table>`,
  };
}

/** @type {(row: Row) => { says: Markup, figure: Markup }} */
function normalise({ words, scores, powers, total, weights }) {
  /** @type {(power: number) => Markup[]} */
  const blocks = (power) => Array.from({ length: power }, () => markup`<i></i>`);
  /** @type {(i: number) => Markup | string} 8/16 has a shorter form, 1/16 has none */
  const division = (i) => {
    const long = `${number(powers[i])}/${number(total)}`;
    return share(weights[i]) === long ? "" : markup`<span class="division">${long} = </span>`;
  };
  return {
    says: markup`Each score says how often to double 1. All the parts together, here ${number(total)}, are one budget,
      and every word has its share of it: ${listed(words, weights)}.`,
    figure: markup`
<table class="row-step shares" style="--total:${total}">
<thead><tr><td></td><th scope="col">2<sup>score</sup></th>
  <th scope="col"><span class="visually-hidden">parts</span></th><th scope="col">share</th></tr></thead>
<tbody>
${
      words.map((word, i) =>
        markup`
<tr><th scope="row">${word}</th>
  <td class="power">2<sup>${number(scores[i])}</sup> = <b>${number(powers[i])}</b></td>
  <td class="bar"><span class="blocks" style="--n:${powers[i]}">${blocks(powers[i])}</span></td>
  <td class="share">${division(i)}<b>${share(weights[i])}</b></td></tr>`
      )
    }
</tbody>
<tfoot><tr><th scope="row">budget</th><td class="power"><b>${number(total)}</b></td>
  <td class="bar"><span class="budget">
  ${
      words.map((word, i) =>
        markup`
<span class="part${powers[i] < 2 && " narrow"}" style="--n:${powers[i]}"><span class="blocks">${
          blocks(powers[i])
        }</span>
  <span class="whose" aria-hidden="true">${word}</span></span>`
      )
    }
  </span></td><td class="share"><b>${share(sum(weights))}</b></td></tr></tfoot>
</table>`,
  };
}

/** @type {(row: Row) => { says: Markup, figure: Markup }} */
function blending(row) {
  const { word, words, x, weights, v, given, output, features: { x: of, value: axes } } = row;
  const own = x[row.row];
  const blend = of.map((feature) => axes.includes(feature) ? output[axes.indexOf(feature)] : 0);
  const kept = own.map((number, i) => number + blend[i]);
  return {
    says: markup`Each value counts with its share. <em>${word}</em> receives ${vector(output)}: ${number(output[0])}
      parts <em>${axes[0]}</em> and ${number(output[1])} parts <em>${axes[1]}</em>. Added to its own row, that makes
      ${vector(kept)}, so the word keeps its own row.`,
    figure: markup`
<div class="blend">
${plane(row)}
<table class="row-step parts">
<thead><tr><td></td><th scope="col">share</th><th scope="col" class="value">value</th>
  <th scope="col">share &times; value</th></tr></thead>
<tbody>
${
      words.map((one, i) =>
        markup`
<tr><th scope="row">${one}</th><td>${share(weights[i])}</td><td class="value">${vector(v[i])}</td>
  <td>${vector(given[i])}</td></tr>`
      )
    }
</tbody>
<tfoot><tr><th scope="row">sum</th><td>${share(sum(weights))}</td><td></td>
  <td class="output">${vector(output)}</td></tr></tfoot>
</table>
</div>
<div class="product">${strips([own], { name: `x of ${word}`, words: [word], features: of })}${sign("+")}
${strips([blend], { role: "output", name: "blend", features: of })}
${result(strips([kept], { role: "output", name: `${word} from now on`, features: of }))}</div>`,
  };
}

const SIDE = 240; // of the plane, in its own units

/**
 * The values as points, and arrows that lead to their weighted sum, one for each part.
 * @type {(row: Row) => Markup}
 */
export function plane({ id, word, words, weights, v, given, output, features: { value: axes } }) {
  const largest = Math.max(...v.flat()) || 1;
  /** @type {(point: number[]) => number[]} the second feature grows upwards */
  const place = ([x, y]) => [short(x * SIDE / largest), short(-y * SIDE / largest) || 0];
  /** @type {Map<string, number[]>} words that hand over the same share a point */
  const corners = new Map();
  v.forEach((value, i) => corners.set(`${value}`, [...corners.get(`${value}`) ?? [], i]));
  const points = [...corners.values()].map((those) => {
    const [x, y] = place(v[those[0]]);
    return markup`
<circle class="corner" cx="${x}" cy="${y}" r="5"/>
  <text class="corner-name" x="${x || y ? x + 9 : -10}" y="${x || y ? y - 9 : 41}">${
      those.map((i) => words[i]).join(", ")
    }</text>`;
  });
  let stop = [0, 0]; // where each arrow begins
  const arrows = given.map((part, i) => {
    const [[x1, y1], [x2, y2]] = [stop, stop = stop.map((x, axis) => x + part[axis])].map(place);
    const flat = y1 === y2;
    const onAxis = flat && !y1; // then its name stands below
    const [x, y] = flat ? [x1 + 3, y1 + (onAxis ? 20 : -8)] : [Math.max(x1, x2) + 10, (y1 + y2) / 2 + 6];
    return part.some(Boolean) && markup`
<path class="arrow" d="M${x1} ${y1}L${x2} ${y2}" marker-end="url(#${id}-plane-head)"/>
  <text class="arrow-name" x="${x}" y="${y}">${share(weights[i])} ${words[i]}</text>`;
  });
  const ticks = [2, 4].map((i) => {
    const [at, text] = [i * SIDE / 4, number(i * largest / 4)];
    return markup`
<text class="tick" x="${at}" y="20">${text}</text><text class="tick" x="-14" y="${5 - at}">${text}</text>`;
  });
  const [x, y] = place(output);
  return markup`
<svg class="plane" viewBox="-50 -270 355 318" role="img" aria-labelledby="${id}-plane-title">
<title id="${id}-plane-title">Values as points, and the way to ${vector(output)}</title>
<defs><marker id="${id}-plane-head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="10" markerHeight="10"
  markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<path class="axes" d="M0 ${-SIDE}V0H${SIDE}"/>
${ticks}
<text class="axis" x="${SIDE / 2}" y="41">${axes[0]}</text>
<text class="axis" transform="translate(-34 ${-SIDE / 2}) rotate(-90)">${axes[1]}</text>
<path class="drop" d="M${x} 0V${y}H0"/>
${points}
${arrows}
<g class="end" transform="translate(${x} ${y})"><circle r="9"/><circle r="5"/>
  <text x="${Math.max(0, 50 - x)}" y="-17">${word} ${vector(output)}</text></g>
</svg>`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => film(element, bindFigure(element, { first, html }));
