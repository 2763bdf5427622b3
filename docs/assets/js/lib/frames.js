// Frames of one figure, each beside its part of a text. In a wide window all are at one place (ten-minutes.css): the part
// that is being read shows its own, and what that shares with the one before moves on from there.

const HOW = { duration: 900, easing: "cubic-bezier(.35, .05, .15, 1)" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {(text: HTMLElement) => void} */
export function bind(text) {
  let read = text.children[0];
  /** @type {(part: Element) => void} */
  const show = (part) => {
    for (const thing of still.matches ? [] : part.querySelectorAll("[data-id]")) {
      const before = read.querySelector(`[data-id=${thing.getAttribute("data-id")}]`);
      const { transform, strokeWidth } = getComputedStyle(before ?? thing);
      thing.animate([{ offset: 0, transform, strokeWidth, ...before ? {} : { opacity: 0 } }], HOW);
    }
    read.removeAttribute("data-read");
    part.setAttribute("data-read", "");
    read = part;
  };
  const reading = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) if (isIntersecting && target !== read) show(target);
  }, { root: document, rootMargin: "-50% 0px -49.9%" }); // the line in the middle of this window, in a frame too
  show(read);
  text.dataset.live = "";
  for (const part of text.children) reading.observe(part);
}
