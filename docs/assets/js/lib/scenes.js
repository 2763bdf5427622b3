// Scenes of the sentence machine by themselves, for a page or a card. Only the build draws them: no browser fetches this.

import { compute, first, HEADS, NEXT, picture, rowsOf, says, SMALL, WIDE } from "../widgets/sentence-machine.js";
import { markup } from "./markup.js";
import { share } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */
/** @typedef {import("../widgets/sentence-machine.js").Data} Data */

/** @type {(data: Data, scene: number) => Markup} one scene by itself, for a card */
export const still = (data, scene) => picture(data, { ...first(data), scene }, WIDE, data.id, true);

/**
 * One of them, or of the frames that only a page has, for a text that goes with it.
 * @type {(data: Data, scene: number) => Markup}
 */
export function frame(data, scene) {
  const state = { ...first(data), scene }, { words } = compute(data, state);
  const told = rowsOf(data, state).map(({ row, head, weights }) => {
    const asks = scene === HEADS ? data.heads[head].asks[words[row]] : `${words[row]}:`;
    return `${asks} ${weights.map((weight, i) => `${words[i]} ${share(weight)}`).join(", ")}. `;
  });
  return markup`<figure><figcaption><span aria-hidden="true">${data.title}</span><span class="visually-hidden">${data.title}. ${
    scene === NEXT ? `${words.slice(0, -1).join(" ")} ?` : scene > 5 ? told : says(data, state)
  }</span></figcaption>${picture(data, state, SMALL, data.id, true)}</figure>`;
}
