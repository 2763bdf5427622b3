// <training-replay>: a document as code, with arcs from each closing tag to the lines that it listens to, while a head
// learns; beside it the loss. Without a script, and on paper, the first step and the last.

import { bindFigure } from "../lib/bind.js";
import { frame } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, largestFirst, short } from "../lib/numbers.js";
import { film, playBar } from "../lib/play.js";
import { curves } from "../lib/sentence.js";

/**
 * Of each row that asks: its weights, what the head guesses, and whether that is right.
 * @typedef {{ step: number, weights: number[][], guesses: string[], accuracy: number, loss: number }} Checkpoint
 * @typedef {{ id: string, title: string, words: string[], asks: number[], answers: string[] }} Rows
 * @typedef {Rows & { checkpoints: Checkpoint[] }} Data
 */
/** @typedef {{ at: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

const [WIDE, PITCH, CODE, LETTER] = [340, 26, 32, 9.6]; // the drawing, a line, where the code begins, a letter
const ARC = { upright: true, floor: 172, budget: 15, lowest: 18, rise: 0.47, loop: 16, gap: 8 };

/** @type {() => State} */
export const first = () => ({ at: 0 });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, { at }, live) {
  const { asks, checkpoints } = data, end = checkpoints.length - 1;
  const halfway = checkpoints.findIndex(({ step }) => step === checkpoints[end].step / 2);
  const [before, middle, after] = [0, halfway, end].map((i) => hitsOf(data, checkpoints[i]));
  return frame(data, {
    question:
      `the matrices are random at first. How many of these ${asks.length} names does the head get right before ` +
      "the first step, half-way, and at the end?",
    answer: `${before}, ${middle} and ${after}.`,
    figure: [
      markup`<div>${[...new Set([at, 0, end])].map((i) => checkpoint(data, i))}</div>`, // a screen shows one
      playBar(live, ["at", "steps of training", at, [0, end], (i) => counted(checkpoints[i].step, "step")]),
    ],
    says: live ? statement(data, checkpoints[at]) : "",
  }, live);
}

/** @type {(data: Data, at: number) => unknown} */
function checkpoint(data, at) {
  const { words, asks, answers, checkpoints } = data, { weights, guesses, loss } = checkpoints[at];
  const centres = words.map((_, i) => PITCH * (i + 0.5));
  const lines = words.map((word, i) => {
    const row = asks.indexOf(i), tag = word.trim(), y = centres[i] + 5, asking = row >= 0;
    const x = CODE + LETTER * (word.length - tag.length), after = x + LETTER * (tag.length + 0.7);
    const verdict = guesses[row] === answers[row] ? "\u2713" : `not ${answers[row]}`;
    return markup`
<path class="leader" d="M${short(asking ? after + LETTER * (verdict.length + 0.7) : after)} ${y - 5}H168"/>
<text class="count" x="${CODE - 12}" y="${y}">${i}</text>
<text class="role-${asking ? "query" : "key"}" x="${short(x)}" y="${y}">${tag.replace("?", guesses[row])}</text>
${asking && markup`<text x="${short(after)}" y="${y}">${verdict}</text>`}`;
  });
  const arcs = asks.map((ask, i) =>
    weights[i].slice(0, ask + 1).map((weight, key) => {
      const [{ d }] = curves({ ...ARC, centres }, ask, words.map((_, other) => other === key ? 1 : null));
      return markup`<path class="arc" d="${d}" style="stroke-width:${short(ARC.budget * weight)}"/>`;
    })
  );
  const [wide, high, most, last] = [160, 90, checkpoints[0].loss, checkpoints[checkpoints.length - 1].step];
  const curve = checkpoints.slice(0, at + 1).map((one) => [wide * one.step / last, high - high * one.loss / most]);
  return markup`
<figure class="checkpoint">
<svg class="code" viewBox="0 0 ${WIDE} ${PITCH * words.length}" aria-hidden="true">${lines}${arcs}</svg>
<div class="loss" aria-hidden="true"><span>loss <b>${loss.toFixed(2)}</b></span>
<svg viewBox="-6 -8 ${wide + 12} ${high + 12}"><path class="axes" d="M0 0V${high}H${wide}"/>
<path d="M${curve.map((point) => point.map(short)).join("L")}"/><circle cx="${curve[at][0]}" cy="${
    curve[at][1]
  }" r="5"/></svg></div>
<figcaption>${statement(data, checkpoints[at])}</figcaption></figure>`;
}

/** @type {(data: Data, one: Checkpoint) => number} */
const hitsOf = ({ answers }, { guesses }) => answers.filter((answer, i) => answer === guesses[i]).length;

/** @type {(data: Data, one: Checkpoint) => ReturnType<typeof markup>} */
const statement = (data, one) =>
  markup`After ${counted(one.step, "step")} the loss is ${one.loss.toFixed(2)}: ${
    hitsOf(data, one)
  } of ${data.answers.length} names are right here, and ${(100 * one.accuracy).toFixed()}% of all that are held out.
    <span class="visually-hidden">${
    data.asks.map((ask, i) => {
      const [most] = largestFirst(one.weights[i]);
      return `Line ${ask} listens most to line ${most} (${(100 * one.weights[i][most]).toFixed()}%). `;
    })
  }</span>`;

/** @type {(element: HTMLElement) => void} a hundred steps in eight seconds; in ten cuts, if nothing is to move */
export function bind(element) {
  const figure = bindFigure(element, { first, html }), all = figure.data.checkpoints.length - 1;
  const by = matchMedia("(prefers-reduced-motion: reduce)").matches ? Math.ceil(all / 10) : 1;
  film(element, figure, 8000 * by / all, by);
}
