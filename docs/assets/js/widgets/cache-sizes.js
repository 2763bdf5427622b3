// <cache-sizes>: what models keep of one text, side by side, with the kind of each layer.

import { bindFigure } from "../lib/bind.js";
import { barCell, choice, frame, group, slider, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { grouped } from "../lib/numbers.js";

/**
 * What a layer of each letter keeps, in parts that docs_ext/caches.yml explains.
 * @typedef {Record<string, Record<"row" | "every" | "near" | "window" | "rest" | "last" | "state", number>>} Kinds
 * @typedef {{ name: string, layers: string, kinds: Kinds, served: Kinds }} Model
 * @typedef {{ id: string, title: string, models: Model[], context: number, ends: [number, number] }} Data
 * @typedef {{ context: number, tokens: string, format: string }} State  an exponent of 2, unless tokens are typed
 * @typedef {import("../lib/frame.js").Live} Live
 * @typedef {import("../lib/markup.js").Markup} Markup
 */

/** @type {Record<string, string>} what a layer of a letter keeps, and below how high its stroke is */
const KEEPS = { F: "all tokens", C: "a row for 4", H: "a row for 128", W: "window", S: "state", "-": "nothing" };
/** @type {Record<string, number>} */
const HIGH = { F: 13, C: 9, H: 7, W: 5, S: 2, "-": 0.7 };

/** @type {(data: Data) => State} */
export const first = ({ context }) => ({ context, tokens: "", format: "two" });

/** @type {(data: Data, state: State) => { bytes: number[], n: number, missed: boolean }} */
export function compute({ models, ends }, { context, tokens, format }) {
  const [, digits = "", unit = ""] = tokens.match(/^([\d,]+) ?([km]?)$/i) ?? [];
  const asked = Number(digits.replaceAll(",", "")) * 1024 ** " km".indexOf(unit.toLowerCase() || " ");
  const [least, most] = ends.map((k) => 2 ** k);
  const n = asked ? Math.min(Math.max(asked, least), most) : 2 ** context;
  const bytes = models.map(({ layers, kinds, served }) => {
    const all = Object.entries({ ...kinds, ...(format === "served" && served) });
    return all.reduce((sum, [kind, { row, every, near, window, rest, last, state }]) => {
      const rows = Math.floor(n / every);
      const one = row * rows + near * Math.min(n, window - 1) + rest * (n % every) + (rows && last) + state;
      return sum + count(layers, kind) * one;
    }, 0);
  });
  return { bytes, n, missed: tokens !== "" && n !== asked };
}

const count = (/** @type {string} */ layers, /** @type {string} */ kind) => layers.split(kind).length - 1;

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { bytes, n } = compute(data, state);
  const rows = data.models.map(({ name, layers, served }, i) => {
    const kinds = Object.keys(KEEPS).filter((kind) => count(layers, kind));
    const other = state.format === "served" && Object.keys(served).length;
    return markup`
<tr><th scope="row">${name}${other ? "*" : ""} ${strip(layers)}
  <small>${kinds.map((kind) => `${KEEPS[kind]}: ${count(layers, kind)}`).join(", ")}</small></th>
  ${barCell(bytes[i] / Math.max(...bytes), size(bytes[i]))}<td>${texts(bytes[i])}</td></tr>`;
  });
  return frame(data, {
    ...prediction(data),
    controls: live && [
      group(
        "context length",
        slider("context", "context length", Math.round(Math.log2(n)), data.ends, () => `${grouped(n)} tokens`),
        markup`<input type="text" name="tokens" aria-label="tokens, such as 100000 or 128k" autocomplete="off"
          value="${state.tokens}" placeholder="${grouped(2 ** state.context)}" data-pattern="[\\d,]+ ?[kKmM]?">`,
      ),
      choice("numbers", "format", [["two", "2 bytes (states 4)"], ["served", "as served, if known*"]], state.format),
    ],
    figure: table(
      "steps",
      data.title,
      markup`
<thead><tr><th scope="col">model and its layers</th><th scope="col">cache for ${grouped(n)} tokens</th>
  <th scope="col">texts in 64 GiB</th></tr></thead>
<tbody>${rows}</tbody>`,
    ),
    says: statement(data, state),
  }, live);
}

/** @type {(layers: string) => Markup} a stroke for each layer, in their order */
function strip(layers) {
  const strokes = [...layers].map((kind, i) =>
    markup`<path class="${kind === "F" && "whole"}" d="M${3 * i} 13v-${HIGH[kind]}h2v${HIGH[kind]}z"/>`
  );
  const wide = 3 * layers.length;
  return markup`<svg viewBox="0 0 ${wide} 13" width="${wide}" height="13" aria-hidden="true">${strokes}</svg>`;
}

const three = (/** @type {number} */ x) => Number(x.toPrecision(3));
const size = (/** @type {number} */ bytes) =>
  bytes < 2 ** 30 ? `${three(bytes / 2 ** 20)} MiB` : `${three(bytes / 2 ** 30)} GiB`;
const texts = (/** @type {number} */ bytes) => grouped(Math.floor(64 * 2 ** 30 / bytes));
const tokens = (/** @type {number} */ k) => `${grouped(2 ** k)} tokens`;

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const { context, models } = data;
  const [before, after] = [context - 4, context].map((k) => compute(data, first({ ...data, context: k })).bytes);
  const growth = after.map((bytes, i) => bytes / before[i]);
  const i = growth.indexOf(Math.min(...growth));
  return {
    question: `a text grows from ${tokens(context - 4)} to ${grouped(2 ** context)}. Whose cache grows least, in ` +
      "proportion?",
    answer: `That of ${models[i].name}, from ${size(before[i])} to ${size(after[i])}: windows and states do not grow.`,
  };
}

/** @type {(data: Data, state: State) => string} */
function statement(data, state) {
  const { bytes, n, missed } = compute(data, state);
  const [most, least] = [Math.max(...bytes), Math.min(...bytes)];
  const name = (/** @type {number} */ size) => data.models[bytes.indexOf(size)].name;
  const range = missed ? `Type ${data.ends.map(tokens).join(" to ")}, such as 100000 or 128k. ` : "";
  return `${range}Of ${grouped(n)} tokens, ${name(most)} keeps the most, ${size(most)}, and ${
    name(least)
  } the least, ` +
    `${size(least)}. 64 GiB hold ${texts(most)} such texts of the former and ${texts(least)} of the latter.`;
}

/** @type {(element: HTMLElement) => void} the slider takes back what was typed */
export function bind(element) {
  const { form, set } = bindFigure(element, { first, html });
  form.addEventListener("input", (/** @type {any} */ { target }) => target.name === "context" && set({ tokens: "" }));
}
