// What the widgets share: state in the address bar, controls, and the form around a figure.

import { fraction, number, readNumbers } from "./numbers.js";

/** @typedef {Record<string, string>} Values */

// The state of every widget on a page lives in the fragment: #~ID.key=value&ID.key=value
const PREFIX = "#~";
const entries = () => new URLSearchParams(location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : "");

/** @type {(id: string) => Values} */
export function readState(id) {
  const own = [...entries()].filter(([name]) => name.startsWith(`${id}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(id.length + 1), value]));
}

/**
 * Values that are null leave the address; replaceState keeps Material's own history entries.
 * @type {(id: string, state: Record<string, string | null>) => void}
 */
export function writeState(id, state) {
  const all = entries();
  for (const [key, value] of Object.entries(state)) {
    if (value === null) all.delete(`${id}.${key}`);
    else all.set(`${id}.${key}`, value);
  }
  const text = all.toString();
  const address = location.pathname + location.search + (text ? PREFIX + text : "");
  history.replaceState(history.state, "", address);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...children);
  return element;
}

/**
 * The first match, which must be there. An element of SVG has all that its callers use of one of HTML.
 * @type {(within: ParentNode, selector: string) => HTMLElement}
 */
export function find(within, selector) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`no ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/** @type {(within: ParentNode, selector: string) => HTMLElement[]} */
export const findAll = (within, selector) => [
  .../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll(selector)),
];

/**
 * What the build wrote into the element's data- attributes; each widget says what it expects.
 * @type {(element: HTMLElement) => any}
 */
export const dataOf = (element) =>
  Object.fromEntries(Object.entries(element.dataset).map(([name, text]) => [name, JSON.parse(text ?? "null")]));

/**
 * What a slider's value means, for those who do not see it.
 * @type {WeakMap<HTMLInputElement, (value: number) => string>}
 */
const words = new WeakMap();

/**
 * `says` puts a value into words: "2 doublings".
 * @param {string} name
 * @param {string} label
 * @param {number} value
 * @param {number} min
 * @param {number} max
 * @param {(value: number) => string} [says]
 */
export function slider(name, label, value, min, max, says) {
  const input = make("input", { type: "range", name, "aria-label": label, value, min, max, step: 1 });
  if (says) words.set(input, says);
  return input;
}

/**
 * A field for a number, which may be typed as 1/2 or 50% too; an arrow key steps by one.
 * @type {(name: string, label: string, value: number, min: number, max: number) => HTMLInputElement}
 */
export function numberField(name, label, value, min, max) {
  const field = make("input", { type: "text", name, "aria-label": label, value, "data-min": min, "data-max": max });
  field.autocomplete = "off";
  field.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const read = typed(field);
    if (!by || typeof read === "string") return;
    event.preventDefault(); // the cursor stays
    const next = Math.min(max, Math.max(min, read + by));
    field.value = (field.value.includes("/") && fraction(next)) || `${Number(next.toFixed(12))}`;
    touched(field);
  });
  return field;
}

/**
 * The number in such a field, or a sentence that says why there is none.
 * @type {(field: HTMLInputElement) => number | string}
 */
export function typed({ value, dataset: { min, max } }) {
  const read = readNumbers(value);
  if (typeof read === "string") return read;
  if (read[0] >= Number(min) && read[0] <= Number(max)) return read[0];
  return `${number(read[0])} is out of range. Type a number from ${number(Number(min))} to ${number(Number(max))}.`;
}

/**
 * Text beside a control, in the two columns of all controls.
 * @type {(text: string, ...controls: Node[]) => HTMLLabelElement}
 */
export const labelled = (text, ...controls) => make("label", {}, make("span", {}, text), columnOf(controls));

/** @type {() => HTMLSpanElement} */
export const reading = () => make("span", { class: "reading" });

/** @type {(legend: string, ...controls: Node[]) => HTMLFieldSetElement} */
export const group = (legend, ...controls) => make("fieldset", {}, make("legend", {}, legend), columnOf(controls));

/** @type {(controls: Node[]) => HTMLElement} */
const columnOf = (controls) => make("span", { class: "control" }, ...controls);

/**
 * One of several: a radio for each [value, text].
 * @param {string} legend
 * @param {string} name
 * @param {[string | number, string | Node][]} options
 * @param {number} [chosen]  position of the default
 */
export function choice(legend, name, options, chosen = 0) {
  const labels = options.map(([value, text], i) => {
    const radio = make("input", { type: "radio", name, value });
    radio.defaultChecked = i === chosen;
    return make("label", {}, radio, text);
  });
  return group(legend, ...labels);
}

/** @type {(text: string, act: () => void) => HTMLButtonElement} */
export function button(text, act) {
  const element = make("button", { type: "button" }, text);
  element.addEventListener("click", act);
  return element;
}

/**
 * Wrap a widget in a form, with the controls after the question; further controls may stand in its table.
 * @type {(element: HTMLElement, ...controls: Node[]) => HTMLFormElement}
 */
export function addForm(element, ...controls) {
  const form = make("form");
  form.append(...element.childNodes);
  find(form, "details").after(make("div", { class: "widget-controls" }, ...controls));
  element.append(form);
  return form;
}

/**
 * Put Reset beside the title.
 * @type {(widget: HTMLElement, act: () => void) => void}
 */
export function addReset(widget, act) {
  const reset = button("Reset", act);
  reset.className = "reset";
  find(widget, ".widget-head").append(reset);
}

/**
 * Put off what is asked for again and again until the reader's hand rests.
 * @type {(act: () => void) => () => void}
 */
function atRest(act) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, REST);
  };
}
const REST = 600; // ms

/**
 * What is seen follows the reader's hand; what is heard waits until it rests, and is said once.
 * @type {(...seen: HTMLElement[]) => void}
 */
export function hearAtRest(...seen) {
  const heard = make("div", { role: "status", class: "visually-hidden" });
  let says = "";
  const copy = () => heard.replaceChildren(...seen.flatMap((one) => [...one.cloneNode(true).childNodes, " "]));
  const copyAtRest = atRest(copy);
  const changes = new MutationObserver(() => {
    const now = seen.map((one) => one.textContent).join(" ");
    if (now !== says) copyAtRest();
    says = now;
  });
  copy();
  for (const one of seen) {
    one.setAttribute("aria-hidden", "true"); // else it would be there twice
    changes.observe(one, { childList: true, characterData: true, subtree: true });
  }
  seen[0].after(heard);
}

/**
 * Say that a script has changed a field, as a reader's hand would.
 * @type {(field: HTMLElement) => void}
 */
export function touched(field) {
  for (const event of ["input", "change"]) field.dispatchEvent(new Event(event, { bubbles: true }));
}

/**
 * Buttons that move both positions by one; at an end the output says why they stay.
 * @type {(fields: HTMLInputElement[], last: number, output: HTMLElement) => HTMLButtonElement[]}
 */
export const movers = (fields, last, output) =>
  [-1, 1].map((by) =>
    button(by < 0 ? "Both one back" : "Both one on", () => {
      const moved = fields.map((field) => field.valueAsNumber + by);
      if (moved.some((p) => p < 0 || p > last)) {
        output.textContent = `Positions here go from 0 to ${last}: both stay where they are.`;
        return;
      }
      fields.forEach((field, i) => (field.valueAsNumber = moved[i]));
      touched(fields[0]);
    })
  );

/**
 * The form is the state: names are the keys in the address, attributes the defaults. `show` gets the values now, after
 * every change, and once more when the reader's hand rests: then it is time to complain about what is typed.
 * @type {(form: HTMLFormElement, id: string, show: (values: Values, resting: boolean) => void) => void}
 */
export function bindForm(form, id, show) {
  const values = () => /** @type {Values} */ (Object.fromEntries(new FormData(form)));
  /** @type {(name: string) => HTMLInputElement | null} */
  const fieldOf = (name) => /** @type {any} */ (form.elements.namedItem(name)); // or the radios of that name
  /** @type {(field: HTMLInputElement | null) => boolean} */
  const readable = (field) => !field?.dataset?.min || typeof typed(field) === "number";
  const sliders = /** @type {HTMLInputElement[]} */ (findAll(form, "input[type=range]"));
  const start = values();
  /** @type {(resting: boolean) => void} */
  const update = (resting) => {
    for (const slider of sliders) {
      const says = words.get(slider)?.(slider.valueAsNumber);
      if (says) slider.setAttribute("aria-valuetext", says);
    }
    show(values(), resting);
  };
  const rest = atRest(() => update(true));
  const write = () => {
    const good = Object.entries(values()).filter(([name, value]) => value && readable(fieldOf(name)));
    const changed = good.map(([name, value]) => [name, value === start[name] ? null : value]);
    writeState(id, Object.fromEntries(changed)); // of a field that cannot be read the last good value stays
  };
  const restore = () => {
    for (const [name, text] of Object.entries(readState(id))) {
      const field = fieldOf(name);
      if (!field) continue;
      field.value = text;
      if (!text || field.value !== text || !readable(field)) field.value = start[name]; // a value that it cannot take
    }
  };
  restore();
  form.closest(".widget")?.addEventListener("addresschange", () => {
    form.reset();
    restore();
    update(true);
  });
  addReset(form, () => {
    form.reset();
    update(true);
    write();
  });
  form.addEventListener("input", () => {
    update(false);
    rest();
  });
  form.addEventListener("change", () => {
    update(true);
    write(); // when a slider comes to rest: browsers limit how often the address changes
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  update(true);
  hearAtRest(...findAll(form, "output"));
}
