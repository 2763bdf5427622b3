// Small enhancements of pages that are complete without them.
// Material emits document$ on the first view and again after each instant navigation.

import { watchScrollRegions } from "./lib/scroll.js";

// Each is the tag of a custom element and the name of the module that defines it.
const WIDGETS = [
  "attention-grid",
  "blend-triangle",
  "decode-stepper",
  "head-switch",
  "mask-painter",
  "order-switch",
  "pe-explorer",
  "qkv-calculator",
  "quiz-progress",
  "quiz-question",
  "rotation-dial",
  "softmax-lab",
  "tile-stepper",
  "window-sink",
];

function loadWidgets() {
  for (const tag of WIDGETS) {
    if (document.querySelector(`${tag}:not(:defined)`)) import(`./widgets/${tag}.js`); // once: the browser keeps modules
  }
}

function addPromptToggle(code) {
  const block = code.closest(".highlight");
  if (block.querySelector(".prompt-toggle")) return;
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

document$.subscribe(() => {
  document.querySelectorAll(".highlight pre > code:has(> .gp)").forEach(addPromptToggle);
  document.querySelectorAll("nav.md-code__nav").forEach((nav) => nav.setAttribute("role", "none")); // not a landmark
  watchScrollRegions();
  loadWidgets();
});
