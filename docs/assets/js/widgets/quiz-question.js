// <quiz-question>: a question whose answers are folded below it. With a script it can be answered, and the page counts.

import { readAnswers, score, store } from "../lib/answers.js";
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

  // The field of a question whose answer is a number.
  get number() {
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
    this.number?.setAttribute("aria-describedby", output.id);
    this.number?.addEventListener("keydown", ({ key }) => key === "Enter" && this.check());
    if (this === [...document.querySelectorAll("quiz-question")].at(-1)) this.append(scoreLine());
  }

  // What the reader has chosen: positions among the verdicts, or a number.
  chosen() {
    if (this.number) return this.number.value === "" ? [] : [this.number.valueAsNumber];
    return this.inputs.filter((input) => input.checked).map((input) => Number(input.value));
  }

  check() {
    const chosen = this.chosen();
    if (chosen.length === 0) {
      this.say("invalid", this.number ? "Enter a number, such as 0.5." : "Choose an answer first.");
      return;
    }
    const page = readPage();
    if (this.show(chosen) && !(this.key in page.chosen)) page.first.push(this.key);
    page.chosen[this.key] = chosen;
    store({ ...readAnswers(), [location.pathname]: page });
    showScore();
  }

  /**
   * Say what there is to say about a choice; return whether it is right.
   * @param {number[]} [chosen]
   */
  show(chosen = []) {
    const { number } = this;
    this.say("", "");
    if (number) number.value = `${chosen[0] ?? ""}`;
    else for (const input of this.inputs) input.checked = chosen.includes(Number(input.value));
    if (chosen.length === 0) return false;
    const picked = number ? this.near(chosen[0]) : chosen.map((position) => this.verdicts[position]);
    const right = picked.filter((verdict) => "right" in verdict.dataset);
    const wrong = picked.find((verdict) => !("right" in verdict.dataset));
    if (wrong) this.say("wrong", "Not yet. ", because(wrong));
    else if (number && !right.length) this.say("wrong", "Not yet. Try again, or open the answer.");
    else if (!number && right.length < findAll(this, "[data-right]").length) {
      this.say("wrong", "So far right, but there is more.");
    } else {
      this.say("right", "Right. ", ...right.flatMap((verdict) => [because(verdict), " "]));
      return true;
    }
    return false;
  }

  /** @type {(x: number) => HTMLElement[]} */
  near(x) {
    const tolerance = Number(this.dataset.tolerance);
    return this.verdicts.filter(({ dataset }) => Math.abs(x - Number(dataset.value)) <= tolerance);
  }

  /** @type {(state: string, ...words: (Node | string)[]) => void} */
  say(state, ...words) {
    const output = find(this, "fieldset ~ output");
    output.dataset.state = state;
    this.number?.setAttribute("aria-invalid", `${state === "invalid"}`);
    output.replaceChildren(...words);
  }
}

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
