"""Every control of a page used once: what a policy, a disk without a server or a sub-path might forbid shows then."""

from collections import Counter

# A control may bring others, or make itself anew: whatever has not been used is, until there is nothing left. The keys
# of sliders and fields are tried elsewhere (test_contract.py).
_OPERATE = """async () => {
  const ALIKE = ".md-code__button, .prompt-toggle"; // of hundreds the first will do
  const used = new WeakSet(), alike = new Set(), tags = [];
  const wait = ms => new Promise(done => setTimeout(done, ms));
  const waiting = () => document.querySelector(".md-content :not(:defined):not(:empty)");
  document.documentElement.classList.add("whole");
  for (const fold of document.querySelectorAll(".md-content details")) fold.open = true;
  for (let i = 0; i < 500 && waiting(); i++) {
    waiting().scrollIntoView();
    await wait(20);
  }
  const next = () => [...document.querySelectorAll(".md-content :is(input, select, button)")]
    .find(e => !used.has(e) && !e.disabled && e.checkVisibility() && !(e.matches(ALIKE) && alike.has(e.className)));
  for (let control = next(); control && tags.length < 2000; control = next()) {
    used.add(control);
    const home = [...(function* (e) { for (; e; e = e.parentElement) yield e; })(control)]
      .find(e => e.localName.includes("-"));
    if (control.matches(ALIKE)) alike.add(control.className);
    tags.push(home?.localName ?? control.className);
    if (control.matches("button, [type=radio], [type=checkbox]")) control.click();
    else {
      if (control.matches("select")) control.selectedIndex = control.options.length - 1;
      else control.value = control.type === "range" ? control.max : "1/2";
      for (const event of ["input", "change"]) control.dispatchEvent(new Event(event, {bubbles: true}));
    }
    await null;
  }
  await wait(50);
  return [tags, waiting()?.localName];
}"""


def operate(page) -> Counter[str]:
    """Use all controls of the page's content, and return how many of each widget there were."""
    tags, undefined = page.evaluate(_OPERATE)
    assert not undefined, f"<{undefined}> stays as it was built"
    return Counter(tags)
