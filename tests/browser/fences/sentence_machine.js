// What the tests ask of a page with this fence.

export const boxes = (widget) =>
  [...widget.querySelectorAll("svg")].filter((e) => e.checkVisibility()).map((svg) => ({
    ids: [...svg.querySelectorAll("[data-id]")].map((e) => e.dataset.id).sort(),
    seen: [...svg.querySelectorAll("[data-id]")].filter((e) => getComputedStyle(e).opacity > 0).map((e) =>
      e.dataset.id
    ),
    boxes: [...svg.querySelectorAll(".word")].map((e) => e.getBoundingClientRect()).flatMap((b) => [b.x, b.y, b.width]),
  }));
export const longest = (widget) =>
  Math.max(
    ...[...widget.querySelectorAll("[data-id]")].flatMap((e) =>
      getComputedStyle(e).transitionDuration.split(",").map(parseFloat)
    ),
  );
export const place = (selector) =>
  [...document.querySelectorAll(selector)].find((e) => e.checkVisibility()).getBoundingClientRect().toJSON();
