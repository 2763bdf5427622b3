// <blend-triangle>: three weights, by slider or by dragging the point, and the blend of three values.

import { blend } from "../lib/attention.js";
import { addForm, bindForm, dataOf, make, share, slider, vector } from "../lib/widget.js";

const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const normalised = (numbers) => numbers.map((x) => x / sum(numbers));

// The weights that put a point of the plane among three corners; outside, those of a point on the edge.
export function weightsAt(point, [a, b, c]) {
  const area = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
  const parts = [area(point, b, c), area(a, point, c), area(a, b, point)];
  return normalised(parts.map((part) => Math.max(0, part / area(a, b, c))));
}

// Whole shares of `most` that are nearest to the weights and add up to it.
export function wholeShares(weights, most) {
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
      const { names, values, shares, corners, most } = dataOf(this);
      const form = addForm(this);
      const svg = form.querySelector("svg");
      const point = svg.querySelector(".blend");
      const rows = [...form.querySelectorAll("tbody tr")];
      const error = make("span", { class: "error", id: `${this.id}-error`, role: "alert" });
      form.querySelector(".widget-controls").append("Drag the square, or move the sliders.", error);
      const fields = rows.map((row, i) => {
        const input = slider(`w${i}`, `share of ${names[i]}`, shares[i], 0, most);
        input.setAttribute("aria-describedby", error.id);
        row.querySelector(".score").replaceChildren(input, make("span", { class: "reading" }));
        return input;
      });

      bindForm(form, this.id, () => {
        const chosen = fields.map((field) => Number(field.value));
        const total = sum(chosen);
        error.textContent = total ? "" : "All shares are 0: there is nothing to divide. The weights stay as they were.";
        fields.forEach((field, i) => {
          field.setAttribute("aria-invalid", String(!total));
          rows[i].querySelector(".reading").textContent = chosen[i];
        });
        if (total) show(normalised(chosen), total);
      });

      function show(weights, total) {
        const output = vector(blend(weights, values));
        const [x, y] = blend(weights, corners);
        point.setAttribute("transform", `translate(${x} ${y})`);
        svg.querySelectorAll(".pull").forEach((line, i) => {
          line.setAttribute("x2", x);
          line.setAttribute("y2", y);
          line.style.setProperty("--w", weights[i]);
        });
        rows.forEach((row, i) => {
          row.querySelector(".weight").textContent = share(weights[i]);
          row.querySelector(".output").textContent = vector(values[i].map((v) => weights[i] * v));
        });
        form.querySelector(".total").textContent = total;
        form.querySelector("tfoot .output").textContent = output;
        const says = `${weights.map((w, i) => `${share(w)} ${vector(values[i])}`).join(" + ")} = ${output}`;
        svg.querySelector("desc").textContent = says;
        form.querySelector("output").textContent = says;
      }

      const drag = (event) => {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        wholeShares(weightsAt([x, y], corners), most).forEach((n, i) => (fields[i].value = n));
        form.dispatchEvent(new Event("input"));
      };
      point.addEventListener("pointerdown", (event) => {
        point.setPointerCapture(event.pointerId);
        event.preventDefault(); // no selection of text
      });
      point.addEventListener("pointermove", (event) => point.hasPointerCapture(event.pointerId) && drag(event));
      point.addEventListener("pointerup", () => form.dispatchEvent(new Event("change")));
    }
  },
);
