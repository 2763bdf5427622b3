// The poster: a sentence in large type, what two heads let one of its words hear, and everything that is needed to check
// it. It is drawn while the page is built, for a sheet and for a phone, and answers nothing.

import { markup } from "./markup.js";
import { largestFirst, number, share, short, vector } from "./numbers.js";
import { centres, curves, sum, widths } from "./sentence.js";

/** @typedef {import("./markup.js").Markup} Markup */
/** @typedef {{ asks: string, query: number[], scores: number[], weights: number[], gets: number[] }} Head */
/** @typedef {{ id: string, words: string[], row: number, heads: Head[], k: number[][], v: number[][], meet: string[], give: string[] }} Data */

/** @typedef {typeof SHEET} Layout  lengths in units of the drawing */
const SHEET = {
  kind: "wide",
  wide: 1680,
  left: 226, // room for what the rows are called
  text: [27, 34], // letters, and those of shares
  arc: { budget: 104, lowest: 58, rise: 0.235, loop: 96, gap: 60 },
  above: 216, // room for arcs
  pill: [96, 50],
  word: [100, 70], // the height of its box, and the line in it on which letters stand
  cell: [64, 31],
  aside: 1.8, // how many cells a query stands beside the key
  line: 36,
  tank: [104, 9, 84], // width, a part's height, the way down to those that receive
  ribbon: [8, 7], // how thick a part is on its way, and what is hatched
};
/** @type {Layout} */
const PHONE = {
  kind: "narrow",
  wide: 358,
  left: 46,
  text: [12.5, 12.5],
  arc: { budget: 34, lowest: 32, rise: 0.4, loop: 54, gap: 24 },
  above: 116,
  pill: [36, 19],
  word: [34, 24],
  cell: [24, 20],
  aside: 1.2,
  line: 20,
  tank: [32, 6, 60],
  ribbon: [3.4, 3.5],
};

/** @type {(data: Data) => Markup} */
export const poster = (data) => markup`<figure>${drawing(data, SHEET)}${drawing(data, PHONE)}</figure>`;

/** @type {(data: Data, layout: Layout) => Markup} */
function drawing(data, layout) {
  const { words, row, heads, k, v, meet, give } = data;
  const { kind, wide, left, above, pill, cell, line } = layout;
  const [small, large] = layout.text, [tall, base] = layout.word, [tankWide, part, down] = layout.tank;
  const units = widths(words), scale = (wide - left) / sum(units);
  const middles = centres(units).map((x) => short(left + x * scale));
  const isSheet = layout === SHEET;
  const [ribbon, hatched] = layout.ribbon;
  const turn = above + tall, strips = turn + above + line * 1.3, scores = strips + meet.length * cell[1] + line * 0.3;
  const tanks = scores + (heads.length + 1.3) * line, most = Math.max(...v.map(sum));
  const foot = tanks + most * part, out = foot + down, rim = tankWide / 16;
  const aside = [-1, 1].map((side) => middles[row] + side * tankWide * 0.75);
  const hatch = `${data.id}-${kind}-hatch`;

  /** @type {(kind: string, content: unknown, x: number, y: number, size?: number) => Markup} */
  const text = (kind, content, x, y, size = small) =>
    markup`<text class="${kind}" x="${short(x)}" y="${short(y)}" font-size="${size}">${content}</text>`;
  /** @type {(kind: string, x: number, y: number, w: number, h: number, rest?: unknown) => Markup} `x` is its middle */
  const box = (kind, x, y, w, h, rest = "") =>
    markup`<rect class="${kind}" x="${short(x - w / 2)}" y="${short(y)}" width="${short(w)}" height="${
      short(h)
    }" ${rest}/>`;
  /** @type {(kind: string, d: (string | number)[], rest?: unknown) => Markup} */
  const path = (kind, d, rest = "") =>
    markup`<path class="${kind}" d="${d.map((x) => typeof x === "number" ? short(x) : x).join(" ")}" ${rest}/>`;

  // the sentence, and what each head hears
  const named = words.map((word, i) => [
    i === row &&
    box("asks", middles[i], above, units[i] * scale * 0.9, tall, markup`rx="${tall / 9}"`),
    text(i === row ? "word chosen" : "word", word, middles[i], above + base, short(24.5 * scale)),
  ]);
  const listening = heads.map(({ asks, weights }, n) => {
    const arcs = curves({ centres: middles, floor: above, ...layout.arc }, row, weights);
    /** @type {(y: number) => number} */
    const at = (y) => n ? above + turn - y : y;
    return markup`<g data-head="${n + 1}"><g class="arcs" ${
      n > 0 && markup`transform="matrix(1 0 0 -1 0 ${above + turn})"`
    }>${
      arcs.map(({ key, d, thickness }) =>
        markup`<path d="${d}" stroke-width="${thickness}" data-word="${words[key]}"/>`
      )
    }</g>${
      arcs.map(({ key, top: [x, y] }) => [
        box("pill", x, at(y) - pill[1] / 2, pill[0], pill[1], markup`rx="${pill[1] / 2}"`),
        text("share", share(weights[key]), x, at(y) + large * 0.35, large),
      ])
    }${
      isSheet
        ? [
          text("name", `head ${n + 1}`, 0, n ? turn + 66 : above - 76, large),
          text("row", asks, 0, n ? turn + 102 : above - 40),
        ]
        : text("row", markup`<tspan class="name">head ${n + 1}</tspan>: ${asks}`, 0, n ? turn + above : 12)
    }</g>`;
  });

  // a query meets every key, feature by feature
  const strongest = Math.max(...[...k, ...heads.map(({ query }) => query)].flat()) * 2;
  const centre = (/** @type {number} */ i) => strips + (i + 0.5) * cell[1];
  const places = [-1, 1].map((side) => middles[row] + side * cell[0] * layout.aside);
  /** @type {(kind: string, name: unknown, x: number, numbers: number[]) => Markup} a column of cells */
  const strip = (kind, name, x, numbers) =>
    markup`<g class="strip ${kind}">${text("name", name, x, strips - line * 0.3)}${
      numbers.map((n, i) => [
        box("ground", x, strips + i * cell[1], cell[0], cell[1]),
        box(
          "cell",
          x,
          strips + i * cell[1],
          cell[0],
          cell[1],
          markup`fill-opacity="${short(Math.max(n, 0) / strongest)}"`,
        ),
        text(n ? "entry" : "zero", n ? number(n) : "\u00b7", x, centre(i) + small * 0.36),
      ])
    }${box("edge", x, strips, cell[0], cell[1] * numbers.length)}</g>`;
  const leads = [
    middles.map((x) => path("lead key", ["M", x, turn, "V", strips - line * 1.1])),
    places.map((x) => path("lead query", ["M", x, turn, "V", strips - line * 1.1])),
    meet.map((_, i) =>
      heads.some(({ query }) => query[i]) &&
      path("lead query", ["M", middles[0], centre(i), "H", middles[middles.length - 1]])
    ),
  ];
  const meeting = [
    k.map((key, i) => strip("key", isSheet || i !== row ? "key" : "k", middles[i], key)),
    heads.map(({ query }, n) => {
      const rank = isSheet ? n + 1 : markup`<tspan dy=".2em" font-size="75%">${n + 1}</tspan>`;
      return strip("query", markup`${isSheet ? "query " : "q"}${rank}`, places[n], query);
    }),
    meet.map((name, i) => text("row", name, 0, centre(i) + small * 0.36)),
  ];
  const powers = heads.map(({ scores: found }, n) => {
    const y = scores + (n + 1) * line - line * 0.3;
    const total = sum(found.map((score) => 2 ** score));
    return [
      text("row", markup`head ${n + 1}${isSheet && markup`: 2<tspan dy="-.4em" font-size="70%">score</tspan>`}`, 0, y),
      found.map((score, i) => {
        const power = markup`<tspan dy="-.4em" font-size="70%">${number(score)}</tspan>`;
        const made = markup`<tspan dy=".28em"> = ${number(2 ** score)}</tspan>${isSheet && ` of ${number(total)}`}`;
        return text("score", markup`2${power}${made}`, middles[i], y);
      }),
    ];
  });

  // values pour down by weight
  /** @type {(x: number, y: number, amounts: number[]) => Markup[]} */
  const filled = (x, y, amounts) =>
    amounts.map((amount, i) => {
      const top = y + (most - sum(amounts.slice(0, i + 1))) * part;
      return box("value-fill", x, top, tankWide - 2 * rim, amount * part, markup`fill="${paint(i)}"`);
    });
  const paint = (/** @type {number} */ i) => i ? `url(#${hatch})` : "currentColor";
  const outline = (/** @type {string} */ kind, /** @type {number} */ x, /** @type {number} */ y, inset = 0) =>
    box(kind, x, y - rim + inset, tankWide - 2 * inset, most * part + 2 * (rim - inset), markup`rx="${rim}"`);
  const vessels = words.map((_, i) => [
    filled(middles[i], tanks, v[i]),
    outline("tank", middles[i], tanks),
    text("value", vector(v[i]), middles[i], tanks - line * 0.5),
  ]);
  /** @type {number[]} the middle of a vessel is 0: how far what it pours has come from its left edge */
  const gone = words.map((_, i) => -sum(heads.flatMap(({ weights }) => v[i].map((amount) => weights[i] * amount))) / 2);
  const pours = heads.map(({ weights, gets }, n) => {
    let come = -sum(gets) / 2;
    return give.map((_, of) =>
      words.map((_, i) => {
        const amount = weights[i] * v[i][of];
        if (!amount) return null;
        const [from, to] = [middles[i] + (gone[i] + amount / 2) * ribbon, aside[n] + (come + amount / 2) * ribbon];
        gone[i] += amount;
        come += amount;
        return path(
          "value-ribbon",
          ["M", from, foot, "C", from, foot + down * 0.6, to, out - down * 0.6, to, out, "v", rim],
          markup`stroke="${paint(of)}" stroke-width="${short(amount * ribbon)}"`,
        );
      })
    );
  });
  const middle = out + most * part / 2 + small * 0.36;
  const received = heads.map(({ gets }, n) => [
    filled(aside[n], out, gets),
    outline("out", aside[n], out),
    outline("out", aside[n], out, rim * 0.6),
    gets.map((amount, i) => {
      const [kind, x] = n ? ["start", tankWide * 0.7] : ["end", -tankWide * 0.7];
      return text(
        `output-gets ${kind}`,
        `${number(amount)} parts ${give[i]}`,
        aside[n] + x,
        middle + (i - 0.45) * line,
        large,
      );
    }),
  ]);
  const rows = [
    text("row", "value", 0, tanks - line * 0.5),
    isSheet && text("row", `${words[row]} receives`, 0, middle),
  ];
  const tile = (/** @type {number} */ w) => markup`width="${short(w)}" height="${hatched}"`;
  const bottom = short(out + most * part + 2 * rim);
  return markup`<svg class="${kind}" viewBox="0 0 ${wide} ${bottom}" role="img" aria-label="${said(data)}">
<pattern id="${hatch}" ${tile(hatched)} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
  <rect class="under" ${tile(hatched)}/><rect ${tile(hatched * 0.58)}/></pattern>
${leads}${listening}${named}${meeting}${powers}${pours}${vessels}${received}${rows}</svg>`;
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
