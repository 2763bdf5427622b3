// <blend-triangle>: three weights, by slider or by dragging the point, and the blend of three values.

import { blend, sum } from "../lib/attention.js";
import { counted, share, vector } from "../lib/numbers.js";
import { addForm, bindForm, dataOf, find, findAll, make, reading, slider } from "../lib/widget.js";

/** @typedef {{ names: string[], values: number[][], shares: number[], corners: number[][], most: number }} Data */

/** @type {(numbers: number[]) => number[]} */
const normalised = (numbers) => numbers.map((x) => x / sum(numbers));

/**
 * The weights that put a point of the plane among three corners; outside, those of a point on the edge.
 * @type {(point: number[], corners: number[][]) => number[]}
 */
function weightsAt(point, [a, b, c]) {
  /** @type {(p: number[], q: number[], r: number[]) => number} */
  const area = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
  const parts = [area(point, b, c), area(a, point, c), area(a, b, point)];
  return normalised(parts.map((part) => Math.max(0, part / area(a, b, c))));
}

/**
 * Whole shares of `most` that are nearest to the weights and add up to it.
 * @type {(weights: number[], most: number) => number[]}
 */
function wholeShares(weights, most) {
  const exact = weights.map((w) => w * most);
  const shares = exact.map(Math.floor);
  const byRest = [0, 1, 2].sort((i, j) => exact[j] - shares[j] - (exact[i] - shares[i]));
  for (const i of byRest.slice(0, most - sum(shares))) shares[i] += 1;
  return shares;
}

customElements.define(
  "blend-triangle",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { names, values, shares, corners, most } = dataOf(this);
      const form = addForm(this);
      const svg = /** @type {SVGSVGElement} */ (form.querySelector("svg"));
      const point = find(svg, ".blend");
      const rows = findAll(form, "tbody tr");
      const error = make("span", { class: "error", id: `${this.id}-error`, role: "alert" });
      find(form, ".widget-controls").append("Drag the square, or move the sliders.", error);
      const fields = rows.map((row, i) => {
        const input = slider(`w${i}`, `share of ${names[i]}`, shares[i], 0, most, (n) => counted(n, "part"));
        input.setAttribute("aria-describedby", error.id);
        find(row, ".score").replaceChildren(input, reading());
        return input;
      });

      bindForm(form, this.id, () => {
        const chosen = fields.map((field) => field.valueAsNumber);
        const total = sum(chosen);
        error.textContent = total ? "" : "All shares are 0: there is nothing to divide. The weights stay as they were.";
        fields.forEach((field, i) => {
          field.setAttribute("aria-invalid", `${!total}`);
          find(rows[i], ".reading").textContent = field.value;
        });
        find(form, ".total").textContent = `${total}`;
        if (total) show(normalised(chosen));
      });

      /** @type {(weights: number[]) => void} */
      function show(weights) {
        const output = vector(blend(weights, values));
        const [x, y] = blend(weights, corners);
        point.setAttribute("transform", `translate(${x} ${y})`);
        findAll(svg, ".pull").forEach((line, i) => {
          line.setAttribute("x2", `${x}`);
          line.setAttribute("y2", `${y}`);
          line.style.setProperty("--w", `${weights[i]}`);
        });
        rows.forEach((row, i) => {
          find(row, ".weight").textContent = share(weights[i]);
          find(row, ".output").textContent = vector(values[i].map((v) => weights[i] * v));
        });
        find(form, "tfoot .output").textContent = output;
        const says = `${weights.map((w, i) => `${share(w)} ${vector(values[i])}`).join(" + ")} = ${output}`;
        find(svg, "desc").textContent = says;
        find(form, "output").textContent = says;
      }

      /** @type {(event: PointerEvent) => void} */
      const drag = (event) => {
        if (!point.hasPointerCapture(event.pointerId)) return;
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()?.inverse());
        wholeShares(weightsAt([x, y], corners), most).forEach((n, i) => (fields[i].valueAsNumber = n));
        form.dispatchEvent(new Event("input"));
      };
      point.addEventListener("pointerdown", (event) => {
        point.setPointerCapture(event.pointerId);
        event.preventDefault(); // no selection of text
      });
      point.addEventListener("pointermove", drag);
      point.addEventListener("pointerup", () => form.dispatchEvent(new Event("change")));
    }
  },
);
