// <sentence-machine>: a word asks a sentence. At rest the result is seen; played, how it comes about, in five scenes of one
// picture. Whatever a scene shows is in all of them, and the style sheet moves it from one place to the next.

import { bindFigure } from "../lib/bind.js";
import { choice, head, held, output, playButton, sets } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { largestFirst, number, share, short, sum, vector } from "../lib/numbers.js";
import {
  arcsOf,
  arcsTo,
  emOf,
  hanging,
  hatch,
  part,
  pillsOf,
  places,
  rect,
  text,
  vessel,
  widths,
  wordsOf,
} from "../lib/sentence.js";

/**
 * A sentence in one setting of the switches, with queries for each head, in doublings.
 * @typedef {{ swap: string, positions: string, words: string[] }} Sentence
 * @typedef {Sentence & { x: number[][], q: number[][][], k: number[][], v: number[][] }} Case
 * @typedef {{ name: string, asks: Record<string, string> }} Head
 * @typedef {{ x: string[], key: string[], value: string[] }} Features
 * @typedef {{ cases: Case[], heads: Head[], features: Features, links: Record<string, string> }} Shown
 * @typedef {Shown & { id: string, title: string }} Data
 */
/** @typedef {{ scene: number, row: number, guess: number, head: string, swap: string, positions: string }} State */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */
/** @typedef {ReturnType<typeof compute>} Row */

const SCENES = ["result", "ask", "match", "share", "pour", "keep"];
export const NEXT = -1; // frames for a page: the last word is a gap, two heads ask, every word asks
export const HEADS = 6;
const ALL = 7;
const QUESTION = 2.25; // the film waits here for a guess
const DOUBLING = 2.5; // on the way from match to share, as it plays
const PLAY = [0, 1, 2, QUESTION, DOUBLING, 3, 4, 5];
const HOLD = [0, 2200, 2800, 6000, 1900, 2500, 2600, 0]; // ms: until the next one begins
const SECONDS = Math.round((sum(HOLD) - HOLD[PLAY.indexOf(QUESTION)]) / 1000); // the film without its question

/** @type {(data: Data) => State} */
export const first = ({ cases }) => ({
  scene: 0,
  row: cases[0].words.length - 1,
  guess: -1,
  head: "0",
  swap: "no",
  positions: "yes",
});

/**
 * One word and its sentence: from the query to what the word carries from now on.
 * @param {Data} data
 * @param {State} state
 */
export function compute({ cases, features }, { row, head, swap, positions }) {
  const one = /** @type {Case} */ (cases.find((a) => a.swap === swap && a.positions === positions));
  const { words, x, k, v } = one;
  const query = one.q[Number(head)][row];
  const used = features.key.flatMap((name, i) => query[i] ? [{ name, i }] : []); // what it looks for
  const scores = k.map((key) => sum(query.map((part, i) => part * key[i])) / Math.sqrt(query.length));
  const powers = scores.map((score) => 2 ** score);
  const total = sum(powers);
  const weights = powers.map((power) => power / total);
  const given = v.map((value, i) => value.map((part) => weights[i] * part));
  const received = features.value.map((_, part) => sum(given.map((gift) => gift[part])));
  const blended = features.x.map((name) => {
    const part = features.value.indexOf(name);
    return part < 0 ? 0 : received[part];
  });
  const kept = x[row].map((own, i) => own + blended[i]);
  return { words, x: x[row], query, used, k, v, scores, powers, total, weights, given, received, blended, kept };
}

// the picture

/**
 * Where things stand in a drawing, lying or upright.
 * @typedef {typeof WIDE} Layout
 */
export const WIDE = {
  upright: false,
  size: [1100, 488],
  word: { size: 54, high: 70, at: 290, pad: 20 },
  pitch: [0, 0], // the middle of the first word, and how far apart words are, if upright
  arc: { floor: 286, budget: 60, lowest: 50, rise: 0.19, loop: 40, gap: 46 },
  pill: [54, 28],
  tank: [44, 64],
  tanks: [376, 62], // their top or, upright, their middle; and how far apart two of them are
  labels: 464, // the line of what tanks hold; upright, how far below the middle of the word
  plug: [142, 30],
  plugs: [220, 248], // the top or, upright, the middle of a plug, and of what it is plugged into
  lines: 20, // how far apart lines are
  chip: [34, 20, 4],
  block: [20, 4],
  bar: [390, 12, 630, 26],
};
/** @type {Layout} */
const UPRIGHT = {
  upright: true,
  size: [358, 366],
  word: { size: 40, high: 46, at: 186, pad: 8 },
  pitch: [34, 64],
  arc: { floor: 190, budget: 26, lowest: 9, rise: 0.53, loop: 30, gap: 24 },
  pill: [40, 20],
  tank: [18, 36],
  tanks: [10, 36],
  labels: 35,
  plug: [60, 32],
  plugs: [262, 222],
  lines: 13,
  chip: [26, 14, 2],
  block: [9, 2],
  bar: [16, 342, 326, 20],
};
/** @type {Layout} beside a text, which says the rest */
export const SMALL = {
  ...UPRIGHT,
  upright: false,
  size: [360, 298],
  word: { size: 26, high: 36, at: 144, pad: 5 },
  arc: { floor: 141, budget: 28, lowest: 22, rise: 0.19, loop: 20, gap: 22 },
  pill: [36, 19],
  tank: [24, 44],
  tanks: [196, 32],
  labels: 260,
  plug: [60, 32],
  plugs: [77, 106],
  bar: [12, 8, 336, 22],
};

/**
 * What is `still` leaves out what cannot be seen.
 * @type {(data: Data, state: State, layout: Layout, ident: string, still?: boolean) => Markup}
 */
export function picture(data, state, layout, ident, still = false) {
  const row = compute(data, state);
  const { words, query, used, k, v, scores, powers, total, weights, given, received } = row;
  const { scene, row: asker } = state;
  const { features } = data;
  const { lines, upright, labels, size: [wide, high] } = layout;
  const middles = places(layout, fractions(data), layout.pitch);
  const [tankWide, tankHigh] = layout.tank;
  const [plugWide, plugHigh] = layout.plug;
  const unit = tankHigh / Math.max(...v.flat());
  const shows = (/** @type {number} */ from, to = 5) => from <= scene && scene <= to;
  const result = !scene || shows(3), pours = !scene || shows(4);
  const small = layout === SMALL, rows = rowsOf(data, state);

  /** @type {(...given: Parameters<typeof part>) => Markup | false} */
  const thing = (id, shown, place, content, wait = 0) =>
    (shown || !still) && part(id, shown, place, content, still ? 0 : wait);
  /** @type {(part: number) => string} */
  const filling = (part) => part ? `url(#${ident}-hatch)` : "currentColor";
  /** @type {(id: string, base: number, amount: number, part: number, left?: number, wait?: number) => Markup | false} */
  const level = (id, base, amount, part, left = 1, wait = 0) =>
    amount > 0 && thing(
      `${id}-${part}`,
      left > 0,
      [0, short(tankHigh - base * unit), 1, short(left)],
      markup`<rect x="${4 - tankWide / 2}" y="${short(-amount * unit)}" width="${tankWide - 8}" height="${
        short(amount * unit)
      }" fill="${filling(part)}"${id.startsWith("ghost") && markup` fill-opacity=".22"`}/>`,
      wait,
    );

  // words, and what they hold
  const seen = words.map((word, i) => scene === NEXT && i === asker ? "?" : word);
  /** @type {(i: number) => string} */
  const kind = (i) => seen[i] === "?" ? "gap" : i === state.guess ? "guess" : scene === ALL ? "asks" : "";
  const named = wordsOf(layout, seen, middles, scene === NEXT ? -1 : asker, kind);
  const [tankAt, apart] = layout.tanks;
  const { at, pad, size: letters } = layout.word;
  /** @type {(i: number, aside: number) => number[]} at the left edge or, what is received, beside the word */
  const place = (i, aside) =>
    !upright
      ? [middles[i] + aside * apart / 2, tankAt]
      : [aside < 0 ? tankAt : at - 2 * pad - emOf(words[i]) * letters - apart / 2, middles[i] - tankHigh / 2];
  const nouns = (/** @type {number[]} */ amounts) => features.value.filter((_, part) => amounts[part]);
  const tanks = words.map((_, i) => {
    const left = shows(4) ? 1 - weights[i] : 1;
    return [
      thing(`tank-${i}`, shows(1), place(i, upright || i === asker ? -1 : 0), [
        vessel("tank", layout),
        v[i].map((amount, part) => level(`ghost-${i}`, sum(v[i].slice(0, part)), amount, part)),
        v[i].map((amount, part) => level(`fill-${i}`, left * sum(v[i].slice(0, part)), amount, part, left, 200)),
      ]),
      thing(
        `holds-${i}`,
        shows(1) && (upright || i !== asker),
        upright ? [at - pad, middles[i] + labels] : [middles[i], labels],
        text(`holds ${upright ? "to" : ""}`, (small ? nouns(v[i]) : holding(features, v[i])).join(" + ") || "empty"),
      ),
    ];
  });

  // what the asker receives
  let base = 0;
  const gifts = features.value.map((_, part) =>
    given.map((gift, i) => {
      const from = pours ? base : 0;
      base += gift[part];
      return level(`gift-${i}`, from, gift[part], part, pours ? 1 : 0, scene === 4 ? 600 : 0);
    })
  );
  const beside = !upright && !scene && (middles[asker] > wide / 2 ? -1 : 1); // of the vessel, where there is room
  const got = holding(features, received), carries = `${words[asker]} now carries`;
  const both = scene ? -1 : v.findIndex((value) => value.filter(Boolean).length > 1); // else 1/2 and 1/8 seem to be 5 to 2
  const way = both < 0 ? [] : [`${number(Math.min(...given[both]))} of each by way of ${words[both]}`];
  const told = upright ? [`${carries} ${got.join(", ")}`] : scene ? got : [carries, got.join(", ")];
  const under = scene ? labels : tankAt + 24;
  const [x, y] = upright
    ? [wide / 2, high - 7 - way.length * 15]
    : small
    ? [wide, labels + 18]
    : [middles[asker], under];
  const side = small || Number(beside) < 0 ? "to" : beside ? "from" : "";
  const out = [
    thing("out", !scene || shows(1), place(asker, scene || upright ? 1 : 0), [vessel("out", layout), gifts]),
    thing(
      "receives",
      pours,
      [x + Number(beside) * (tankWide / 2 + 14), y],
      [...told, ...way].map((one, n) =>
        text(`receives ${(beside && n) || n === told.length ? "" : "number"} ${side}`, one, n * (upright ? 15 : lines))
      ),
      scene === 4 ? 800 : 0,
    ),
  ];

  // the query, the keys, and how well they match
  /** @type {(role: string, numbers: number[]) => Markup[]} */
  const featured = (role, numbers) => {
    const all = used.map(({ name, i }) => `${name} ${number(numbers[i])}`);
    if (!upright && !small) return [text(role, all.join(" \u00b7 "), plugHigh / 2 + 5.5)];
    return (all.length > 1 ? all : all[0].split(" ")).map((one, n) => text(role, one, lines * (n + 1) + 0.5));
  };
  const farthest = Math.max(asker, words.length - 1 - asker);
  /** @type {(i: number, more?: number) => number} what goes farthest leaves first */
  const later = (i, more = 0) => scene === 2 ? (farthest - Math.abs(i - asker)) * 100 + more : 0;
  const [plugAt, socketAt] = layout.plugs;
  /** @type {(i: number, across: number, out?: number) => number[]} where plugs are, and how far out of their sockets */
  const plugged = (i, across, out = 0) =>
    upright ? [across + out, middles[i] - plugHigh / 2] : [middles[i], across - out];
  const plug = [
    rect("plug", plugWide, plugHigh - (upright ? 2 : 5), undefined, upright ? 1 : 0, 5),
    [-1, 1].map((side) =>
      upright
        ? rect("plug", 8, 6, -plugWide / 2 - 7, plugHigh / 2 + side * plugHigh / 4 - 3, 1)
        : rect("plug", 7, 9, side * plugWide / 4 - 3.5, plugHigh - 7, 1)
    ),
    markup`<g transform="translate(0 ${upright ? 0 : -2.5})">${featured("query", query)}</g>`,
  ];
  const plugs = words.map((_, i) => [
    thing(`socket-${i}`, shows(1, upright ? QUESTION : DOUBLING), plugged(i, socketAt), [
      rect("socket", plugWide, plugHigh, undefined, 0, 5),
      featured("key", k[i]),
    ]),
    thing(
      `plug-${i}`,
      shows(1, upright ? QUESTION : DOUBLING),
      scene < 2 ? plugged(asker, plugAt, scene < 1 ? -60 : 40) : plugged(i, plugAt, upright ? 24 : 3),
      plug,
      later(i),
    ),
  ]);
  const [chipWide, chipHigh, chipGap] = layout.chip;
  const [size, gap] = layout.block;
  const ground = plugAt - 9;
  const chips = scores.map((score, i) => {
    const step = chipHigh + chipGap, times = score > 0 ? "\u00d72" : "\u00f72";
    const chip = [
      rect("chip", chipWide, chipHigh, undefined, 0, 3),
      text("times", times, chipHigh - (chipHigh < 20 ? 3 : 5)),
    ];
    /** @type {(n: number) => number[]} */
    const stacked = (n) =>
      upright
        ? [wide - chipWide / 2, middles[i] + plugHigh / 2 - n * step + chipGap]
        : [middles[i], ground - n * step + (scene < 2 ? 12 : 0)];
    const count = Math.abs(score), shown = shows(2, QUESTION);
    return [
      Array.from(
        { length: count },
        (_, n) => thing(`chip-${i}-${n}`, shown, stacked(n + 1), chip, later(i, 700 + n * 150)),
      ),
      thing(
        `score-${i}`,
        shown,
        upright ? [socketAt - plugWide / 2, middles[i] + labels - 3] : [middles[i], stacked(count)[1] - 6],
        text(`number ${upright ? "from" : ""}`, small ? number(scores[i]) : worked(used, query, k[i])),
        later(i, 900),
      ),
    ];
  });

  // blocks, and the budget that they are
  const [barLeft, barTop, barWide, barHigh] = layout.bar;
  let before = 0;
  const blocks = powers.map((power, i) => {
    const [from, one] = [barLeft + before / total * barWide, barWide / total];
    before += power;
    const each = Math.min(power, 1); // the half of a block is one too
    const count = Math.ceil(power);
    /** @type {(n: number) => number} the copies of a doubling come together */
    const wait = (n) => scene === DOUBLING ? Math.ceil(Math.log2(n + 1)) * 280 + 250 : scene === 3 ? i * 70 : 0;
    const [x, y] = upright ? [layout.arc.floor + 10, middles[i] + size + gap / 2] : [middles[i], ground];
    /** @type {(n: number) => number[]} */
    const placed = (n) => {
      const gone = (one * each - (n + 1 < count ? 1 : layout.block[1] * 2)) / size;
      if (scene > DOUBLING) return [from + n * one + 1, barTop, gone, barHigh / size].map(short);
      if (scene < DOUBLING) return [x - (upright ? 0 : size / 2), y - size];
      if (upright) return [x + Math.floor(n / 2) * (size + gap), y - (n % 2 ? 2 * size + gap : size), each, 1];
      const across = count > 1 ? (n % 2 ? gap / 2 : -size - gap / 2) : -size / 2;
      return [short(x + across), y - size - Math.floor(n / 2) * (size + gap), each, 1];
    };
    const stack = (scene < DOUBLING ? 1 : Math.ceil(count / 2)) * (size + gap);
    const over = upright ? [x + stack + 12, middles[i] + 4.5] : [x, y - stack - 4];
    const within = [short(from + power * one / 2), barTop + barHigh - (upright ? 5.5 : 7)];
    const [spot, kind] = scene >= 3 ? [within, "number in"] : [over, "number"];
    const block = rect("block", size, size, 0, 0, 2);
    return [
      Array.from({ length: count }, (_, n) => thing(`block-${i}-${n}`, shows(DOUBLING, 3), placed(n), block, wait(n))),
      thing(`power-${i}`, shows(DOUBLING, 3), spot, text(kind, number(power)), wait(count - 1)),
    ];
  });

  // arcs, and what runs along them
  const arcs = arcsTo(layout, middles, asker, weights);
  const flows = arcs.map(({ key, d, thickness }) =>
    v[key].map((amount, part) => {
      const half = part && v[key][0] ? 0.5 : 1;
      return amount > 0 && !still &&
        markup`<path data-id="flow-${key}-${part}" class="flow" d="${d}" pathLength="1" stroke="${
          filling(part)
        }" style="stroke-width:${short(thickness * half)};stroke-dashoffset:${shows(4) ? 1.15 : -1.15}${
          scene !== 4 && ";opacity:0"
        }"/>`;
    })
  );
  const others = rows.map(({ row, head, weights, received }) => {
    const place = head ? hanging(layout) : scene === ALL ? { ...layout, arc: { ...layout.arc, budget: 12 } } : layout;
    const these = arcsTo(place, middles, row, weights);
    if (scene !== HEADS) return arcsOf(these, true);
    const answers = [data.heads[head].asks[words[row]], holding(features, received).join(", ")];
    return [
      arcsOf(these, true),
      pillsOf(place, these, (key) => share(weights[key]), true),
      answers.map((one, n) => text(n ? "receives from" : "number from", one, (head ? high - 21 : 12) + n * 16)),
    ];
  });
  const end = scene === NEXT || scene === ALL ? at + layout.word.high : shows(1, 3) ? labels + 8 : high;
  return markup`
<svg class="sentence ${small ? "small" : upright ? "upright" : "wide"}" viewBox="0 0 ${wide} ${
    small ? end : high
  }" aria-hidden="true">
${hatch(ident)}
${(result || !still) && arcsOf(arcs, result)}${flows}${plugs}${chips}${blocks}${
    (result || !still) && pillsOf(layout, arcs, (key) => share(weights[key]), result, scene === 3 ? 700 : 0)
  }${others}${named}${tanks}${out}
</svg>`;
}

/**
 * The rows of a page's own frames: the gap's, of each word what it may look at, one word's in each head.
 * @type {(data: Data, state: State) => { row: number, head: number, weights: number[], received: number[] }[]}
 */
export function rowsOf(data, state) {
  const { scene, row } = state, received = [0, 0];
  if (scene === NEXT) return [{ row, head: 0, weights: [0.3], received }];
  if (scene === HEADS) {
    return data.heads.map((_, head) => ({ ...compute(data, { ...state, head: `${head}` }), row, head }));
  }
  return (scene === ALL ? data.cases[0].words : []).map((_, row) => {
    const seen = compute(data, { ...state, row }).powers.slice(0, row + 1); // none looks ahead
    return { row, head: 0, weights: seen.map((power) => power / sum(seen)), received };
  });
}

/** @type {(data: Data) => number[]} columns for whichever word is longer in the two sentences */
const fractions = ({ cases }) => {
  const other = cases[cases.length - 1].words;
  return widths(cases[0].words.map((word, i) => word.length < other[i].length ? other[i] : word));
};

// what is said

/** @type {(amount: number, of: string) => string} */
const parts = (amount, of) => `${number(amount)} part${amount === 1 ? "" : "s"} ${of}`;

/** @type {(features: Features, amounts: number[]) => string[]} 5 parts cats, 2 parts dogs */
const holding = ({ value }, amounts) => amounts.flatMap((x, i) => x ? [parts(x, value[i])] : []);

/** @type {(used: { i: number }[], query: number[], key: number[]) => string} 2 + 4 = 6, halved: 3 */
function worked(used, query, key) {
  const terms = used.map(({ i }) => query[i] * key[i]);
  if (!terms.some(Boolean)) return "0";
  const added = `${terms.map(number).join(" + ")} = `.replace("+ \u2212", "\u2212 ");
  return `${terms.length > 1 ? added : ""}${number(sum(terms))}, halved: ${number(sum(terms) / 2)}`;
}

/**
 * What a scene shows, in a sentence; and what only those hear who do not see it.
 * @type {(data: Data, state: State) => Markup}
 */
export function says(data, state) {
  const { words, x, query, used, k, scores, total, weights, received, blended, kept } = compute(data, state);
  const { features } = data;
  const word = words[state.row];
  const order = largestFirst(weights);
  /** @type {(numbers: number[], write?: (x: number) => string) => string} */
  const listed = (numbers, write = share) => order.map((i) => `${words[i]} ${write(numbers[i])}`).join(", ");
  const gets = received.map((part, i) => parts(part, features.value[i])).join(" and ");
  const { guess } = state, best = guess >= 0 && Math.max(...weights) - weights[guess] < 1e-12;
  const got = best ? "no word gets more" : guess >= 0 && `it gets ${share(weights[guess])}`;
  const guessed = got && markup`<b>You said <em>${words[guess]}</em>: ${got}.</b> `;
  if (state.scene === QUESTION) return markup`<b>Who gets most? Tap a word.</b>`;
  return [
    markup`The thicker an arc, the more <em>${word}</em> takes from that word: ${
      listed(weights)
    }. So <em>${word}</em> now carries ${gets}.`,
    markup`The question leaves <em>${word}</em> as a query: numbers for what it looks for.`,
    markup`Multiply number by number, add up, halve: the better the match, the higher the
      score. <span class="visually-hidden">${listed(scores, number)}.</span>`,
    markup`${guessed}One block per word, doubled per point${Math.min(...scores) < 0 && ", halved below zero"}, makes ${
      number(total)
    }. Each arc is a share. <span class="visually-hidden">${listed(weights)}.</span>`,
    markup`${guessed}Each word pours out its share of what it holds: <em>${word}</em> receives ${gets}.`,
    markup`${guessed}The score of <em>${words[order[0]]}</em> was ${
      worked(used, query, k[order[0]])
    }. <em>${word}</em> keeps its own row and adds what it received: <span class="sum">${
      vector(x)
    } + <b class="role-output">${vector(blended)}</b> = ${vector(kept)}.</span>`,
  ][Math.ceil(state.scene)];
}

/** @type {(data: Data, from: State, to: State) => string} why the other head, or places, make no difference */
export function idle(data, from, to) {
  if (from.head === to.head && from.positions === to.positions) return "";
  const [before, after] = [from, to].map((state) => {
    const { words, weights, kept } = compute(data, state);
    return `${words} ${weights} ${to.scene === 5 && kept}`;
  });
  return before === after ? "For this word nothing changes: it asks the same." : "";
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, cases, heads, links } = data;
  const { scene, row, guess } = state;
  const shown = Math.round(scene), guessing = scene === QUESTION;
  const { words } = compute(data, state);
  const [sentence, swapped] = [cases[0], cases[cases.length - 1]].map(({ words }) => words);
  const pair = sentence.filter((word, i) => word !== swapped[i]);
  const there = words.map((word) => (state.swap === "yes" ? sentence : swapped).indexOf(word)); // where each is after a swap
  /** @type {(name: "swap" | "positions", text: Markup | string, on: string, more?: object) => Markup} */
  const toggle = (name, text, on, more = {}) =>
    markup`<button type="button" class="toggle" aria-pressed="${`${state[name] === on}`}" ${
      sets({ [name]: state[name] === "yes" ? "no" : "yes", ...more })
    }>${text}</button>`;
  return markup`
<div class="machine" ${!scene && "data-rest"}>
${
    head(
      id,
      markup`<span class="visually-hidden">${data.title} </span><em>${words[row]}</em> asks: ${
        heads[Number(state.head)].asks[words[row]]
      }`,
      live,
    )
  }
<figure class="machine-stage">
${picture(data, state, WIDE, `${id}-w`)}
${picture(data, state, UPRIGHT, `${id}-n`)}
${
    live &&
    markup`<div class="words" role="group" aria-label="${
      guessing ? "Your guess" : "The word that asks"
    }" style="--columns:${fractions(data).map((width) => `${width}fr`).join(" ")}">${
      words.map((word, i) =>
        markup`<button type="button" aria-pressed="${`${i === (guessing ? guess : row)}`}" ${
          guessing
            ? markup`data-guess ${sets({ guess: i, scene: DOUBLING })}`
            : sets({ row: i, guess: i === row ? guess : -1, scene: scene % 5 })
        }><span class="visually-hidden">${word}</span></button>`
      )
    }</div>`
  }
</figure>
<div class="machine-bar">${
    live &&
    markup`${
      playButton(scene ? scene < 5 ? "Go on" : "Again" : markup`Watch <em>${words[row]}</em> ask (${SECONDS} s)`)
    }<span class="machine-hint">or tap another word</span>`
  }${output(says(data, state), live)}${
    links &&
    markup`<p class="machine-links">${
      Object.entries(links).map(([text, to]) => markup`<a href="${to}">${text}</a> `)
    }</p>`
  }</div>
<div class="machine-rest">${
    live && [
      held("row", row, `[0-${words.length - 1}]`),
      held("guess", guess, `-1|[0-${words.length - 1}]`),
      held("swap", state.swap, "yes|no"),
      held("positions", state.positions, "yes|no"),
      markup`
<div class="machine-track"><input type="range" name="scene" aria-label="Scene" aria-valuetext="${shown}, ${
        SCENES[shown]
      }" value="${shown}" min="0" max="5" step="1"><p aria-hidden="true">${
        SCENES.map((name, i) => markup`<span class="${i === shown && "now"}" ${sets({ scene: i })}>${name}</span>`)
      }</p></div>
<div class="widget-controls">${
        heads.length > 1 && choice("It looks for the", "head", heads.map(({ name }, i) => [`${i}`, name]), state.head)
      }${
        toggle("swap", markup`Swap <em>${pair[0]}</em> and <em>${pair[1]}</em>`, "yes", {
          row: there[row],
          guess: there[guess] ?? -1,
        })
      }${toggle("positions", "Forget the order", "no")}</div>`,
    ]
  }</div>
</div>
`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { set, settle, state } = bindFigure(element, {
    first,
    html: (data, state, live) => {
      if (state.scene) element.dataset.played = ""; // from now on there are controls
      return html(data, state, live);
    },
    idle,
  });
  let timer = 0;
  const now = () => Number(state().scene);
  const halt = () => {
    clearTimeout(timer);
    timer = 0;
    delete element.dataset.playing;
  };
  const stop = () => {
    halt();
    chosen = null;
    if (now() % 1) set({ scene: Math.round(now()) });
    settle();
  };
  /** @type {(scene: number) => void} */
  const hold = (scene) => {
    const at = PLAY.indexOf(scene);
    if (at === PLAY.length - 1) return stop();
    element.dataset.playing = "";
    timer = setTimeout(() => {
      set({ scene: PLAY[at + 1] });
      hold(PLAY[at + 1]);
    }, HOLD[at]);
  };
  const start = () => {
    const next = now() === 5 ? 1 : PLAY[PLAY.indexOf(now()) + 1];
    set(next === 1 ? { scene: 1, guess: -1 } : { scene: next });
    hold(next);
  };
  element.addEventListener("click", ({ target }) => {
    const pressed = target instanceof Element && target.closest("button, [data-set]");
    if (!pressed) return;
    const isPlaying = timer > 0;
    if (pressed.matches("[data-guess]")) return halt(), hold(DOUBLING); // the guess itself sets this scene
    stop();
    if (pressed.matches(".play") && !isPlaying) start();
  }, true);
  /** @type {number | null} the word that asks, while a pointer over another shows what that would ask */
  let chosen = null;
  /** @type {(event: PointerEvent) => void} */
  const look = ({ target, pointerType }) => {
    const words = [...element.querySelectorAll(".words button")];
    const over = words.findIndex((word) => word.contains(/** @type {Node} */ (target)));
    if (pointerType === "touch" || timer || now() % 5 || (over < 0 && chosen === null)) return;
    chosen ??= Number(state().row);
    if (state().row !== (over < 0 ? chosen : over)) set({ row: over < 0 ? chosen : over });
    if (over < 0) chosen = null;
  };
  element.addEventListener("pointerover", look);
  element.addEventListener("pointerleave", look);
  element.addEventListener(
    "input",
    ({ target }) => {
      if (target instanceof Element && target.matches("[type=range]")) return halt();
      stop();
      set({ guess: -1 }); // it was about what the other head asks
    },
    true,
  );
  element.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.target instanceof HTMLInputElement || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    stop();
    set({ scene: Math.min(Math.max(now() + by, 0), SCENES.length - 1) });
    settle();
  });
  element.addEventListener("addresschange", halt, true);
}
