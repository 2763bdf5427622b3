// <next-word>: the little model guesses the next word of the reader's own text. The page holds the answer to its first
// text; the weights come when a hand is near, and from then on every answer is computed here.

import { bindFigure, dataOf } from "../lib/bind.js";
import { button, choice, choosers, frame, held, scrolling, setting } from "../lib/frame.js";
import { drawn, forward, N_WORDS, readWords, sharesAt, unpacked } from "../lib/little-model.js";
import { markup } from "../lib/markup.js";
import { largestFirst } from "../lib/numbers.js";
import { recordOf } from "../lib/record.js";
import { arcs, namesOf, shares, stage } from "../lib/stage.js";

/** @typedef {import("../lib/little-model.js").Model} Model */
/** @typedef {import("../lib/little-model.js").Recorded} Recorded */
/** @typedef {import("../lib/little-model.js").Found} Found */
/** @typedef {import("../lib/little-model.js").Switches} Switches */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/frame.js").Text} Text */
/** @typedef {import("../lib/markup.js").Markup} Markup */
/**
 * A task: its name in the record, what it is called, and a text that asks it.
 * @typedef {{ name: string, label: string, text: string }} Task
 * @typedef {Record<string, Record<string, number>>} Accuracy  by setting of the switches and by task
 * @typedef {{ id: string, title: string, question: string, answer: string, tasks: Task[] }} Texts
 * @typedef {{ kinds: Record<string, string[]>, accuracy: Accuracy, questions: number }} Known
 * @typedef {{ text: string, layer: number, head: number, start: Found, model?: Model, record?: Recorded }} Given
 * @typedef {Texts & Known & Given} Data
 */
/** @typedef {{ text: string, row: number, layer: number, head: number, off: string, heat: number, seed: number }} State */

const BARS = 6;
const FAINT = 0.01; // below it no arc is drawn
/** @type {[string, string][]} what can be switched off, and what it is called */
const OFF = [
  ["nothing", "nothing"],
  ["attention", "attention"],
  ["head", "this head"],
  ["positions", "positions"],
  ["mask", "the mask"],
  ["MLP", "the MLPs"],
  ["norms", "the norms"],
  ["residual", "the residual connections"],
];
const SENTENCE = 12; // words, after which a sentence that is being written stops without a full stop

/** @type {(text: string) => string[]} */
const split = (text) => text.split(" ").filter(Boolean);

/** @type {(words: string[]) => { text: string, row: number }} a text, of which the last word asks */
const of = (words) => ({ text: words.join(" "), row: Math.max(0, words.length - 1) });

/** @type {(data: Data) => State} */
export const first = ({ text, layer, head }) => ({
  ...of(split(text)),
  layer,
  head,
  off: "nothing",
  heat: 10, // tenths
  seed: 0,
});

/** @type {(found: Found, state: { off: string, layer: number, head: number }) => Switches} */
const switches = ({ weights }, { off, layer, head }) => ({
  mask: off !== "mask",
  positions: off !== "positions",
  mlp: off !== "MLP",
  norms: off !== "norms",
  residual: off !== "residual",
  heads: weights.map((heads, i) =>
    heads.map((_, j) => Number(off !== "attention" && !(off === "head" && i === layer && j === head)))
  ),
});

/**
 * What the model makes of a text; until the weights have come, of the first alone.
 * @type {(data: Given, words: string[], state: State) => Found | null}
 */
function find({ text, start, model, record }, words, state) {
  const known = model ?? (record && unpacked(record));
  if (!known) return state.off === "nothing" && words.join(" ") === text ? start : null;
  const name = [...words, state.off, state.off === "head" && `${state.layer}.${state.head}`].join(" ");
  if (last.model !== known || last.name !== name) {
    const found = forward(known, words.map((word) => known.words.indexOf(word)), switches(start, state));
    last = { model: known, name, found };
  }
  return last.found;
}
/** @type {{ model?: Model, name?: string, found: Found | null }} a head, a word and a temperature ask for nothing new */
let last = { found: null };

/**
 * The shares of all words, in the order of the vocabulary, and its places, the likeliest first.
 * @type {(data: Data, state: State) => { words: string[], row: number, found: Found | null, shares: number[], order: number[] }}
 */
export function compute(data, state) {
  const words = split(state.text);
  const found = words.length ? find(data, words, state) : null;
  const shares = words.length ? sharesAt((found ?? data.start).scores, state.heat / 10) : [];
  return { words, row: Math.min(state.row, words.length - 1), found, shares, order: largestFirst(shares) };
}

/** @type {(words: string[], ...more: string[]) => string[]} the last that the model has learned to read at once */
const added = (words, ...more) => [...words, ...more].slice(-N_WORDS);

/**
 * Let the model write words up to a full stop: the likeliest, or each as often as its share says.
 * @type {(data: Data, state: State, most: number, byChance: boolean) => State}
 */
export function written(data, state, most, byChance) {
  const known = Object.values(data.kinds).flat();
  for (let i = 0; i < most; i += 1) {
    const { words, found, shares, order } = compute(data, state);
    if (!found) return state;
    const word = known[byChance ? drawn(shares, state.seed) : order[0]];
    state = { ...state, ...of(added(words, word)), seed: (state.seed + 1) % 1000 };
    if (word === ".") break;
  }
  return state;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, question, answer, kinds } = data;
  const one = compute(data, state);
  const known = Object.values(kinds).flat();
  const figure = [text(one, state, live), live && switching(state, known)];
  return markup`
${frame(data, { question, answer, figure, says: statement(one, state, known) }, live)}
<div>${one.words.length > 0 && bars(one, known, BARS, live)}</div>
${live && typing(id)}
<div class="vocabulary">${!live && vocabulary(kinds, live)}</div>
${live && [tools(one.words), writing(state)]}
${tasks(data, state, live)}`;
}

/**
 * The text under the arcs of a head; a word is chosen by a click.
 * @type {(one: ReturnType<typeof compute>, state: State, live: Live | null) => Markup}
 */
function text({ words, row, found }, { layer, head, off }, live) {
  if (!words.length) {
    return markup`<p class="empty">There is no text yet. Type a first word, or choose one of those below.</p>`;
  }
  const weights = found?.weights[layer][head][row] ?? words.map(() => 0);
  const drawing = arcs(words, row, weights.map((weight) => weight >= FAINT ? weight : null));
  return scrolling(
    "The text, and what the chosen word looks at",
    stage(
      words,
      markup`<g data-anew="${[...words, layer, head, row].join()}" ${isSilent(off) && "data-off"}>${drawing}</g>`,
      [
        choosers(words, "The word that asks", "row", row, live),
        shares(weights, (weight) => found && weight >= FAINT / 2 ? hundredths(weight) : ""),
      ],
    ),
  );
}

/** @type {(words: string[]) => Markup} */
function tools(words) {
  const empty = "There is no word to take away.";
  return markup`<div class="tools"><button type="button" data-write="${SENTENCE}">Write a sentence</button>
  <button type="button" data-draw="1">Sample a word</button>
  <button type="button" data-draw="${SENTENCE}">Sample a sentence</button>
  ${button("Remove the last word", words.length ? of(words.slice(0, -1)) : empty)}
  ${button("Clear", words.length ? of([]) : empty)}</div>`;
}

/**
 * The likeliest words; a click takes one.
 * @type {(one: { shares: number[], order: number[] }, known: string[], most: number, live: Live | null, caption?: Text) => Markup}
 */
function bars({ shares, order }, known, most, live, caption = "What comes next") {
  const rows = order.slice(0, most).map((word, i) =>
    markup`
<tr><th scope="row">${
      live
        ? markup`<button type="button" data-add="${known[word]}"><span class="visually-hidden">take no. ${
          i + 1
        }: </span>${known[word]}</button>`
        : known[word]
    }</th>
  <td class="share"><span class="bar" style="--w:${shares[word].toFixed(4)}"></span> ${percent(shares[word])}</td></tr>`
  );
  return markup`
<table class="steps next">
<caption><span>${caption}${live && ": choose a word to take it"}</span></caption>
<tbody>${rows}</tbody>
</table>`;
}

/** @type {(one: ReturnType<typeof compute>, state: State, known: string[]) => Text} */
function statement({ words, row, found, shares, order }, { layer, head, off }, known) {
  if (!words.length) return "The text is empty. The model needs at least one word to guess the next.";
  if (!found) return "The weights of the model are on their way.";
  const ended = words.slice(0, -1).lastIndexOf(".") + 1;
  const [best, second] = order;
  const weights = found.weights[layer][head][row];
  const seen = largestFirst(weights).slice(0, 2).filter((key) => weights[key] >= FAINT);
  const names = namesOf(words.map(said));
  const looks = seen.map((key) => `${hundredths(weights[key])} to ${names[key]}`);
  const what = off === "head" ? `head ${head} of layer ${layer}` : Object.fromEntries(OFF)[off];
  const full = words.length === N_WORDS &&
    ` The text has ${N_WORDS} words now, as long as those that the model learned from: the next pushes out the first.`;
  const same = off === "mask" && words.length > 1 &&
    ` With or without the mask, the last word sees all words: nothing is
    ahead of it. Those before it look ahead now, so what they pass on may differ.`;
  return markup`${off === "nothing" ? "The" : `With ${what} switched off, the`} likeliest word after
    <em>${words.slice(ended).join(" ").replace(/ (?=[.?])/g, "")}</em> is <strong>${said(known[best])}</strong>,
    ${percent(shares[best])}, then ${said(known[second])}, ${percent(shares[second])}. In layer ${layer}, head ${head},
    ${names[row]} ${isSilent(off) ? "would give" : "gives"} ${looks.join(" and ")}.${same}${full}`;
}

/** @type {(off: string) => boolean} whether what the arcs show goes nowhere */
const isSilent = (off) => off === "attention" || off === "head";

/** @type {(word: string) => string} */
const said = (word) => ({ ".": "the full stop", "?": "the question mark" })[word] ?? word;

/** @type {(n: number) => [number, string][]} */
const numbers = (n) => [...Array(n).keys()].map((i) => [i, `${i}`]);

/** @type {(id: string) => Markup} */
const typing = (id) =>
  markup`
<div class="typing">
<label for="${id}-typed">type words</label>
<textarea id="${id}-typed" rows="1" autocapitalize="off" autocomplete="off" spellcheck="false" enterkeyhint="done"></textarea>
<button type="button" data-typed>Add</button>
</div>`;

/**
 * All words, as buttons where a script runs. They never change, and are put into the figure once: a step of writing need
 * not draw them anew.
 * @type {(kinds: Record<string, string[]>, live: unknown) => Markup}
 */
function vocabulary(kinds, live) {
  const all = Object.values(kinds);
  const each = all.map((words) =>
    markup`
<span class="kind">${
      words.map((word) =>
        live ? markup`<button type="button" data-add="${word}">${word}</button>` : markup`<span>${word}</span> `
      )
    }</span> `
  );
  return markup`<p>It knows these ${all.flat().length} words and no others${live && ". Choose one to add it"}:</p>
<div role="group" aria-label="all words">${each}</div>`;
}

/** @type {(heat: number) => string} */
const tenths = (heat) => (heat / 10).toFixed(1);

/** @type {(state: State) => Markup} */
const writing = ({ heat }) =>
  markup`
<div class="widget-controls">
${setting("temperature", tenths(heat), "heat", "temperature", heat, [1, 30], (at) => `temperature ${tenths(at)}`)}
</div>`;

/** @type {(state: State, known: string[]) => Markup} */
function switching({ text, layer, head, off, seed }, known) {
  const word = `(?:${known.map((one) => one.replace(/[.?]/, "\\$&")).join("|")})`;
  return markup`
<div class="widget-controls places">
${choice("layer", "layer", numbers(2), layer)}${choice("head", "head", numbers(4), head)}
${held("text", text, `${word}(?: ${word}){0,${N_WORDS - 1}}`)}${held("seed", seed, "\\d{1,3}")}
${choice("switch off", "off", OFF, off)}
</div>`;
}

/**
 * How often the model is right, with everything on and with what is off.
 * @type {(data: Data, state: State, live: Live | null) => Markup}
 */
function tasks({ tasks, accuracy, questions }, { off, layer, head }, live) {
  const setting = { nothing: "", head: `head ${layer}.${head} off` }[off] ?? `${off} off`;
  const rows = tasks.map(({ name, label, text }) =>
    markup`
<tr><th scope="row"><span>${label}</span> ${live ? button(text, of(split(text))) : markup`<em>${text}</em>`}</th>
  <td>${percent(accuracy["everything on"][name])}</td>${
      setting && markup`<td>${percent(accuracy[setting][name])}</td>`
    }</tr>`
  );
  return markup`
<table class="steps tasks">
<caption><span>Right answers to ${questions} new questions of each kind</span></caption>
<thead><tr><th scope="col">task</th><th scope="col">everything on</th>${
    setting && markup`<th scope="col">${off === "head" ? "this head off" : setting}</th>`
  }</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/**
 * For another page: the text and the likeliest words, and the same without attention, where one switch is set.
 * @type {(data: Data & { most: number, href: string, without: number[] }) => Markup}
 */
export function strip(data) {
  const one = compute(data, first(data));
  const known = Object.values(data.kinds).flat();
  const off = { shares: data.without, order: largestFirst(data.without) };
  const asked = `${one.words.join(" ")} \u2026`;
  return markup`
<p class="widget-title">${data.title}</p>
<label><input type="checkbox" autocomplete="off"> attention off</label>
<div class="on">${bars(one, known, data.most, null, asked)}</div>
<div class="off">${bars(off, known, data.most, null, asked)}</div>
<p><a href="${data.href}">Type a text of your own</a></p>`;
}

/** @type {(share: number) => string} */
function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  return share >= 0.995 && share < 1 ? ">99%" : `${Math.round(100 * share)}%`;
}

/** @type {(weight: number) => string} */
const hundredths = (weight) => weight.toFixed(2).replace(/^0/, "");

/**
 * While the weights are on their way, what stood there stays, dimmed.
 * @type {(element: HTMLElement) => void}
 */
export function bind(element) {
  const given = dataOf(element);
  /** @type {Model | undefined} */
  let model;
  let before = given.text;
  /** @type {Promise<void> | null} */
  let loading = null;
  const load = () => {
    if (!loading) element.ariaBusy = "true";
    return loading ??= recordOf("little_model").then((record) => {
      model = unpacked(record);
      figure.set();
    }).catch(({ message }) => {
      loading = null;
      figure.set({}, `The weights could not be fetched (${message}). Choose once more to try again.`);
    }).finally(() => element.ariaBusy = null);
  };
  const figure = bindFigure(element, {
    first,
    html: (data, state, live) => {
      const all = { ...data, model };
      const { words, found } = compute(all, state);
      if (words.length && !found && !live?.message) load();
      if (state.text !== before) requestAnimationFrame(toTheEnd);
      before = state.text;
      return html(all, state, live);
    },
  });
  /** @type {HTMLElement} */ (element.querySelector(".vocabulary")).innerHTML = `${vocabulary(given.kinds, true)}`;
  const typed = () => /** @type {HTMLTextAreaElement} */ (element.querySelector("textarea"));

  function toTheEnd() {
    const box = element.querySelector(".scroll");
    if (box) box.scrollLeft = box.scrollWidth;
  }

  function read() {
    const { words, problem } = readWords(typed().value, Object.values(given.kinds).flat());
    const all = [...split(`${figure.state().text}`), ...words];
    const slid = all.length > N_WORDS &&
      `The model has learned from texts of ${N_WORDS} words, so the first ${all.length - N_WORDS} have been left out.`;
    if (!problem) typed().value = "";
    figure.set(problem ? {} : of(added(all)), problem || slid || "");
  }

  element.addEventListener("click", async ({ target }) => {
    const found = target instanceof Element
      ? target.closest("[data-add], [data-write], [data-draw], [data-typed]")
      : null;
    if (!(found instanceof HTMLElement)) return;
    const { add, write, draw } = found.dataset;
    const most = Number(write ?? draw);
    if (most) await load();
    if (most && !model) return;
    const state = /** @type {State} */ (figure.state());
    if (add) figure.set(of(added(split(state.text), add)));
    else if (most) figure.set(written({ ...given, model }, state, most, !write));
    else read();
    setTimeout(figure.settle); // the address can wait until the word is seen
  });
  element.addEventListener("keydown", (event) => {
    if (event.target !== typed() || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    read();
    figure.settle();
  });
  for (const near of ["pointerover", "focusin"]) element.addEventListener(near, load, { once: true });
}
