"""What the search plugin reads of a page: words in place of formulas, and how much the page counts.

A reader types softmax or W_Q and wants the page that explains it, not each function that has it for an argument.
"""

from html import escape
from typing import Any

from docs_ext.html.formula_words import in_words
from docs_ext.html.tree import content, formulas, without_colours

_RANKS = {"learn/": 4, "practice/": 2}  # of folders; a page says `search: {boost: 5}` in its head
# What is marked, and the source, since a reader seeks what it does.
_OUT = "[data-search-exclude]:not(h1, h2, h3, h4, h5, h6), .mkdocstrings-source"


def rank(source: str) -> dict[str, Any]:
    """Return what the search plugin expects in a page's front matter.

    >>> rank("learn/scaling.md"), rank("reference/masks.md")
    ({'boost': 4}, {'boost': 1})
    """
    return {"boost": next((rank for path, rank in _RANKS.items() if source.startswith(path)), 1)}


def for_search(html: str, title: str | None = None) -> str:
    """Return what the search plugin has to read: words in place of formulas, code without its colours, no answers.

    A drawn formula would be there three times, its root not at all, and with spaces of no width. A reader types sqrt
    or W_Q. To parse what is drawn took a quarter of a build. The title of the front matter names the engineer's term,
    and so a search for it finds the page. A heading in a summary moves before its fold: else its section ended with it.

    >>> from docs_ext.html.formula import render
    >>> for_search(f"<p>a {render('W_Q')} b</p>")
    '<p>a W_Q b</p>'
    >>> for_search("<pre><span>c</span></pre>")
    '<pre>c</pre>'
    >>> for_search('<details class="question"><summary>Who?</summary><details>cat</details>, not dog</details>')
    '<details class="question"><summary>Who?</summary></details>'
    >>> for_search('<h1 id="why">What does a cache save?</h1>', "What does a cache save? (KV cache)")
    '<h1 id="why">What does a cache save? (KV cache)</h1>'
    """
    tree = content(html)
    for formula in formulas(tree):
        formula.replace_with(in_words(formula))
    for line in tree.css("span.arithmatex[data-search-exclude]"):
        del line.attrs["data-search-exclude"]
    for part in tree.css(_OUT):
        part.decompose()
    for summary in tree.css("details.question > summary"):
        while summary.next:
            summary.next.decompose()
    for summary in tree.css("details.deeper > summary"):
        while summary.child:
            summary.parent.insert_before(summary.child, move=True)
    if title and (heading := tree.css_first("h1")):
        heading.inner_html = escape(title, quote=False)
    without_colours(tree)
    return str(tree.html)
