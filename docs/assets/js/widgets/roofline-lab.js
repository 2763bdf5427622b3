// <roofline-lab>: what a step or a prefill of a model moves and computes, under the roofs of a machine.

import { bindFigure } from "../lib/bind.js";
import { barCell, choice, frame, labelled, menu, setting, slider, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { grouped, short as coordinate } from "../lib/numbers.js";

/** @typedef {Record<string, number>} Model  sizes by name */
/**
 * Flops and bytes a second, from main memory and, where that is known, from L2.
 * @typedef {{ name: string, peak: number, bandwidth: number, itemsize: number, l2?: number }} Machine
 */
/**
 * How many texts, and tokens of each, at first, as exponents of 2; `ends` are the exponents that sliders reach.
 * @typedef {{ batch: number, context: number, ends: { batch: [number, number], context: [number, number] } }} Lengths
 * @typedef {{ id: string, title: string, model: Model, machines: Machine[] } & Lengths} Data
 */
/**
 * All but machine and pass are exponents of 2: how many texts, tokens of each, heads of keys, and rows of queries
 * that meet a key when it is read.
 * @typedef {Record<"machine" | "batch" | "context" | "kv" | "block", number> & { pass: string }} State
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
});

/**
 * The matrices, attention, and both together, in a pass in which each text has 1 or n new tokens that attend to all n.
 * Attention reads its queries, writes its output, and reads the keys and values before it once for each block of rows,
 * in which the heads that share keys lie side by side; other activations are left out. With an L2 all blocks read from
 * there, and main memory sends each key once.
 * @type {(data: Data, state: State) => Record<"matrices" | "attention" | "together", Part> & { cache: Part | null }}
 */
export function compute({ model, machines }, state) {
  const { peak, bandwidth, itemsize, l2 } = machines[state.machine];
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
  const flops = batch * model.n_layers * 4 * pairs * model.d_head * model.n_heads;
  /** @type {(keys: number) => number} */
  const moved = (keys) =>
    2 * batch * model.n_layers * (keys * shared + added * model.n_heads) * model.d_head * itemsize;
  const attention = part(flops, moved(l2 ? n : keys));
  const cache = l2 && keys > n ? { flops, bytes: moved(keys), seconds: moved(keys) / l2, waits: "" } : null;
  if (cache && cache.seconds > attention.seconds) Object.assign(attention, { seconds: cache.seconds, waits: "L2" });
  const together = {
    flops: matrices.flops + attention.flops,
    bytes: matrices.bytes + attention.bytes,
    seconds: matrices.seconds + attention.seconds,
    waits: "",
  };
  return { matrices, attention, cache, together };
}

/** @type {(data: Data, from: State, to: State) => string} */
export function idle(data, from, to) {
  const [before, after] = [from, to].map((state) => JSON.stringify(compute(data, state)));
  if (from.block === to.block || before !== after) return "";
  return to.pass === "step"
    ? "A step has one query of each text, so there are no blocks of queries: nothing changes."
    : "A block holds all queries of a text already: nothing changes.";
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { model, machines, ends } = data;
  const { together, ...parts } = compute(data, state);
  /** @type {(part: Part) => Markup} */
  const cells = ({ flops, bytes, seconds, waits }) =>
    markup`
<td>${short(bytes / 1e9)}</td><td>${seconds < together.seconds && short(flops / bytes)}</td>
${barCell(seconds / together.seconds, duration(seconds))}<td>${waits}</td>`;
  const rows = markup`
<thead>
<tr><th scope="col">part</th><th scope="col">GB</th><th scope="col">flops a byte</th><th scope="col">time</th>
  <th scope="col">waits for</th></tr>
</thead>
<tbody>
${
    Object.entries(parts).map(([name, part]) =>
      part && markup`
<tr><th scope="row">
  <svg class="mark" viewBox="-10 -10 20 20" aria-hidden="true">${MARKS[name]}</svg> ${NAMES[name] ?? name}</th>${
        cells(part)
      }</tr>`
    )
  }
</tbody>
<tfoot><tr><th scope="row">together</th>${cells(together)}</tr></tfoot>`;
  const { batch, context, kv, block } = state;
  const heads = model.n_heads;
  return frame(data, {
    ...prediction(data),
    figure: [
      markup`
<div class="two-layouts">
${Object.keys(LAYOUTS).map((kind) => drawing(data, state, kind, live))}
${live && slider("batch", "texts", batch, ends.batch, texts)}
</div>`,
      table("steps", data.title, rows),
    ],
    below: [
      labelled("machine", menu("machine", "machine", machines.map(({ name }, i) => [i, name]), state.machine)),
      choice("pass", "pass", [["step", "a step"], ["prefill", "the prefill"]], state.pass),
      setting(
        "tokens of each",
        grouped(2 ** context),
        "context",
        "tokens of each",
        context,
        ends.context,
        many("token"),
      ),
      setting("key heads", `${2 ** kv} of ${heads}`, "kv", "key heads", kv, [0, Math.log2(heads)], many("key head")),
      setting("query block", grouped(2 ** block), "block", "query block", block, [6, 12], many("row")),
    ],
    says: statement(data, state),
  }, live);
}

/** @type {Record<string, Markup>} */
const MARKS = {
  matrices: markup`<circle class="of-matrices" r="7"/>`,
  attention: markup`<path class="of-attention" d="M0 -9L9 0 0 9 -9 0z"/>`,
  cache: markup`<path class="of-cache" d="M0 -8L8 0 0 8 -8 0z"/>`,
};
/** @type {Record<string, string>} */
const NAMES = { cache: "from L2" };

/**
 * Three digits, and more only before the point, up to a million.
 * @type {(x: number) => string}
 */
const short = (x) =>
  x >= 1e6 ? `${short(x / 1e6)} M` : x >= 100 ? grouped(Math.round(x)) : `${Number(x.toPrecision(3))}`;

/** @type {(s: number) => string} */
const duration = (s) => s < 1 ? `${short(1e3 * s)} ms` : `${short(s)} s`;

/** @type {(noun: string) => (k: number) => string} how many an exponent stands for */
const many = (noun) => (k) => `${grouped(2 ** k)} ${noun}${k ? "s" : ""}`;
const texts = many("text");

/** @type {Record<string, [number, number]>} width and the height of the field, of which a style sheet shows one */
const LAYOUTS = { wide: [748, 330], narrow: [358, 264] };
const [LEFT, TOP] = [58, 28]; // of the field
const [FIRST, LAST, DECADES] = [-2, 18, 6.5]; // flops a byte as powers of 2, Gflop/s as powers of 10 from 0
const SPEEDS = ["1 G", "100 G", "10 T", "1000 T"];

const within = (/** @type {number} */ part) => Math.min(Math.max(part, 0), 1);
/** @type {(intensity: number) => number} how far to the right, as a part of the field */
const across = (intensity) => within((Math.log2(intensity) - FIRST) / (LAST - FIRST));

/**
 * The roofs of all machines, and where the parts lie on that of the chosen one.
 * @type {(data: Data, state: State, kind: string, live: Live | null) => Markup}
 */
function drawing(data, state, kind, live) {
  const [width, high] = LAYOUTS[kind];
  const [wide, bottom, right] = [width - LEFT - 10, TOP + high, width - 10];
  const x = (/** @type {number} */ intensity) => coordinate(LEFT + across(intensity) * wide);
  const y = (/** @type {number} */ speed) => coordinate(bottom - within(Math.log10(speed / 1e9) / DECADES) * high);
  const chosen = data.machines[state.machine];
  const { bandwidth, peak, l2 } = chosen;
  /** @type {(bandwidth: number, peak: number) => Markup} */
  const roof = (bandwidth, peak) =>
    markup`<path d="M${LEFT} ${y(bandwidth * 2 ** FIRST)}L${x(peak / bandwidth)} ${y(peak)}H${right}"/>`;
  const { matrices, attention, cache } = compute(data, state);
  const points = Object.entries({ cache, attention, matrices }).map(([name, part]) => {
    if (!part) return "";
    const { flops, bytes } = part;
    const [at, grip] = [x(flops / bytes), name === "matrices"];
    const on = y(flops / (grip ? matrices : attention).seconds);
    const [above, far] = grip ? [24, at > right - 150] : [-13, at > LEFT + 90];
    const text = grip ? `${name}, ${texts(state.batch)}` : NAMES[name] ?? name;
    return markup`
<g class="${name}" ${grip && live && "data-grip"} transform="translate(${at} ${on})">
  ${grip && live && markup`<circle class="hit" r="24"/><path class="ways" d="M-14-5l-5 5 5 5M14-5l5 5-5 5"/>`}
  ${MARKS[name]}<text x="${far ? -12 : 12}" y="${above}" ${far && "data-far"}>${text}</text></g>`;
  });
  const ridge = x(peak / bandwidth);
  /** @type {(one: Machine) => string} the names of all machines with this peak, once if one of them is chosen */
  const label = (one) =>
    one !== chosen && one.peak === chosen.peak
      ? ""
      : data.machines.filter(({ peak }) => peak === one.peak).map(({ name }) => name).join(", ");
  return markup`
<svg class="roofs ${kind}" viewBox="0 0 ${width} ${bottom + 70}" role="img" aria-labelledby="${data.id}-${kind}">
<title id="${data.id}-${kind}">The roofs of the machines on logarithmic axes, and two points that lie on that of the
  chosen one: the matrices and attention</title>
<path class="axes" d="M${LEFT} ${TOP}V${bottom}H${right}"/>
${
    [0, 4, 8, 12, 16].map((k) =>
      markup`<text class="column" x="${x(2 ** k)}" y="${bottom + 19}">${grouped(2 ** k)}</text>`
    )
  }
${SPEEDS.map((text, i) => markup`<text class="row" x="${LEFT - 7}" y="${y(10 ** (9 + 2 * i)) + 5}">${text}</text>`)}
<text class="row" x="${LEFT - 7}" y="14">flop/s</text>
<g class="ridge"><path d="M${ridge} ${y(peak)}V${bottom + 46}"/>
  <text class="row" x="${ridge - 8}" y="${bottom + 42}">\u2190 waits for memory</text>
  <text x="${ridge + 8}" y="${bottom + 42}">${kind === "wide" && "waits for "}arithmetic \u2192</text>
  <text class="column" x="${ridge}" y="${bottom + 63}">ridge: ${short(peak / bandwidth)} flops a byte</text></g>
<g class="reached">${roof(bandwidth, peak)}</g>
${l2 ? markup`<g class="roof l2">${roof(l2, peak)}<text x="${x(2)}" y="${y(4 * l2)}">L2</text></g>` : null}
${
    data.machines.map((one) =>
      markup`
<g class="roof" ${one === chosen && "data-chosen"}>${roof(one.bandwidth, one.peak)}
  <text x="${right - 8}" y="${y(one.peak) + 4.5}">${label(one)}</text></g>`
    )
  }
${points}
</svg>`;
}

/** @type {(data: Data, state: State) => number} where the matrices lie, as a part of the field */
function placed(data, state) {
  const { flops, bytes } = compute(data, state).matrices;
  return across(flops / bytes);
}

/** @type {(data: Data, state: State, part: number) => number} the exponent of texts that brings them nearest to a part */
export function nearest(data, state, part) {
  const counts = [...Array(data.ends.batch[1] + 1).keys()];
  const far = counts.map((batch) => Math.abs(placed(data, { ...state, batch }) - part));
  return far.indexOf(Math.min(...far));
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
  const what = `${prefill ? "the prefill" : "a step"} for ${texts(state.batch)} of ${grouped(tokens)} tokens`;
  return `${data.machines[state.machine].name}: ${what} takes ${duration(together.seconds)}, ` +
    `${rate} tokens a second. ${waits}`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { data, form, grab, set, state } = bindFigure(element, { first, html, idle });
  grab("[data-grip]", (held, { clientX: from }) => {
    const [start, at] = [state(), placed(data, /** @type {any} */ (state()))];
    const field = held.parentElement?.querySelector(".axes")?.getBoundingClientRect().width ?? 1;
    form.querySelector("input")?.focus({ preventScroll: true }); // arrow keys go on from here
    return ({ clientX }) => set({ batch: nearest(data, /** @type {any} */ (start), at + (clientX - from) / field) });
  });
}
