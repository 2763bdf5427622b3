// Save picture: the drawing that a figure shows, as a file with its caption and the address of its page. What the style
// sheet gives it is written into it. No request is made.

const LOOK = [
  "color",
  "display",
  "fill",
  "fill-opacity",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "opacity",
  "paint-order",
  "stroke",
  "stroke-dasharray",
  "stroke-dashoffset",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "stroke-width",
  "text-anchor",
  "transform",
  "translate",
  "visibility",
];
const MARGIN = 20, SIZE = 14, LINE = 22;

/** @type {(figure: Element) => SVGSVGElement | undefined} */
const shown = (figure) => [...figure.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().width > 100);

/**
 * The lines of a text that is to be `wide` pixels wide at most.
 * @type {(text: string, wide: number) => string[]}
 */
function wrapped(text, wide) {
  const lines = [""];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const line = lines[lines.length - 1];
    if (line && (line.length + word.length) * SIZE * 0.55 > wide) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

/** @type {(like: Element, name: string, attributes: Record<string, string | number>) => SVGElement} */
function drawn(like, name, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS(like.namespaceURI, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, `${value}`);
  return element;
}

/** @type {(figure: Element, svg: SVGSVGElement, address: string) => SVGElement} */
function sheet(figure, svg, address) {
  const { width, height } = svg.viewBox.baseVal;
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const parts = [copy, .../** @type {NodeListOf<SVGElement>} */ (copy.querySelectorAll("*"))];
  [svg, ...svg.querySelectorAll("*")].forEach((part, i) => {
    const look = getComputedStyle(part);
    if (part === svg) return;
    for (const name of LOOK) parts[i].style.setProperty(name, look.getPropertyValue(name));
    for (const name of ["fill", "stroke"]) parts[i].removeAttribute(name); // variables, which only our pages know
  });
  const { color, fontFamily, fontSize, fill, stroke, textAnchor } = getComputedStyle(svg);
  copy.removeAttribute("class");
  Object.assign(copy.style, { color, fontFamily, fontSize, fill, stroke, textAnchor, overflow: "visible" });
  for (const [key, value] of Object.entries({ x: MARGIN, y: MARGIN, width, height })) {
    copy.setAttribute(key, `${value}`);
  }
  const caption = figure.querySelector("figcaption, .widget-title")?.textContent ?? svg.getAttribute("aria-label") ??
    "";
  const lines = [...wrapped(caption, width), address];
  const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN + lines.length * LINE };
  const page = drawn(svg, "svg", { ...size, "font-family": "system-ui, sans-serif", "font-size": SIZE });
  page.append(drawn(svg, "rect", { ...size, fill: getComputedStyle(document.body).backgroundColor }), copy);
  lines.forEach((line, n) => {
    const text = drawn(svg, "text", { x: MARGIN, y: height + 2 * MARGIN + (n + 0.5) * LINE, fill: color });
    text.textContent = line;
    page.append(text);
  });
  return page;
}

/** @type {(blob: Blob, name: string) => void} */
function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @type {(figure: Element, kind: "SVG" | "PNG" | "loop", name: string) => Promise<void>} */
export async function save(figure, kind, name) {
  const svg = shown(figure);
  if (!svg) return;
  const sheetOf = (/** @type {SVGSVGElement} */ svg) => sheet(figure, svg, location.href.split("#")[0]);
  const page = kind === "loop" ? (await import("./loop.js")).loop(figure, sheetOf) : sheetOf(svg);
  const text = new XMLSerializer().serializeToString(page);
  const file = kind === "loop" ? `${name}-loop.svg` : `${name}.svg`;
  if (kind !== "PNG") return download(new Blob([text], { type: "image/svg+xml" }), file);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
}
