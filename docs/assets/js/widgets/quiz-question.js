// A question whose answers are folded below it. With a script it can be answered, and the page counts.

import { make } from "../lib/widget.js";

// The answers: page -> { title, of, first: [question, …], chosen: { question: [answer, …] } }.
// They stay in this browser and can be cleared; no cookie, no request.

const KEY = "attention-line-by-line.answers"; // sites of one host share the storage
let memory = {}; // stands in where a browser stores nothing

export function readAnswers() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY));
    if (stored) memory = stored; // another tab may have written
  } catch {
    // storage is switched off, or holds what this site did not write
  }
  return memory;
}

function store(answers) {
  memory = answers;
  try {
    localStorage.setItem(KEY, JSON.stringify(answers));
  } catch {
    // then they last as long as the page
  }
}

const writePage = (path, page) => store({ ...readAnswers(), [path]: page });

function clearPage(path) {
  const { [path]: _, ...others } = readAnswers();
  store(others);
}

export const clearAll = () => store({});

export const score = (page) =>
  `${Object.keys(page.chosen).length} of ${page.of} answered, ${page.first.length} right at first try`;

const questions = () => [...document.querySelectorAll("quiz-question")];

function readPage() {
  const page = readAnswers()[location.pathname] ?? { first: [], chosen: {} };
  const keys = questions().map((question) => question.dataset.key);
  const here = (key) => keys.includes(key); // a question that was edited has not been answered
  const chosen = Object.fromEntries(Object.entries(page.chosen).filter(([key]) => here(key)));
  return { title: document.title.replace(/ - [^-]*$/, ""), of: keys.length, first: page.first.filter(here), chosen };
}

class QuizQuestion extends HTMLElement {
  connectedCallback() {
    if (!this.output) this.build();
    this.show(readPage().chosen[this.dataset.key]);
  }

  build() {
    this.inputs = [...this.querySelectorAll("fieldset input")];
    this.verdicts = [...this.querySelectorAll(".verdicts > li")];
    this.number = "tolerance" in this.dataset && this.inputs[0];
    this.output = make("output", { id: `${this.id}-says`, "aria-live": "polite" });
    const button = make("button", { type: "button", "aria-describedby": this.output.id }, "Check");
    button.addEventListener("click", () => this.check());
    this.querySelector("fieldset").after(make("div", { class: "widget-controls" }, button), this.output);
    if (this.number) {
      this.number.setAttribute("aria-describedby", this.output.id);
      this.number.addEventListener("keydown", ({ key }) => key === "Enter" && this.check());
    }
    if (this === questions().at(-1)) this.append(scoreLine());
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
    const key = this.dataset.key;
    if (this.show(chosen) && !(key in page.chosen)) page.first.push(key);
    page.chosen[key] = chosen;
    writePage(location.pathname, page);
    showScore();
  }

  // Say what there is to say about a choice; return whether it is right.
  show(chosen = []) {
    this.say("", "");
    if (this.number) this.number.value = chosen[0] ?? "";
    else this.inputs.forEach((input) => (input.checked = chosen.includes(Number(input.value))));
    if (chosen.length === 0) return false;
    const picked = this.number ? this.near(chosen[0]) : chosen.map((position) => this.verdicts[position]);
    const right = picked.filter((verdict) => "right" in verdict.dataset);
    const wrong = picked.find((verdict) => !("right" in verdict.dataset));
    if (wrong) this.say("wrong", "Not yet. ", because(wrong));
    else if (this.number && !right.length) this.say("wrong", "Not yet. Try again, or open the answer.");
    else if (!this.number && right.length < this.querySelectorAll("[data-right]").length) {
      this.say("wrong", "So far right, but there is more.");
    } else {
      this.say("right", "Right. ", ...right.flatMap((verdict) => [because(verdict), " "]));
      return true;
    }
    return false;
  }

  near(x) {
    return this.verdicts.filter(({ dataset }) => Math.abs(x - dataset.value) <= this.dataset.tolerance);
  }

  say(state, ...words) {
    this.output.dataset.state = state;
    if (this.number) this.number.setAttribute("aria-invalid", String(state === "invalid"));
    this.output.replaceChildren(...words);
  }
}

const because = (verdict) => verdict.querySelector(".because").cloneNode(true);

function scoreLine() {
  const button = make("button", { type: "button" }, "Clear my answers");
  button.addEventListener("click", () => {
    clearPage(location.pathname);
    questions().forEach((question) => question.show());
    showScore();
  });
  const line = make("div", { class: "quiz-score" }, make("output", { "aria-live": "polite" }), button);
  line.append(make("small", {}, "Kept in this browser only."));
  showScore(line);
  return line;
}

function showScore(line = document.querySelector(".quiz-score")) {
  line.querySelector("output").textContent = `${score(readPage())}.`;
}

customElements.define("quiz-question", QuizQuestion);
