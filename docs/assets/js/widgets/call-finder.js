// <call-finder>: the part of the table for the task that is chosen, and the snippet of the library, from the tabs.

import { bindFigure } from "../lib/bind.js";
import { choice, frame, table } from "../lib/frame.js";
import { markup } from "../lib/markup.js";

/**
 * Names and titles; `calls` has a row for each task, and in it for each library what does it, how, and whether the result
 * is the same. The tabs of a task have an id that begins with `panels`.
 * @typedef {[call: string, how: string, same: string]} Call
 * @typedef {{ tasks: [string, string][], libraries: [string, string][], calls: Call[][] }} Record
 * @typedef {Record & { id: string, title: string, panels: string, first: string, own: string }} Data
 */
/** @typedef {{ task: string, in: string }} State */
/** @typedef {import("../lib/frame.js").Live} Live */

/** @type {(data: Data) => State} */
export const first = ({ tasks: [[task]], first }) => ({ task, in: first });

/** @type {(data: Data, state: State, live: Live | null) => unknown} */
export function html(data, state, live) {
  const { title, tasks, libraries, calls } = data;
  const parts = tasks.map(([task, name], i) =>
    markup`
<tbody data-task="${task}" ${task === state.task && "data-chosen"}>
<tr class="task"><th scope="rowgroup" colspan="4">${name}</th></tr>
${
      libraries.map(([library, name], j) => {
        const [call, how, same] = calls[i][j];
        return markup`
<tr data-library="${library}" ${library === state.in && "data-chosen"}><th scope="row">${name}</th>
  <td>${call ? markup`<code>${call}</code>` : "–"}</td><td>${how}</td><td>${same}</td></tr>`;
      })
    }
</tbody>`
  );
  const names = ["library", "what does it", "how", "same result"].map((name) => markup`<th scope="col">${name}</th>`);
  return frame(data, {
    ...prediction(data),
    controls: [
      choice("what you have", "task", tasks, state.task),
      choice("your library", "in", libraries, state.in),
    ],
    figure: table("calls", title, [markup`<thead><tr>${names}</tr></thead>`, ...parts]),
    says: statement(data, state),
  }, live);
}

/** @type {(data: Data) => { question: string, answer: string }} */
function prediction({ tasks, libraries, calls, own }) {
  const sink = calls[tasks.findIndex(([task]) => task === "sink")];
  const one = libraries.filter(([name], i) => name !== own && sink[i][1] === "one call").map(([, title]) => title);
  return {
    question: `${
      libraries.length - 1
    } libraries are compared here. In how many does one call take the score of a sink?`,
    answer: `In ${one.length}: ${one.join(", ")}. In the others you add a key of zeros, or shrink the output ` +
      "afterwards by the share that the sink takes.",
  };
}

/** @type {(data: Data, state: State) => string} */
function statement({ tasks, libraries, calls }, state) {
  const [i, j] = [tasks.findIndex(([task]) => task === state.task), libraries.findIndex(([name]) => name === state.in)];
  const [call, how] = calls[i][j];
  const title = tasks[i][1];
  const opening = `${title[0].toUpperCase()}${title.slice(1)} in ${libraries[j][1].replace("This", "this")}`;
  return call ? `${opening}: ${call} (${how}).` : `${opening}: there is no way.`;
}

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const { data, state } = bindFigure(element, { first, html });
  const next = element.nextElementSibling;
  const place = next?.matches(".found") ? next : Object.assign(document.createElement("div"), { className: "found" });
  element.after(place);
  const show = () => {
    const { task, in: library } = state();
    const panel = document.querySelector(`#${data.panels}-${task} [data-library="${library}"]`);
    place.replaceChildren(...(panel ? copyOf(panel) : []));
  };
  for (const change of ["input", "click", "addresschange"]) element.addEventListener(change, show);
  show();
}

/**
 * What stands in a tab, with a button of its own: the theme copies what the attribute holds.
 * @type {(panel: Element) => Node[]}
 */
function copyOf(panel) {
  const copy = /** @type {Element} */ (panel.cloneNode(true));
  for (const nav of copy.querySelectorAll(".md-code__nav")) nav.remove();
  for (const pre of copy.querySelectorAll("pre")) {
    const text = pre.textContent?.trimEnd() ?? "";
    pre.removeAttribute("id");
    const button = markup`<nav class="md-code__nav"><button type="button" class="md-code__button"
      title="Copy to clipboard" data-md-type="copy" data-clipboard-text="${text}"></button></nav>`;
    pre.insertAdjacentHTML("afterbegin", `${button}`);
  }
  return [...copy.childNodes];
}
