// <quiz-progress>: the pages whose questions the reader has answered, and how well; empty before the first answer.

import { readAnswers, score, store } from "../lib/answers.js";
import { markup } from "../lib/markup.js";

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
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
