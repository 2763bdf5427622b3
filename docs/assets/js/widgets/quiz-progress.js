// <quiz-progress>: the pages whose questions the reader has answered, and how well; empty before the first answer.

import { readAnswers, score, store } from "../lib/answers.js";
import { button, find, make } from "../lib/widget.js";

customElements.define(
  "quiz-progress",
  class extends HTMLElement {
    connectedCallback() {
      const pages = Object.entries(readAnswers());
      this.replaceChildren();
      if (pages.length === 0) return;
      const lines = pages.map(([path, page]) => {
        return make("li", {}, make("a", { href: path }, page.title), ` (${score(page)})`);
      });
      const output = make("output", { "aria-live": "polite" });
      const clear = button("Clear my answers", () => {
        store({});
        find(this, "ul").remove();
        output.textContent = "Cleared.";
      });
      const heading = make("p", {}, "Your answers so far, kept in this browser only:");
      this.append(heading, make("ul", {}, ...lines), clear, output);
    }
  },
);
