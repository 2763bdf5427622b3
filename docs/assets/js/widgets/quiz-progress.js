// The pages whose questions the reader has answered, and how well; empty before the first answer.

import { clearAll, readAnswers, score } from "./quiz-question.js";
import { make } from "../lib/widget.js";

class QuizProgress extends HTMLElement {
  connectedCallback() {
    const pages = Object.entries(readAnswers());
    this.replaceChildren();
    if (pages.length === 0) return;
    const lines = pages.map(([path, page]) => make("li", {}, make("a", { href: path }, page.title), ` (${score(page)})`));
    const button = make("button", { type: "button" }, "Clear my answers");
    const output = make("output", { "aria-live": "polite" });
    button.addEventListener("click", () => {
      clearAll();
      this.querySelector("ul").remove();
      output.textContent = "Cleared.";
    });
    const heading = make("p", {}, "Your answers so far, kept in this browser only:");
    this.append(heading, make("ul", {}, ...lines), button, output);
  }
}

customElements.define("quiz-progress", QuizProgress);
