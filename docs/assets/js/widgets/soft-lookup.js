// <soft-lookup>: a question, the labels of some books, and the pages that each book gives.

import { blend } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, frame, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { number, sum } from "../lib/numbers.js";

/** @typedef {{ names: string[], topics: string[], labels: number[][], values: number[][], asks: number }} Library */
/** @typedef {Library & { id: string, title: string }} Data */
/** @typedef {{ asks: number }} State  whose label is the question */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ asks }) => ({ asks });

/**
 * The fit counts the topics on which question and label agree; each doubles the share.
 * @param {{ labels: number[][], values: number[][] }} data
 * @param {State} state
 */
export function compute({ labels, values }, { asks }) {
  const fits = labels.map((label) => label.filter((has, i) => has === labels[asks][i]).length);
  const shares = fits.map((fit) => 2 ** fit);
  const total = sum(shares);
  const weights = shares.map((share) => share / total);
  const copied = values.map((pages, i) => pages.map((n) => weights[i] * n));
  return { fits, shares, total, weights, copied, output: blend(weights, values) };
}

/**
 * The lines of a card, one per topic; those that agree with the question are marked.
 * @type {(topics: string[], card: number[], question: number[]) => unknown}
 */
const lines = (topics, card, question) =>
  topics.map((topic, i) =>
    markup`<span class="line ${card[i] === question[i] && "agrees"}">${card[i] ? "\u2713" : "\u2717"} ${topic}</span>`
  );

/** @type {(of: number, copied: number) => unknown} */
const pages = (of, copied) =>
  markup`
<td class="value">${of > 0 && markup`<span class="book" style="--w:${copied / of}"></span>`} <span class="text">${
    number(copied)
  }</span></td>`;

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, names, topics, labels, values, asks } = data;
  const { fits, shares, total, copied, output } = compute(data, state);
  const question = labels[state.asks];
  const last = names.length - 1;
  const other = compute(data, { asks: last });
  const rows = names.map((name, i) =>
    markup`
<tr><th scope="row">${name}</th><td class="key"><span class="card">${lines(topics, labels[i], question)}</span></td>
  <td class="score">${fits[i]}</td>
  <td class="parts"><span class="bar">${Array.from({ length: shares[i] }, () => markup`<i></i>`)}</span>
    <span class="text">${shares[i]}/${total}</span></td>
  ${values[i].map((of, t) => pages(of, copied[i][t]))}</tr>`
  );
  const home = topics.map((topic, t) => `${number(output[t])} pages on ${topic}`).join(" and ");
  return frame(data, {
    question: markup`you ask <em>${names[last]}?</em> and no longer <em>${
      names[asks]
    }?</em> Do you now take home more pages on ${topics[0]}, or fewer?`,
    answer: `You take home ${number(other.output[0])}, not ${number(compute(data, first(data)).output[0])}. The books ${
      names.join(", ")
    } now give ${other.shares.map((share) => `${share}/${other.total}`).join(", ")}.`,
    controls: choice("You ask", "asks", names.map((name, i) => [i, `${name}?`]), state.asks),
    figure: table(
      "steps",
      title,
      markup`
<thead>
<tr><th scope="col">book</th>
  <th scope="col" class="key"><span class="query">${names[state.asks]}?${lines(topics, question, question)}</span>
    label</th>
  <th scope="col">fit</th><th scope="col">share</th>
  ${topics.map((topic) => markup`<th scope="col" class="value">pages on ${topic}</th>`)}</tr>
</thead>
<tbody>${rows}</tbody>
<tfoot>
<tr><th scope="row" colspan="3">you take home</th><td>${total}/${total}</td>
  ${output.map((n) => markup`<td class="output">${number(n)}</td>`)}</tr>
</tfoot>`,
    ),
    says: `You ask ${names[state.asks]}? The fits are ${fits.join(", ")}, so the books give ${
      shares.map((share) => `${share}/${total}`).join(", ")
    }. You take home ${home}.`,
  }, live);
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
