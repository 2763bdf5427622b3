// What tests that use every control ask of a page; the tests take a function from here by its name (conftest.py).

// All of a page, as if somebody had read to its end and opened every fold; what a widget makes anew is closed again.
export const spread = async () => {
  const wait = (ms) => new Promise((done) => (globalThis.later ?? setTimeout)(done, ms));
  const open = () => document.querySelectorAll(".md-content details").forEach((fold) => fold.open = true);
  const waiting = () => document.querySelector(".md-content :not(:defined):not(:empty)");
  document.documentElement.classList.add("whole");
  open();
  for (let i = 0; i < 500 && waiting(); i++) {
    waiting().scrollIntoView();
    await wait(20);
  }
  await globalThis.atRest?.();
  open();
  return waiting()?.localName ?? "";
};
// A control may bring others, or make itself anew: whatever has not been used is, until there is nothing left. The keys
// of sliders and fields are tried elsewhere (test_contract.py). Where the page has `atRest` (test_engines.py), each step
// waits for it, and what the widget then shows is noted: the text that can be seen, and the values of its fields. The line
// that saves a figure or fills the screen comes when it likes, and has tests of its own.
export const operate = async () => {
  const ALIKE = ".md-code__button"; // of hundreds the first will do
  const used = new WeakSet(), alike = new Set(), steps = [];
  const says = (widget) => {
    const words = [], texts = document.createTreeWalker(widget, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) if (texts.currentNode.parentElement.checkVisibility()) words.push(texts.currentNode.data);
    const values = [...widget.querySelectorAll("input, select")].map((e) => [e.value, e.checked ?? null]);
    return words.join(" ").replace(/\s+/g, " ") + JSON.stringify(values);
  };
  const next = () =>
    [...document.querySelectorAll(".md-content :is(input, select, button):not(.save *)")]
      .find((e) => !used.has(e) && !e.disabled && e.checkVisibility() && !(e.matches(ALIKE) && alike.has(e.className)));
  for (let control = next(); control && steps.length < 2000; control = next()) {
    used.add(control);
    const home = [...(function* (e) {
      for (; e; e = e.parentElement) yield e;
    })(control)]
      .find((e) => e.localName.includes("-"));
    if (control.matches(ALIKE)) alike.add(control.className);
    if (control.matches("button, [type=radio], [type=checkbox]")) control.click();
    else {
      if (control.matches("select")) control.selectedIndex = control.options.length - 1;
      else control.value = control.type === "range" ? control.max : "1/2";
      for (const event of ["input", "change"]) control.dispatchEvent(new Event(event, { bubbles: true }));
    }
    await globalThis.atRest?.();
    steps.push([home?.localName ?? control.classList[0], globalThis.atRest && home ? says(home) : ""]);
  }
  await new Promise((done) => setTimeout(done, 50));
  return steps;
};
