// A box that scrolls must be reachable by keyboard and have a name; a box that does not scroll must not get in the way.

const NAMES = {
  "div.arithmatex": "Formula",
  ".md-typeset__scrollwrap": "Table",
  "pre > code": "Code",
  ".scroll": "Figure",
};

/** @type {(box: HTMLElement) => void} */
function mark(box) {
  const scrolls = box.scrollWidth > box.clientWidth + 1;
  const attributes = { tabindex: "0", role: "region", "aria-label": box.dataset.name ?? "" };
  for (const [name, value] of Object.entries(attributes)) {
    if (scrolls) box.setAttribute(name, value);
    else box.removeAttribute(name);
  }
}

const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) mark(/** @type {HTMLElement} */ (target));
});

export function watchScrollRegions() {
  observer.disconnect(); // the boxes of the page before
  for (const [selector, name] of Object.entries(NAMES)) {
    const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`.md-content ${selector}`));
    boxes.forEach((box, index) => {
      box.dataset.name ??= box.getAttribute("aria-label") ?? `${name} ${index + 1}`; // landmarks need distinct names
      observer.observe(box);
    });
  }
}
