// A link to something in a closed fold opens the fold.

/**
 * Open every fold around an element, also those in folds, and bring it into view if one was closed.
 * @type {(target: Element | null) => void}
 */
export function reveal(target) {
  const folds = [];
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement?.closest("details")) folds.push(fold);
  const closed = folds.filter((fold) => !fold.open);
  for (const fold of closed) fold.open = true;
  if (closed.length) target?.scrollIntoView();
}
