// Numbers as people read them; tests/site/html compares every function with the one that writes the pages.

/**
 * The same reading as the pages': 1/16 where it is exact, else null.
 * @type {(x: number, largest?: number) => string | null}
 */
export function fraction(x, largest = 200) {
  for (let denominator = 1; denominator <= largest; denominator += 1) {
    const numerator = Math.round(x * denominator);
    if (Math.abs(x - numerator / denominator) <= 1e-12 * Math.max(1, Math.abs(x))) {
      return denominator === 1 ? `${numerator}` : `${numerator}/${denominator}`;
    }
  }
  return null;
}

/** @type {(weight: number) => string} */
export function decimal(weight) {
  if (weight > 0 && weight < 0.0005) return "<0.001";
  if (weight >= 0.9995 && weight < 1 - 1e-12) return ">0.999";
  const halfway = (weight * 16) % 2 === 1; // between two thousandths: Python takes the even one, 1/16 is 0.062
  return (halfway ? Math.round(weight * 500) / 500 : weight).toFixed(3);
}

/** @type {(weight: number) => string} */
export const share = (weight) => fraction(weight) ?? decimal(weight);

/** @type {(x: number) => string} */
export function number(x) {
  const short = String(Number(x.toFixed(2)));
  const text = Math.abs(Number(short) - x) <= 1e-12 * Math.max(1, Math.abs(x)) ? short : (fraction(x) ?? x.toFixed(3));
  return text.replace("-0", (zero) => (Number(text) === 0 ? "0" : zero)).replace("-", "\u2212");
}

/**
 * A coordinate of a drawing, which needs no more digits.
 * @type {(x: number) => number}
 */
export const short = (x) => Number(x.toPrecision(6));

/** @type {(numbers: number[]) => number} */
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

/** @type {(row: number[]) => string} */
export const vector = (row) => `(${row.map(number).join(", ")})`;

/**
 * The positions of numbers from the largest to the smallest; what rounding alone tells apart keeps its order.
 * @type {(numbers: number[]) => number[]}
 */
export function largestFirst(numbers) {
  const rounded = numbers.map((x) => Number(x.toFixed(12)));
  return [...numbers.keys()].sort((a, b) => rounded[b] - rounded[a]);
}

/** @type {(n: number, noun: string) => string} */
export const counted = (n, noun) => `${number(n)} ${noun}${Math.abs(n) === 1 ? "" : "s"}`;

/** @type {(x: number) => string} */
export const grouped = (x) => x.toLocaleString("en-US"); // 8,192

const PART = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const NUMBER = new RegExp(`^(${PART})(?:/(${PART}))?(%?)$`, "i");

/**
 * Read what somebody has typed: one number, such as 1/2, .5 or 5 %, or as many as a vector has, such as (5, 2). What
 * cannot be read is never guessed: a sentence says why.
 * @type {(text: string, size?: number) => number[] | string}
 */
export function readNumbers(text, size = 1) {
  const example = `(${[5, 2, 1, 1, 1, 1, 1, 1].slice(0, size).join(", ")})`;
  const such = size === 1 ? "a number, such as 0.5 or 1/2" : `${size} numbers, such as ${example}`;
  const said = `\u201c${text.trim()}\u201d`;
  const plain = text.trim()
    .replace(/[\u2212\u2013]/g, "-") // a minus and a dash, as copied or corrected
    .replace(/^\((.*)\)$|^\[(.*)\]$/, "$1$2")
    .replace(/\s*\/\s*/g, "/")
    .replace(/\s+%/g, "%")
    .replace(/(^\s*|[,;]\s*|\/)([+-])\s+/g, "$1$2")
    .trim();
  if (!plain) return `Type ${such}.`;
  if (size === 1 && /^[+-]?[1-9]\d{0,2}(,\d{3})+$/.test(plain)) {
    return `${said} could be read in two ways. Write thousands without a comma, and decimals with a point.`;
  }
  const parts = split(plain, size).map((part) => part.match(NUMBER));
  if (parts.some((part) => !part)) return `${said} cannot be read here. Type ${such}.`;
  if (parts.length !== size) return `${said} holds ${counted(parts.length, "number")}. Type ${such}.`;
  const numbers = parts.map((part) => {
    const [, above, below = "1", percent] = part ?? [];
    return Number(above) / Number(below) / (percent ? 100 : 1);
  });
  if (parts.some((part) => Number(part?.[2] ?? 1) === 0)) return `${said} divides by 0, which gives no number.`;
  return numbers.every(Number.isFinite) ? numbers : `${said} is too large.`;
}

/**
 * Semicolons part numbers in any case; a comma does unless it can only be a decimal one; else spaces do.
 * @type {(text: string, size: number) => string[]}
 */
function split(text, size) {
  const single = size === 1 && /^[^,\s/]*,\d[^,\s/]*$/.test(text);
  if (text.includes(";") || single) return text.split(";").map((part) => part.trim().replace(/(\d*),(\d)/, "$1.$2"));
  return text.includes(",") ? text.split(",").map((part) => part.trim()) : text.split(/\s+/);
}
