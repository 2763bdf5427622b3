// <quiz-question>: a question whose answers are folded below it. With a script it can be answered, and the page counts.

import { readAnswers, score, store } from "../lib/answers.js";
import { readNumbers } from "../lib/numbers.js";
import { button, find, findAll, make } from "../lib/widget.js";

const questions = () => [...document.querySelectorAll("quiz-question")].filter((one) => one instanceof QuizQuestion);

/** @type {() => import("../lib/answers.js").Page} */
function readPage() {
  const page = readAnswers()[location.pathname] ?? { first: [], chosen: {} };
  const keys = findAll(document, "quiz-question").map((question) => question.dataset.key ?? "");
  /** @type {(key: string) => boolean} */
  const here = (key) => keys.includes(key); // a question that was edited has not been answered
  const chosen = Object.fromEntries(Object.entries(page.chosen).filter(([key]) => here(key)));
  return { title: document.title.replace(/ - [^-]*$/, ""), of: keys.length, first: page.first.filter(here), chosen };
}

class QuizQuestion extends HTMLElement {
  get key() {
    return this.dataset.key ?? "";
  }

  get inputs() {
    return /** @type {HTMLInputElement[]} */ (findAll(this, "fieldset input"));
  }

  get verdicts() {
    return findAll(this, ".verdicts > li");
  }

  // The field of a question whose answer is typed: a number, or a vector.
  get field() {
    return "tolerance" in this.dataset ? this.inputs[0] : null;
  }

  connectedCallback() {
    if (!this.querySelector("output")) this.build();
    this.show(readPage().chosen[this.key]);
  }

  build() {
    const output = make("output", { id: `${this.id}-says`, "aria-live": "polite" });
    const check = button("Check", () => this.check());
    check.setAttribute("aria-describedby", output.id);
    find(this, "fieldset").after(make("div", { class: "widget-controls" }, check), output);
    this.field?.setAttribute("aria-describedby", output.id);
    this.field?.addEventListener("keydown", ({ key }) => key === "Enter" && this.check());
    find(this, "fieldset").addEventListener("input", () => this.judge("")); // what was said was about another answer
    if (this === [...document.querySelectorAll("quiz-question")].at(-1)) this.append(scoreLine());
  }

  /**
   * What the reader has chosen: positions among the verdicts, or the text that is typed.
   * @type {() => (number | string)[]}
   */
  chosen() {
    if (this.field) return [this.field.value];
    return this.inputs.filter((input) => input.checked).map((input) => Number(input.value));
  }

  check() {
    const chosen = this.chosen();
    const problem = this.field ? this.read(chosen[0]) : chosen.length ? [] : "Choose an answer first.";
    if (typeof problem === "string") {
      this.judge("invalid", problem);
      return;
    }
    const page = readPage();
    if (this.show(chosen) && !(this.key in page.chosen)) page.first.push(this.key);
    page.chosen[this.key] = chosen;
    store({ ...readAnswers(), [location.pathname]: page });
    showScore();
  }

  /**
   * As many numbers as the answer has, or a sentence that says why they cannot be read.
   * @type {(text: number | string) => number[] | string}
   */
  read(text) {
    return readNumbers(`${text}`, valueOf(this.verdicts[0]).length);
  }

  /**
   * Say what there is to say about an answer; return whether it is right.
   * @param {(number | string)[]} [chosen]
   */
  show(chosen = []) {
    const { field } = this;
    if (!field) chosen = chosen.filter((position) => Number(position) in this.verdicts); // they come from the storage
    if (field) field.value = `${chosen[0] ?? ""}`;
    else for (const input of this.inputs) input.checked = chosen.includes(Number(input.value));
    this.judge("");
    if (chosen.length === 0) return false;
    const picked = field ? this.near(this.read(chosen[0])) : chosen.map((position) => this.verdicts[Number(position)]);
    const right = picked.filter(isRight);
    const wrong = picked.find((verdict) => !isRight(verdict));
    if (wrong) this.judge("wrong", "Not yet. ", because(wrong));
    else if (field && !right.length) this.judge("wrong", "Not yet. Try again, or open the answer.");
    else if (!field && right.length < this.verdicts.filter(isRight).length) {
      this.judge("wrong", "So far right, but there is more.");
    } else {
      this.judge("right", "Right. ", ...right.flatMap((verdict) => [because(verdict), " "]));
      return true;
    }
    return false;
  }

  /** @type {(numbers: number[] | string) => HTMLElement[]} */
  near(numbers) {
    const tolerance = Number(this.dataset.tolerance);
    return this.verdicts.filter((verdict) =>
      valueOf(verdict).every((x, i) => Math.abs(x - Number(numbers[i])) <= tolerance)
    );
  }

  /**
   * Say something about the answer, and mark what was chosen; an empty state takes both back.
   * @type {(state: string, ...words: (Node | string)[]) => void}
   */
  judge(state, ...words) {
    const output = find(this, "fieldset ~ output");
    output.dataset.state = state;
    output.replaceChildren(...words);
    this.field?.setAttribute("aria-invalid", `${state === "invalid"}`);
    for (const input of this.inputs) {
      const label = /** @type {HTMLElement} */ (input.closest("label"));
      const chosen = (state === "right" || state === "wrong") && (input === this.field || input.checked);
      const right = input === this.field ? state === "right" : isRight(this.verdicts[Number(input.value)]);
      label.dataset.state = chosen ? (right ? "right" : "wrong") : "";
    }
  }
}

/** @type {(verdict: HTMLElement) => boolean} */
const isRight = (verdict) => "right" in verdict.dataset;

/** @type {(verdict: HTMLElement) => number[]} */
const valueOf = (verdict) => JSON.parse(verdict.dataset.value ?? "[]");

/** @type {(verdict: HTMLElement) => Node} */
const because = (verdict) => find(verdict, ".because").cloneNode(true);

function scoreLine() {
  const clear = button("Clear my answers", () => {
    const { [location.pathname]: _, ...others } = readAnswers();
    store(others);
    for (const question of questions()) question.show();
    showScore();
  });
  const line = make("div", { class: "quiz-score" }, make("output", { "aria-live": "polite" }), clear);
  line.append(make("small", {}, "Kept in this browser only."));
  showScore(line);
  return line;
}

/** @type {(line?: HTMLElement) => void} */
function showScore(line = find(document, ".quiz-score")) {
  find(line, "output").textContent = `${score(readPage())}.`;
}

customElements.define("quiz-question", QuizQuestion);
