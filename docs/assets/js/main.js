// Small enhancements of pages that are complete without them.

import { markDone } from "./lib/answers.js";

const root = document.documentElement;

// A box that scrolls must be reachable by keyboard and have a name; a box that does not scroll must not get in the way.
const NAMES = {
  "div.arithmatex": "Formula",
  ".md-typeset__scrollwrap": "Table",
  "pre > code": "Code",
  ".setup > pre": "Setup",
  ".scroll": "Figure",
};

/** @type {(box: HTMLElement, scrolls: boolean) => void} */
function mark(box, scrolls) {
  const attributes = { tabindex: "0", role: "region", "aria-label": box.dataset.name ?? "" };
  for (const [name, value] of Object.entries(attributes)) {
    if (scrolls) box.setAttribute(name, value);
    else box.removeAttribute(name);
  }
}

const observer = new ResizeObserver((entries) => {
  const boxes = entries.map(({ target }) => /** @type {HTMLElement} */ (target));
  const scrolling = new Set(boxes.filter((box) => box.scrollWidth > box.clientWidth + 1)); // all before the first changes
  for (const box of boxes) mark(box, scrolling.has(box));
});

function watchScrollRegions() {
  for (const [selector, name] of Object.entries(NAMES)) {
    const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`.md-content ${selector}`));
    boxes.forEach((box, index) => {
      box.dataset.name ??= box.getAttribute("aria-label") ?? `${name} ${index + 1}`; // landmarks need distinct names
      observer.observe(box);
    });
  }
}

// A custom element is defined by the module of its name, which is fetched when the element is about to come into view:
// one far below, or in a closed fold, costs nothing. Its parent is watched, since it may be empty until it is defined.
/** @type {IntersectionObserverCallback} */
const hear = (seen) => {
  for (const { target, isIntersecting } of seen) if (isIntersecting) target.childNodes.forEach(define);
};
const near = new IntersectionObserver(hear, { rootMargin: "100% 0px" });
const inSight = new IntersectionObserver(hear); // for links, which work before their script comes

const asked = new Set();

/** @type {(node: Node) => void} */
function define(node) {
  if (!(node instanceof HTMLElement) || node.matches(":defined") || asked.has(node.localName)) return;
  asked.add(node.localName);
  const name = node.localName;
  const file = `widgets/${name}.js`;
  import(`./${file}`).then(({ bind }) => {
    const bound = new WeakSet(); // an element that is moved within its page is connected again
    const Widget = class extends HTMLElement {
      connectedCallback() {
        if (!bound.has(this)) bind(this);
        bound.add(this);
      }
    };
    customElements.define(name, Widget);
  }).catch(({ message }) => console.error(`<${name}> stays as it was built: ${file}: ${message}`));
}

function watchWidgets() {
  for (const { localName, parentElement } of document.querySelectorAll(":not(:defined)")) {
    if (parentElement) (localName === "lesson-map" ? inSight : near).observe(parentElement);
  }
}

// Blocks far below are not laid out at first (deeper.css). When the browser has time they are, one after the other: it
// lays out what it is asked to measure. They are shown together: each showing makes it walk through the whole page.
function layOutRest() {
  const blocks = [...document.querySelectorAll(".md-content__inner > *")];
  const rest = blocks.values(), within = document.createRange();
  const next = () => {
    const block = rest.next().value;
    if (!block) return blocks.forEach((block) => block.setAttribute("data-laid-out", ""));
    within.selectNodeContents(block);
    within.getBoundingClientRect();
    later(next);
  };
  later(next);
}
const later = globalThis.requestIdleCallback ?? setTimeout;

// A link to the state of a widget leads to the widget. On the way back the browser goes where the reader was. In either
// case the whole page is laid out at once: a block that is laid out later would move the place away.
const isState = () => location.hash.startsWith("#~");

function findPlace() {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const isNew = visit?.type === "navigate";
  if (!isNew || location.hash) root.classList.add("whole");
  if (isNew && location.hash) named()?.scrollIntoView();
}

/** Back and Forward show what the address says again; an anchor leaves widgets as they are. */
function restoreStates() {
  const widgets = document.querySelectorAll(".md-content .widget, attention-grid");
  if (isState()) { for (const widget of widgets) widget.dispatchEvent(new Event("addresschange")); }
}
addEventListener("hashchange", restoreStates);

/** The element of an anchor, or the widget of a state. */
function named() {
  let hash = location.hash.slice(1);
  try {
    hash = decodeURIComponent(hash);
  } catch { // somebody typed #100%
  }
  const id = CSS.escape(/^~([^.]+)\./.exec(hash)?.[1] ?? hash);
  return document.querySelector(`[id="${id}"], [data-state="${id}"]`);
}

// What the address names is not to be hidden in a closed fold. The theme opens the one around an anchor, and no others.
function openFolds() {
  const target = named();
  for (const fold of document.querySelectorAll("details:not([open])")) {
    if (target && fold.contains(target)) fold.setAttribute("open", "");
  }
}
addEventListener("hashchange", openFolds);
addEventListener("click", ({ target }) => { // a link to where the address leads already
  const link = target instanceof Element && target.closest("a");
  if (link && link.hash === location.hash) openFolds();
});

addEventListener("beforeprint", () => { // before the theme opens all: what is closed stays off the paper (deeper.css)
  document.querySelectorAll("details").forEach((fold) => fold.toggleAttribute("data-closed", !fold.open));
}, true);

// Another page of the site may have been answered while this one was kept, in another tab or to come back to.
addEventListener("storage", markDone);
addEventListener("pageshow", ({ persisted }) => persisted && markDone());

// What is pointed at or stood on lights all of its role; the module comes with the first hand.
/** @type {typeof import("./lib/kin.js") | undefined} */
let kin;

/** @type {(event: Event) => Promise<void>} */
async function lightKin({ target }) {
  kin ??= await import("./lib/kin.js");
  kin.light(target);
}

// What stands below a figure, to save it or to fill the screen with it, comes with the first hand too.
for (const type of ["pointerover", "focusin", "keydown"]) {
  addEventListener(type, async () => (await import("./lib/figures.js")).addLines(), { once: true });
}

addEventListener("DOMContentLoaded", () => { // after the theme, which has put its buttons into blocks of code
  document.querySelectorAll("nav.md-code__nav").forEach((nav) => nav.setAttribute("role", "none")); // not a landmark
  if (document.querySelector('[class*="role-"]')) {
    for (const type of ["pointerover", "focusin"]) addEventListener(type, lightKin, { passive: true });
  }
  openFolds();
  markDone();
  findPlace();
  setTimeout(async () => { // what nobody sees yet lets the page be drawn first
    watchScrollRegions();
    watchWidgets();
    layOutRest();
    const frames = document.querySelector(".frames");
    if (frames instanceof HTMLElement) (await import("./lib/frames.js")).bind(frames);
  });
});
document.addEventListener("contentchange", watchScrollRegions); // a widget has put in other boxes
