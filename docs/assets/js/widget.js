// What the widgets share: state in the address bar, numbers as people read them, and small DOM helpers.

// The state of every widget on a page lives in the fragment: #~ID.key=value&ID.key=value
const PREFIX = "#~";
const entries = () => new URLSearchParams(location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : "");

export function readState(id) {
  const own = [...entries()].filter(([name]) => name.startsWith(`${id}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(id.length + 1), value]));
}

// Values that are null or undefined leave the address; replaceState keeps Material's own history entries.
export function writeState(id, state) {
  const all = entries();
  for (const [key, value] of Object.entries(state)) {
    if (value === null || value === undefined) all.delete(`${id}.${key}`);
    else all.set(`${id}.${key}`, value);
  }
  const text = all.toString();
  const address = location.pathname + location.search + (text ? PREFIX + text : "");
  history.replaceState(history.state, "", address);
}

// The same reading as docs_ext/numbers.py: 1/16 where it is exact, else three decimals.
export function fraction(x, largest = 200) {
  for (let denominator = 1; denominator <= largest; denominator += 1) {
    const numerator = Math.round(x * denominator);
    if (Math.abs(x - numerator / denominator) <= 1e-12 * Math.max(1, Math.abs(x))) {
      return denominator === 1 ? `${numerator}` : `${numerator}/${denominator}`;
    }
  }
  return null;
}

export function decimal(weight) {
  if (weight > 0 && weight < 0.0005) return "<0.001";
  return weight >= 0.9995 && weight < 1 - 1e-12 ? ">0.999" : weight.toFixed(3);
}

export const share = (weight) => fraction(weight) ?? decimal(weight);

export function number(x) {
  const short = String(Number(x.toFixed(2)));
  const text = Math.abs(Number(short) - x) <= 1e-12 * Math.max(1, Math.abs(x)) ? short : (fraction(x) ?? x.toFixed(3));
  return text.replace("-0", (zero) => (Number(text) === 0 ? "0" : zero)).replace("-", "\u2212");
}

export const vector = (row) => `(${row.map(number).join(", ")})`;

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
