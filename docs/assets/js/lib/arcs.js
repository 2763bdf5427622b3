// The arcs of docs_ext/html/arcs.py, drawn anew for a sentence that comes later; tests/browser compares the two.

const [FONT, LETTER] = [26, 13];
const [PADDING, NARROWEST] = [26, 44];
const [BUDGET, THINNEST] = [34, 1.5];
const [LOWEST, RISE] = [14, 0.4];
const [LOOP, GAP] = [36, 15];

/** @typedef {{ key: number, thickness: number, path: string }} Arc */

/** @type {(numbers: number[]) => number} */
const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

/** @type {(x: number) => string} */
const short = (x) => `${Number(x.toPrecision(6))}`;

/** @type {(words: string[]) => number[]} */
export const widths = (words) => words.map((word) => Math.max(LETTER * [...word].length + PADDING, NARROWEST));

/** @type {(weight: number) => number} */
const thickness = (weight) => Math.round(1000 * Math.max(BUDGET * weight, THINNEST)) / 1000;

/** @type {(columns: number[]) => number} */
function height(columns) {
  const longest = total(columns) - (columns[0] + columns[columns.length - 1]) / 2;
  return Math.max(LOWEST + RISE * longest, LOOP) + BUDGET / 2;
}

/**
 * The arcs of a word to those that have a weight; null is no arc.
 * @type {(row: number, weights: (number | null)[], columns: number[]) => Arc[]}
 */
export function arcs(row, weights, columns) {
  const heard = [...weights.keys()].filter((key) => weights[key] !== null);
  const left = heard.filter((key) => key < row).reverse(); // the nearest first
  const right = heard.filter((key) => key > row).reverse();
  const order = [...left, ...(heard.includes(row) ? [row] : []), ...right];
  const thick = (/** @type {number} */ key) => thickness(weights[key] ?? 0);
  const spans = order.map((key) => thick(key) + (key === row ? thick(key) + GAP : 0));
  const centre = (/** @type {number} */ key) => total(columns.slice(0, key)) + columns[key] / 2;
  const floor = height(columns);
  let x = centre(row) - total(spans) / 2;
  return order.map((key, i) => {
    const start = x + thick(key) / 2;
    const loop = key === row;
    const end = loop ? x + spans[i] - thick(key) / 2 : centre(key);
    const bulge = loop ? GAP / 2 : 0;
    const up = loop ? LOOP : LOWEST + RISE * Math.abs(centre(key) - centre(row));
    const [a, b, c, d, y, top] = [start, start - bulge, end + bulge, end, floor, floor - up * 4 / 3].map(short);
    x += spans[i];
    return { key, thickness: thick(key), path: `M${a} ${y}C${b} ${top} ${c} ${top} ${d} ${y}` };
  });
}

/**
 * Show in a stage, as docs_ext writes it, another sentence or other weights.
 * @type {(stage: HTMLElement, columns: number[], drawn: Arc[]) => void}
 */
export function draw(stage, columns, drawn) {
  const [units, high] = [total(columns), short(height(columns))];
  const sizes = { "--units": `${units}`, "--high": high, "--font": `${FONT}` };
  for (const [name, size] of Object.entries(sizes)) stage.style.setProperty(name, size);
  stage.style.setProperty("--columns", columns.map((width) => `${width}fr`).join(" "));
  const svg = stage.querySelector("svg");
  svg?.setAttribute("viewBox", `0 0 ${units} ${high}`);
  svg?.replaceChildren(...drawn.map(({ key, thickness, path }) => {
    const line = document.createElementNS(svg.namespaceURI, "path");
    const attributes = { "d": path, "pathLength": 1, "stroke-width": thickness, "data-key": key };
    for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, `${value}`);
    return line;
  }));
}
