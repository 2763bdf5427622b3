// Number formats with few bits, as attention/formats.py rounds to them: tests/site/html compares the two.

/**
 * Significant bits, exponent of the smallest normal number, largest number, and what is beyond it.
 * @type {Record<string, [number, number, number, number]>}
 */
const FORMATS = {
  float16: [11, -14, 65504, Infinity],
  bfloat16: [8, -126, (2 - 2 ** -7) * 2 ** 127, Infinity],
  float8_e5m2: [3, -14, 57344, Infinity],
  float8_e4m3fn: [4, -6, 448, NaN],
};

/** @type {(x: number, format: string) => number} */
export function roundToFormat(x, format) {
  const [precision, least, largest, beyond] = FORMATS[format];
  if (x === 0) return x;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), least) - precision + 1);
  const nearest = (x / step + ROUNDS - ROUNDS) * step;
  return Math.abs(nearest) <= largest ? nearest || 0 * x : Math.sign(x) * beyond;
}
const ROUNDS = 1.5 * 2 ** 52; // whole numbers are 1 apart there: a sum is rounded to one, halves to the even one
