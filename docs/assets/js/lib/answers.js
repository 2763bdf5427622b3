// What the reader has answered. It stays in this browser and can be cleared; no cookie, no request.

/**
 * One page: how many questions it has, which were right at first try, and what is chosen for each:
 * positions of options, or what was typed.
 * @typedef {{ title: string, of: number, first: string[], chosen: Record<string, (number | string)[]> }} Page
 * @typedef {Record<string, Page>} Answers  by the page's path
 */

const KEY = "attention-line-by-line.answers"; // sites of one host share the storage
/** @type {Answers} */
let memory = {}; // stands in where a browser stores nothing

/** @type {() => Answers} */
export function readAnswers() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "null");
    if (stored) memory = Object.fromEntries(Object.entries(stored).filter(isSound)); // another tab may have written
  } catch {
    // storage is switched off, or holds what this site did not write
  }
  return memory;
}

// Every site of this host can write here. What is no answer to a page of this one is passed over.
/** @type {(entry: [string, any]) => boolean} */
const isSound = ([address, page]) =>
  isPage(address) && typeof page?.title === "string" && Number.isInteger(page.of) && areAnswers(page.first) &&
  `${page.chosen}` === "[object Object]" && Object.values(page.chosen).every(areAnswers);

/** @type {(list: unknown) => boolean} */
const areAnswers = (list) => Array.isArray(list) && list.every((one) => /number|string/.test(typeof one));

/**
 * Whether an address is what `location.pathname` says of a page: below the first page, and nothing that leads elsewhere.
 * @type {(address: string) => boolean}
 */
function isPage(address) {
  const first = /** @type {any} */ (globalThis).__md_scope?.pathname ?? "/"; // the theme's
  const link = document.createElement("a"); // reads any address, and never fails
  link.href = address;
  return address.startsWith(first) && link.host === location.host && link.pathname === address;
}

/** @type {(answers: Answers) => void} */
export function store(answers) {
  memory = answers;
  try {
    localStorage.setItem(KEY, JSON.stringify(answers));
  } catch {
    // then they last as long as the page
  }
  markDone();
  document.dispatchEvent(new Event("answerschange"));
}

/** Beside a page in the menu, and in the line above a title, say whether all its questions are answered. */
export function markDone() {
  const answers = readAnswers();
  const links = document.querySelectorAll(".way a, .md-nav--primary :is(a, label[for=__toc]).md-nav__link"); // it names this page
  for (const link of links) {
    const { pathname, hash } = link instanceof HTMLAnchorElement ? link : { pathname: location.pathname, hash: "" };
    const page = hash ? undefined : answers[pathname];
    link.querySelector(".done")?.remove();
    if (!page || Object.keys(page.chosen).length < page.of) continue;
    const mark = document.createElement("span");
    mark.className = "done";
    mark.textContent = "done";
    link.append(" ", mark);
  }
}

/** @type {(page: Page) => string} */
export const score = (page) =>
  `${Object.keys(page.chosen).length} of ${page.of} answered, ${page.first.length} right at first try`;
