// <quiz-progress>: the pages whose questions the reader has answered, and how well; empty before the first answer. With
// data-near it sums up the pages that the menu has beside this one, and follows each answer.

import { readAnswers, score, store } from "../lib/answers.js";
import { markup } from "../lib/markup.js";

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  if ("near" in element.dataset) {
    document.addEventListener("answerschange", () => sumUp(element));
    return sumUp(element);
  }
  const pages = Object.entries(readAnswers());
  const lines = pages.map(([path, page]) => markup`<li><a href="${path}">${page.title}</a> (${score(page)})</li>`);
  const list = markup`
<p>Your answers so far, kept in this browser only:</p>
<ul>${lines}</ul>
<button type="button">Clear my answers</button><output aria-live="polite"></output>`;
  element.innerHTML = pages.length ? `${list}` : "";
  element.querySelector("button")?.addEventListener("click", () => {
    store({});
    element.querySelector("ul")?.remove();
    element.querySelector("output")?.append("Cleared.");
  });
}

/** @type {(element: HTMLElement) => void} */
function sumUp(element) {
  const part = document.querySelector(".md-nav--primary label.md-nav__link--active")?.closest(".md-nav__list");
  /** @type {NodeListOf<HTMLAnchorElement> | undefined} */
  const links = part?.querySelectorAll(":scope > li > a");
  const answers = readAnswers();
  const pages = [...links ?? []].flatMap(({ pathname }) => answers[pathname] ?? []);
  const [right, of] = [pages.flatMap(({ first }) => first).length, pages.reduce((sum, page) => sum + page.of, 0)];
  const where = `${pages.length} page${pages.length > 1 ? "s" : ""} of this part`;
  const says = `Your score so far, on ${where}: ${right} of ${of} questions right at first try.`;
  element.innerHTML = pages.length ? `${markup`<p>${says}</p>`}` : "";
}
