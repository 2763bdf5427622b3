// What the tests ask of a page with this fence.

export const overlaps = (map) => {
  const boxes = [...map.querySelectorAll("li :is(b, .ring, small)")].filter((part) => part.offsetWidth > 1).map(
    (part) => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return (part.matches(".ring") ? part : range).getBoundingClientRect();
    },
  );
  const within = (x, y, from, to) => x[from] + .5 < y[to] && y[from] + .5 < x[to];
  const meet = (a, b) => within(a, b, "left", "right") && within(a, b, "top", "bottom");
  return boxes.filter((a) => a.left < 0 || a.right > innerWidth || boxes.some((b) => a !== b && meet(a, b))).length;
};
