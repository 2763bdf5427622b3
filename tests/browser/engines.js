// What the tests in three browsers ask of a page, and its first script, which hears what goes wrong.

// The first script of every page, in all engines. Time is not waited for: what is put off comes at once, and the page is
// at rest when nothing is put off and nothing fetched any more.
export const hear = () => {
  globalThis.heard = [];
  addEventListener("error", ({ message, target }) => heard.push(message ?? `not loaded: ${target.outerHTML}`), true);
  addEventListener("unhandledrejection", ({ reason }) => heard.push(`${reason}`));
  for (const kind of ["error", "warn"]) {
    const say = console[kind];
    console[kind] = (...words) => heard.push(words.join(" ")) && say.apply(console, words);
  }
  const later = globalThis.later = setTimeout, never = clearTimeout, ask = fetch, put = new Set();
  globalThis.setTimeout = (act, ms, ...given) => {
    if (ms > 9999) return later(act, ms, ...given); // how long WebKit's driver is patient
    const id = later(() => put.delete(id) && act(...given));
    put.add(id);
    return id;
  };
  globalThis.clearTimeout = (id) => {
    put.delete(id);
    never(id);
  };
  globalThis.fetch = (...given) => {
    const answer = ask(...given);
    put.add(answer);
    answer.catch(() => 0).then(() => later(() => put.delete(answer), 250)); // it has to be read, too
    return answer;
  };
  HTMLAnchorElement.prototype.click = () => 0; // no file is kept: for each, WebKit's window gives up some of its height
  let written = 0; // WebKit lets a page write a hundred addresses in ten seconds
  const write = history.replaceState.bind(history);
  history.replaceState = (...given) => {
    written += 1;
    later(() => written -= 1, 10000);
    write(...given);
  };
  globalThis.atRest = async () => {
    for (let i = 0; i < 2000 && (!i || put.size || written > 90); i++) await new Promise((done) => later(done, 10));
  };
};
export const look = () => {
  const links = [...document.querySelectorAll(".md-content :is(p, li, dd, td, th) a[href]:not(code a)")]
    .filter((a) => a.checkVisibility() && a.textContent.trim() && getComputedStyle(a).display === "inline");
  const lined = (a) =>
    getComputedStyle(a).textDecorationLine === "underline" ||
    a.matches(".formula-words a") && getComputedStyle(a).borderBottomStyle === "solid"; // formulas are deep
  const width = ({ localName, offsetWidth }) => localName === "legend" ? 0 : offsetWidth;
  const groups = [...document.querySelectorAll(".md-content fieldset")].filter((group) => group.checkVisibility());
  return {
    links: links.length,
    plain: links.filter((a) => !lined(a)).map((a) => a.outerHTML),
    groups: groups.map(({ children }) => [children[0].textContent, Math.max(...[...children].map(width))]),
  };
};
export const asked = () => performance.getEntriesByType("resource").map(({ name }) => name);
