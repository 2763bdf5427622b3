// <spend-the-budget>: the reader lays blocks on words, and only then sees on which words attention lays as many.

import { bindFigure } from "../lib/bind.js";
import { head, held, output, sets, table } from "../lib/frame.js";
import { Markup, markup } from "../lib/markup.js";
import { counted, largestFirst, sum } from "../lib/numbers.js";

/**
 * The weights are counted in blocks, as are those that lie there at first; the question and the reason are HTML.
 * @typedef {{ words: string[], blocks: number, weights: number[] }} Numbers
 * @typedef {{ id: string, title: string, allowed: boolean[], laid: number[], question: string, because: string }} Texts
 * @typedef {Numbers & Texts} Data
 */
/** @typedef {{ laid: string, shown: string }} State  a letter for each block, a for the first word; yes or no */
/** @typedef {import("../lib/frame.js").Live} Live */

const LETTERS = "abcdefghijklmnop";

/** @type {(data: Data) => State} */
export const first = ({ laid }) => ({ laid: letters(laid), shown: "no" });

/** @type {(counts: number[]) => string} */
const letters = (counts) => counts.map((count, i) => LETTERS[i].repeat(count)).join("");

/**
 * The reader's blocks by word, how many are left, and how many lie where attention has no block for them.
 * @param {Numbers} data
 * @param {{ laid: string }} state
 */
export function compute({ words, blocks, weights }, { laid }) {
  const mine = words.map((_, i) => laid.split(LETTERS[i]).length - 1);
  const astray = mine.map((count, i) => Math.max(0, count - weights[i]));
  return { mine, left: blocks - laid.length, astray, distance: sum(astray) };
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, words, allowed, blocks, weights } = data;
  const { mine, left, astray } = compute(data, state);
  const shown = state.shown === "yes";
  const open = LETTERS.slice(0, words.length).split("").filter((_, i) => allowed[i]).join("");
  /** @type {(count: number) => string} */
  const of = (count) => (count ? `${count}/${blocks}` : "0");
  /** @type {(i: number, count: number) => Markup} the attribute that leaves so many blocks on a word */
  const put = (i, count) => sets({ laid: letters(mine.map((n, j) => j === i ? count : n)) });
  /** @type {(text: string, label: string, does: Markup | string) => Markup} or why it does nothing now */
  const hand = (text, label, does) =>
    markup`
<button type="button" aria-label="${label}" ${
      does instanceof Markup ? does : markup`aria-disabled="true" data-says="${does}"`
    }>${text}</button>`;
  /** @type {(i: number) => Markup} a place laid last gives its block back, any other is filled, and those before it */
  const places = (i) =>
    row(
      blocks,
      (place) =>
        markup`class="${place < mine[i] && "laid"}${
          shown && place < mine[i] && place >= mine[i] - astray[i] && " astray"
        }"
  ${live && put(i, place + 1 === mine[i] ? place : Math.min(place + 1, mine[i] + left))}`,
    );
  const rows = words.map((word, i) =>
    allowed[i]
      ? markup`
<tr><th scope="row">${word}</th><td class="hand">${
        live && [
          hand("+", `lay a block on ${word}`, left ? put(i, mine[i] + 1) : `All ${blocks} blocks are laid.`),
          hand("\u2212", `take one from ${word}`, mine[i] ? put(i, mine[i] - 1) : `No block lies on ${word}.`),
        ]
      }</td><td class="lane">${places(i)}${
        shown && row(blocks, (place) => place < weights[i] && markup`class="weight"`)
      }</td>
  <td>${of(mine[i])}</td><td>${shown ? of(weights[i]) : "?"}</td></tr>`
      : markup`
<tr><th scope="row">${word}</th><td class="hand"></td><td class="lane masked" colspan="3">masked</td></tr>`
  );
  return markup`
${head(data.id, title, live)}
<p class="task">${new Markup(data.question)}</p>
${live && [held("laid", state.laid, `[${open}]{0,${blocks}}`), held("shown", state.shown, "yes|no")]}
${
    table(
      "spending",
      title,
      markup`
<thead><tr><td></td><td></td><td class="lane"></td><th scope="col">you</th><th scope="col">attention</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row" colspan="2">in your hand</th><td class="lane">${
        row(blocks, (place) => place < left && markup`class="laid"`)
      }</td><td>${left}</td><td></td></tr></tfoot>`,
    )
  }
${
    live
      ? markup`<div class="widget-controls"><button type="button" ${sets({ shown: shown ? "no" : "yes" })}>${
        shown ? "Hide" : "Show"
      } where attention lays them</button>
<p class="hint">Press + to lay a block, or click a place in a row.</p></div>`
      : markup`<details class="question"><summary>Where does attention lay them?</summary><p>${
        theirs(data)
      }</p></details>`
  }
${output(shown ? markup`${comparison(data, state)} ${theirs(data, "visually-hidden")}` : count(data, state), live)}
`;
}

/** @type {(blocks: number, place: (place: number) => Markup | false) => Markup} */
const row = (blocks, place) =>
  markup`<span class="places" aria-hidden="true">${
    Array.from({ length: blocks }, (_, i) => markup`<i ${place(i)}></i>`)
  }</span>`;

/** @type {(data: Data, kind?: string) => Markup} the rows show what a sentence need not */
function theirs({ words, allowed, blocks, weights, because }, kind = "") {
  const order = largestFirst(weights).filter((i) => allowed[i]);
  const list = order.map((i) => `${words[i]} ${weights[i]}/${blocks}`).join(", ");
  return markup`<span class="${kind}">Attention: ${list}.</span> ${new Markup(because)}`;
}

/** @type {(data: Data, state: State) => string} */
function count(data, state) {
  const { mine, left } = compute(data, state);
  const list = data.words.flatMap((word, i) => mine[i] ? [`${word} ${mine[i]}/${data.blocks}`] : []).join(", ");
  return `${list ? `You: ${list}. ` : ""}${left ? `${counted(left, "block")} in your hand.` : "All blocks are laid."}`;
}

/** @type {(data: Data, state: State) => string} */
function comparison(data, state) {
  const { left, distance } = compute(data, state), laid = data.blocks - left;
  const rest = left ? ` ${counted(left, "block")} in your hand.` : "";
  if (distance) {
    const [lie, words] = distance === 1 ? ["lies", "another word"] : ["lie", "other words"];
    return `${distance} of your ${counted(laid, "block")} ${lie} on ${words} than attention's.${rest}`;
  }
  return left ? `No block of yours lies on another word than attention's.${rest}` : "Attention lays them as you did.";
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html });
