// First scripts of a page: what the browser's tests change before anything of ours runs.

// Widgets come when they are about to be seen, and what is far below is laid out later. Most tests want all at once.
export const atOnce = () => {
  const Real = globalThis.IntersectionObserver;
  globalThis.IntersectionObserver = class extends Real {
    constructor(hear, options) {
      super(hear, options);
      this.now = options?.rootMargin === "100% 0px" && ((target) => hear([{ target, isIntersecting: true }], this));
    }
    observe(target) {
      this.now ? this.now(target) : super.observe(target);
    }
  };
  document.addEventListener("readystatechange", () => document.documentElement.classList.add("whole"));
};
// What the content security policy blocks, from the first script on.
export const watchPolicy = () => {
  globalThis.blocked = [];
  addEventListener(
    "securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber, sample }) =>
      blocked.push([effectiveDirective, blockedURI, `${sourceFile}:${lineNumber}`, sample].join(" ")),
  );
};
