// <lesson-map>: the lessons as stations, and the shortest way to the one at which the reader points.

import { readAnswers } from "../lib/answers.js";
import { bindFigure } from "../lib/bind.js";
import { output } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, short } from "../lib/numbers.js";

/**
 * Needs are positions in the list, of lessons before it; a line has its height in every column that it passes.
 * @typedef {{ name: string, short: string, question: string, part: string, minutes: number, questions: number }} About
 * @typedef {About & { needs: number[], column: number, y: number }} Lesson
 * @typedef {{ from: number, to: number, ys: number[] }} Line
 * @typedef {{ id: string, title: string, root: string, lit: number, height: number, lessons: Lesson[], lines: Line[] }} Given
 * @typedef {Given & { answered?: number[], links?: string[] }} Data  what the reader has answered, where the copy leads
 */
/** @typedef {{ lit: number }} State */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

const PITCH = 66; // px from a station to the one below it: two lines of its name have room
const WIDTH = 100; // units of a column
const APART = 18; // so far to the side a line stays as high as its station, beside the name

/**
 * Lit is the way to the first lesson that a reader who has begun has not finished.
 * @type {(data: Data) => State}
 */
export function first({ lit, lessons, answered = [] }) {
  const next = answered.some(Boolean) ? lessons.findIndex(({ questions }, i) => answered[i] < questions) : lit;
  return { lit: next < 0 ? lit : next };
}

/**
 * The lessons of the way in their order, the last one included, its minutes, and how many of them have been read.
 * @param {{ lessons: { needs: number[], minutes: number, questions: number }[], answered?: number[] }} data
 * @param {State} state
 */
export function compute({ lessons, answered = [] }, { lit }) {
  const on = new Set([lit]);
  for (const i of on) for (const need of lessons[i].needs) on.add(need); // what is added comes up too
  const way = [...on].sort((one, other) => one - other);
  const read = way.filter((i) => answered[i] >= lessons[i].questions).length;
  return { way, minutes: way.reduce((total, i) => total + lessons[i].minutes, 0), read };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, title, lessons, lines, height } = data;
  const { way, minutes, read } = compute(data, state);
  const columns = Math.max(...lessons.map(({ column }) => column)) + 1;
  const isLit = (/** @type {Line} */ { from, to }) => way.includes(from) && way.includes(to);
  const parts = [...new Set(lessons.map(({ part }) => part))];
  return markup`
<p class="widget-title" id="${id}-title">${title}</p>
${
    output(
      markup`<b>${lessons[state.lit].short}</b>: ${counted(way.length, "lesson")}, ${counted(minutes, "minute")}${
        read > 0 && `; you have read ${read} of them`
      }.`,
      live,
    )
  }
<div class="lines" style="--columns:${columns};--high:${short(height * PITCH)}">
<svg viewBox="0 0 ${columns * WIDTH} ${short(height * PITCH)}" preserveAspectRatio="none" aria-hidden="true">${
    [false, true].map((lit) => lines.filter((line) => isLit(line) === lit).map((line) => drawn(data, line, lit)))
  }</svg>
${
    parts.map((part) =>
      markup`
<p class="part">${part}</p>
<ol data-part="${part}">${
        lessons.map((lesson, i) => lesson.part === part && station(data, i, state.lit === i, way.includes(i)))
      }</ol>`
    )
  }
</div>
<p class="key" aria-hidden="true">${
    parts.map((part) => markup`<span data-part="${part}"><i class="ring"></i> ${part}</span>`)
  } <span>Lines lead to what builds on a lesson. Larger shapes take longer. A shape fills as you answer its questions.</span></p>`;
}

/** @type {(data: Data, line: Line, lit: boolean) => Markup} */
function drawn({ lessons }, { from, ys }, lit) {
  const x = (lessons[from].column + 0.5) * WIDTH, [start, ...rest] = ys.map((y) => short(y * PITCH));
  const curves = rest.map((y, i) => {
    const [left, right] = [x + i * WIDTH + APART, x + (i + 1) * WIDTH - APART], middle = (left + right) / 2;
    return `H${left}C${middle} ${i ? rest[i - 1] : start} ${middle} ${y} ${right} ${y}`;
  });
  return markup`<path vector-effect="non-scaling-stroke" d="M${x} ${start}${curves.join("")}h${APART}" ${
    lit && "data-lit"
  }/>`;
}

/** @type {(data: Data, i: number, aim: boolean, lit: boolean) => Markup} */
function station({ root, lessons, answered = [], links }, i, aim, lit) {
  const { name, short: label, question, minutes, questions, needs, column, y } = lessons[i];
  const share = questions ? Math.min(1, (answered[i] ?? 0) / questions) : 0;
  const score = answered[i] > 0 ? `, ${answered[i]} of ${counted(questions, "question")} answered` : "";
  return markup`
<li style="--x:${column};--y:${short(y * PITCH)};--size:${short(5.4 * Math.sqrt(minutes))};--share:${short(share)}"
  ${lit && "data-lit"} ${aim && "data-aim"}>
<a href="${links ? links[i] : `${root}learn/${name}/`}" aria-label="${label}: ${question} ${
    counted(minutes, "minute")
  }${score}"><i class="ring"></i><b>${label}</b></a>
<small>${minutes} min${
    needs.length > 0 && `, builds on ${needs.map((need) => lessons[need].short).join(", ")}`
  }</small></li>`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const anchors = () => [...element.querySelectorAll("a")];
  const links = anchors().map((link) => link.getAttribute("href") ?? ""); // of the offline copy, if it is one
  /** @type {(data: Data) => Data} */
  const known = (data) => {
    const pages = readAnswers();
    return {
      ...data,
      links,
      answered: anchors().map(({ pathname }) => Object.keys(pages[pathname]?.chosen ?? {}).length),
    };
  };
  const figure = bindFigure(element, {
    first: (data) => first(known(data)),
    html: (data, state, live) => html(known(data), state, live),
  });
  /** @type {(event: Event) => void} */
  const light = ({ target }) => {
    const at = anchors().findIndex((link) => target instanceof Node && link.contains(target));
    if (at >= 0) figure.set({ lit: at });
  };
  const rest = () => figure.set(first(known(figure.data)));
  element.addEventListener("pointerover", light);
  element.addEventListener("focusin", light);
  element.addEventListener("pointerleave", rest);
  element.addEventListener("focusout", rest);
  addEventListener("pageshow", ({ persisted }) => persisted && figure.set()); // answers may have come meanwhile
}
