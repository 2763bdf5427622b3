// The line below a figure: its drawing is saved, and one with controls fills the screen. It comes with the first hand.

const SAVED = ":is(figure.diagram, figure.chart, .poster, div:has(> sentence-machine))";
const OPENED = document.fullscreenEnabled ? "div:has(> [data-given])" : "none"; // not on an iPhone

export function addLines() {
  if (document.querySelector(".save")) return; // by a hand of another kind
  document.querySelectorAll(`${SAVED}, ${OPENED}`).forEach((figure, n) => {
    const line = Object.assign(document.createElement("p"), { className: "save" });
    const name = `${location.pathname.split("/").filter(Boolean).pop() ?? "attention"}-${n + 1}`;
    if (figure.matches(SAVED)) line.append("Save picture");
    for (const does of /** @type {const} */ (["SVG", "PNG", "loop", "Full screen (F)"])) {
      const fills = does === "Full screen (F)";
      if (!figure.matches(fills ? OPENED : does === "loop" ? "div:has(> sentence-machine)" : SAVED)) continue;
      const ariaLabel = `${does}, figure ${n + 1}`; // names are distinct
      const press = async () => fills ? turn(figure) : (await import("./save.js")).save(figure, does, name);
      const button = { type: "button", textContent: does, ariaLabel, onclick: press };
      line.append(" ", Object.assign(document.createElement("button"), button));
    }
    figure.append(line);
  });
  addEventListener("fullscreenchange", ({ target }) => fit(/** @type {Element} */ (target)));
  addEventListener("keydown", ({ key, target, altKey, ctrlKey, metaKey }) => {
    if (!/^f$/i.test(key) || altKey || ctrlKey || metaKey || !(target instanceof Element)) return;
    const figure = document.fullscreenElement ?? target.closest(OPENED);
    if (figure && !target.matches("[type=text], textarea, select")) turn(figure);
  });
}

/** @type {(figure: Element) => Promise<void>} a browser may refuse, and says why */
async function turn(figure) {
  await (document.fullscreenElement ? document.exitFullscreen() : figure.requestFullscreen()).catch(() => {});
  const control = figure.querySelector("input:not([type=hidden]), .play"); // the figure's keys go on from here
  if (control instanceof HTMLElement && document.activeElement?.closest(".save")) control.focus();
}

// Of the widths at which nothing scrolls sideways, the one with the largest type; but a high figure scrolls before the
// last row of a room cannot read it.
/** @type {(figure: Element) => void} */
function fit(figure) {
  const widget = /** @type {HTMLElement} */ (figure.firstElementChild);
  widget.removeAttribute("style");
  const tried = [560, 640, 748, 900, 1100].map((width) => {
    widget.style.width = `${width}px`;
    const scrolls = [...widget.querySelectorAll(".scroll")].some((box) => box.scrollWidth > box.clientWidth);
    const wide = 0.95 * innerWidth / width, high = 0.95 * innerHeight / widget.offsetHeight;
    const type = scrolls ? 0 : Math.min(wide, high);
    return { width, type, scale: Math.min(wide, Math.max(high, innerHeight / 700)) };
  });
  const { width, scale } = tried.reduce((best, one) => one.type > best.type ? one : best);
  widget.style.cssText = document.fullscreenElement ? `width: ${width}px; scale: ${scale}` : "";
}
