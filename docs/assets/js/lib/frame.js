// What widgets are made of, as HTML: the frame, controls, tables. Nothing here asks for a document.
//
// A widget's module has `first(data)`, the state in which the page shows it: by the names of its controls, numbers where
// they are sliders. `html(data, state, live)` draws any state, `live` in the browser and null while the page is built,
// where controls would do nothing. `bind(element)` hands both to lib/bind.js.

import { markup } from "./markup.js";
import { short } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */
/** @typedef {string | number | Markup} Text */
/** @typedef {Record<string, string | number>} State */
/** @typedef {{ message: string }} Live  what is said instead of the sentence, if anything */
/**
 * @typedef {object} Parts
 * @property {Text} question  a prediction to make, after "Before you try it:"
 * @property {Text} answer
 * @property {Text | Text[] | null} [controls]
 * @property {Text | (Text | null)[]} figure
 * @property {Text | Text[] | null} [below]  controls that stand below it
 * @property {Text} says  what the figure shows, in a sentence
 */

/**
 * A title, the prediction, controls, the figure, more controls, and the sentence.
 * @type {(data: { id: string, title: string }, parts: Parts, live: Live | null) => Markup}
 */
export const frame = ({ id, title }, { question, answer, controls = null, figure, below = null, says }, live) =>
  markup`
${head(id, title, live)}
<details class="question">
  <summary>Before you try it: ${question}</summary>
  <p>${answer}</p>
</details>
${live && controls && markup`<div class="widget-controls">${controls}</div>`}
${figure}
${live && below && markup`<div class="widget-controls">${below}</div>`}
${output(says, live)}
`;

/** @type {(id: string, title: Text, live: Live | null) => Markup} */
export const head = (id, title, live) =>
  markup`
<div class="widget-head">
  <p class="widget-title" id="${id}-title">${title}</p>
  ${live && markup`<button type="button" class="reset">Reset</button>`}
</div>
`;

/**
 * What is seen follows the hand; lib/bind.js says it aloud when the hand rests.
 * @type {(says: Text, live: Live | null) => Markup}
 */
export const output = (says, live) =>
  live
    ? markup`<output aria-hidden="true" ${live.message && "data-message"}>${live.message || says}</output>`
    : markup`<output>${says}</output>`;

// controls

/**
 * `says` puts a value into words, for those who do not see the slider: "2 doublings".
 * @type {(name: string, label: string, value: string | number, range: [number, number], says: (value: number) => string) => Markup}
 */
export const slider = (name, label, value, [min, max], says) =>
  markup`<input type="range" name="${name}" aria-label="${label}" aria-valuetext="${says(Number(value))}"
    value="${value}" min="${min}" max="${max}" step="1">`;

/**
 * A part of the state without a control of its own: buttons and cells set it. The pattern says what an address may hold.
 * @type {(name: string, value: string | number, pattern: string) => Markup}
 */
export const held = (name, value, pattern) =>
  markup`<input type="hidden" name="${name}" value="${value}" data-pattern="${pattern}">`;

/** @type {(text: Text) => Markup} */
export const reading = (text) => markup`<span class="reading">${text}</span>`;

/** @type {(text: Text, ...controls: Markup[]) => Markup} */
export const labelled = (text, ...controls) =>
  markup`<label><span>${text}</span><span class="control">${controls}</span></label>`;

/**
 * A slider with its label, and beside it what it is set to.
 * @type {(text: Text, shown: Text, ...given: Parameters<typeof slider>) => Markup}
 */
export const setting = (text, shown, ...given) => labelled(text, slider(...given), reading(shown));

/** @type {(legend: Text, ...controls: Markup[]) => Markup} */
export const group = (legend, ...controls) =>
  markup`<fieldset><legend>${legend}</legend><span class="control">${controls}</span></fieldset>`;

/** @type {(name: string, value: string | number, chosen: string | number) => Markup} */
export const radio = (name, value, chosen) =>
  markup`<input type="radio" name="${name}" value="${value}" ${value === chosen && "checked"}>`;

/**
 * One of several, each with its text.
 * @type {(legend: Text, name: string, options: [string | number, Text][], chosen: string | number) => Markup}
 */
export const choice = (legend, name, options, chosen) =>
  group(legend, ...options.map(([value, text]) => markup`<label>${radio(name, value, chosen)}${text}</label>`));

/**
 * One of several, in the browser's own menu.
 * @type {(name: string, label: string, options: [string | number, Text][], chosen: string | number) => Markup}
 */
export const menu = (name, label, options, chosen) =>
  markup`<select name="${name}" aria-label="${label}">${
    options.map(([value, text]) => markup`<option value="${value}" ${value === chosen && "selected"}>${text}</option>`)
  }</select>`;

/**
 * The attribute by which a button or a cell sets parts of the state when it is clicked.
 * @type {(state: State) => Markup}
 */
export const sets = (state) => markup`data-set="${JSON.stringify(state)}"`;

/**
 * A button that sets parts of the state, or says why it cannot.
 * @type {(text: Text, does: State | string) => Markup}
 */
export const button = (text, does) =>
  typeof does === "string"
    ? markup`<button type="button" data-says="${does}">${text}</button>`
    : markup`<button type="button" ${sets(does)}>${text}</button>`;

/** @type {(text: unknown) => ReturnType<typeof markup>} it shows Pause while the film plays */
export const playButton = (text) =>
  markup`<button type="button" class="play"><span>${text}</span><span class="pause">Pause</span></button>`;

// in the columns of a stage (lib/stage.js)

/**
 * The words below a stage, of which one is chosen, where a script runs by a click; it asks, unless another does.
 * @type {(words: Text[], what: string, name: string, chosen: number, live: unknown, asks?: number) => Markup}
 */
export function choosers(words, what, name, chosen, live, asks = chosen) {
  const each = words.map((word, i) => {
    const is = [i === asks && markup`data-asks `, i === chosen && "data-chosen"];
    return live
      ? markup`<label ${is}>${radio(name, i, chosen)}<span>${word}</span></label> `
      : markup`<span ${is}>${word}</span> `;
  });
  return markup`<div class="row words" role="group" aria-label="${what}">${each}</div>`;
}

/** @type {(says: string, texts: (string | Markup)[], kind?: string) => Markup} what stands in the columns of the words */
export const beneath = (says, texts, kind = "") =>
  markup`<div class="row ${kind}"><span class="visually-hidden">${says} </span>${
    texts.map((text) => markup`<span>${text}</span>`)
  }</div>`;

// tables

/**
 * A table around its rows, in a box in which it scrolls if it is wide; the kind is what the style sheets call it.
 * @type {(kind: string, caption: string, rows: Text | Text[], legend?: Text) => Markup}
 */
export const table = (kind, caption, rows, legend = "") =>
  scrolling(
    caption,
    markup`
<table class="${kind}">
<caption><span><span class="title">${caption}</span>${legend && [" ", legend]}</span></caption>
${rows}
</table>
`,
  );

/**
 * A table of records, each a row: columns of numbers, and of words.
 * @type {(caption: string, names: Text[], rows: Text[][]) => Markup}
 */
export function records(caption, names, rows) {
  const kind = rows[0].map((item) => typeof item !== "number" && markup`class="word"`);
  return markup`
<table class="numbers">
<caption><span>${caption}</span></caption>
<thead><tr>${names.map((name, i) => markup`<th scope="col" ${kind[i]}>${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${row.map((item, i) => markup`<td ${kind[i]}>${item}</td>`)}</tr>`)}</tbody>
</table>`;
}

/** @type {(parts: [number, Text][]) => Markup} a budget for the eye: one bar, parts as wide as weights, and their words */
export const budget = (parts) =>
  markup`
<span class="packed" aria-hidden="true">${
    parts.map(([weight, text]) => markup`<i style="--w:${short(weight)}"><b>${text}</b></i>`)
  }</span>`;

/** @type {(part: number, text: Text) => Markup} a cell with a bar of this part of its width */
export const barCell = (part, text) =>
  markup`
<td class="share" style="--w:${part}"><span class="bar"></span> <span class="text">${text}</span></td>`;

/** @type {(label: string, content: Text) => Markup} */
export const scrolling = (label, content) =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${content}</div>`;

/** @type {(summary: Text, content: Text | Text[]) => Markup} */
export const folded = (summary, content) => markup`<details><summary>${summary}</summary>${content}</details>`;
