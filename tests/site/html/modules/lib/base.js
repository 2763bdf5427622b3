log("base runs");
export const word = "word";
export function twice(x) {
  return own * x;
}
const own = 2;
