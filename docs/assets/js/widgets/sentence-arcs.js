// <sentence-arcs>: every state is drawn once, and the style sheet shows the one that is chosen, without a script too. In a
// browser this one says it, keeps it in the address, and has a Reset.

import { blend, sum } from "../lib/attention.js";
import { readState, writeState } from "../lib/bind.js";
import { markup } from "../lib/markup.js";
import { largestFirst, number, share } from "../lib/numbers.js";
import { arcs, stage } from "../lib/stage.js";

/**
 * A sentence, each word with its rank, in one setting of the switches if there are any; whose query is not zero.
 * @typedef {{ switches: { swap?: boolean, positions?: boolean }, words: [string, string][], asks: boolean[] }} Sentence
 * @typedef {Sentence & { weights: number[][], allowed: boolean[][], values: number[][] | null }} Case
 * @typedef {{ id: string, title: string, cases: Case[], parts: string[], row: number }} Data
 */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => { row: number }} */
export const first = ({ row }) => ({ row });

/** @type {(data: Data, state: { row: number }) => Markup} */
export function html({ id, title, cases, parts, row }) {
  const [{ words }] = cases;
  const other = cases[cases.length - 1].words;
  const longest = words.map(([word], i) => word.length < other[i][0].length ? other[i][0] : word);
  const pair = words.flatMap(([word], i) => word === other[i][0] ? [] : [word]);
  const scenes = cases.flatMap((one, n) =>
    words.map((_, i) => ({ ...one, i, word: one.words[i][0], where: where(one, i, n === 0 && i === row) }))
  );
  /** @type {(draw: (scene: Scene) => unknown, asks?: boolean) => unknown[]} */
  const each = (draw, asks) => scenes.filter((scene) => asks === undefined || scene.asks[scene.i] === asks).map(draw);
  const labels = words.map((word, i) =>
    markup`
<label><input type="radio" name="${id}-row" value="${i}" ${i === row && "checked"}>
  ${
      word[0] === other[i][0] ? markup`<span>${ranked(word)}</span>` : [
        markup`<span data-swap="false" data-first="true">${ranked(word)}</span>`,
        markup` <span data-swap="true">${ranked(other[i])}</span>`,
      ]
    }</label>`
  );
  const drawing = each(({ i, weights, allowed, where }) => {
    const heard = weights[i].map((weight, key) => allowed[i][key] ? weight : null);
    return markup`<g ${where}>${arcs(longest, i, heard)}</g>`;
  }, true);
  const below = markup`
<div class="words">${labels}</div>
${each(shares, true)}
${
    each(({ word, where }) =>
      markup`
<p class="silence" aria-hidden="true" ${where}><em>${word}</em> asks nothing,<br>
  so every word gets the same share.</p>`, false)
  }`;
  return markup`
<fieldset>
<legend>${title}</legend>
<div class="scroll">${stage(longest, drawing, below)}</div>
</fieldset>
${parts.length > 0 && each((scene) => bars(scene, parts))}
${
    pair.length > 0 && markup`
<div class="switches" role="group" aria-label="The sentence">
<label><input type="checkbox" name="swap"> <span>Swap <em>${pair[0]}</em> and <em>${pair[1]}</em></span></label>
<label><input type="checkbox" name="positions" checked> <span>Words know their positions</span></label>
</div>`
  }
<div class="statements">${each((scene) => markup`<p ${scene.where}>${says(scene, parts)}</p>`)}</div>`;
}

/** @typedef {Case & { i: number, word: string, where: Markup }} Scene  what is seen while word i is chosen */

/** @type {(one: Case, row: number, isFirst: boolean) => Markup} */
const where = ({ switches }, row, isFirst) =>
  markup`data-row="${row}"${
    Object.entries(switches).map(([name, on]) => markup` data-${markup`${name}`}="${`${on}`}"`)
  }${isFirst && markup` data-first="true"`}`;

/** @type {(word: [string, string]) => unknown} */
const ranked = ([word, rank]) => [word, rank && markup`<span class="visually-hidden">${rank}</span>`];

/** @type {(scene: Scene) => Markup} */
function shares({ i, weights, allowed, where }) {
  const top = Math.max(...weights[i]);
  return markup`
<div class="shares" aria-hidden="true" ${where}>${
    weights[i].map((weight, key) =>
      markup`<span data-weight="${weight}" ${weight === top && "data-most"}>${
        allowed[i][key] ? share(weight) : "none"
      }</span>`
    )
  }</div>`;
}

/**
 * Every part of the blend, split into what the words give; the longest bar that could be is the largest value.
 * @type {(scene: Scene, parts: string[]) => Markup}
 */
function bars({ i, word, words, weights, values, where }, parts) {
  const longest = Math.max(...(values ?? []).flat());
  return markup`
<div class="blend" aria-hidden="true" ${where}>
<p><em>${word}</em> now carries</p>
${
    parts.map((part, c) => {
      const gifts = weights[i].map((weight, key) => weight * (values?.[key][c] ?? 0));
      const pieces = gifts.map((gift, key) =>
        gift > 0 && markup`<span style="--w:${gift / longest}">${words[key].join("")} <b>${number(gift)}</b></span>`
      );
      return markup`<span>${part}</span><span class="track">${pieces}</span><b>${number(sum(gifts))}</b>`;
    })
  }
</div>`;
}

/** @type {(scene: Scene, parts: string[]) => unknown} */
function says({ i, switches, words, word, weights, allowed, asks, values }, parts) {
  const sentence = words.map(([word]) => word).join(" ");
  const place = "positions" in switches &&
    markup`<em>${sentence}</em>, ${switches.positions ? "with" : "without"} positions: `;
  const does = asks[i]
    ? markup`<em>${word}</em> gives ${given(weights[i], words.map((word) => word.join("")), allowed[i])}.`
    : markup`<em>${word}</em> asks nothing, so every word gets the same share, ${share(weights[i][0])}.`;
  const output = values ? blend(weights[i], values) : [];
  const carries = parts.map((part, c) => `${number(output[c])} part${number(output[c]) === "1" ? "" : "s"} ${part}`);
  const ends = parts.length > 0 && markup` ${asks[i] ? "It" : "So it"} now carries
    <strong>${carries.join(" and ")}</strong>${asks[i] ? "" : ", the plain average"}.`;
  return [place, does, ends];
}

/**
 * A row in words, the largest first: "cat 1/2, that 1/4 and 1/8 to each of the other 2".
 * @type {(weights: number[], names: string[], allowed: boolean[]) => string}
 */
function given(weights, names, allowed) {
  const keys = largestFirst(weights).filter((key) => allowed[key]);
  const least = share(weights[keys[keys.length - 1]]);
  const told = keys.map((key) => `${names[key]} ${share(weights[key])}`);
  const equal = keys.filter((key) => Math.abs(weights[key] - weights[keys[keys.length - 1]]) < 1e-12).length;
  if (equal > 2 && equal < keys.length) told.splice(-equal, equal, `${least} to each of the other ${equal}`);
  return [told.slice(0, -1).join(", "), told[told.length - 1]].filter(Boolean).join(" and ");
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
    const chosen = statements.querySelector(`:scope > p${where.join("")}`);
    output.replaceChildren(...(chosen?.cloneNode(true).childNodes ?? []));
  };
  const write = () => {
    /** @type {Record<string, string | null>} */
    const state = {};
    for (const { type, name, value, checked, defaultChecked } of fields) {
      if (type === "checkbox") state[name] = checked === defaultChecked ? null : `${checked}`;
      else if (checked) state.row = defaultChecked ? null : value;
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
