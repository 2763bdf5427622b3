// Numbers as people read them; tests/browser compares every function with the one that writes the pages.

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
