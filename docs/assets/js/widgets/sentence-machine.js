// <sentence-machine>: a word asks a sentence, in six scenes of one picture. Whatever a scene shows is in all of them, and
// the style sheet moves it from one place to the next.

import { blend, dot, sum } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { choice, head, held, output, sets } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { largestFirst, number, share, short, vector } from "../lib/numbers.js";
import { centres, curves, widths } from "../lib/stage.js";

/**
 * A sentence in one setting of the switches, with queries for each head, in doublings.
 * @typedef {{ swap: string, positions: string, words: string[] }} Sentence
 * @typedef {Sentence & { x: number[][], q: number[][][], k: number[][], v: number[][] }} Case
 * @typedef {{ name: string, asks: Record<string, string> }} Head
 * @typedef {{ x: string[], key: string[], value: string[] }} Features
 * @typedef {{ id: string, title: string, cases: Case[], heads: Head[], features: Features }} Data
 */
/** @typedef {{ scene: number, row: number, guess: number, head: string, swap: string, positions: string }} State */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */
/** @typedef {ReturnType<typeof compute>} Row */

const SCENES = ["Who?", "ask", "match", "share", "pour", "keep"];
const DOUBLING = 2.5; // on the way from match to share, as it plays
const PLAY = [0, 1, 2, DOUBLING, 3, 4, 5];
const HOLD = [300, 1900, 2500, 1900, 2400, 2300, 0]; // ms: until the next one begins

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
  const scores = k.map((key) => dot(query, key) / Math.sqrt(query.length));
  const powers = scores.map((score) => 2 ** score);
  const total = sum(powers);
  const weights = powers.map((power) => power / total);
  const given = v.map((value, i) => value.map((part) => weights[i] * part));
  const received = blend(weights, v);
  const blended = features.x.map((name) => {
    const part = features.value.indexOf(name);
    return part < 0 ? 0 : received[part];
  });
  const kept = x[row].map((own, i) => own + blended[i]);
  return { words, x: x[row], query, k, v, scores, powers, total, weights, given, received, blended, kept };
}

// the picture

/**
 * Where things stand in a drawing: on a desk, and in the hand.
 * @typedef {typeof WIDE} Layout
 */
const WIDE = {
  kind: "wide",
  size: [1100, 480],
  word: [288, 48, 35, 19], // top, height, the line on which letters stand, the width of one
  question: [150, 64],
  arc: { floor: 286, budget: 52, lowest: 14, rise: 0.222, loop: 36, gap: 15 },
  tank: [350, 44, 96, 62], // top, width, height; and what is between two of them
  label: 472,
  plug: [220, 142, 30, 248], // top, width, height; the top of what it is plugged into
  lines: 0, // how far apart lines are, where what belongs together has one each
  chip: [34, 20, 4],
  block: [20, 4],
  bar: [230, 12, 640, 26],
  pill: [50, 26],
  cell: [56, 36, 108, 164], // width, height; top and left of the rows that are added
};
/** @type {Layout} */
const NARROW = {
  kind: "narrow",
  size: [358, 404],
  word: [238, 28, 20, 11],
  question: [120, 36],
  arc: { floor: 237, budget: 26, lowest: 26, rise: 0.48, loop: 22, gap: 9 },
  tank: [276, 20, 88, 29],
  label: 381,
  plug: [167, 55, 32, 201],
  lines: 13,
  chip: [26, 15, 2],
  block: [10, 2],
  bar: [19, 4, 320, 20],
  pill: [36, 18],
  cell: [48, 28, 64, 130],
};

/** @type {Layout} for a figure beside a text */
const MIDDLE = {
  kind: "middle",
  size: [740, 452],
  word: [262, 44, 33, 17],
  question: [130, 50],
  arc: { floor: 260, budget: 42, lowest: 16, rise: 0.32, loop: 32, gap: 13 },
  tank: [320, 32, 88, 44],
  label: 428,
  plug: [182, 92, 36, 222],
  lines: 15,
  chip: [34, 19, 3],
  block: [16, 3],
  bar: [120, 6, 500, 24],
  pill: [46, 24],
  cell: [62, 32, 66, 290],
};

/**
 * What is `still` leaves out what cannot be seen, and the room above it.
 * @type {(data: Data, state: State, layout: Layout, ident: string, still?: boolean) => Markup}
 */
function picture(data, state, layout, ident, still = false) {
  const row = compute(data, state);
  const { words, query, k, v, scores, powers, total, weights, given, received } = row;
  const { scene, row: asker } = state;
  const { features } = data;
  const { lines, size: [wide, high] } = layout;
  const columns = fractions(data);
  const middles = centres(columns).map((x) => short(x * wide / sum(columns)));
  const [wordTop, wordHigh, letters, letter] = layout.word;
  const [tankTop, tankWide, tankHigh, apart] = layout.tank;
  const [plugTop, plugWide, plugHigh, socketTop] = layout.plug;
  const unit = tankHigh / Math.max(...v.flat());
  const shows = (/** @type {number} */ from, to = 5) => from <= scene && scene <= to;

  /** @type {(id: string, shown: boolean, place: (number | string)[], content: unknown, wait?: number) => Markup | false} */
  const thing = (id, shown, [x, y, across = 1, up = across], content, wait = 0) =>
    (shown || !still) &&
    markup`<g data-id="${id}" style="transform:translate(${x}px,${y}px)${
      (across !== 1 || up !== 1) && ` scale(${across},${up})`
    }${!shown && ";opacity:0"}${!still && wait > 0 && `;transition-delay:${wait}ms`}">${content}</g>`;
  /** @type {(kind: string, content: unknown, y?: number, x?: number) => Markup} */
  const text = (kind, content, y = 0, x = 0) => markup`<text class="${kind}" x="${x}" y="${y}">${content}</text>`;
  /** @type {(kind: string, w: number, h: number, x?: number, y?: number, r?: number) => Markup} */
  const rect = (kind, w, h, x = -w / 2, y = 0, r = 0) =>
    markup`<rect class="${kind}" x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" rx="${r}"/>`;
  /** @type {(kind: string, amounts: number[]) => Markup[]} */
  const amounts = (kind, all) => {
    const { value } = features;
    const some = all.flatMap((x, i) => x ? [layout === NARROW ? `${value[i]} ${number(x)}` : parts(x, value[i])] : []);
    const shown = !some.length ? ["empty"] : lines ? some : [some.join(" + ")];
    return shown.map((one, n) => text(kind, one, n * (lines + 2)));
  };
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
      }" fill="${filling(part)}"/>`,
      wait,
    );

  // words and tanks
  const pours = shows(4);
  const named = words.map((word, i) =>
    markup`<g data-id="word-${i}" class="word${i === asker && " asks"}${
      i === state.guess && " guess"
    }" style="translate:${middles[i]}px ${wordTop}px">${
      rect("", letter * (word.length + 1.4), wordHigh, undefined, 0, 6)
    }${text("", word, letters)}</g>`
  );
  const [questionTop, questionSize] = layout.question;
  const question = ((scene || !isFirst(data, state)) && asks(data, state, words)) || data.title;
  const half = question.length * questionSize / 3.6; // of its length, about
  const fits = Math.min(1, wide / 2 / half), small = (lines ? lines + 2 : 20) / questionSize;
  const asked = thing(
    "question",
    shows(0, 1),
    scene
      ? [Math.min(middles[asker], wide - half * small), plugTop - plugHigh - 26, scene > 1 ? small / 3 : small]
      : [wide / 2, questionTop, fits],
    markup`<text class="question" font-size="${questionSize}">${question}</text>`,
  );
  const tanks = words.map((_, i) => {
    const aside = i === asker && scene > 0 ? apart / 2 : 0, left = pours ? 1 - weights[i] : 1;
    return [
      thing(`tank-${i}`, true, [middles[i] - aside, tankTop], [
        rect("tank", tankWide, tankHigh + 8, -tankWide / 2, -4, 5),
        v[i].map((amount, part) => level(`ghost-${i}`, sum(v[i].slice(0, part)), amount, part)),
        v[i].map((amount, part) => level(`fill-${i}`, left * sum(v[i].slice(0, part)), amount, part, left, 200)),
      ]),
      thing(`holds-${i}`, !aside, [middles[i], layout.label], amounts("holds", v[i])),
    ];
  });

  // what the asker receives
  let base = 0;
  const gifts = features.value.map((_, part) =>
    given.map((gift, i) => {
      const at = pours ? base : 0;
      base += gift[part];
      return level(`gift-${i}`, at, gift[part], part, pours ? 1 : 0, 600);
    })
  );
  const out = [
    thing("out", scene > 0, [middles[asker] + (scene > 0 ? apart / 2 : 0), tankTop], [
      rect("out", tankWide, tankHigh + 8, -tankWide / 2, -4, 5),
      rect("out", tankWide - 5, tankHigh + 3, 2.5 - tankWide / 2, -1.5, 3),
      gifts,
    ]),
    thing("receives", pours, [middles[asker], layout.label], amounts("receives", received), 800),
  ];

  // the query, the keys, and how well they match
  const used = features.key.flatMap((name, i) => query[i] ? [{ name, i }] : []);
  /** @type {(role: string, numbers: number[]) => Markup[]} */
  const featured = (role, numbers) => {
    const all = used.map(({ name, i }) => `${name} ${number(numbers[i])}`);
    if (!lines) return [text(role, all.join(" \u00b7 "), plugHigh / 2 + 5.5)];
    return (all.length > 1 ? all : all[0].split(" ")).map((one, n) => text(role, one, lines * (n + 1) + 0.5));
  };
  const farthest = Math.max(asker, words.length - 1 - asker);
  /** @type {(i: number, more?: number) => number} what goes farthest leaves first */
  const later = (i, more = 0) => scene === 2 ? (farthest - Math.abs(i - asker)) * 100 + more : 0;
  const raised = plugTop - plugHigh - 14;
  const plugs = words.map((_, i) => [
    thing(`socket-${i}`, shows(1, DOUBLING), [middles[i], socketTop], [
      rect("socket", plugWide, plugHigh, undefined, 0, 5),
      featured("key", k[i]),
    ]),
    thing(
      `plug-${i}`,
      shows(1, DOUBLING),
      scene < 2 ? [middles[asker], scene < 1 ? wordTop : raised] : [middles[i], plugTop - 3],
      [
        rect("plug", plugWide, plugHigh - 5, undefined, 0, 5),
        [-1, 1].map((side) => rect("plug", 7, 9, side * plugWide / 4 - 3.5, plugHigh - 7, 1)),
        markup`<g transform="translate(0 -2.5)">${featured("query", query)}</g>`,
      ],
      later(i),
    ),
  ]);
  const worked = k.map((key, i) => {
    const terms = used.map(({ i }) => query[i] * key[i]);
    if (!terms.some(Boolean)) return ["0"];
    const added = `${terms.map(number).join(" + ")} = `.replace("+ \u2212", "\u2212 ");
    const steps = [(terms.length > 1 ? added : "") + number(sum(terms)), `halved: ${number(scores[i])}`];
    return lines ? steps : [steps.join(", ")];
  });
  const [chipWide, chipHigh, chipGap] = layout.chip;
  const [size, gap] = layout.block;
  const ground = plugTop - 9;
  const chips = scores.map((score, i) => {
    const step = chipHigh + chipGap, times = score > 0 ? "\u00d72" : "\u00f72";
    const chip = [rect("chip", chipWide, chipHigh, undefined, 0, 3), text("times", times, chipHigh - (lines ? 3 : 5))];
    /** @type {(n: number) => number[]} */
    const place = (n) => [middles[i], ground - n * step + (scene < 2 ? 12 : 0)];
    const count = Math.abs(score), shown = scene === 2;
    return [
      Array.from(
        { length: count },
        (_, n) => thing(`chip-${i}-${n}`, shown, place(n + 1), chip, later(i, 700 + n * 150)),
      ),
      thing(
        `score-${i}`,
        shown,
        place(count),
        worked[i].map((one, n, all) => text("number", one, (n + 1 - all.length) * lines - 6)),
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
    /** @type {(n: number) => number[]} */
    const place = (n) => {
      const gone = (one * each - (n + 1 < count ? 1 : 4)) / size;
      if (scene > DOUBLING) return [from + n * one + 1, barTop, gone, barHigh / size].map(short);
      if (scene < DOUBLING) return [middles[i] - size / 2, ground - size];
      const across = count > 1 ? (n % 2 ? gap / 2 : -size - gap / 2) : -size / 2;
      return [short(middles[i] + across), ground - size - Math.floor(n / 2) * (size + gap), each, 1];
    };
    const over = [middles[i], ground - (scene < DOUBLING ? 1 : Math.ceil(count / 2)) * (size + gap) - 4];
    const within = [short(from + power * one / 2), barTop + barHigh - (lines ? 5.5 : 7)];
    const [spot, kind] = scene >= 3 ? [within, "number in"] : [over, "number"];
    const block = rect("block", size, size, 0, 0, 2);
    return [
      Array.from({ length: count }, (_, n) => thing(`block-${i}-${n}`, shows(DOUBLING, 3), place(n), block, wait(n))),
      thing(`power-${i}`, shows(DOUBLING, 3), spot, text(kind, number(power)), wait(count - 1)),
    ];
  });

  // arcs, and what runs along them
  const arcs = curves({ centres: middles, ...layout.arc }, asker, weights);
  const strong = shows(3);
  const [pillWide, pillHigh] = layout.pill;
  const drawn = arcs.map(({ key, d, thickness }) =>
    (strong || !still) &&
    markup`<path data-id="arc-${key}" class="arc" d="${d}" style="stroke-width:${strong ? thickness : 0}${
      !strong && ";opacity:0"
    }${scene === 5 && ";opacity:.1"}"/>`
  );
  const flows = arcs.map(({ key, d, thickness }) =>
    v[key].map((amount, part) => {
      const half = part && v[key][0] ? 0.5 : 1;
      return amount > 0 && !still &&
        markup`<path data-id="flow-${key}-${part}" class="flow" d="${d}" pathLength="1" stroke="${
          filling(part)
        }" style="stroke-width:${short(thickness * half)};stroke-dashoffset:${pours ? 1.15 : -1.15}${
          scene !== 4 && ";opacity:0"
        }"/>`;
    })
  );
  const pills = arcs.map(({ key, top: [x, y] }) =>
    thing(`weight-${key}`, shows(3, 4), [Math.min(x, wide - pillWide / 2), y, shows(3, 4) ? 1 : 0.2], [
      rect("pill", pillWide, pillHigh, -pillWide / 2, -pillHigh / 2, pillHigh / 2),
      text("number", share(weights[key]), lines ? 4.5 : 5.5),
    ], scene === 3 ? 700 : 0)
  );

  // the word keeps its own row, and adds what it receives
  const [cellWide, cellHigh, top, left] = layout.cell;
  const keeps = shows(5);
  /** @type {[string, string, number[], string][]} */
  const sums = [
    ["own", words[asker], row.x, ""],
    ["got", "received", row.blended, "+"],
    ["kept", "from now on", row.kept, "="],
  ];
  const strips = sums.map(([id, name, numbers, sign], n) => {
    const long = numbers.length * cellWide;
    const there = lines ? [left, top + n * (cellHigh + 8)] : [left + n * (long + 50), top];
    return thing(`sum-${id}`, keeps, keeps ? there : [middles[asker], n === 1 ? tankTop : wordTop, 0.2], [
      numbers.map((one, i) => [
        rect(`cell ${id}`, cellWide, cellHigh, i * cellWide),
        text("number", number(one), cellHigh / 2 + 5.5, (i + 0.5) * cellWide),
        (!lines || n === 2) && text("holds", features.x[i], cellHigh + (lines ? lines + 3 : 19), (i + 0.5) * cellWide),
      ]),
      lines ? text("holds end", name, cellHigh / 2 + 5, -24) : text("holds", name, -12, long / 2),
      sign && text("sign", sign, cellHigh / 2 + 7, lines ? -13 : -25),
    ], keeps ? n * 350 : 0);
  });

  const above = still && scene < 3 ? plugTop - 110 : 0;
  return markup`
<svg class="${layout.kind}" viewBox="0 ${above} ${wide} ${high - above}" aria-hidden="true">
<pattern id="${ident}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">${
    rect("under", 7, 7, 0)
  }${rect("", 4, 7, 0)}</pattern>
${drawn}${flows}${asked}${plugs}${chips}${blocks}${pills}${named}${tanks}${out}${strips}
</svg>`;
}

/** @type {(data: Data) => number[]} columns for whichever word is longer in the two sentences */
const fractions = ({ cases }) => {
  const other = cases[cases.length - 1].words;
  return widths(cases[0].words.map((word, i) => word.length < other[i].length ? other[i] : word));
};

// what is said

/** @type {(amount: number, of: string) => string} */
const parts = (amount, of) => `${number(amount)} part${amount === 1 ? "" : "s"} ${of}`;

/**
 * What a scene shows, in a sentence; and what only those hear who do not see it.
 * @type {(data: Data, state: State) => Markup}
 */
export function says(data, state) {
  const { words, scores, total, weights, received, kept } = compute(data, state);
  const word = words[state.row], scene = Math.ceil(state.scene);
  const order = largestFirst(weights);
  const [{ value }] = [data.features];
  /** @type {(numbers: number[], write: (x: number) => string) => Markup} */
  const heard = (numbers, write) =>
    markup` <span class="visually-hidden">${order.map((i) => `${words[i]} ${write(numbers[i])}`).join(", ")}.</span>`;
  const gets = received.map((part, i) => parts(part, value[i])).join(" and ");
  return [
    markup`Then watch how <em>${word}</em> finds out.`,
    markup`The question leaves <em>${word}</em> as a query: numbers for what it looks for.`,
    markup`Multiply number by number, add up, halve: the better the match, the higher the score.${
      heard(scores, number)
    }`,
    markup`One block per word, doubled per point${Math.min(...scores) < 0 && ", halved below zero"}, makes ${
      number(total)
    }. Each arc is a share.${heard(weights, share)}`,
    markup`Each word pours out its share of what it holds: <em>${word}</em> receives ${gets}.`,
    markup`<em>${word}</em> keeps its own row and adds what it received.<span class="visually-hidden"> That makes ${
      vector(kept)
    }.</span>${verdict(state, words, weights)}`,
  ][scene];
}

/** @type {(state: State, words: string[], weights: number[]) => Markup | false} */
function verdict({ guess }, words, weights) {
  if (guess < 0) return false;
  const best = Math.max(...weights) - weights[guess] < 1e-12;
  return markup` You said <em>${words[guess]}</em>: ${
    best ? "no word gets more." : `it gets ${share(weights[guess])}.`
  }`;
}

/** @type {(data: Data, from: State, to: State) => string} why the other head, or places, make no difference */
export function idle(data, from, to) {
  if (from.head === to.head && from.positions === to.positions) return "";
  if (from.head === to.head && !to.scene) return "Press Play to see what this changes.";
  const [before, after] = [from, to].map((state) => {
    const { words, weights, kept } = compute(data, state);
    return `${words} ${weights} ${to.scene === 5 && kept}`;
  });
  return before === after ? "For this word nothing changes: it asks the same." : "";
}

/** @type {(data: Data, state: State, words: string[]) => string} */
const asks = ({ heads }, { row, head }, words) => heads[Number(head)].asks[words[row]];

/** @type {(data: Data, state: State) => boolean} whether the word that asks does so as the caption says */
function isFirst(data, { row, head }) {
  const start = first(data);
  return row === start.row && head === start.head;
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { id, cases, heads } = data;
  const { scene, row, guess } = state;
  const shown = Math.ceil(scene);
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
<div class="machine">
${
    head(
      id,
      scene
        ? markup`<em>${words[row]}</em> asks: ${asks(data, state, words)}`
        : markup`Guess first: tap the word that will tell <em>${words[row]}</em> most.`,
      live,
    )
  }
${output(says(data, state), live)}
<div class="machine-stage">
${picture(data, state, WIDE, `${id}-w`)}
${picture(data, state, NARROW, `${id}-n`)}
${
    live &&
    markup`<div class="words" role="group" aria-label="${
      scene ? "The word that asks" : "Your guess"
    }" style="grid-template-columns:${fractions(data).map((width) => `${width}fr`).join(" ")}">${
      words.map((word, i) =>
        markup`<button type="button" aria-pressed="${`${i === (scene ? row : state.guess)}`}" ${
          scene ? sets({ row: i, guess: i === row ? guess : -1 }) : markup`data-guess ${sets({ guess: i, scene: 1 })}`
        }><span class="visually-hidden">${word}</span></button>`
      )
    }</div>`
  }
</div>
<div class="machine-rest">${
    live && [
      held("row", row, `[0-${words.length - 1}]`),
      held("guess", state.guess, `-1|[0-${words.length - 1}]`),
      held("swap", state.swap, "yes|no"),
      held("positions", state.positions, "yes|no"),
      markup`
<div class="machine-track"><button type="button" class="play">Play</button>
<div><input type="range" name="scene" aria-label="Scene" aria-valuetext="${shown}, ${
        SCENES[shown]
      }" value="${shown}" min="0"
  max="5" step="1"><p aria-hidden="true">${
        SCENES.map((name, i) => markup`<span class="${i === shown && "now"}" ${sets({ scene: i })}>${name}</span>`)
      }</p></div></div>
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
${!live && frames(data, state)}
`;
}

/** @type {(data: Data, state: State) => Markup} all scenes, for those who have no scripts */
const frames = (data, state) =>
  markup`<div class="machine-frames">${
    SCENES.map((_, scene) => frame(data, { ...state, scene }, `${data.id}-${scene}`))
  }</div>`;

/** @type {(data: Data, state: State, ident: string) => Markup} */
const frame = (data, state, ident) =>
  markup`<figure>${picture(data, state, NARROW, ident, true)}<figcaption>${says(data, state)}</figcaption></figure>`;

/**
 * One scene by itself, for a page that explains it.
 * @type {(data: Data, scene: number) => Markup}
 */
export function still(data, scene) {
  const state = { ...first(data), scene };
  return markup`<figure class="machine-stage">${picture(data, state, MIDDLE, `${data.id}-w`, true)}${
    picture(data, state, NARROW, `${data.id}-n`, true)
  }<figcaption>${data.title}</figcaption></figure>`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { set, settle, state } = bindFigure(element, { first, html, idle });
  const play = /** @type {HTMLElement} */ (element.querySelector(".play"));
  let timer = 0;
  const now = () => Number(state().scene);
  /** @type {(scene: number) => void} */
  const hold = (scene) => {
    const at = PLAY.indexOf(scene);
    if (at === PLAY.length - 1) return stop();
    play.textContent = "Pause";
    timer = setTimeout(() => {
      set({ scene: PLAY[at + 1] });
      hold(PLAY[at + 1]);
    }, HOLD[at]);
  };
  const halt = () => {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
  };
  const stop = () => {
    halt();
    if (now() % 1) set({ scene: Math.ceil(now()) });
    settle();
  };
  const start = () => {
    const next = now() === 5 ? 1 : PLAY[PLAY.indexOf(now()) + 1];
    set({ scene: next });
    hold(next);
  };
  element.addEventListener("click", ({ target }) => {
    const pressed = target instanceof Element && target.closest("button, [data-set]");
    if (!pressed) return;
    const isPlaying = timer > 0;
    stop();
    if (pressed === play && !isPlaying) start();
    if (pressed.matches("[data-guess]")) hold(1); // the guess itself shows the first scene
  }, true);
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
