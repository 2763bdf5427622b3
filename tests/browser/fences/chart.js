// What the tests ask of a page with this fence.

export const faults = (least) => {
  document.documentElement.classList.add("whole");
  document.querySelectorAll("details").forEach((fold) => fold.open = true);
  return [...document.querySelectorAll("figure.chart")].flatMap((figure) => {
    const faults = [], seen = [...figure.querySelectorAll(":scope > svg")].filter((svg) => svg.checkVisibility());
    if (seen.length !== 1) return [`${figure.id}: ${seen.length} drawings`];
    const { left, width } = figure.getBoundingClientRect();
    if (seen[0].getBoundingClientRect().width < seen[0].viewBox.baseVal.width - .5) faults.push("scaled down");
    const texts = [...seen[0].querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach((text, i) => {
      const [name, box] = boxes[i];
      if (parseFloat(getComputedStyle(text).fontSize) < least) faults.push(`small: ${name}`);
      if (box.left < left - 1 || box.right > left + width + 1) faults.push(`cut off: ${name}`);
      for (const [other, { left, right, top, bottom }] of boxes.slice(i + 1)) {
        const wide = Math.min(box.right, right) - Math.max(box.left, left) > 1;
        if (wide && Math.min(box.bottom, bottom) - Math.max(box.top, top) > 3) faults.push(`${name} over ${other}`);
      }
    });
    return faults.map((fault) => `${figure.id}: ${fault}`);
  });
};
