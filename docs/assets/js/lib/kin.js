// Kin: the queries of a page belong together, in formulas, words, code and figures, and so do keys, values and outputs.
// The page says whose turn it is, and the style sheet lights them.

const ROLE = /(?:^|\s|-)(query|key|value|output)(?=\s|$)/;
const BEARERS =
  '[class*="role-"], [data-role], .strips, :is(.attention-grid, .row-step) :is(.query, .key, .value, .output)';

/**
 * Light the kin of an element, or put the light out if it has no role.
 * @type {(target: EventTarget | null) => void}
 */
export function light(target) {
  const bearer = target instanceof Element && target.closest(BEARERS);
  const names = bearer && (bearer.getAttribute("data-role") ?? bearer.getAttribute("class"));
  const role = ROLE.exec(names || "")?.[1];
  const page = document.documentElement;
  if (role) page.dataset.kin = role;
  else delete page.dataset.kin;
}
