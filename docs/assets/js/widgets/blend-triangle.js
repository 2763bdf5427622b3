// <blend-triangle>: three weights, by slider or by dragging the point, and the blend of three values.

import { blend, sum } from "../lib/attention.js";
import { bindFigure } from "../lib/bind.js";
import { frame, reading, slider, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";
import { counted, share, vector } from "../lib/numbers.js";

/** @typedef {{ names: string[], axes: string[], values: number[][], shares: number[], most: number }} Three */
/** @typedef {Three & { id: string, title: string }} Data */
/** @typedef {{ w0: number, w1: number, w2: number }} State  the shares */
/** @typedef {import("../lib/frame.js").Live} Live */

const SIDE = 240; // of the drawing, in its own units
const NOTHING = "All shares are 0: there is nothing to divide, and no blend.";

/** @type {(data: Data) => State} */
export const first = ({ shares: [w0, w1, w2] }) => ({ w0, w1, w2 });

/**
 * No weights if all shares are 0; the corners of the drawing and the point among them.
 * @type {(data: Data, state: State) => { weights: number[], output: number[], corners: number[][], point: number[] } | null}
 */
export function compute({ values }, { w0, w1, w2 }) {
  const weights = normalised([w0, w1, w2]);
  const corners = cornersOf(values);
  return w0 || w1 || w2 ? { weights, output: blend(weights, values), corners, point: blend(weights, corners) } : null;
}

/** @type {(numbers: number[]) => number[]} */
const normalised = (numbers) => numbers.map((x) => x / sum(numbers));

/**
 * Place the values in the drawing: the smallest of each feature at 0, the second feature upwards.
 * @type {(values: number[][]) => number[][]}
 */
function cornersOf(values) {
  const [xs, ys] = [0, 1].map((axis) => values.map((value) => value[axis]));
  const [left, low] = [Math.min(...xs), Math.min(...ys)];
  const unit = SIDE / Math.max(Math.max(...xs) - left, Math.max(...ys) - low);
  return values.map(([x, y]) => [(x - left) * unit, (low - y) * unit + 0]); // no -0
}

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, names, values, most } = data;
  const made = compute(data, state);
  const shares = [state.w0, state.w1, state.w2];
  const rows = names.map((name, i) =>
    markup`
<tr><th scope="row">${name}</th><td class="value">${vector(values[i])}</td>
  <td class="score">${
      live
        ? [slider(`w${i}`, `share of ${name}`, shares[i], [0, most], (n) => counted(n, "part")), reading(shares[i])]
        : shares[i]
    }</td>
  <td class="weight">${made ? share(made.weights[i]) : "none"}</td>
  <td class="output">${made ? vector(values[i].map((x) => made.weights[i] * x)) : "none"}</td></tr>`
  );
  const body = markup`
<thead>
<tr><th scope="col">name</th><th scope="col" class="value">value</th><th scope="col">share</th>
  <th scope="col">weight</th><th scope="col" class="output">weight × value</th></tr>
</thead>
<tbody>
${rows}
</tbody>
<tfoot>
<tr><th scope="row">sum</th><td></td><td class="total">${sum(shares)}</td><td>${made ? 1 : "none"}</td>
  <td class="output">${made ? vector(made.output) : "none"}</td></tr>
</tfoot>`;
  const says = made ? statement(data, made) : NOTHING;
  return frame(data, {
    question: "can three weights bring the point out of the triangle?",
    answer:
      "No. Weights are never negative and add up to 1, so the blend lies between the values: inside, or on an edge " +
      "if a weight is 0, or at a corner if two are.",
    controls: "Drag the square, or move the sliders.",
    figure: [drawing(data, made, says), table("steps", title, body)],
    says,
  }, live);
}

/** @type {(data: Data, made: ReturnType<typeof compute>, says: string) => import("../lib/markup.js").Markup} */
function drawing({ id, title, names, axes, values }, made, says) {
  const corners = cornersOf(values);
  const [right, top] = [Math.max(...corners.map(([x]) => x)), Math.min(...corners.map(([, y]) => y))];
  const middle = sum(corners.map(([, y]) => y)) / 3;
  const point = made && markup`
${
    corners.map(([x, y], i) =>
      markup`<line class="pull" x1="${x}" y1="${y}" x2="${made.point[0]}" y2="${made.point[1]}"
        style="--w:${made.weights[i]}"/>`
    )
  }`;
  return markup`
<svg class="triangle" viewBox="-45 ${top - 30} ${right + 90} ${80 - top}" role="img"
  aria-labelledby="${id}-drawing" aria-describedby="${id}-desc">
<title id="${id}-drawing">${title}</title>
<desc id="${id}-desc">${says}</desc>
<path class="axes" d="M0 ${top} V0 H${right}"/>
<text class="axis" x="${right / 2}" y="42">${axes[0]}</text>
<text class="axis" transform="translate(-14 ${top / 2}) rotate(-90)">${axes[1]}</text>
<polygon points="${corners.map(([x, y]) => `${x},${y}`).join(" ")}"/>
${point}
${
    corners.map(([x, y], i) =>
      markup`
<circle class="corner" cx="${x}" cy="${y}" r="5"/>
  <text x="${x}" y="${y + (y > middle ? 20 : -12)}">${names[i]} ${vector(values[i])}</text>`
    )
  }
${
    made && markup`
<g class="blend" transform="translate(${made.point[0]} ${made.point[1]})">
  <circle r="24"/><rect x="-7" y="-7" width="14" height="14"/></g>`
  }
</svg>`;
}

/** @type {(data: Data, made: { weights: number[], output: number[] }) => string} */
const statement = ({ values }, { weights, output }) =>
  `${weights.map((w, i) => `${share(w)} ${vector(values[i])}`).join(" + ")} = ${vector(output)}`;

/**
 * The whole shares of `most` nearest to the weights that put a point among three corners, or on the edge next to it.
 * @type {(point: number[], corners: number[][], most: number) => number[]}
 */
export function sharesAt(point, [a, b, c], most) {
  /** @type {(p: number[], q: number[], r: number[]) => number} */
  const area = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
  const parts = [area(point, b, c), area(a, point, c), area(a, b, point)];
  const exact = normalised(parts.map((part) => Math.max(0, part / area(a, b, c)))).map((w) => w * most);
  const shares = exact.map(Math.floor);
  const byRest = [0, 1, 2].sort((i, j) => exact[j] - shares[j] - (exact[i] - shares[i]));
  for (const i of byRest.slice(0, most - sum(shares))) shares[i] += 1; // so that they add up
  return shares;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { form, data, set, settle } = bindFigure(element, { first, html });
  const svg = /** @type {SVGSVGElement} */ (form.querySelector("svg"));
  const corners = cornersOf(data.values);
  svg.addEventListener("pointerdown", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest(".blend")) return;
    svg.setPointerCapture(event.pointerId);
    event.preventDefault(); // no selection of text
  });
  svg.addEventListener("pointermove", (event) => {
    if (!svg.hasPointerCapture(event.pointerId)) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()?.inverse());
    const [w0, w1, w2] = sharesAt([x, y], corners, data.most);
    set({ w0, w1, w2 });
  });
  svg.addEventListener("pointerup", settle);
}
