// The film of a sentence machine as one drawing that plays by itself, for a slide: six seconds, again and again. Whatever
// does not animate it shows its last scene, the pour. It comes with the first that is saved.

import { first, picture, WIDE } from "../widgets/sentence-machine.js";
import { dataOf } from "./bind.js";

const SCENES = [1, 2, 2.5, 3, 4, 4]; // a second for each
const MOVES = 10; // of its part of the film, in hundredths: then it rests

/**
 * `sheet` writes into a drawing what the style sheet of the page gives it.
 * @type {(figure: Element, sheet: (svg: SVGSVGElement) => SVGElement) => SVGElement}
 */
export function loop(figure, sheet) {
  const machine = /** @type {HTMLElement} */ (figure.querySelector("sentence-machine")), data = dataOf(machine);
  const drawings = SCENES.map((scene) => {
    const stage = document.createElement("div");
    stage.innerHTML = `${picture(data, { ...first(data), scene }, WIDE, "loop")}`;
    return /** @type {SVGSVGElement} */ (stage.firstElementChild);
  });
  const last = drawings[SCENES.length - 1];
  machine.querySelector(".machine-stage")?.append(last);
  const page = sheet(last), rules = ["[data-id] { animation: 6s cubic-bezier(.35, .05, .15, 1) infinite; }"];
  last.remove();
  for (const { dataset: { id } } of /** @type {NodeListOf<SVGElement>} */ (page.querySelectorAll("[data-id]"))) {
    const states = drawings.map((one) => `opacity: 1; ${one.querySelector(`[data-id=${id}]`)?.getAttribute("style")}`);
    if (states.every((state) => state === states[0])) continue;
    const frames = states.map((state, i) => {
      const at = i * 100 / SCENES.length;
      return `${i && at + MOVES}%, ${at + 100 / SCENES.length}% { ${state} }`;
    });
    rules.push(`@keyframes ${id} { ${frames.join(" ")} }`, `[data-id=${id}] { animation-name: ${id}; }`);
  }
  const style = document.createElementNS(page.namespaceURI, "style");
  style.textContent = `@media (prefers-reduced-motion: no-preference) { ${rules.join("\n")} }`;
  page.prepend(style);
  return page;
}
