// A widget under the reader's hand: its state, which the address keeps, and the HTML that its module draws of it.

/** @typedef {import("./frame.js").State} State */
/** @typedef {import("./frame.js").Live} Live */
/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
/**
 * What the module of a widget exports, besides `bind`: `idle` says why a control has changed nothing, where one may not.
 * @typedef {(data: any, state: any, live: Live | null) => unknown} Draw
 * @typedef {(data: any, from: any, to: any) => string} Idle
 * @typedef {{ first: (data: any) => State, html: Draw, idle?: Idle }} Renderer
 */

/**
 * What the build wrote into the element.
 * @type {(element: HTMLElement) => any}
 */
export const dataOf = (element) => JSON.parse(element.dataset.given ?? "null");

/**
 * Let the reader's hand change the state: named fields hold a part of it, [data-set] sets parts when it is clicked, and
 * .reset all. What is returned lets a module do the same: for what a pointer grabs, or for data that come later.
 * @param {HTMLElement} element
 * @param {Renderer} renderer
 * @param {any} data  if they are not those that the build wrote
 */
export function bindFigure(element, { first, html, idle = () => "" }, data = dataOf(element)) {
  const start = first(data);
  const early = doneEarly(element, start);
  const form = document.createElement("form");
  const heard = Object.assign(document.createElement("div"), { className: "visually-hidden", role: "status" });
  form.append(...element.childNodes);
  element.append(heard, form); // what a figure says comes before it

  let state = start;
  let rested = start; // before the hand moved
  let before = parsed(form.innerHTML);
  for (const fold of before.querySelectorAll("details")) fold.open = false; // as it was built

  /** @type {(changed?: State, message?: string) => void} */
  function set(changed = {}, message = "") {
    state = { ...state, ...changed };
    const after = parsed(`${html(data, state, { message })}`);
    patch(form, before, after);
    before = after;
    fields(form).forEach(follow);
    rest();
  }
  /** @type {(changed?: State) => void} what a control sets once it rests */
  function choose(changed = {}) {
    const to = { ...state, ...changed };
    set(changed, idle(data, rested, to));
    rested = to;
    settle();
  }
  const say = () => {
    const says = [...form.querySelectorAll("output")].map((one) => one.textContent).join(" ");
    if (heard.textContent !== says) heard.textContent = says;
  };
  const rest = atRest(say);
  const settle = () => {
    const changed = Object.entries(state).map(([name, value]) => [name, value === start[name] ? null : `${value}`]);
    writeState(element.id, Object.fromEntries(changed));
  };
  /**
   * A pointer takes hold of what the selector finds, and `take` returns what follows it. A finger scrolls the page only
   * where the style (touch-action) lets it: Safari overlooks that style within a drawing.
   * @type {(selector: string, take: (held: any, event: PointerEvent) => (event: PointerEvent) => void) => void}
   */
  const grab = (selector, take) => {
    const found = (/** @type {any} */ event) => event.target.closest(selector);
    form.addEventListener("touchstart", (event) => {
      const held = found(event);
      if (held && getComputedStyle(held).touchAction === "auto") event.preventDefault();
    }, { passive: false });
    form.addEventListener("pointerdown", (event) => {
      const held = found(event);
      if (!held || event.button) return;
      event.preventDefault(); // nothing is selected
      held.onpointermove = take(held, event);
      held.onlostpointercapture = () => {
        held.onpointermove = null;
        choose();
      };
      held.setPointerCapture(event.pointerId);
    });
  };
  const restore = () => {
    set(start);
    for (let pass = 0; pass < 2; pass += 1) { // some fields are there in some states only
      const saved = Object.entries(readState(element.id)).filter(([name, text]) => takes(form, name, text));
      if (!saved.length) break; // the start is drawn, and to draw it again takes as long as the first time
      set(Object.fromEntries(saved.map(([name, text]) => [name, valueOf(start, name, text)])));
    }
    rested = state;
  };
  form.addEventListener("input", ({ target }) => {
    const field = /** @type {Field} */ (target);
    if (!(field.name in start)) return;
    set({ [field.name]: valueOf(start, field.name, field.value) });
  });
  form.addEventListener("change", ({ target }) => {
    if (!(/** @type {Field} */ (target).name in start)) return;
    choose(); // when a slider comes to rest: browsers limit how often the address changes
  });
  form.addEventListener("click", ({ target }) => {
    const found = target instanceof Element ? target.closest("[data-set], [data-says], .reset") : null;
    if (!(found instanceof HTMLElement)) return;
    if (found.dataset.says) return set({}, found.dataset.says);
    if (!found.dataset.set) rested = start; // Reset owes no reason
    choose(found.dataset.set ? JSON.parse(found.dataset.set) : start);
  });
  form.addEventListener("keydown", rove);
  form.addEventListener("focusin", ({ target }) => { // one stop of Tab for a whole grid
    const field = /** @type {HTMLElement} */ (target);
    for (const other of field.closest("[data-roving]")?.querySelectorAll("input") ?? []) {
      other.tabIndex = other === field ? 0 : -1;
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  element.addEventListener("addresschange", restore);
  restore();
  if (Object.keys(early.chosen).length) choose(early.chosen);
  early.resume(form);
  say();
  document.dispatchEvent(new Event("contentchange"));
  return { form, data, grab, set, settle, state: () => state };
}

// the document

/** @type {(html: string) => DocumentFragment} */
function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/**
 * Change in a node what two drawings differ in, and nothing else: the focus, open folds and what other scripts have done
 * stay as they are.
 * @type {(node: Node, before: Node, after: Node) => void}
 */
function patch(node, before, after) {
  const [now, old, next] = [node, before, after].map(({ childNodes }) => [...childNodes]);
  if (now.length !== old.length) { // another script has put something in
    for (const child of now) node.removeChild(child);
    for (const child of next) node.appendChild(child.cloneNode(true));
    return;
  }
  next.forEach((to, i) => {
    const [here, from] = [now[i], old[i]];
    if (!here) node.appendChild(to.cloneNode(true));
    else if (from.isEqualNode(to)) return;
    else if (from.nodeName !== to.nodeName || anew(from) !== anew(to)) node.replaceChild(to.cloneNode(true), here);
    else if (to instanceof Element) {
      attributes(/** @type {Element} */ (here), /** @type {Element} */ (from), to);
      patch(here, from, to);
    } else here.nodeValue = to.nodeValue;
  });
  for (const extra of now.slice(next.length)) node.removeChild(extra);
}

/**
 * What is drawn anew is another element, and its animation begins again.
 * @type {(node: Node) => string | null | undefined}
 */
const anew = (node) => node instanceof Element ? node.getAttribute("data-anew") : null;

/** @type {(here: Element, from: Element, to: Element) => void} */
function attributes(here, from, to) {
  for (const name of from.getAttributeNames()) if (!to.hasAttribute(name)) here.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) here.setAttribute(name, value);
}

// fields

/** @type {(form: HTMLElement) => Field[]} */
const fields = (form) => [...form.querySelectorAll("input, select")].map((field) => /** @type {Field} */ (field));

/** @type {(start: State, name: string, text: string) => string | number} */
const valueOf = (start, name, text) => typeof start[name] === "number" ? Number(text) : text;

/**
 * What the reader did before the script came: parts of the state that were chosen, and how to give back the focus and
 * the folds that were opened, which a drawing anew takes away.
 * @type {(element: HTMLElement, start: State) => { chosen: State, resume: (form: HTMLFormElement) => void }}
 */
function doneEarly(element, start) {
  const given = fields(element).map((field) => {
    const name = field.name.replace(`${element.id}-`, ""); // the build names a field by its widget too
    return { field, name, value: field.value };
  });
  const changed = given.filter(({ field }) => "checked" in field && field.checked && !field.defaultChecked);
  const open = [...element.querySelectorAll("[open] > summary")].map(({ textContent }) => textContent);
  const hand = element.contains(document.activeElement) ? document.activeElement : null;
  const at = given.find(({ field }) => field === hand);
  return {
    chosen: Object.fromEntries(changed.map(({ name, value }) => [name, valueOf(start, name, value)])),
    resume: (form) => {
      for (const fold of form.querySelectorAll("details")) {
        fold.open ||= open.includes(fold.firstElementChild?.textContent ?? "");
      }
      const heir = at ? fields(form).find(({ name, value }) => name === at.name && value === at.value) : hand;
      if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
    },
  };
}

/**
 * What a field has is what is drawn of it.
 * @type {(field: Field) => void}
 */
function follow(field) {
  if (field instanceof HTMLSelectElement) {
    const chosen = [...field.options].find((option) => option.defaultSelected);
    if (chosen) chosen.selected = true;
  } else if (field.type === "radio" || field.type === "checkbox") field.checked = field.defaultChecked;
  else if (field.value !== field.defaultValue) field.value = field.defaultValue;
}

/**
 * Whether a field can have a value that an address gives.
 * @type {(form: HTMLFormElement, name: string, text: string) => boolean}
 */
function takes(form, name, text) {
  const named = fields(form).filter((field) => field.name === name);
  return named.some((field) => {
    if (field instanceof HTMLSelectElement) return [...field.options].some(({ value }) => value === text);
    if (field.type === "radio") return field.value === text;
    if (field.dataset.pattern) return new RegExp(`^(?:${field.dataset.pattern})$`).test(text);
    return /^-?\d+$/.test(text) && Number(text) >= Number(field.min) && Number(text) <= Number(field.max);
  });
}

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * Arrow keys move the focus through the cells of a table.
 * @type {(event: KeyboardEvent) => void}
 */
function rove(event) {
  const cell = /** @type {Element} */ (event.target).closest("[data-roving] td");
  if (!(cell instanceof HTMLTableCellElement) || !STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) {
    return;
  }
  event.preventDefault(); // the page stays where it is
  const [down, right] = STEPS[event.key];
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const rows = /** @type {HTMLTableSectionElement} */ (row.parentElement).rows;
  rows[row.sectionRowIndex + down]?.cells[cell.cellIndex + right]?.querySelector("input")?.focus();
}

// time

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

// the address

// The state of every widget on a page lives in the fragment: #~ID.key=value&ID.key=value
const PREFIX = "#~";
const entries = () => new URLSearchParams(location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : "");

/** @type {(id: string) => Record<string, string>} */
function readState(id) {
  const own = [...entries()].filter(([name]) => name.startsWith(`${id}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(id.length + 1), value]));
}

/**
 * Values that are null leave the address; replaceState keeps what history holds for the page.
 * @type {(id: string, state: Record<string, string | null>) => void}
 */
function writeState(id, state) {
  if (location.protocol === "about:") return; // a frame of a notebook has no address
  clearTimeout(again);
  const all = entries();
  for (const [key, value] of Object.entries(state)) {
    if (value === null) all.delete(`${id}.${key}`);
    else all.set(`${id}.${key}`, value);
  }
  const text = all.toString();
  try {
    history.replaceState(history.state, "", location.pathname + location.search + (text ? PREFIX + text : ""));
  } catch { // WebKit takes a hundred in ten seconds, and a key may be held down
    again = setTimeout(writeState, 1000, id, state);
  }
}
let again = 0;
