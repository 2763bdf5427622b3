r"""The content of a page as Markdown: for whoever reads text, a person with a terminal, a notebook or a program.

What the page computed is filled in: tables, charts, answers; a widget is a link to it. Formulas are standard TeX. Code
stands as it was typed, so `python -m doctest` runs the result as it runs the page. Links lead to the pages of the site.

What only the page can show stands between `FIGURE` and `END`, and what it folds, as an answer, between `FOLD` and
`UNFOLD`: a notebook leaves the one out and folds the other. `whole` takes these marks out.
"""

import re
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urljoin

from bs4.element import NavigableString, Tag
from markdownify import MarkdownConverter

from docs_ext.disk_cache import kept
from docs_ext.html.tree import content, formulas, tex, without_colours

FIGURE, END, FOLD, UNFOLD = "\x02\x03\x04\x05"
_NO_WORDS = "details.mkdocstrings-source, template, a.headerlink, input, svg[aria-hidden=true]"
_LIKE_A_MARK = re.compile(r"([*_`$\\]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=\])\()")
_LIKE_A_BLOCK = re.compile(r"^(?:(\d+)(?=[.)] )|(?=[-+#>] ))")
_BLANK = re.compile(r"(?<=\n)\n(?!\n*>>> )")  # in an output: mkdocstrings takes doctest's mark away
_BLOCKS = {"details", "fieldset", "figcaption", "figure", "label", "legend", "summary", "svg"}
_UNSEEN = {"decimal", "bar", "swatch"}  # what the pointer shows, and what has no words


def to_markdown(html: str, address: str) -> str:
    r"""Return the content of the page at this address.

    >>> print(to_markdown('<p>See <a href="../masks/">masks</a>, 2*3.</p>', "https://site.test/scaling/"), end="")
    See [masks](https://site.test/masks/), 2\*3.
    """
    return kept(partial(_made, html, address), html, address).decode()


def _made(html: str, address: str) -> bytes:
    tree = content(html)
    for formula in formulas(tree):
        kind = "display" if "katex-display" in (formula.attributes["class"] or "") else "inline"
        formula.inner_html = f"<math {kind}>{escape(tex(formula), quote=False)}</math>"
        formula.unwrap()
    without_colours(tree)
    for part in tree.css(_NO_WORDS):
        part.decompose()
    for drawing in tree.css("svg"):
        drawing.inner_html = ""
    for setup in tree.css("details.setup"):  # what a console folds belongs to it
        code = setup.parent.css_first("details ~ pre > code")
        code.inner_html = f"{setup.css_first('pre').inner_html}{code.inner_html}"
        setup.decompose()
    return f"{_Converter(address).convert(tree.html)}\n".encode()


def whole(markdown: str) -> str:
    """Take out the marks of what only the page can show."""
    return re.sub(f"[{FIGURE}{END}{FOLD}{UNFOLD}]", "", markdown)


def _classes(element: Tag | None) -> set[str]:
    return {*(element.get_attribute_list("class") if element else ())}


_Base: Any = MarkdownConverter  # its stubs know few of its methods


class _Converter(_Base):  # type: ignore[misc]
    """Gives markdownify the elements of this site; each method turns the text of an element into its Markdown."""

    def __init__(self, address: str) -> None:
        super().__init__(heading_style="atx", bullets="-", wrap=True, wrap_width=None)
        self.address = address

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Keep what is no mark from being read as one."""
        return text if "math" in parent_tags else _LIKE_A_MARK.sub(r"\\\1", text)

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        """Leave out what only decorates, and write a link to a widget in its place."""
        if "-" in node.name and node.name != "quiz-question":
            title = node.find(class_="widget-title") or node.find(class_="title")
            link = self.escape(f"{title.get_text()}: interactive" if title else "Interactive", set())
            return self.block(f"[{link} on the page]({self.place(node)})", parent_tags or set())
        return "" if node.has_attr("aria-hidden") else str(super().process_tag(node, parent_tags))

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Leave out the space between two parts of a figure."""
        beside = (el.previous_sibling, el.next_sibling)
        if not el.strip() and any(isinstance(part, Tag) and part.name in _BLOCKS for part in beside):
            return ""
        return str(super().process_text(el, parent_tags))

    def block(self, text: str, parent_tags: set[str]) -> str:
        text = text.strip()
        if "_inline" in parent_tags:
            return f" {text} "
        return f"\n\n{text}\n\n" if text else ""

    def convert_math(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if el.has_attr("display") and "_inline" not in parent_tags:
            return f"\n\n$$\n{el.get_text().strip()}\n$$\n\n"
        return f"${' '.join(el.get_text().split())}$"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if el.has_attr("href"):
            el["href"] = urljoin(self.address, str(el["href"]))
        del el["title"]
        return str(super().convert_a(el, text, parent_tags))

    def convert_p(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = _LIKE_A_BLOCK.sub(r"\1\\", text.strip())
        if "widget-title" in _classes(el) or el.find("span", class_="doc-section-title"):
            text = f"**{text}**"
        if "download" in _classes(el):
            text = f"{FIGURE}{text}{END}"
        return self.block(text, parent_tags)

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = el.get_text().strip("\n")
        if "_inline" in parent_tags:
            return f" `{' '.join(code.split())}` "
        if code.startswith(">>>"):
            return self.fenced("pycon", _BLANK.sub("<BLANKLINE>\n", code) + "\n")  # doctest wants the blank line
        classes = " ".join(_classes(el.parent))
        language = re.search(r"language-(\w+)", classes)
        name = language[1] if language else "python" if "highlight" in classes else ""
        return self.fenced(name.removeprefix("text"), code)  # what is indented is highlighted as text

    def fenced(self, language: str, code: str) -> str:
        ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`{3,}", code)), 0)
        return f"\n\n{ticks}{language}\n{code}\n{ticks}\n\n"

    def convert_div(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        classes = _classes(el)
        if "doc-md-description" in classes:
            return f" {text.strip()}"
        return self.block(text, parent_tags)

    def convert_span(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        classes = _classes(el)
        if classes & _UNSEEN:
            return ""
        if classes & {"because", "settled"} and text.strip():
            return f"  \n{text.strip()}"
        return f" {text} " if classes & {"legend", "part"} else text

    def convert_label(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "" if "Your answer" in text else f"\n- {text.strip()}\n"

    def convert_legend(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self.block(f"**Question.** {text.strip()}", parent_tags)

    def convert_summary(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip()
        return self.block(text if text.startswith("#") or "**" in text else f"**{text}**", parent_tags)

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = re.sub(r" +\n", "  \n", text).replace("( `", "(`").replace("` )", "`)")
        return str(super().convert_li(el, text, parent_tags))

    def convert_sub(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return rf"\_{text}"

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"^{text}"

    def convert_svg(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        label = str(el.get("aria-label", "")).strip()
        label = self.escape(label, set())
        return self.block(label if not label or "_inline" in parent_tags else f"*Picture: {label}*", parent_tags)

    def convert_figcaption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self.block(text if "**" in text else f"**{text.strip()}**", parent_tags)

    def convert_fieldset(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self.block(text, parent_tags)

    def convert_details(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip()
        if "chart" in _classes(el.find_parent("figure")):
            text = f"{FIGURE}{text}{END}"
        if "question" in _classes(el) and "```" not in text:
            question, _, answer = text.partition("\n\n")
            text = f"{question}\n\n{FOLD}{answer}{UNFOLD}"
        return self.block(text, parent_tags)

    def convert_ul(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "verdicts" in _classes(el):
            text = f"{FOLD}{text.strip()}{UNFOLD}\n"
        return str(self.convert_list(el, text, parent_tags))

    def convert_figure(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        drawn = _classes(el) & {"chart", "diagram"}
        return self.block(f"{text.strip()}\n\n[Drawn on the page]({self.place(el)})" if drawn else text, parent_tags)

    def place(self, el: Tag) -> str:
        anchor = el.get("id") or el.get("aria-labelledby")
        return f"{self.address}#{anchor}" if anchor else self.address

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = " ".join(text.split())
        return f"**{text}**\n\n" if text else ""

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"|{text}\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
        return f" {text} |" + "  |" * (int(str(el.get("colspan", "1"))) - 1)

    convert_th = convert_td

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        rows = re.findall(r"^\|.*\|$", text, re.MULTILINE)
        caption = text.partition("|")[0].strip() if el.find("caption") else ""
        width = max((len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows), default=0)
        if not el.find("thead"):
            rows.insert(0, "|" + "  |" * width)
        rows.insert(1, "|" + " --- |" * width)
        return self.block("\n\n".join(filter(None, (caption, "\n".join(rows)))), parent_tags)
