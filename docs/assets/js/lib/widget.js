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
  if (weight >= 0.9995 && weight < 1 - 1e-12) return ">0.999";
  const halfway = (weight * 16) % 2 === 1; // between two thousandths: Python takes the even one, 1/16 is 0.062
  return (halfway ? Math.round(weight * 500) / 500 : weight).toFixed(3);
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

// What the build wrote into the element's data- attributes.
export const dataOf = (element) =>
  Object.fromEntries(Object.entries(element.dataset).map(([name, text]) => [name, JSON.parse(text)]));

export const slider = (name, label, value, min, max) =>
  make("input", { type: "range", name, "aria-label": label, value, min, max, step: 1 });

export const labelled = (text, ...controls) => make("label", {}, text, " ", ...controls);

// Wrap a widget in a form, with the controls after the question; further controls may stand in its table.
export function addForm(element, ...controls) {
  const form = make("form");
  form.append(...element.childNodes);
  form.querySelector("details").after(make("div", { class: "widget-controls" }, ...controls));
  element.append(form);
  return form;
}

// The form is the state: names are the keys in the address, attributes the defaults. `show` gets the values now and
// after every change; a script that changes a field dispatches "input" and "change" as a reader's hand would.
export function bindForm(form, id, show) {
  const values = () => Object.fromEntries(new FormData(form));
  const start = values();
  const update = () => show(values());
  const write = () => {
    const valid = Object.entries(values()).filter(([name]) => form.elements.namedItem(name).validity?.valid ?? true);
    const changed = valid.map(([name, value]) => [name, value === start[name] ? null : value]);
    writeState(id, Object.fromEntries(changed)); // of an invalid field the last good value stays
  };
  for (const [name, text] of Object.entries(readState(id))) {
    const field = form.elements.namedItem(name);
    if (!field) continue;
    field.value = text;
    if (field.value !== text) field.value = start[name]; // a value that it cannot take
  }
  const reset = make("button", { type: "button" }, "Reset");
  reset.addEventListener("click", () => {
    form.reset();
    update();
    write();
  });
  form.querySelector(".widget-controls").append(reset);
  form.addEventListener("input", update);
  form.addEventListener("change", write); // when a slider comes to rest: browsers limit how often the address changes
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}
