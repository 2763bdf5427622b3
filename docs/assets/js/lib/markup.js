// HTML as text. A renderer writes it while the pages are built and again in the browser, and one tag escapes it all.

/** HTML, which may stand within other HTML as it is. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * Values are escaped unless they are Markup; a list is written item by item, and false, null and "" are nothing.
 * @type {(strings: TemplateStringsArray, ...values: unknown[]) => Markup}
 */
export const markup = (strings, ...values) =>
  new Markup(tidy(strings).map((text, i) => (i ? written(values[i - 1]) : "") + text).join(""));

/** @type {(value: unknown) => string} */
function written(value) {
  if (Array.isArray(value)) return value.map(written).join("");
  if (value instanceof Markup) return value.text;
  if (value === false || value === null) return "";
  if (!["string", "number"].includes(typeof value) || Number.isNaN(value)) {
    throw new TypeError(`not to write: ${value}`);
  }
  return `${value}`.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/**
 * An indented line goes on with the one above: at once between tags or values, else after a space.
 * @type {(strings: TemplateStringsArray) => string[]}
 */
function tidy(strings) {
  const known = TIDIED.get(strings);
  if (known) return known;
  let inTag = false;
  const made = strings.map((text) =>
    text.replace(/[<>]|\n\s*/g, (found, at) => {
      if (found === "<" || found === ">") {
        inTag = found === "<";
        return found;
      }
      const rest = text.slice(at + found.length);
      return !inTag && /(^|>)$/.test(text.slice(0, at)) && /^(<|$)/.test(rest) ? "" : " ";
    })
  );
  TIDIED.set(strings, made);
  return made;
}

/** @type {WeakMap<TemplateStringsArray, string[]>} */
const TIDIED = new WeakMap();
