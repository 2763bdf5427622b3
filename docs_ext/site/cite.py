"""How to cite a page: the entry of the site, which stands once in docs/reference/sources.md, with the page's title.

main.html shows it in a fold at the page's end, outside what is searched and whose minutes are counted.
"""

import re

from mkdocs.exceptions import BuildError
from mkdocs.structure.pages import Page

from docs_ext.site.address import public
from docs_ext.sources.bibliography import FILE, read, tex, written

SITE = "attention_line_by_line"
SITES_ENTRY = FILE.with_suffix(".md")
_ENTRY = re.compile(rf"^```bibtex\n(@misc\{{{SITE},\n.*?^\}}\n)```$", re.DOTALL | re.MULTILINE)
_LETTER = re.compile(r"√(?P<under>\w)ₖ|.")
_TEX = {
    **{char: rf"\{char}" for char in "#$%&_"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"{": r"$\lbrace$", "}": r"$\rbrace$", "“": "``", "”": "''", "\N{RIGHT SINGLE QUOTATION MARK}": "'"},
    "\N{MULTIPLICATION SIGN}": r"$\times$",
}


def citation(page: Page) -> str | None:
    """Return a page as a BibTeX entry; the home page is the site, and sources.md cites that, if it is there."""
    if page.file.src_uri == "index.md" or not SITES_ENTRY.exists():
        return None
    source = page.file.src_uri.removesuffix(".md")
    fields = dict(site_entry())
    try:
        fields["title"] = f"{{{in_tex(str(page.title))}}}"  # in braces, so that no style changes its capitals
    except ValueError as error:
        raise BuildError(f"{page.file.src_uri}: the title cannot be cited: {error}") from None
    year, note = fields.pop("year"), fields.pop("note")
    fields |= {"howpublished": site_entry()["title"], "year": year, "note": note}
    if address := public(page.canonical_url):
        fields["url"] = address
    else:
        fields["note"] += f", page {in_tex(source)}"
    return written("misc", f"{SITE}_{re.sub(r'[^a-z0-9]', '_', source)}", fields)


def site_entry() -> dict[str, str]:
    """Return the fields of the entry for the whole site."""
    (entry,) = _ENTRY.findall(SITES_ENTRY.read_text("utf-8"))
    return read(entry)[SITE].fields


def in_tex(text: str) -> str:
    r"""Write a title in TeX, which knows ASCII alone.

    >>> print(in_tex("Why divide by √dₖ? (50 % of W_Q & n²)"))
    Why divide by $\sqrt{d_k}$? (50 \% of W\_Q \& n$^2$)
    """
    return _LETTER.sub(_in_tex, text)


def _in_tex(letter: re.Match[str]) -> str:
    if letter["under"]:
        return rf"$\sqrt{{{letter['under']}_k}}$"
    found = _TEX.get(letter[0]) or tex(letter[0])
    if not found.isascii():
        raise ValueError(f"docs_ext/site/cite.py knows no TeX for {letter[0]!r}")
    return found
