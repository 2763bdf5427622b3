// Attention on paper: every number of q, k and v becomes a field, and the four steps follow.
// The texts are those of docs_ext/calculator.py. Queries are in units of ln 2, so scores count doublings.

import { attentionScores, blend, softmax } from "../lib/attention.js";
import { addForm, bindForm, dataOf, fraction, labelled, make, number, share, slider, vector } from "../lib/widget.js";

const LIMIT = 100;

class QkvCalculator extends HTMLElement {
  connectedCallback() {
    if (this.numbers) return; // moved, not new
    const { words, query, ...numbers } = dataOf(this);
    this.words = words;
    this.numbers = numbers; // the last good ones
    this.output = this.querySelector("output");
    this.lanes = [...this.querySelectorAll(".lanes tbody tr")];
    const asks = words.map((word, i) => labelled("", make("input", { type: "radio", name: "asks", value: i }), word));
    asks[query].querySelector("input").defaultChecked = true;
    this.more = words.map((word, i) => slider(`more${i}`, `${word}, more doublings`, 0, -4, 4));
    const more = words.map((word, i) => labelled(word, this.more[i], make("span", { class: "more" })));
    const form = addForm(this, group("Who asks?", asks), group("More doublings", more));
    this.matrices = [...this.querySelectorAll(".matrix")].map((table) => this.edit(table, table.dataset.role[0]));
    bindForm(form, this.id, ({ asks }) => this.show(Number(asks)));
  }

  // Turn the numbers of a matrix into fields; what is wrong with one is said under its matrix.
  edit(table, name) {
    const features = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
    const error = make("p", { class: "error", id: `${this.id}-${name}-error`, role: "alert" });
    const fields = [...table.tBodies[0].rows].map((row, i) =>
      features.map((feature, j) => {
        const field = make("input", {
          type: "number", step: "any", min: -LIMIT, max: LIMIT,
          name: `${name}${i}${j}`, value: this.numbers[name][i][j],
          "aria-label": `${name} of ${this.words[i]}, ${feature}`, "aria-describedby": error.id,
        });
        row.cells[j + 1].replaceChildren(field);
        return field;
      }),
    );
    const box = make("div");
    table.replaceWith(box);
    box.append(table, error);
    return { fields, error, numbers: this.numbers[name] };
  }

  // Take the good numbers of a matrix. Of a bad one say so; the last good one stays.
  read({ fields, error, numbers }) {
    const bad = [];
    fields.forEach((row, i) => row.forEach((field, j) => {
      const good = Math.abs(field.valueAsNumber) <= LIMIT; // false for what is not a number
      if (good) numbers[i][j] = field.valueAsNumber;
      else bad.push(field.getAttribute("aria-label"));
      field.setAttribute("aria-invalid", !good);
    }));
    const text = bad.length ? `${bad.join("; ")}: type a number from \u2212${LIMIT} to ${LIMIT}.` : "";
    if (error.textContent !== text) error.textContent = text; // an alert speaks once
  }

  show(asks) {
    this.matrices.forEach((matrix) => this.read(matrix));
    const { q, k, v } = this.numbers;
    const more = this.more.map((slider) => slider.valueAsNumber);
    const products = attentionScores([q[asks]], k, 1)[0];
    const plain = attentionScores([q[asks]], k)[0];
    const scores = plain.map((score, j) => score + more[j]);
    const weights = shares(scores);
    const powers = scores.map((score) => 2 ** score);
    const total = powers.reduce((sum, power) => sum + power, 0);
    const output = vector(blend(weights, v));
    this.lanes.forEach(({ cells }, j) => {
      cells[1].textContent = `${dot(q[asks], k[j])} = ${number(products[j])}`;
      cells[2].textContent = `${number(products[j])}/√${k[j].length}${added(more[j])} = ${number(scores[j])}`;
      cells[3].replaceChildren("2", make("sup", {}, number(scores[j])), written(powers[j]));
      cells[4].style.setProperty("--w", weights[j]);
      cells[4].lastElementChild.textContent = quotient(powers[j], total, weights[j]);
      cells[5].textContent = vector(v[j].map((x) => weights[j] * x));
    });
    const sums = this.querySelectorAll(".lanes tfoot td");
    sums[2].textContent = written(total).slice(3);
    sums[4].textContent = output;
    this.querySelectorAll("[data-role=query] tbody tr").forEach((row, i) => row.toggleAttribute("data-chosen", i === asks));
    this.more.forEach((slider, j) => (slider.nextElementSibling.textContent = added(more[j]) || "0"));
    this.output.textContent = `${this.words[asks]}: ${this.list(weights)}; sum 1; output ${output}`;
    if (more.some(Boolean)) this.output.append(this.compare(plain, more));
  }

  // cat 4/7, that 2/7, dog 1/7
  list(weights) {
    const rounded = weights.map((weight) => Number(weight.toFixed(12))); // ties keep the order of the words
    const order = [...weights.keys()].sort((a, b) => rounded[b] - rounded[a]);
    return order.map((j) => `${this.words[j]} ${share(weights[j])}`).join(", ");
  }

  // What the sliders changed, and what they did not: the ratio of words whose scores stay.
  compare(plain, more) {
    const [a, b] = [...plain.keys()].filter((j) => more[j] === 0).sort((i, j) => plain[j] - plain[i]);
    const ratio = written(2 ** (plain[a] - plain[b])).slice(3);
    const stays = ratio ? ` ${this.words[a]} : ${this.words[b]} stays ${ratio} : 1.` : "";
    return `. Without the extra doublings: ${this.list(shares(plain))}.${stays}`;
  }
}

const group = (legend, labels) => make("fieldset", {}, make("legend", {}, legend), ...labels);
const shares = (doublings) => softmax(doublings.map((score) => score * Math.LN2));
const factor = (x) => (x < 0 ? `(${number(x)})` : number(x));
const dot = (a, b) => a.map((x, i) => `${factor(x)}·${factor(b[i])}`).join(" + ");
const added = (more) => (more ? ` ${more < 0 ? "\u2212" : "+"} ${Math.abs(more)}` : "");
const written = (power) => (power >= 0.001 && power < 1e6 ? ` = ${number(power)}` : ""); // neither too large nor too small

function quotient(power, total, weight) {
  const parts = `${number(power)}/${number(total)}`;
  const whole = [power, total].every((x) => Number.isInteger(x) && written(x));
  return whole && parts !== fraction(weight) ? `${parts} = ${share(weight)}` : share(weight);
}

customElements.define("qkv-calculator", QkvCalculator);
