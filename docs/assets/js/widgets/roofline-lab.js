// <roofline-lab>: what a step or a prefill of a model moves and computes, under the roof of a machine.

import { bindFigure } from "../lib/bind.js";
import { choice, frame, setting, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { grouped } from "../lib/numbers.js";

/** @typedef {Record<string, number>} Model  sizes by name */
/** @typedef {{ name: string, peak: number, bandwidth: number, itemsize: number }} Machine  flops and bytes a second */
/**
 * How many texts, and tokens of each, at first, as exponents of 2; `ends` are the exponents that sliders reach.
 * @typedef {{ batch: number, context: number, ends: { batch: [number, number], context: [number, number] } }} Lengths
 * @typedef {{ id: string, title: string, model: Model, machines: Machine[] } & Lengths} Data
 */
/**
 * All but machine, pass and share are exponents of 2: how many texts, tokens of each, heads of keys, and rows of queries
 * that meet a key when it is read. The share of the peak that a kernel reaches is in twentieths.
 * @typedef {Record<"machine" | "batch" | "context" | "kv" | "block" | "share", number> & { pass: string }} State
 */
/** @typedef {{ flops: number, bytes: number, seconds: number, waits: string }} Part */
/** @typedef {import("../lib/frame.js").Live} Live */
/** @typedef {import("../lib/markup.js").Markup} Markup */

/** @type {(data: Data) => State} */
export const first = ({ model, batch, context }) => ({
  machine: 0,
  pass: "step",
  batch,
  context,
  kv: Math.log2(model.n_kv_heads),
  block: 7,
  share: 20,
});

/**
 * The matrices, attention, and both together, in a pass in which each text has 1 or n new tokens that attend to all n.
 * Attention reads its queries, writes its output, and reads the keys and values before it once for each block of rows,
 * in which the heads that share keys lie side by side; other activations are left out.
 * @type {(data: Data, state: State) => Record<"matrices" | "attention" | "together", Part>}
 */
export function compute({ model, machines }, state) {
  const { bandwidth, itemsize } = machines[state.machine];
  const peak = reached(machines, state);
  const [batch, n, shared] = [2 ** state.batch, 2 ** state.context, 2 ** state.kv];
  const added = state.pass === "prefill" ? n : 1;
  const heads = 2 * model.d_model * model.d_head * (model.n_heads + shared); // W_Q and W_O, W_K and W_V
  const layers = model.n_layers * (heads + 3 * model.d_model * model.d_ff);
  const output = model.d_model * model.n_vocabulary; // for the last token of each text
  const pairs = added === 1 ? n : n * (n + 1) / 2;
  const tokens = Math.min(n, 2 ** state.block * shared / model.n_heads); // in a block
  const keys = added === 1 ? n : n * (n / tokens + 1) / 2; // read for all blocks
  /** @type {(flops: number, bytes: number) => Part} */
  const part = (flops, bytes) => {
    const [arithmetic, memory] = [flops / peak, bytes / bandwidth];
    const waits = memory >= arithmetic ? "memory" : "arithmetic";
    return { flops, bytes, seconds: Math.max(arithmetic, memory), waits };
  };
  const matrices = part(2 * batch * (added * layers + output), itemsize * (layers + output));
  const attention = part(
    batch * model.n_layers * 4 * pairs * model.d_head * model.n_heads,
    2 * batch * model.n_layers * (keys * shared + added * model.n_heads) * model.d_head * itemsize,
  );
  const together = {
    flops: matrices.flops + attention.flops,
    bytes: matrices.bytes + attention.bytes,
    seconds: matrices.seconds + attention.seconds,
    waits: "",
  };
  return { matrices, attention, together };
}

/** @type {(data: Data, from: State, to: State) => string} */
export function idle(data, from, to) {
  const [before, after] = [from, to].map((state) => JSON.stringify(compute(data, state)));
  if (from.block === to.block || before !== after) return "";
  return to.pass === "step"
    ? "A step has one query of each text, so there are no blocks of queries: nothing changes."
    : "A block holds all queries of a text already: nothing changes.";
}

/** @type {(machines: Machine[], state: State) => number} */
const reached = (machines, state) => machines[state.machine].peak * state.share / 20;

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { model, machines, ends } = data;
  const { matrices, attention, together } = compute(data, state);
  const rows = markup`
<thead>
<tr><th scope="col">part</th><th scope="col">GB</th><th scope="col">flops a byte</th><th scope="col">time</th>
  <th scope="col">waits for</th></tr>
</thead>
<tbody>
${
    Object.entries({ matrices, attention }).map(([name, part]) =>
      markup`
<tr><th scope="row">
  <svg class="mark" viewBox="-10 -10 20 20" aria-hidden="true">${MARKS[name]}</svg> ${name}</th>${cells(part)}</tr>`
    )
  }
</tbody>
<tfoot><tr><th scope="row">together</th>${cells(together)}</tr></tfoot>`;
  /** @type {(k: number) => string} */
  const shared = (k) => `${2 ** k} for ${model.n_heads} query heads`;
  return frame(data, {
    ...prediction(data),
    controls: [
      choice("machine", "machine", machines.map(({ name }, i) => [i, name]), state.machine),
      choice("pass", "pass", [["step", "a step"], ["prefill", "the prefill"]], state.pass),
      setting("texts", grouped(2 ** state.batch), "batch", "texts", state.batch, ends.batch, texts),
      setting(
        "tokens of each",
        grouped(2 ** state.context),
        "context",
        "tokens of each",
        state.context,
        ends.context,
        (k) => `${grouped(2 ** k)} tokens`,
      ),
      setting("key heads", `${2 ** state.kv} of ${model.n_heads}`, "kv", "key heads", state.kv, [
        0,
        Math.log2(model.n_heads),
      ], shared),
      setting("query block", grouped(2 ** state.block), "block", "query block", state.block, [6, 12], rowsOf),
      setting("share of the peak", percent(state.share), "share", "share of the peak", state.share, [8, 20], shareOf),
    ],
    figure: [drawing(data, state), table("steps", data.title, rows)],
    says: statement(data, state),
  }, live);
}

/** @type {Record<string, Markup>} */
const MARKS = {
  matrices: markup`<circle class="of-matrices" r="7"/>`,
  attention: markup`<path class="of-attention" d="M0 -9L9 0 0 9 -9 0z"/>`,
};

/** @type {(part: Part) => Markup[]} */
const cells = ({ flops, bytes, seconds, waits }) =>
  [short(bytes / 1e9), waits && short(flops / bytes), duration(seconds), waits].map((cell) => markup`<td>${cell}</td>`);

/**
 * Three digits, and more only before the point.
 * @type {(x: number) => string}
 */
const short = (x) => x >= 100 ? grouped(Math.round(x)) : `${Number(x.toPrecision(3))}`;

/** @type {(s: number) => string} */
const duration = (s) => s < 1 ? `${short(1e3 * s)} ms` : `${short(s)} s`;

/** @type {(k: number) => string} */
const rowsOf = (k) => `${grouped(2 ** k)} rows of queries`;

/** @type {(twentieths: number) => string} */
const percent = (twentieths) => `${5 * twentieths}%`;

/** @type {(twentieths: number) => string} */
const shareOf = (twentieths) => `${percent(twentieths)} of the peak`;

/** @type {(k: number) => string} */
const texts = (k) => `${grouped(2 ** k)} text${k ? "s" : ""}`;

const [LEFT, RIGHT, TOP, BOTTOM] = [68, 462, 30, 300]; // the field of the drawing
const [FIRST, LAST, DECADES] = [-2, 18, 6.5]; // flops a byte as powers of 2, Gflop/s as powers of 10 from 0
const SPEEDS = ["1 G", "100 G", "10 T", "1000 T"];

/** @type {(intensity: number) => number} */
const across = (intensity) => within(LEFT, RIGHT, (Math.log2(intensity) - FIRST) / (LAST - FIRST));
/** @type {(speed: number) => number} */
const up = (speed) => within(BOTTOM, TOP, Math.log10(speed / 1e9) / DECADES);
/** @type {(from: number, to: number, part: number) => number} */
const within = (from, to, part) => Number((from + Math.min(Math.max(part, 0), 1) * (to - from)).toFixed(3));

/**
 * The roofs of all machines, and where the parts lie on that of the chosen one.
 * @type {(data: Data, state: State) => Markup}
 */
function drawing(data, state) {
  const { matrices, attention } = compute(data, state);
  const { bandwidth } = data.machines[state.machine];
  const peak = reached(data.machines, state);
  /** @type {(bandwidth: number, peak: number) => Markup} */
  const roof = (bandwidth, peak) =>
    markup`<path d="M${LEFT} ${up(bandwidth * 2 ** FIRST)}L${across(peak / bandwidth)} ${up(peak)}H${RIGHT}"/>`;
  const roofs = data.machines.map(({ name, peak, bandwidth }, i) =>
    markup`
<g class="roof" ${i === state.machine && "data-chosen"}>${roof(bandwidth, peak)}
  <text x="${RIGHT - 50 * (i % 2)}" y="${up(peak) - (i % 2 ? 1.5 : 3)}">${name}</text></g>`
  );
  const points = Object.entries({ matrices, attention }).map(([name, { flops, bytes }]) => {
    const speed = Math.min(peak, flops / bytes * bandwidth);
    return markup`<g class="${name}" transform="translate(${across(flops / bytes)} ${up(speed)})">${MARKS[name]}</g>`;
  });
  return markup`
<svg class="roofs" viewBox="0 0 470 352" role="img" aria-labelledby="${data.id}-drawing">
<title id="${data.id}-drawing">The roofs of the machines on logarithmic axes, and two points that lie on that of the
  chosen one: the matrices and attention</title>
<path class="axes" d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}"/>
${
    [0, 4, 8, 12, 16].map((k) =>
      markup`<text class="column" x="${across(2 ** k)}" y="${BOTTOM + 19}">${grouped(2 ** k)}</text>`
    )
  }
${SPEEDS.map((text, i) => markup`<text class="row" x="${LEFT - 7}" y="${up(10 ** (9 + 2 * i)) + 5}">${text}</text>`)}
<text class="column" x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 43}">flops a byte</text>
<text class="row" x="${LEFT - 7}" y="15">flop/s</text>
${roofs}
<g class="reached">${roof(bandwidth, peak)}</g>
<g class="ridge" transform="translate(${across(peak / bandwidth)} ${up(peak)})"><path d="M0 -8V8"/>
  <text x="6" y="21">ridge ${short(peak / bandwidth)}</text></g>
${points}
</svg>`;
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction(data) {
  const tokens = grouped(2 ** data.context);
  const [one, many] = [0, 6].map((batch) => compute(data, { ...first(data), batch }).together.seconds);
  return {
    question: `a server writes 64 texts of ${tokens} tokens side by side instead of one. By which factor does a step ` +
      `take longer on the ${data.machines[0].name}?`,
    answer: `By ${short(many / one)}. The matrices are read once, however many texts there are; each text adds a ` +
      `cache. One text takes ${duration(one)} a step, and 64 take ${duration(many)}, for 64 tokens instead of one.`,
  };
}

/** @type {(data: Data, state: State) => string} */
function statement(data, state) {
  const { matrices, attention, together } = compute(data, state);
  const [tokens, prefill] = [2 ** state.context, state.pass === "prefill"];
  const rate = short(2 ** state.batch * (prefill ? tokens : 1) / together.seconds);
  const waits = matrices.waits === attention.waits
    ? `Both parts wait for ${matrices.waits}.`
    : `The matrices wait for ${matrices.waits}, attention for ${attention.waits}.`;
  const share = state.share < 20 ? ` at ${percent(state.share)} of its peak` : "";
  return `${data.machines[state.machine].name}${share}: ${prefill ? "the prefill" : "a step"} for ${
    texts(state.batch)
  } of ` +
    `${grouped(tokens)} tokens takes ${duration(together.seconds)}, ${rate} tokens a second. ${waits}`;
}

/** @type {(element: HTMLElement) => unknown} */
export const bind = (element) => bindFigure(element, { first, html, idle });
