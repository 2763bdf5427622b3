// What test_main.py asks of a page; the tests take a function from here by its name (conftest.py).

// The scripts of widgets that have come.
export const scripts = () =>
  performance.getEntriesByType("resource").map(({ name }) => name)
    .filter((name) => name.includes("/assets/js/widgets/")).map((name) => name.split("/").pop());
export const bringElements = (tags) => {
  document.body.append(...tags.map((tag) => document.createElement(tag)));
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
};
export const lit = () =>
  [...document.querySelectorAll("[class*=role-]")]
    .filter((e) => getComputedStyle(e).boxShadow !== "none")
    .map((e) => (e.closest(".katex, pre, p") ?? e).localName + /role-.*/.exec(e.className)[0]);
// Of each part of the ten minutes whether it is read, and how its frame stands.
export const frames = () =>
  [...document.querySelectorAll(".frames[data-live] > div")].map((part, n) => {
    const figure = part.querySelector("figure"), { left, top } = figure.getBoundingClientRect();
    return [n, part.matches("[data-read]"), getComputedStyle(figure).opacity, Math.round(left), Math.round(top)];
  });
export const countMoves = () => {
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    globalThis.moved += 1;
    return animate.apply(this, given);
  };
};
