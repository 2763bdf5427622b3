// <quiz-question>: a question whose answers are folded below it. With a script it can be answered, and the page counts.

import { readAnswers, score, store } from "../lib/answers.js";
import { markup } from "../lib/markup.js";
import { readNumbers } from "../lib/numbers.js";

/** @type {(element: HTMLElement) => void} */
export function bind(quiz) {
  const early = enteredIn(quiz); // before this script came, or the browser put it back
  if (!quiz.querySelector("output")) build(quiz);
  const kept = readPage().chosen[keyOf(quiz)];
  if (!early.length || `${early}` === `${kept}`) show(quiz, kept);
  else if (!isSingle(quiz)) judge(quiz, ""); // Check says when it is meant
  else if (isPassing(quiz)) judge(quiz, "", PRESS);
  else check(quiz);
}

/**
 * Whether an arrow key may only be passing over the option that is chosen, or was when the reader left the page.
 * @type {(quiz: HTMLElement) => boolean}
 */
function isPassing(quiz) {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return !!quiz.querySelector(":checked:focus-visible") ||
    (visit?.type !== "navigate" && !quiz.matches(":focus-within"));
}

/** @type {(quiz: HTMLElement) => void} */
function build(quiz) {
  const fieldset = find(quiz, "fieldset");
  const says = `${quiz.id}-says`;
  const one = isSingle(quiz);
  const controls = markup`
${one ? "" : markup`<div class="widget-controls"><button type="button" aria-describedby="${says}">Check</button></div>`}
<output id="${says}" aria-live="polite"></output>`;
  fieldset.insertAdjacentHTML("afterend", `${controls}`);
  quiz.querySelector(".widget-controls button")?.addEventListener("click", () => check(quiz));
  fieldOf(quiz)?.setAttribute("aria-describedby", says);
  let passing = false; // an arrow key passes over options on its way to the one that is meant
  fieldset.addEventListener("keydown", ({ key }) => {
    passing = key.startsWith("Arrow");
    if (key === "Enter" || (one && key === " " && quiz.querySelector(":focus:checked"))) check(quiz);
  });
  fieldset.addEventListener("keyup", () => (passing = false));
  fieldset.addEventListener("click", ({ target }) => {
    if (one && !passing && inputsOf(quiz).some((input) => input === target)) check(quiz);
  });
  fieldset.addEventListener("input", () => { // what was said was about another answer
    if (!one || passing) judge(quiz, "", one ? PRESS : "");
  });
  if (quiz === questions().at(-1)) addScore(quiz);
}

// what stands on the page

/** @type {(within: ParentNode, selector: string) => HTMLElement[]} */
const findAll = (within, selector) => [
  .../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll(selector)),
];

/**
 * The first match, which must be there.
 * @type {(within: ParentNode, selector: string) => HTMLElement}
 */
function find(within, selector) {
  const [found] = findAll(within, selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

const PRESS = "Press Enter to answer.";
const questions = () => findAll(document, "quiz-question");

/** @type {(quiz: HTMLElement) => string} */
const keyOf = (quiz) => quiz.dataset.key ?? "";

/** @type {(quiz: HTMLElement) => HTMLInputElement[]} */
const inputsOf = (quiz) => /** @type {HTMLInputElement[]} */ (findAll(quiz, "fieldset input"));

/** @type {(quiz: HTMLElement) => boolean} whether to choose is to answer: several, or what is typed, need a word */
const isSingle = (quiz) => !!quiz.querySelector("[type=radio]");

/** @type {(quiz: HTMLElement) => HTMLElement[]} */
const verdictsOf = (quiz) => findAll(quiz, ".verdicts > li");

/**
 * The field of a question whose answer is typed: a number, or a vector.
 * @type {(quiz: HTMLElement) => HTMLInputElement | null}
 */
const fieldOf = (quiz) => "tolerance" in quiz.dataset ? inputsOf(quiz)[0] : null;

/** @type {(verdict: HTMLElement) => boolean} */
const isRight = (verdict) => "right" in verdict.dataset;

/** @type {(verdict: HTMLElement) => number[]} */
const valueOf = (verdict) => JSON.parse(verdict.dataset.value ?? "[]");

/** @type {(verdict: HTMLElement) => Node} */
const because = (verdict) => find(verdict, ".because").cloneNode(true);

// an answer

/** @type {(quiz: HTMLElement) => (number | string)[]} positions among the verdicts, or the text that is typed */
function enteredIn(quiz) {
  const field = fieldOf(quiz);
  if (field) return field.value ? [field.value] : [];
  return inputsOf(quiz).filter((input) => input.checked).map(({ value }) => Number(value));
}

/** @type {(quiz: HTMLElement) => void} */
function check(quiz) {
  const field = fieldOf(quiz);
  const chosen = enteredIn(quiz);
  const problem = field ? read(quiz, field.value) : chosen.length ? [] : "Choose an answer first.";
  if (typeof problem === "string") {
    judge(quiz, "invalid", problem);
    return;
  }
  const page = readPage();
  const key = keyOf(quiz);
  if (show(quiz, chosen) && !(key in page.chosen)) page.first.push(key);
  page.chosen[key] = chosen;
  store({ ...readAnswers(), [location.pathname]: page });
  showScore();
}

/**
 * As many numbers as the answer has, or a sentence that says why they cannot be read.
 * @type {(quiz: HTMLElement, text: number | string) => number[] | string}
 */
const read = (quiz, text) => readNumbers(`${text}`, valueOf(verdictsOf(quiz)[0]).length);

/**
 * Say what there is to say about an answer; return whether it is right.
 * @param {HTMLElement} quiz
 * @param {(number | string)[]} [chosen]
 */
function show(quiz, chosen = []) {
  const field = fieldOf(quiz);
  const verdicts = verdictsOf(quiz);
  if (!field) chosen = chosen.filter((position) => Number(position) in verdicts); // they come from the storage
  if (field) field.value = `${chosen[0] ?? ""}`;
  else for (const input of inputsOf(quiz)) input.checked = chosen.includes(Number(input.value));
  judge(quiz, "");
  if (chosen.length === 0) return false;
  const picked = field ? near(quiz, read(quiz, chosen[0])) : chosen.map((position) => verdicts[Number(position)]);
  const right = picked.filter(isRight);
  const wrong = picked.find((verdict) => !isRight(verdict));
  if (wrong) judge(quiz, "wrong", "Not yet. ", because(wrong));
  else if (field && !right.length) judge(quiz, "wrong", "Not yet. Try again, or open the answer.");
  else if (!field && right.length < verdicts.filter(isRight).length) {
    judge(quiz, "wrong", "So far right, but there is more.");
  } else {
    judge(quiz, "right", "Right. ", ...right.flatMap((verdict) => [because(verdict), " "]));
    return true;
  }
  return false;
}

/** @type {(quiz: HTMLElement, numbers: number[] | string) => HTMLElement[]} */
function near(quiz, numbers) {
  const tolerance = Number(quiz.dataset.tolerance);
  return verdictsOf(quiz).filter((verdict) =>
    valueOf(verdict).every((x, i) => Math.abs(x - Number(numbers[i])) <= tolerance)
  );
}

/**
 * Say something about the answer, and mark what was chosen; an empty state takes both back.
 * @type {(quiz: HTMLElement, state: string, ...words: (Node | string)[]) => void}
 */
function judge(quiz, state, ...words) {
  const field = fieldOf(quiz);
  const output = find(quiz, "fieldset ~ output");
  output.dataset.state = state;
  output.replaceChildren(...words);
  field?.setAttribute("aria-invalid", `${state === "invalid"}`);
  for (const input of inputsOf(quiz)) {
    const label = /** @type {HTMLElement} */ (input.closest("label"));
    const chosen = (state === "right" || state === "wrong") && (input === field || input.checked);
    const right = input === field ? state === "right" : isRight(verdictsOf(quiz)[Number(input.value)]);
    label.dataset.state = chosen ? (right ? "right" : "wrong") : "";
  }
}

// the page

/** @type {() => import("../lib/answers.js").Page} */
function readPage() {
  const page = readAnswers()[location.pathname] ?? { first: [], chosen: {} };
  const keys = questions().map(keyOf);
  /** @type {(key: string) => boolean} */
  const here = (key) => keys.includes(key); // a question that was edited has not been answered
  const chosen = Object.fromEntries(Object.entries(page.chosen).filter(([key]) => here(key)));
  return { title: document.title.replace(/ - [^-]*$/, ""), of: keys.length, first: page.first.filter(here), chosen };
}

/** @type {(last: HTMLElement) => void} */
function addScore(last) {
  const line = markup`
<div class="quiz-score"><output aria-live="polite"></output><button type="button">Clear my answers</button>
<small>Kept in this browser only.</small></div>`;
  last.insertAdjacentHTML("beforeend", `${line}`);
  find(last, ".quiz-score button").addEventListener("click", () => {
    const { [location.pathname]: _, ...others } = readAnswers();
    store(others);
    for (const quiz of questions()) show(quiz);
    showScore();
  });
  showScore();
}

function showScore() { // the last question brings the line
  for (const line of findAll(document, ".quiz-score output")) line.textContent = `${score(readPage())}.`;
}
