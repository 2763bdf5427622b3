// Tables of records: what is computed for several cases, side by side.

import { folded, scrolling } from "./frame.js";
import { markup } from "./markup.js";

/**
 * A row for each record and a column for each name; folded away until a reader wants it.
 * @type {(summary: string, caption: string, records: Record<string, string | number>[]) => import("./markup.js").Markup}
 */
export function foldedRecords(summary, caption, records) {
  /** @type {(item: string | number) => unknown} */
  const word = (item) => typeof item === "string" && markup` class="word"`;
  const names = Object.entries(records[0]).map(([name, item]) => markup`<th scope="col"${word(item)}>${name}</th>`);
  const rows = records.map((record) =>
    markup`<tr>${Object.values(record).map((item) => markup`<td${word(item)}>${item}</td>`)}</tr>`
  );
  return folded(
    summary,
    scrolling(
      summary,
      markup`
<table class="numbers">
<caption><span>${caption}</span></caption>
<thead><tr>${names}</tr></thead>
<tbody>${rows}</tbody>
</table>
`,
    ),
  );
}
