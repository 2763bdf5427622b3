import {
  one,
  unit as of,
} from "../lib/numbers.js";
export const first = () => one;
export const html = (data, state) => `${state}${data.of}${of}`;
