// A film of steps: a button that plays them, and a slider that goes through them. What the reader touches stops it.

import { playButton, reading, slider } from "./frame.js";
import { markup } from "./markup.js";

/**
 * Where a script runs, what stands below a figure: the bar, and more controls.
 * @type {(live: object | null, given: Parameters<typeof slider>, ...more: unknown[]) => ReturnType<typeof markup> | null}
 */
export const playBar = (live, [name, label, at, range, says], ...more) =>
  live && markup`
<div class="widget-controls play-bar">${playButton(at === range[1] ? "Again" : "Play")}${
    slider(name, label, at, range, says)
  }
${reading(says(Number(at)))}</div>
${more.length > 0 && markup`<div class="widget-controls">${more}</div>`}`;

/**
 * Let the button move the slider beside it, so many steps at a time, until the last.
 * @type {(element: HTMLElement, figure: ReturnType<typeof import("./bind.js").bindFigure>, ms?: number, by?: number) => void}
 */
export function film(element, { form, set, settle }, ms = 1200, by = 1) {
  let timer = 0;
  const halt = () => {
    clearInterval(timer);
    timer = 0;
    delete element.dataset.playing;
  };
  const on = () => {
    const { name, value, min, max } = /** @type {HTMLInputElement} */ (form.querySelector(".play-bar input"));
    const next = value === max ? Number(min) : Math.min(Number(value) + by, Number(max));
    set({ [name]: next });
    settle();
    if (next === Number(max)) halt();
  };
  element.addEventListener("click", ({ target }) => {
    const plays = !timer && target instanceof Element && target.closest(".play");
    halt();
    if (!plays) return;
    element.dataset.playing = "";
    timer = setInterval(on, ms);
    on();
  }, true);
  for (const touched of ["input", "addresschange"]) element.addEventListener(touched, halt, true);
}
