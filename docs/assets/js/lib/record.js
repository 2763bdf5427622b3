// What was recorded once, for widgets that need more of it than their page holds.

/** @type {(name: string) => Promise<any>} */
export async function recordOf(name) {
  const here = document.getElementById(`${name.replace("_", "-")}-record`); // in the offline copy
  if (here) return JSON.parse(here.textContent);
  const main = /** @type {HTMLScriptElement} */ (document.querySelector('script[src$="assets/js/main.js"]'));
  const answer = await fetch(new URL(`../records/${name}.json`, main.src));
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}
