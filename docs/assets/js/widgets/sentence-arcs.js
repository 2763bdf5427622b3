// <sentence-arcs>: the style sheet shows the state that is chosen, and needs no script. This one says it, keeps it in the
// address, and has a Reset.

import { readState, writeState } from "../lib/bind.js";

/** @type {(element: HTMLElement) => void} */
export function bind(element) {
  const fields = [...element.querySelectorAll("input")];
  const statements = /** @type {HTMLElement} */ (element.querySelector(".statements"));
  const [output, reset] = [document.createElement("output"), document.createElement("button")];
  Object.assign(reset, { type: "button", textContent: "Reset" });

  const say = () => {
    const where = fields.map(({ type, name, value, checked }) => {
      if (type === "checkbox") return `[data-${name}="${checked}"]`;
      return checked ? `[data-row="${value}"]` : "";
    });
    const chosen = statements.querySelector(`:scope > p${where.join("")}`);
    output.replaceChildren(...(chosen?.cloneNode(true).childNodes ?? []));
  };
  const write = () => {
    /** @type {Record<string, string | null>} */
    const state = {};
    for (const { type, name, value, checked, defaultChecked } of fields) {
      if (type === "checkbox") state[name] = checked === defaultChecked ? null : `${checked}`;
      else if (checked) state.row = defaultChecked ? null : value;
    }
    say();
    writeState(element.id, state);
  };
  const read = () => {
    const { row, ...switches } = readState(element.id);
    for (const field of fields) {
      const on = switches[field.name];
      if (field.type === "radio") field.checked ||= field.value === row;
      else if (on === "true" || on === "false") field.checked = on === "true";
    }
    say();
  };
  const byDefault = () => {
    for (const field of fields) field.checked = field.defaultChecked;
  };

  statements.append(output); // upon the statements, which keep its room but are no longer seen
  element.prepend(reset);
  element.addEventListener("change", write);
  element.addEventListener("addresschange", () => {
    byDefault();
    read();
  });
  reset.addEventListener("click", () => {
    byDefault();
    write();
  });
  read(); // what the reader has chosen before this script came stays, unless the address says otherwise
}
