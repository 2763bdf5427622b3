import { one } from "../lib/numbers.js";
export function first() {
  return one;
}
