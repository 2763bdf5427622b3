// What the widgets share: state in the address bar, controls, and the form around a figure.

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

/** @type {(name: string, label: string, value: number, min: number, max: number) => HTMLInputElement} */
export const slider = (name, label, value, min, max) =>
  make("input", { type: "range", name, "aria-label": label, value, min, max, step: 1 });

/** @type {(text: string, ...controls: Node[]) => HTMLLabelElement} */
export const labelled = (text, ...controls) => make("label", {}, text, " ", ...controls);

/** @type {() => HTMLSpanElement} */
export const reading = () => make("span", { class: "reading" });

/** @type {(legend: string, ...controls: Node[]) => HTMLFieldSetElement} */
export const group = (legend, ...controls) => make("fieldset", {}, make("legend", {}, legend), ...controls);

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
 * The form is the state: names are the keys in the address, attributes the defaults. `show` gets the values now and
 * after every change.
 * @type {(form: HTMLFormElement, id: string, show: (values: Values) => void) => void}
 */
export function bindForm(form, id, show) {
  const values = () => /** @type {Values} */ (Object.fromEntries(new FormData(form)));
  /** @type {(name: string) => HTMLInputElement | null} */
  const fieldOf = (name) => /** @type {any} */ (form.elements.namedItem(name)); // or the radios of that name
  const start = values();
  const update = () => show(values());
  const write = () => {
    const valid = Object.entries(values()).filter(([name, value]) => value && (fieldOf(name)?.validity?.valid ?? true));
    const changed = valid.map(([name, value]) => [name, value === start[name] ? null : value]);
    writeState(id, Object.fromEntries(changed)); // of an invalid field the last good value stays
  };
  for (const [name, text] of Object.entries(readState(id))) {
    const field = fieldOf(name);
    if (!field) continue;
    field.value = text;
    if (!text || field.value !== text) field.value = start[name]; // a value that it cannot take
  }
  const reset = button("Reset", () => {
    form.reset();
    update();
    write();
  });
  find(form, ".widget-controls").append(reset);
  form.addEventListener("input", update);
  form.addEventListener("change", write); // when a slider comes to rest: browsers limit how often the address changes
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}
