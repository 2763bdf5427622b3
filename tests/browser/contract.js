// What the tests of the contract ask of a page; the tests take a function from here by its name (conftest.py).

// Begin anew: the static element of the page takes the place of the one in use.
export const afresh = async ([tag, fragment]) => {
  history.replaceState(history.state, "", location.pathname + fragment);
  for (const key of Object.keys(localStorage)) if (key.endsWith(".answers")) localStorage.setItem(key, "{}");
  const page = new DOMParser().parseFromString(await (await fetch(location.pathname)).text(), "text/html");
  document.querySelector(tag).replaceWith(document.importNode(page.querySelector(tag), true));
};
// What it shows, without what only echoes a control; and the fields themselves.
export const ofAny = (name) => name.replace(/-grid.*-(?=row$)/, "-");
export const state = (widget) => {
  const copy = widget.cloneNode(true), echoes = ".widget-controls, .reading, .visually-hidden, .quiz-score";
  copy.querySelectorAll(`input, select, button, ${echoes}`).forEach((e) => e.remove());
  const fields = [...widget.querySelectorAll("input, select")].map((e) => [ofAny(e.name), e.value, e.checked]);
  return { shows: copy.textContent.replace(/\s/g, ""), fields };
};
// The controls by name; the radio buttons of a group are one control.
export const name = (e) =>
  e.type === "radio" ? ofAny(e.name) : e.ariaLabel ?? (e.labels?.[0] ?? e).textContent.split(":")[0];
export const controls = (widget, roving) =>
  [...widget.querySelectorAll("input, select, button")]
    .filter((e) => e.checkVisibility() && !e.matches(`${roving}:not([tabindex="0"])`)).map(name);
export const focus = (widget) => {
  widget.tabIndex = -1;
  widget.focus();
  widget.removeAttribute("tabindex");
};
export const focused = (widget) => {
  const e = document.activeElement;
  if (!widget.contains(e)) return null;
  return { kind: e.type ?? "", name: name(e), state: state(widget) };
};
export const moving = (widget) =>
  [widget, ...widget.querySelectorAll("*")].flatMap((e) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(e);
    const slow = [transitionDuration, animationName === "none" ? "0s" : animationDuration].join().split(",");
    return slow.some((time) => parseFloat(time) > 0.001) ? [e.outerHTML.slice(0, 80)] : [];
  });
export const tooSmall = (widget) =>
  [...widget.querySelectorAll("button, label, input:not(label input)")].flatMap((e) => {
    const { width, height } = e.getBoundingClientRect();
    const small = height < 23.9 || (width < 23.9 && !e.matches("td > label")); // or the whole cell
    return e.checkVisibility() && small ? [`${e.outerHTML.slice(0, 80)}: ${width} x ${height}`] : [];
  });
export const listen = (widget) => {
  globalThis.said = [];
  globalThis.ear?.disconnect();
  globalThis.ear = new MutationObserver((changes) => {
    const live = "[role=status], [role=alert], output:not([aria-hidden])";
    const spoke = changes.map(({ target }) => (target.closest ? target : target.parentElement).closest(live));
    for (const region of new Set(spoke)) if (region) said.push(region.textContent);
  });
  globalThis.ear.observe(widget, { childList: true, characterData: true, subtree: true });
};
export const hears = ([tag, says]) =>
  [...document.querySelectorAll(`${tag} [role=status]`)].some((region) => region.textContent.includes(says));
// From end to end and back, at once: as fast as no hand is, and no timer comes between. It does not end where it began.
export const move = async (slider) => {
  const { min, max, defaultValue } = slider;
  for (const value of defaultValue === max ? [max, min, max, min] : [min, max, min, max]) {
    slider.value = value;
    for (const event of ["input", "change"]) slider.dispatchEvent(new Event(event, { bubbles: true }));
    await null;
  }
  return globalThis.said;
};
// What forced colours take away unless a style says otherwise: arrows that are masks, and colour that is the content.
export const lost = (widget) => {
  const page = getComputedStyle(document.body).backgroundColor, lost = [];
  const colour = (e, pseudo) => getComputedStyle(e, pseudo).backgroundColor;
  for (const summary of widget.querySelectorAll("summary")) {
    if (summary.checkVisibility() && colour(summary, "::after") === page) lost.push("the arrow of a fold");
  }
  for (const swatch of widget.querySelectorAll(".swatch")) {
    if (!swatch.checkVisibility()) lost.push("a swatch of the legend");
    else if (!getComputedStyle(swatch).backgroundImage.includes("gradient")) lost.push("the colours of a swatch");
  }
  const cells = [...widget.querySelectorAll("td[data-weight]:not([data-masked])")].filter((e) => e.checkVisibility());
  const weights = new Set(cells.map((cell) => cell.style.getPropertyValue("--w")).filter(Boolean));
  if (weights.size > 1 && new Set(cells.map((cell) => colour(cell))).size < 2) lost.push("the colours of the weights");
  for (const line of widget.querySelectorAll("svg :is(path, line, circle, polygon)")) {
    const { stroke } = getComputedStyle(line);
    if (stroke !== "none" && stroke === page) lost.push(line.outerHTML.slice(0, 80));
  }
  return lost;
};
export const inSight = (part, tag) => {
  const frame = part.closest(tag).getBoundingClientRect(), range = document.createRange();
  range.selectNodeContents(part);
  const { left, right } = range.getBoundingClientRect();
  return part.innerText !== "" && frame.left <= left && left < right && right < frame.right;
};
export const outlined = (widget) =>
  [...widget.querySelectorAll("td, tr, p, figure, .panel")].map((e) => {
    const { outlineStyle, outlineWidth, visibility, clipPath, opacity } = getComputedStyle(e);
    return [outlineStyle, outlineWidth, visibility, clipPath, opacity].join();
  }).join(";");
