// <softmax-lab>: scores in doublings become a budget; and a bell of dot products, with two keys that it spreads apart.

import { softmax } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { budget, frame, held, sets, setting, slider, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, decimal, grouped, number, short as small, sum } from "../lib/numbers.js";

/**
 * @typedef {{ id: string, title: string }} Named
 * @typedef {Named & { mode: "scores", words: string[], scores: number[], most: number }} Scores
 * @typedef {Named & { mode: "scaling", d_k: number, sizes: number[] }} Scaling
 */
/** @typedef {Record<string, number>} ScoresState  t, and s0, s1, … of the words */
/** @typedef {{ n: number, divide: number }} ScalingState  which of the sizes; whether scores are divided, 0 or 1 */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/frame.js").Parts} Parts */

/** @type {(data: Scores | Scaling) => Record<string, number | string>} */
export const first = (data) =>
  data.mode === "scaling"
    ? { n: Math.log2(data.d_k), divide: 0 }
    : { t: 0, ...Object.fromEntries(data.scores.map((score, i) => [`s${i}`, score])) };

/** @type {(data: any, state: any, live: Live | null) => unknown} */
export const html = (data, state, live) =>
  frame(data, data.mode === "scores" ? scoresLab(data, state, live) : scalingLab(data, state), live);

// scores

/**
 * What every word exponentiates to, and its weight: a temperature of 2 to the power of t divides the scores.
 * @type {(data: { words: string[] }, state: ScoresState) => { powers: number[], weights: number[] }}
 */
export function compute({ words }, { t, ...scores }) {
  const doublings = words.map((_, i) => scores[`s${i}`] / 2 ** t);
  return { powers: doublings.map((d) => 2 ** d), weights: softmax(doublings.map((d) => d * Math.LN2)) };
}

/** @type {(x: number) => string} */
const short = (x) => {
  if (x < 10000) return number(x);
  if (x < 1e6) return grouped(Math.round(x));
  const [size, name] = x < 1e9 ? [1e6, "million"] : x < 1e12 ? [1e9, "billion"] : [1e12, "trillion"];
  return `${grouped(Number((x / size).toFixed(1)))} ${name}`;
};

const MOST_SEEN = 64; // blocks; where there are more they cannot be told apart, and the strip is solid
const NOTCH = 24; // pixels of a drag that double a pile

/**
 * Two to the power of t: 1/2, 1, 2.
 * @type {(t: number) => string}
 */
const power = (t) => (t < 0 ? `1/${2 ** -t}` : `${2 ** t}`);

/**
 * Weights over their common denominator, which shows what each word stands at: 8/16, 4/16, 1/16.
 * @type {(one: ReturnType<typeof compute>) => string[]}
 */
function sharesOf({ powers, weights }) {
  const total = sum(powers);
  const countable = total < 10000 && powers.every(Number.isInteger);
  return weights.map((w, i) => (countable ? `${powers[i]}/${total}` : decimal(w)));
}

/** @type {(data: Scores, state: ScoresState, live: Live | null) => Parts} */
function scoresLab(data, state, live) {
  const { title, words, scores, most } = data;
  const one = compute(data, state);
  const { powers, weights } = one;
  const [shares, total] = [sharesOf(one), sum(powers)];
  const room = Math.max(2 ** Math.max(...scores) * 2, 2 ** Math.ceil(Math.log2(Math.max(...powers))));
  /** @type {(i: number) => unknown} a pile that the hand takes, and the slider of whoever has no hand for it */
  const pile = (i) =>
    markup`
<td><span class="pile${room > MOST_SEEN && " many"}" ${live && markup`data-drag="s${i}"`} style="--n:${
      small(powers[i])
    };--f:${small(powers[i] % 1)}"><b>${short(powers[i])}</b></span>${
      live &&
      slider(`s${i}`, `score of ${words[i]}`, state[`s${i}`], [0, most], (n) => counted(n, "doubling"))
    }</td>`;
  /** @type {(i: number, by: number) => unknown} */
  const notch = (i, by) => {
    const to = state[`s${i}`] + by, stay = to < 0 || to > most;
    return live && markup`
<button type="button" aria-label="${by > 0 ? "raise" : "lower"} the score of ${words[i]}" ${
      stay ? markup`aria-disabled="true" data-says="Scores here go from 0 to ${most}."` : sets({ [`s${i}`]: to })
    }>${by > 0 ? "+" : "\u2212"}</button>`;
  };
  let end = 0;
  const packed = words.map((_, i) => {
    const middle = (end += weights[i]) - weights[i] / 2;
    return {
      part: markup`<i class="part${total > MOST_SEEN && " many"}" style="--w:${small(weights[i])};--n:${
        small(powers[i])
      }"></i>`,
      line: markup`<path vector-effect="non-scaling-stroke" d="M${small(100 * middle)} 0L${
        small(100 * (i + 0.5) / words.length)
      } 10"/>`,
    };
  });
  const best = scores.indexOf(Math.max(...scores));
  const start = /** @type {ScoresState} */ (first(data));
  const [share, more] = [0, 1].map((by) =>
    sharesOf(compute(data, { ...start, [`s${best}`]: scores[best] + by }))[best]
  );
  return {
    question: markup`<em>${words[best]}</em> scores one doubling more. Does its weight double, from ${share}?`,
    answer: `No, it becomes ${more}. Only the exponential doubles, and the sum that divides it grows too. ` +
      "The others shrink and keep their ratios.",
    controls: [
      setting(
        "temperature T",
        power(state.t),
        "t",
        "temperature",
        state.t,
        [-3, 3],
        (t) => `${power(t)}, ${["sharper", "as it is", "flatter"][Math.sign(t) + 1]}`,
      ),
      markup`<p class="hint">Drag a pile up or down, or press + and \u2212.</p>`,
    ],
    figure: table(
      "piles",
      title,
      markup`
<tbody style="--of:${room}">
<tr><th scope="row">2<sup>score/T</sup></th>${words.map((_, i) => pile(i))}</tr>
<tr class="words"><td></td>${words.map((word) => markup`<th scope="col">${word}</th>`)}</tr>
<tr class="scores"><th scope="row">score</th>${
        words.map((_, i) => markup`<td><span>${notch(i, -1)}<b>${state[`s${i}`]}</b>${notch(i, 1)}</span></td>`)
      }</tr>
</tbody>
<tfoot>
<tr><th scope="row">budget ${short(total)}</th><td colspan="${words.length}">
  <span class="budget">${packed.map(({ part }) => part)}</span>
  <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${
        packed.map(({ line }) => line)
      }</svg></td></tr>
<tr class="shares"><th scope="row">weight</th>${
        words.map((word, i) => markup`<td><span aria-hidden="true">${word} </span><b>${shares[i]}</b></td>`)
      }</tr>
</tfoot>`,
    ),
    says: `${words.map((word, i) => `${word} ${shares[i]}`).join(", ")}; sum 1.`,
  };
}

// scaling

/**
 * Dot products of all vectors of +1 and \u22121, and the share of each; and two keys one standard deviation apart.
 * @type {(features: number, divide: number) => { totals: number[], shares: number[], score: number, weights: number[] }}
 */
export function spread(features, divide) {
  const root = Math.sqrt(features), by = divide ? root : 1, shares = [2 ** -features];
  for (let m = 0; m < features; m += 1) shares.push(shares[m] * (features - m) / (m + 1));
  const totals = shares.map((_, m) => (2 * m - features) / by), score = root / by; // in doublings
  return { totals, shares, score, weights: softmax([score * Math.LN2, 0]) };
}

/** @type {(one: { score: number, weights: number[] }) => string[]} fractions where the root of d_k is whole */
const exact = ({ score, weights }) =>
  weights.map((w, i) => Number.isInteger(score) ? `${2 ** (i ? 0 : score)}/${2 ** score + 1}` : w.toFixed(5));

/** @type {(data: Scores | Scaling, from: ScalingState, to: ScalingState) => string} */
export const idle = (data, from, to) =>
  data.mode === "scaling" && from.n !== to.n && from.divide && to.divide
    ? "Divided, the two keys stay 1 apart at any number of features: their weights do not change."
    : "";

const KNOWN = [4, 16, 64]; // features whose bells are outlined

/** @type {(features: number) => number[][]} total and height of the bell, whose peak is 100 high */
function heights(features) {
  const { totals, shares } = spread(features, 0), peak = Math.max(...shares);
  return totals.map((total, i) => [total, small(-100 * shares[i] / peak)]).filter(([, height]) => height < -0.1);
}

/** @type {(data: Scaling, state: ScalingState) => Parts} */
function scalingLab({ sizes }, { n, divide }) {
  const features = sizes[n], one = spread(features, divide), { score } = one, text = exact(one);
  const [[few], [many], [steady]] = [[4, 0], [64, 0], [64, 1]].map(([size, by]) => exact(spread(size, by)));
  const label = "features d\u2096";
  const bars = heights(features).map(([total, height]) => `M${total - 0.8} 0V${height}H${total + 0.8}V0z`).join("");
  return {
    question:
      "queries and keys grow from 4 features to 64. What happens to the weight of the better key, raw and scaled?",
    answer: `Raw it rises from ${few} to ${many}, and the other key is as good as gone. Scaled it stays at ${steady}.`,
    figure: markup`
<figure class="bell">
<svg viewBox="-26 -104 52 104" preserveAspectRatio="none" aria-hidden="true">
  <g style="--by:${score / Math.sqrt(features)}"><path class="bars" d="${bars}"/></g>
  ${KNOWN.map((size) => markup`<path class="outline" d="M${heights(size).map(([x, y]) => `${x} ${y}`).join("L")}"/>`)}
  <g style="--by:${score}"><path class="gap" d="M0 -4H1"/><path class="key other" d="M0 0V-104"/><path class="key" d="M1 0V-104"/></g></svg>
${
      KNOWN.map((size) =>
        markup`<span class="known" style="--x:${Math.sqrt(size) / 52}">${size}${size === 64 && " features"}</span>`
      )
    }
<p class="ticks">${[-24, -16, -8, 0, 8, 16, 24].map((x) => markup`<span>${number(x)}</span>`)}</p>
</figure>
${
      [0, 1].map((by) => {
        const { score: apart, weights: [better, other] } = spread(features, by), told = exact(spread(features, by));
        return markup`
<p class="both"><span class="key">other key <b>${told[1]}</b></span> ${by ? "divided" : "raw"}: ${
          number(apart)
        } apart <span class="key">better key <b>${told[0]}</b></span></p>
${budget([[other, ""], [better, ""]])}`;
      })
    }`,
    below: [
      setting(label, features, "n", label, n, [0, sizes.length - 1], (n) => counted(sizes[n], "feature")),
      markup`<button type="button" aria-pressed="${`${!!divide}`}" ${
        sets({ divide: 1 - divide })
      }>Divide by \u221ad\u2096</button>`,
      held("divide", divide, "0|1"),
    ],
    says: `${counted(features, "feature")}${divide ? `, divided by \u221a${features}` : ""}: the scores are ${
      counted(score, "doubling")
    } apart, and the better key gets ${text[0]}.`,
  };
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { data, grab, set, state } = bindFigure(element, { first, html, idle });
  grab("[data-drag]", (pile, { clientY: start }) => {
    const name = pile.dataset.drag, from = Number(state()[name]);
    pile.parentElement?.querySelector("input")?.focus({ preventScroll: true }); // arrow keys go on from here
    return ({ clientY }) => {
      const to = from + Math.round((start - clientY) / NOTCH);
      set({ [name]: Math.min(Math.max(to, 0), data.most) });
    };
  });
}
