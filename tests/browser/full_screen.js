// What test_full_screen.py asks of a page; the tests take a function from here by its name (conftest.py).

export const begin = () => document.querySelector("rotation-dial input").focus();
export const offers = () => document.querySelector("rotation-dial ~ .save")?.textContent.includes("Full screen (F)");
export const shows = () => [
  document.fullscreenElement?.firstElementChild.localName ?? "",
  document.querySelector("rotation-dial output").textContent,
  document.querySelector("rotation-dial .widget-title").getBoundingClientRect().height,
];
export const cannot = () => Object.defineProperty(document, "fullscreenEnabled", { value: false }) && null;
