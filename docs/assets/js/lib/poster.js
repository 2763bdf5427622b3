// The poster: a sentence in large type, what two heads let one of its words hear, and everything that is needed to check
// it. It is drawn while the page is built, and answers nothing.

import { scrolling } from "./frame.js";
import { markup } from "./markup.js";
import { largestFirst, number, share, short, sum, vector } from "./numbers.js";
import { arcsOf, arcsTo, hanging, hatch, pillsOf, places, rect, text, vessel, widths, wordsOf } from "./sentence.js";

/** @typedef {import("./markup.js").Markup} Markup */
/** @typedef {{ asks: string, query: number[], scores: number[], weights: number[], gets: number[] }} Head */
/** @typedef {{ id: string, words: string[], row: number, heads: Head[], k: number[][], v: number[][], meet: string[], give: string[] }} Data */

const LAYOUT = {
  upright: false,
  size: [950, 736],
  word: { size: 60, high: 76, at: 154, pad: 18 },
  arc: { floor: 150, budget: 68, lowest: 40, rise: 0.2, loop: 62, gap: 40 },
  pill: [64, 32],
  tank: [68, 52],
};
const LEFT = 150; // room for what the rows are called
const LINE = 24;
const [STRIPS, ACROSS, DOWN] = [410, 42, 21]; // the top of queries and keys, and a cell of them
const [TANKS, OUT, RIBBON] = [580, 680, 5]; // the tops of vessels, and how thick a part is on its way from one to the other

/** @type {(data: Data) => Markup} */
export function poster(data) {
  const { id, words, row, heads, k, v, meet, give } = data;
  const { word, size: [wide, high], tank: [tankWide, tankHigh] } = LAYOUT;
  const middles = places(LAYOUT, widths(words)), foot = word.at + word.high;
  const beside = [-1, 1].map((side) => middles[row] + side * tankWide);
  const unit = tankHigh / Math.max(...v.map(sum));
  /** @type {(content: unknown, y: number, kind?: string) => Markup} what a row is called */
  const label = (content, y, kind = "row") => text(`${kind} from`, content, y, -LEFT);
  /** @type {(x: number, y: number, content: unknown) => Markup} */
  const at = (x, y, content) => markup`<g transform="translate(${short(x)} ${y})">${content}</g>`;
  /** @type {(part: number) => string} */
  const paint = (part) => part ? `url(#${id}-hatch)` : "currentColor";

  const listening = heads.map(({ asks, weights }, n) => {
    const place = n ? hanging(LAYOUT) : LAYOUT, arcs = arcsTo(place, middles, row, weights), y = n ? foot + 40 : 90;
    return markup`<g data-head="${n + 1}">${arcsOf(arcs, true)}${
      pillsOf(place, arcs, (key) => share(weights[key]), true)
    }${label(`head ${n + 1}`, y, "name")}${label(asks, y + LINE)}</g>`;
  });

  // a query meets every key, feature by feature
  const strongest = Math.max(...k.flat(), ...heads.flatMap(({ query }) => query)) * 2;
  /** @type {(kind: string, name: string, x: number, numbers: number[]) => Markup} a column of cells */
  const strip = (kind, name, x, numbers) =>
    markup`<path class="lead ${kind}" d="M${short(x)} ${foot}V${STRIPS - LINE}"/>${
      at(x, STRIPS, [
        text(`name ${kind}`, name, -7),
        rect(`edge ${kind}`, ACROSS, DOWN * numbers.length),
        numbers.map((n, i) => [
          markup`<g fill-opacity="${short(Math.max(n, 0) / strongest)}">${
            rect(`cell ${kind}`, ACROSS, DOWN, undefined, i * DOWN)
          }</g>`,
          text(n ? "entry" : "zero", n ? number(n) : "\u00b7", (i + 0.76) * DOWN),
        ]),
      ])
    }`;
  const meeting = meet.map((name, i) => {
    const y = STRIPS + i * DOWN, used = heads.some(({ query }) => query[i]);
    return [
      used && markup`<path class="lead query" d="M${middles[0]} ${y + DOWN / 2}H${middles[words.length - 1]}"/>`,
      label(name, y + 0.76 * DOWN),
    ];
  });
  const strips = [
    k.map((key, i) => strip("key", "key", middles[i], key)),
    heads.map(({ query }, n) => strip("query", `query ${n + 1}`, beside[n], query)),
  ];
  const powers = heads.map(({ scores }, n) => {
    const y = STRIPS + meet.length * DOWN + (n + 1) * LINE, total = sum(scores.map((score) => 2 ** score));
    /** @type {(up: unknown, rest: unknown) => Markup} */
    const two = (up, rest) => markup`2<tspan dy="-.4em" font-size="70%">${up}</tspan><tspan dy=".28em">${rest}</tspan>`;
    const each = scores.map((x, i) =>
      text("score", two(number(x), ` = ${number(2 ** x)} of ${number(total)}`), y, middles[i])
    );
    return [label(markup`head ${n + 1}: ${two("score", "")}`, y), each];
  });

  // values pour down by weight
  /** @type {(kind: "tank" | "out", amounts: number[]) => Markup[]} */
  const filled = (kind, amounts) => [
    ...amounts.map((amount, i) =>
      markup`<g class="filling" fill="${paint(i)}">${
        rect("", tankWide - 8, amount * unit, undefined, tankHigh - sum(amounts.slice(0, i + 1)) * unit)
      }</g>`
    ),
    ...vessel(kind, LAYOUT),
  ];
  const vessels = words.map((_, i) =>
    at(middles[i], TANKS, [text("value", vector(v[i]), -LINE / 2), filled("tank", v[i])])
  );
  /** @type {number[]} the middle of a vessel is 0: how far what it pours has come from its left edge */
  const gone = words.map((_, i) => -sum(heads.flatMap(({ weights }) => v[i].map((amount) => weights[i] * amount))) / 2);
  const received = heads.map(({ weights, gets }, n) => {
    let come = -sum(gets) / 2;
    const pours = give.map((_, of) =>
      words.map((_, i) => {
        const amount = weights[i] * v[i][of], [from, to] = [TANKS + tankHigh, OUT + 4];
        const [x, end] = [middles[i] + (gone[i] + amount / 2) * RIBBON, beside[n] + (come + amount / 2) * RIBBON];
        gone[i] += amount;
        come += amount;
        return amount > 0 &&
          markup`<path class="pour" d="M${short(x)} ${from}C${short(x)} ${from + 34} ${short(end)} ${to - 34} ${
            short(end)
          } ${to}" stroke="${paint(of)}" stroke-width="${short(amount * RIBBON)}"/>`;
      })
    );
    const side = n ? 1 : -1, parts = gets.map((amount, i) => `${number(amount)} parts ${give[i]}`);
    return [
      pours,
      at(beside[n], OUT, [
        filled("out", gets),
        parts.map((one, i) => text(`gets ${n ? "from" : "to"}`, one, 23 + i * LINE, side * tankWide * 0.7)),
      ]),
    ];
  });
  return markup`<figure>${
    scrolling(
      "Poster",
      markup`
<svg class="sentence wide" viewBox="${-LEFT} 0 ${wide + LEFT} ${high}" role="img" aria-label="${said(data)}">
${hatch(id)}${meeting}${strips}${listening}${wordsOf(LAYOUT, words, middles, row)}${powers}${received}${vessels}
${label("value", TANKS - LINE / 2)}${label(`${words[row]} receives`, OUT + 33)}</svg>`,
    )
  }</figure>`;
}

/** @type {(data: Data) => string} */
const said = ({ words, row, heads, give }) =>
  `${words.join(" ")}: ${words[row]} listens to the other words with two heads. ${
    heads.map(({ asks, weights, gets }, n) =>
      `Head ${n + 1} asks ${asks} It listens to ${
        largestFirst(weights).map((i) => `${words[i]} by ${share(weights[i])}`).join(", ")
      }, and brings ${gets.map((amount, i) => `${number(amount)} parts ${give[i]}`).join(" and ")}.`
    ).join(" ")
  }`;
