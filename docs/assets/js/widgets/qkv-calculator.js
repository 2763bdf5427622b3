// <qkv-calculator>: attention on paper. Every number of q, k and v becomes a field, and the four steps follow.
// The texts are those that the build writes. Queries are in doublings, and so are scores.

import { attentionScores, blend, softmax, sum } from "../lib/attention.js";
import { counted, fraction, largestFirst, number, share, vector } from "../lib/numbers.js";
import { addForm, bindForm, choice, dataOf, find, findAll, group, labelled } from "../lib/widget.js";
import { make, numberField, slider, typed } from "../lib/widget.js";

/** @typedef {{ words: string[], query: number, q: number[][], k: number[][], v: number[][] }} Data */

/**
 * The fields of a matrix, its last good numbers, and where to say what is wrong with a field.
 * @typedef {{ fields: HTMLInputElement[][], numbers: number[][], error: HTMLElement }} Matrix
 */

const LIMIT = 100;

/**
 * Take the good numbers of a matrix; of what cannot be read the last good one stays. It is told under the matrix, but
 * not while somebody is typing: 1/ may become 1/2.
 * @type {(matrix: Matrix, resting: boolean) => void}
 */
function read({ fields, numbers, error }, resting) {
  /** @type {string[]} */
  const bad = [];
  fields.forEach((row, i) =>
    row.forEach((field, j) => {
      const x = typed(field);
      if (typeof x === "number") numbers[i][j] = x;
      else bad.push(`${field.ariaLabel}: ${x}`);
      if (resting || typeof x === "number") field.setAttribute("aria-invalid", `${typeof x === "string"}`);
    })
  );
  const text = bad.join(" ");
  if ((resting || !text) && error.textContent !== text) error.textContent = text; // an alert speaks once
}

/** @type {(doublings: number[]) => number[]} */
const shares = (doublings) => softmax(doublings.map((score) => score * Math.LN2));

/** @type {(x: number) => string} */
const factor = (x) => (x < 0 ? `(${number(x)})` : number(x));

/** @type {(a: number[], b: number[]) => string} */
const product = (a, b) => a.map((x, i) => `${factor(x)}·${factor(b[i])}`).join(" + ");

/** @type {(more: number) => string} */
const added = (more) => (more ? ` ${more < 0 ? "\u2212" : "+"} ${Math.abs(more)}` : "");

/**
 * " = 8", or nothing where the number is too large or too small to be read.
 * @type {(power: number) => string}
 */
const written = (power) => (power >= 0.001 && power < 1e6 ? ` = ${number(power)}` : "");

/** @type {(power: number, total: number, weight: number) => string} */
function quotient(power, total, weight) {
  const parts = `${number(power)}/${number(total)}`;
  const whole = [power, total].every((x) => Number.isInteger(x) && written(x));
  return whole && parts !== fraction(weight) ? `${parts} = ${share(weight)}` : share(weight);
}

customElements.define(
  "qkv-calculator",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { words, query, q, k, v } = dataOf(this);
      const output = find(this, "output");
      const lanes = /** @type {HTMLTableRowElement[]} */ (findAll(this, ".lanes tbody tr"));
      const sums = findAll(this, ".lanes tfoot td");
      const sliders = words.map((word, i) =>
        slider(`more${i}`, `more for ${word}`, 0, -4, 4, (n) => counted(n, "doubling"))
      );
      const readings = words.map(() => make("span", { class: "more" }));
      const labels = words.map((word, i) => labelled(word, sliders[i], readings[i]));
      const asks = choice("Who asks?", "asks", words.map((word, i) => [i, word]), query);
      const form = addForm(this, asks, group("More doublings", ...labels));
      const matrices = Object.entries({ query: q, key: k, value: v }).map(([role, numbers]) =>
        edit(/** @type {HTMLTableElement} */ (find(this, `.matrix[data-role=${role}]`)), role[0], numbers)
      );
      const asking = findAll(this, "[data-role=query] tbody tr");
      bindForm(form, this.id, (values, resting) => show(Number(values.asks), resting));

      /**
       * Turn the numbers of a matrix into fields.
       * @type {(table: HTMLTableElement, name: string, numbers: number[][]) => Matrix}
       */
      function edit(table, name, numbers) {
        const features = findAll(table, "thead th").map((cell) => cell.textContent);
        const error = make("p", { class: "error", id: `${form.parentElement?.id}-${name}-error`, role: "alert" });
        const fields = [...table.tBodies[0].rows].map((row, i) =>
          numbers[i].map((value, j) => {
            const about = `${name} of ${words[i]}, ${features[j]}`;
            const field = numberField(`${name}${i}${j}`, about, value, -LIMIT, LIMIT);
            field.setAttribute("aria-describedby", error.id);
            row.cells[j + 1].replaceChildren(field);
            return field;
          })
        );
        const box = make("div");
        table.replaceWith(box);
        box.append(table, error);
        return { fields, numbers, error };
      }

      /** @type {(asks: number, resting: boolean) => void} */
      function show(asks, resting) {
        for (const matrix of matrices) read(matrix, resting);
        const more = sliders.map((slider) => slider.valueAsNumber);
        const products = attentionScores([q[asks]], k, 1)[0];
        const plain = attentionScores([q[asks]], k)[0];
        const scores = plain.map((score, j) => score + more[j]);
        const weights = shares(scores);
        const powers = scores.map((score) => 2 ** score);
        const total = sum(powers);
        const result = vector(blend(weights, v));
        lanes.forEach(({ cells }, j) => {
          cells[1].textContent = `${product(q[asks], k[j])} = ${number(products[j])}`;
          cells[2].textContent = `${number(products[j])}/√${k[j].length}${added(more[j])} = ${number(scores[j])}`;
          cells[3].replaceChildren("2", make("sup", {}, number(scores[j])), written(powers[j]));
          cells[4].style.setProperty("--w", `${weights[j]}`);
          find(cells[4], ":scope > :last-child").textContent = quotient(powers[j], total, weights[j]);
          cells[5].textContent = vector(v[j].map((x) => weights[j] * x));
        });
        sums[2].textContent = written(total).slice(3);
        sums[4].textContent = result;
        asking.forEach((row, i) => row.toggleAttribute("data-chosen", i === asks));
        readings.forEach((reading, j) => (reading.textContent = added(more[j]) || "0"));
        output.textContent = `${words[asks]}: ${list(weights)}; sum 1; output ${result}`;
        if (more.some(Boolean)) output.append(compare(plain, more));
      }

      /**
       * cat 4/7, that 2/7, dog 1/7
       * @type {(weights: number[]) => string}
       */
      function list(weights) {
        return largestFirst(weights).map((j) => `${words[j]} ${share(weights[j])}`).join(", ");
      }

      /**
       * What the sliders changed, and what they did not: the ratio of words whose scores stay.
       * @type {(plain: number[], more: number[]) => string}
       */
      function compare(plain, more) {
        const [a, b] = [...plain.keys()].filter((j) => more[j] === 0).sort((i, j) => plain[j] - plain[i]);
        const ratio = written(2 ** (plain[a] - plain[b])).slice(3);
        const stays = ratio ? ` ${words[a]} : ${words[b]} stays ${ratio} : 1.` : "";
        return `. Without the extra doublings: ${list(shares(plain))}.${stays}`;
      }
    }
  },
);
