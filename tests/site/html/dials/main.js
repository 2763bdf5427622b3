import { one } from "./lib/numbers.js";
document.title = one;
