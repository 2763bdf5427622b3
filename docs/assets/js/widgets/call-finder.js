// <call-finder>: the part of the table for the task that is chosen, and the snippet of the library, from the tabs.

import { addForm, bindForm, choice, dataOf, find, findAll, make } from "../lib/widget.js";

/** @typedef {{ panels: string, tasks: [string, string][], libraries: [string, string][], first: string }} Data */

customElements.define(
  "call-finder",
  class extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("form")) return; // moved within its page
      /** @type {Data} */
      const { panels, tasks, libraries, first } = dataOf(this);
      const chosen = libraries.findIndex(([name]) => name === first);
      const form = addForm(
        this,
        choice("what you have", "task", tasks),
        choice("your library", "in", libraries, chosen),
      );
      const next = this.nextElementSibling;
      const place = next?.matches(".found") ? next : make("div", { class: "found" });
      this.after(place);
      const parts = findAll(form, "tbody");
      const rows = findAll(form, "tr[data-library]");

      bindForm(form, this.id, ({ task, in: library }) => {
        for (const part of parts) part.toggleAttribute("data-chosen", part.dataset.task === task);
        for (const row of rows) row.toggleAttribute("data-chosen", row.dataset.library === library);
        const row = find(form, `[data-task="${task}"] [data-library="${library}"]`);
        find(form, "output").textContent = statement(tasks, task, row);
        const panel = document.querySelector(`#${panels}-${task} [data-library="${library}"]`);
        place.replaceChildren(...(panel ? copyOf(panel) : []));
      });
    }
  },
);

/** @type {(tasks: [string, string][], task: string, row: HTMLElement) => string} */
function statement(tasks, task, row) {
  const title = tasks.find(([name]) => name === task)?.[1] ?? "";
  const [library, call, how] = [...row.children].map((cell) => cell.textContent);
  const opening = `${title[0].toUpperCase()}${title.slice(1)} in ${library?.replace("This", "this")}`;
  return find(row, "td").querySelector("code") ? `${opening}: ${call} (${how}).` : `${opening}: there is no way.`;
}

/**
 * What stands in a tab, with a button of its own: the theme copies what the attribute holds.
 * @type {(panel: Element) => Node[]}
 */
function copyOf(panel) {
  const copy = /** @type {Element} */ (panel.cloneNode(true));
  for (const nav of findAll(copy, ".md-code__nav")) nav.remove();
  for (const pre of findAll(copy, "pre")) {
    const text = find(pre, "code").textContent?.trimEnd() ?? "";
    pre.removeAttribute("id");
    pre.prepend(
      make(
        "nav",
        { class: "md-code__nav" },
        make("button", {
          type: "button",
          class: "md-code__button",
          title: "Copy to clipboard",
          "data-md-type": "copy",
          "data-clipboard-text": text,
        }),
      ),
    );
  }
  return [...copy.childNodes];
}
