// Small enhancements of pages that are complete without them.

import { watchScrollRegions } from "./lib/scroll.js";

// A custom element is defined by the module of its name. The browser keeps modules, so each is fetched once, and none
// for what stands in a fold that is closed.
/** @type {(within: Document | Element) => void} */
function loadWidgets(within) {
  const elements = [...within.querySelectorAll(":not(:defined)")].filter((e) => !e.closest("details:not([open])"));
  const undefinedTags = new Set(elements.map(({ localName }) => localName));
  for (const tag of undefinedTags) {
    const file = `widgets/${tag}.js`;
    import(`./${file}`).catch((error) => console.error(`<${tag}> stays as it was built: ${file}: ${error.message}`));
  }
}

/** @type {(code: Element) => void} */
function addPromptToggle(code) {
  const block = code.closest(".highlight");
  if (!block || block.querySelector(".prompt-toggle")) return;
  const button = document.createElement("button");
  button.className = "prompt-toggle";
  button.type = "button";
  button.textContent = ">>>";
  button.title = "Hide prompts and outputs";
  button.setAttribute("aria-label", button.title);
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(block.classList.toggle("prompts-hidden")));
  });
  block.append(button);
}

/**
 * Material emits it on the first view and again after each instant navigation.
 * @type {{ subscribe: (show: () => void) => void }}
 */
const views = /** @type {any} */ (globalThis).document$;

views.subscribe(() => {
  document.querySelectorAll(".highlight pre > code:has(> .gp)").forEach(addPromptToggle);
  document.querySelectorAll("nav.md-code__nav").forEach((nav) => nav.setAttribute("role", "none")); // not a landmark
  watchScrollRegions();
  loadWidgets(document);
});
document.addEventListener("toggle", ({ target }) => loadWidgets(/** @type {Element} */ (target)), true); // does not bubble
