// <sentence-arcs>: every state is drawn once, and the style sheet shows the one that is chosen, without a script too. In a
// browser this one says it, keeps it in the address, and has a Reset.

import { blend, sum } from "../lib/attention.js";
import { readState, writeState } from "../lib/bind.js";
import { markup } from "../lib/markup.js";
import { counted, largestFirst, number, share } from "../lib/numbers.js";
import { arcs, stage } from "../lib/stage.js";

/**
 * A sentence in one setting of the switches; and what its words ask, why, and what is asked while none is chosen.
 * @typedef {{ switches: { swap: boolean, positions: boolean }, words: string[] }} Sentence
 * @typedef {Sentence & { weights: number[][], values: number[][] }} Case
 * @typedef {{ id: string, title: string, prompt: string, cases: Case[], parts: string[] }} Figure
 * @typedef {Figure & { questions: Record<string, string> }} Data
 */
/** @typedef {import("../lib/markup.js").Markup} Markup */
/** @typedef {Case & { i: number, word: string, where: Markup }} Scene  what is seen while word i is chosen */

export const first = () => ({});

/** @type {(data: Data) => Markup} */
export function html({ id, title, prompt, cases, parts, questions }) {
  const [{ words }] = cases;
  const other = cases[cases.length - 1].words;
  const longest = words.map((word, i) => word.length < other[i].length ? other[i] : word);
  const pair = words.filter((word, i) => word !== other[i]);
  const scenes = cases.flatMap((one, n) =>
    words.map((_, i) => ({ ...one, i, word: one.words[i], where: where(one, i, n === 0 && i === words.length - 1) }))
  );
  const labels = words.map((word, i) =>
    markup`
<label><input type="radio" name="${id}-row" value="${i}">
  ${
      word === other[i] ? markup`<span>${word}</span>` : [
        markup`<span data-swap="false" data-first="true">${word}</span>`,
        markup` <span data-swap="true">${other[i]}</span>`,
      ]
    }</label>`
  );
  const drawing = scenes.map(({ i, weights, where }) => markup`<g ${where}>${arcs(longest, i, weights[i])}</g>`);
  const below = markup`
<div class="words">${labels}</div>
${scenes.map(shares)}
<p class="prompt">${prompt}</p>`;
  return markup`
<fieldset>
<legend>${title}</legend>
<div class="scroll">${stage(longest, drawing, below)}</div>
</fieldset>
<div class="statements">${
    scenes.map((scene) => markup`<p ${scene.where}>${says(scene, parts, questions[scene.word])}</p>`)
  }</div>
<div class="blends">${scenes.map((scene) => bars(scene, parts))}</div>
<div class="switches" role="group" aria-label="The sentence">
<label><input type="checkbox" name="swap"> <span>Swap <em>${pair[0]}</em> and <em>${pair[1]}</em></span></label>
<label><input type="checkbox" name="positions" checked> <span>Words know their places</span></label>
</div>`;
}

/** @type {(one: Case, row: number, isFirst: boolean) => Markup} */
const where = ({ switches: { swap, positions } }, row, isFirst) =>
  markup`data-row="${row}" data-swap="${`${swap}`}" data-positions="${`${positions}`}"${
    isFirst && markup` data-first="true"`
  }`;

/** @type {(scene: Scene) => Markup} */
function shares({ i, weights, where }) {
  const top = Math.max(...weights[i]);
  return markup`
<div class="shares" aria-hidden="true" ${where}>${
    weights[i].map((weight) =>
      markup`<span data-weight="${weight}" ${weight === top && "data-most"}>${share(weight)}</span>`
    )
  }</div>`;
}

/**
 * Every part of the blend, split into what the words give; the longest bar that could be is the largest value.
 * @type {(scene: Scene, parts: string[]) => Markup}
 */
function bars({ i, words, weights, values, where }, parts) {
  const longest = Math.max(...values.flat());
  return markup`
<div class="blend" aria-hidden="true" ${where}>
${
    parts.map((part, c) => {
      const gifts = weights[i].map((weight, key) => weight * values[key][c]);
      const pieces = gifts.map((gift, key) =>
        gift > 0 && markup`<span style="--w:${gift / longest}">${words[key]} <b>${number(gift)}</b></span>`
      );
      return markup`<span>${part}</span><span class="track">${pieces}</span><b>${number(sum(gifts))}</b>`;
    })
  }
</div>`;
}

/** @type {(scene: Scene, parts: string[], question: string) => Markup} */
function says({ i, switches, words, word, weights, values }, parts, question) {
  const output = blend(weights[i], values);
  const asked = switches.positions ? question : question.slice(0, question.indexOf("?") + 1); // what it finds may be wrong
  const carries = parts.map((part, c) => `${counted(output[c], "part")} ${part}`);
  return markup`<span class="visually-hidden"><em>${words.join(" ")}</em>, ${
    switches.positions ? "with" : "without"
  } positions: </span><em>${word}</em> asks: ${asked} So <em>${word}</em> gives
    ${given(weights[i], words, i)}. It stays <em>${word}</em>, and now also carries <strong>${
    carries.join(" and ")
  }</strong>.`;
}

/**
 * A row in words, the largest first: "1/2 of its attention to cats, 1/4 to who and 1/8 to itself".
 * @type {(weights: number[], words: string[], row: number) => string}
 */
function given(weights, words, row) {
  const keys = largestFirst(weights);
  const told = keys.map((key, n) =>
    `${share(weights[key])} ${n ? "" : "of its attention "}to ${key === row ? "itself" : words[key]}`
  );
  return `${told.slice(0, -1).join(", ")} and ${told[told.length - 1]}`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const fields = [...element.querySelectorAll("input")];
  const statements = /** @type {HTMLElement} */ (element.querySelector(".statements"));
  const [output, reset] = [document.createElement("output"), document.createElement("button")];
  Object.assign(reset, { type: "button", textContent: "Reset" });

  const say = () => {
    const where = fields.map(({ type, name, value, checked }) => {
      if (type === "checkbox") return `[data-${name}="${checked}"]`;
      return checked ? `[data-row="${value}"]` : "";
    });
    const chosen = fields.some(({ type, checked }) => type === "radio" && checked) &&
      statements.querySelector(`:scope > p${where.join("")}`);
    output.replaceChildren(...(chosen ? chosen.cloneNode(true).childNodes : []));
  };
  const write = () => {
    /** @type {Record<string, string | null>} */
    const state = { row: null };
    for (const { type, name, value, checked, defaultChecked } of fields) {
      if (type === "checkbox") state[name] = checked === defaultChecked ? null : `${checked}`;
      else if (checked) state.row = value;
    }
    say();
    writeState(element.id, state);
  };
  const read = () => {
    const { row, ...switches } = readState(element.id);
    for (const field of fields) {
      const on = switches[field.name];
      if (field.type === "radio") field.checked ||= field.value === row;
      else if (on === "true" || on === "false") field.checked = on === "true";
    }
    say();
  };
  const byDefault = () => {
    for (const field of fields) field.checked = field.defaultChecked;
  };

  statements.append(output); // upon the statements, which keep its room but are no longer seen
  element.prepend(reset);
  element.addEventListener("change", write);
  element.addEventListener("addresschange", () => {
    byDefault();
    read();
  });
  reset.addEventListener("click", () => {
    byDefault();
    write();
  });
  read(); // what the reader has chosen before this script came stays, unless the address says otherwise
}
