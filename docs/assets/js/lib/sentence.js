// A sentence as a drawing, lying or upright: words, of which one asks; arcs to those that it listens to, each as thick as
// its weight; their shares in pills; and vessels for what words hold. `places` says where the words are, `arcsTo` where the
// arcs go, and the rest draws them. Each part has a name, so that the style sheet (stage.css) can move it from one drawing
// to the next. Nothing needs the metrics of a font: a word has a place, and an arc ends there.

import { markup } from "./markup.js";
import { short, sum } from "./numbers.js";

/** @typedef {import("./markup.js").Markup} Markup */

const LETTER = 13; // how wide a letter is on average, in a column
const [PADDING, NARROWEST] = [26, 44]; // around the letters of a word; a column in which a finger finds room
const THINNEST = 1.5; // so that 1/32 can be seen
const SEAM = 1 / 12; // between arcs that leave a word side by side, as part of the budget

/**
 * The middles of columns.
 * @type {(columns: number[]) => number[]}
 */
export const centres = (columns) => columns.map((width, i) => sum(columns.slice(0, i)) + width / 2);

/** @type {(words: string[]) => number[]} */
export const widths = (words) => words.map((word) => Math.max(LETTER * [...word].length + PADDING, NARROWEST));

/**
 * Arcs in units of any drawing: where the words have their middles, the line on which all arcs end, how thick a weight of
 * 1 is, and how high an arc rises. Upright, the words stand one above the other, and arcs rise to the right.
 * @typedef {{ centres: number[], floor: number, budget: number }} Ground
 * @typedef {Ground & { lowest: number, rise: number, loop: number, gap: number, upright?: boolean }} Place
 */

/**
 * Arcs leave a word side by side, so that together they are as thick as the whole budget. The one that goes farthest to a
 * side leaves in the middle, and goes above the others: no two cross. Each has its highest point.
 * @type {(place: Place, row: number, weights: (number | null)[]) => Arc[]}
 */
export function curves({ centres, floor, budget, lowest, rise, loop, gap, upright }, row, weights) {
  const heard = [...weights.keys()].filter((key) => weights[key] !== null);
  const left = heard.filter((key) => key < row).reverse(); // the nearest first
  const right = heard.filter((key) => key > row).reverse();
  const order = [...left, ...heard.filter((key) => key === row), ...right];
  /** @type {(key: number) => number} */
  const thickness = (key) => Math.round(1000 * Math.max(budget * (weights[key] ?? 0), THINNEST)) / 1000;
  const spans = order.map((key) => thickness(key) + (key === row ? thickness(key) + gap : 0));
  /** @type {(along: number, up: number) => number[]} */
  const at = (along, up) => (upright ? [floor + up, along] : [along, floor - up]).map(short);
  return order.map((key, i) => {
    const from = centres[row] - sum(spans) / 2 + sum(spans.slice(0, i)) + SEAM * budget * (i - (order.length - 1) / 2);
    const start = from + thickness(key) / 2;
    const own = key === row; // a drop that hangs above the word
    const end = own ? from + spans[i] - thickness(key) / 2 : centres[key];
    const bulge = own ? Math.min(gap / 2, 8) : 0;
    const up = own ? loop : lowest + rise * Math.abs(centres[key] - centres[row]);
    const control = up * 4 / 3; // of a curve whose highest point is `up`
    const [a, b, c, d] = [at(start, 0), at(start - bulge, control), at(end + bulge, control), at(end, 0)];
    return {
      key,
      d: `M${a.join(" ")}C${b.join(" ")} ${c.join(" ")} ${d.join(" ")}`,
      thickness: thickness(key),
      top: at((start + end) / 2, up),
    };
  });
}
/** @typedef {{ key: number, d: string, thickness: number, top: number[] }} Arc */

/**
 * How a sentence is laid out: the size of the drawing; of a word the size of its letters, the height of its box, where
 * that begins (or, upright, ends at the right), and the room beside the letters; arcs; the size of a pill and of a vessel.
 * @typedef {{ upright: boolean, size: number[], pill: number[], tank: number[] }} Sizes
 * @typedef {{ size: number, high: number, at: number, pad: number }} Word
 * @typedef {Sizes & { word: Word, arc: Omit<Place, "centres" | "upright"> }} Layout
 */

/** @type {(layout: Layout, columns: number[], pitch?: number[]) => number[]} the middles of words, along their line */
export const places = ({ size: [wide], upright }, columns, [first, step] = [0, 0]) =>
  upright ? columns.map((_, i) => first + i * step) : centres(columns).map((x) => short(x * wide / sum(columns)));

/** @type {(layout: Layout, middles: number[], row: number, weights: (number | null)[]) => Arc[]} */
export const arcsTo = ({ arc, upright }, middles, row, weights) =>
  curves({ ...arc, upright, centres: middles }, row, weights);

/** @type {<T extends Layout>(layout: T) => T} arcs that hang below the words */
export const hanging = ({ arc: { floor, lowest, rise, loop, ...arc }, ...layout }) => /** @type {any} */ ({
  ...layout,
  arc: { ...arc, floor: 2 * layout.word.at + layout.word.high - floor, lowest: -lowest, rise: -rise, loop: -loop },
});

/**
 * What has a name, a place, and a size beside its own: the style sheet moves it when any of them changes.
 * @type {(id: string, shown: boolean, place: (number | string)[], content: unknown, wait?: number) => Markup}
 */
export const part = (id, shown, [x, y, across = 1, up = across], content, wait = 0) =>
  markup`<g data-id="${id}" style="transform:translate(${x}px,${y}px)${
    (across !== 1 || up !== 1) && ` scale(${across},${up})`
  }${!shown && ";opacity:0"}${wait > 0 && `;transition-delay:${wait}ms`}">${content}</g>`;

/** @type {(kind: string, content: unknown, y?: number, x?: number) => Markup} */
export const text = (kind, content, y = 0, x = 0) =>
  markup`<text class="${kind}" x="${short(x)}" y="${short(y)}">${content}</text>`;

/** @type {(kind: string, w: number, h: number, x?: number, y?: number, r?: number) => Markup} */
export const rect = (kind, w, h, x = -w / 2, y = 0, r = 0) =>
  markup`<rect class="${kind}" x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" rx="${r}"/>`;

/**
 * The words, of which one asks; and what else is said of one, as a class. Dots below a word say that it can be tapped.
 * @type {(layout: Layout, words: string[], middles: number[], asker: number, kind?: (i: number) => string) => Markup[]}
 */
export const wordsOf = ({ upright, word: { size, high, at, pad } }, words, middles, asker, kind = () => "") =>
  words.map((word, i) => {
    const long = emOf(word) * size, left = upright ? at - pad - long : -long / 2;
    const [x, y] = upright ? [0, short(middles[i] - high / 2)] : [middles[i], at];
    const line = short(high / 2 + size * 0.3), below = short(high / 2 + size * 0.54);
    return markup`<g data-id="word-${i}" class="${
      `word ${i === asker ? "asks " : ""}${kind(i)}`.trim()
    }" style="translate:${x}px ${y}px">${rect("", long + 2 * pad, high, left - pad, 0, 6)}<path class="dots" d="M${
      short(left)
    } ${below}h${short(long)}"/>${text("", word, line, left + long / 2)}</g>`;
  });

/** @type {(arcs: Arc[], shown: boolean) => Markup[]} */
export const arcsOf = (arcs, shown) =>
  arcs.map(({ key, d, thickness }) =>
    markup`<path data-id="arc-${key}" class="arc" d="${d}" style="stroke-width:${shown ? thickness : 0}${
      !shown && ";opacity:0"
    }"/>`
  );

/**
 * @type {(layout: Pick<Layout, "size" | "pill">, arcs: Arc[], says: (key: number) => string, shown: boolean,
 *   wait?: number) => Markup[]}
 */
export const pillsOf = ({ size: [wide], pill: [w, h] }, arcs, says, shown, wait = 0) =>
  arcs.map(({ key, top: [x, y] }) =>
    part(`weight-${key}`, shown, [Math.min(x, wide - w / 2 - 1), y, shown ? 1 : 0.2], [
      rect("pill", w, h, -w / 2, -h / 2, h / 2),
      text("number", says(key), h / 5),
    ], wait)
  );

/**
 * What holds a content: dotted if it is a word's own, with a double edge if it is received.
 * @type {(kind: "tank" | "out", layout: Layout) => Markup[]}
 */
export const vessel = (kind, { tank: [wide, high] }) => [
  rect(kind, wide, high + 8, -wide / 2, -4, 5),
  ...(kind === "out" ? [rect(kind, wide - 5, high + 3, 2.5 - wide / 2, -1.5, 3)] : []),
];

/**
 * Two contents are told apart by their pattern: plain and hatched.
 * @type {(ident: string) => Markup}
 */
export const hatch = (ident) =>
  markup`<pattern id="${ident}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">${
    rect("under", 7, 7, 0)
  }${rect("", 4, 7, 0)}</pattern>`;

/** @type {(word: string) => number} about how long its letters are in our serif, in sizes of them */
export const emOf = (word) =>
  sum(
    [...word].map((letter) =>
      /[mw]/i.test(letter) ? 0.8 : /[fijlrt.,?]/.test(letter) ? 0.36 : /[acesz]/.test(letter) ? 0.46 : 0.55
    ),
  );
