// Formulas in V8, which has KaTeX by then.

// KaTeX writes a name and the sign that applies it side by side, as in s_max. Where MathML counts children, both become
// one row.
const COUNTED = /^m(sub|sup|subsup|under|over|underover|frac|root)$/;
function mendRows(node) {
  node.children?.forEach((child, i) => {
    const isPair = COUNTED.test(node.type) && child.children && !child.attributes;
    if (isPair) node.children[i] = new node.constructor("mrow", child.children);
    mendRows(child);
  });
}
globalThis.render = (tex, displayMode, macros) => {
  try {
    const formula = katex.__renderToDomTree(tex, {
      displayMode,
      macros,
      throwOnError: true,
      output: "htmlAndMathml",
      strict: (code) => code === "htmlExtension" ? "ignore" : "error",
      trust: ({ command }) => {
        if (command === "\\htmlClass") return true;
        throw new Error(command + " is not allowed");
      },
    });
    mendRows(formula.children[0]);
    return [formula.toMarkup(), ""];
  } catch (error) {
    return ["", error.message];
  }
};
