// What the widgets of two positions share.

import { button, touched } from "./widget.js";

/**
 * Buttons that move both positions by one; at an end the output says why they stay.
 * @type {(fields: HTMLInputElement[], last: number, output: HTMLElement) => HTMLButtonElement[]}
 */
export const movers = (fields, last, output) =>
  [-1, 1].map((by) =>
    button(by < 0 ? "Both one back" : "Both one on", () => {
      const moved = fields.map((field) => field.valueAsNumber + by);
      if (moved.some((p) => p < 0 || p > last)) {
        output.textContent = `Positions here go from 0 to ${last}: both stay where they are.`;
        return;
      }
      fields.forEach((field, i) => (field.valueAsNumber = moved[i]));
      touched(fields[0]);
    })
  );
