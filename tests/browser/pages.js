// What the tests of every page ask of a page; the tests take a function from here by its name (conftest.py).

export const looks = (known) => {
  const seen = new Set(known), first = [];
  const grounds = (e) => {
    if (!e || e.matches(".md-content")) return "";
    const { backgroundColor: colour, backgroundImage: image, opacity } = getComputedStyle(e);
    return [colour, image, opacity].join() + " " + grounds(e.parentElement);
  };
  for (const e of document.querySelectorAll(".md-content *")) {
    if (![...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || !e.checkVisibility()) continue;
    const { color, fontSize, fontWeight, fill } = getComputedStyle(e), around = e.parentElement;
    const names = [e, around].map((one) => `${one.localName}.${one.className.baseVal ?? one.className}`);
    const look = [...names, color, getComputedStyle(around).color, fill, fontSize, fontWeight, grounds(e)].join("|");
    if (!seen.has(look)) first.push(e);
    seen.add(look);
  }
  return [first, [...seen].slice(known.length)];
};
export const examine = async ([scheme, runs, known]) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  do await pause(); while (document.body.dataset.mdColorScheme !== scheme);
  const violations = [], [first, seen] = looks(known);
  for (const [context, options] of runs) {
    if (context === "looks" && !first.length) continue;
    const where = context === "looks" ? { include: first } : document;
    violations.push(...(await axe.run(where, { resultTypes: ["violations"], ...options })).violations);
  }
  return [violations.flatMap((rule) => rule.nodes.map((node) => [rule.id, node.target.join(" ")])), seen];
};
export const overflow = () => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll(".md-content *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest("[tabindex='0'], .scroll, svg"))
    .map((e) => e.outerHTML.slice(0, 80)).concat(`${document.documentElement.scrollWidth} px`).slice(0, 4);
};
export const cutOff = () => {
  const column = document.querySelector(".md-content"), { paddingRight } = getComputedStyle(column);
  const edge = column.getBoundingClientRect().right - parseFloat(paddingRight);
  return [...document.querySelectorAll(".md-content *")].filter((e) => {
    const { width, right } = e.getBoundingClientRect();
    return e.clientWidth && width > 2 && e.scrollWidth > e.clientWidth + 1 && right < edge - 40 &&
      e.checkVisibility() &&
      getComputedStyle(e).overflowX !== "visible" && !e.closest(".katex, .visually-hidden, svg, button, input");
  }).map((e) => `${e.scrollWidth} in ${e.clientWidth}: ${e.outerHTML.slice(0, 100)}`);
};
export const smallText = () =>
  [...document.querySelectorAll(".diagram svg text")].map((text) => {
    const { a, b } = text.getScreenCTM() ?? { a: 1, b: 0 };
    return [parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b), text.textContent];
  }).filter(([size]) => size < 11);
export const formulas = () =>
  [...document.querySelectorAll(".md-content .katex-html")]
    .filter((e) => !e.closest("details:not([open])"))
    .map((e) => e.checkVisibility({ visibilityProperty: true }) ? e.getBoundingClientRect() : { width: 0, height: 0 })
    .map(({ width, height }) => [width, height]);
export const near = () =>
  new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen, 100))));
export const allWidgets = () =>
  Promise.all(
    [...document.querySelectorAll(":not(:defined)")].map(({ localName }) =>
      import(new URL(`widgets/${localName}.js`, document.querySelector("script[src*='js/main.js']").src))
    ),
  );
export const watchShifts = () => {
  globalThis.layoutShift = 0;
  globalThis.shifted = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) {
        globalThis.layoutShift += entry.value;
        for (const { node } of entry.sources) {
          globalThis.shifted.push((node?.outerHTML ?? node?.textContent ?? "").slice(0, 120));
        }
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
};
