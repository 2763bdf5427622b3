"""Every learn page as a script: its examples from top to bottom, which print and check what the page prints.

learn/scaling/scaling.py stands next to the page, as does the notebook (docs_ext/site/notebooks.py), and a line at the
page's end links to both. A page that says `<!-- scripts -->` lists them all.
"""

import ast
import os
import re
from collections.abc import Callable, Iterator
from doctest import DocTestParser, Example
from itertools import zip_longest
from pathlib import PurePosixPath
from textwrap import dedent, fill, indent

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from docs_ext.html.formula import standard_tex
from docs_ext.html.template import template
from docs_ext.reading.fence import parse
from docs_ext.site.import_check import guard, install

_PART = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+) *(?P<language>\S*).*\n(?P<code>(?:.*\n)*?)(?P=indent)(?P=ticks) *$"
    r"|^# +(?P<title>.+)$"
    r"|^##+ +(?P<heading>.+?)(?: *\{[^{}]*\})?$"
    r'|^ *[?!]{3}\+? \w+ "(?P<question>.+)"$',
    re.MULTILINE,
)

MARK = "<!-- scripts -->"
_OFFER = '<p class="download"'
_LINE = template("""
<p class="download" data-search-exclude>
  <a href="{{ name }}.py" download>Download this page as Python</a>{% if notebook %} or
  <a href="{{ name }}.ipynb" download>as a notebook</a>{% endif %}{% if colab %}, or
  <a href="{{ colab }}">open it in Colab</a>{% endif %}: its examples run, and show what they should print.</p>
""")
_LIST = template("""
<ul class="downloads" data-search-exclude>
{% for name, address in scripts %}
<li><a href="{{ address }}.py" download><code>{{ name }}.py</code></a>{% if notebooks %},
  <a href="{{ address }}.ipynb" download aria-label="{{ name }} as a notebook">notebook</a>{% endif %}</li>
{% endfor %}
</ul>
""")

_HEAD = '''\
"""{title}

{about}

    {install}
"""


{check}
import io
import sys
import traceback


class Recorder(io.StringIO):
    """The screen, with a memory."""

    def write(self, text):
        """Print the text and keep it."""
        sys.__stdout__.write(text)
        return super().write(text)


def show(*values):
    """Print a value, or several as a tuple, as the Python prompt does."""
    value = values[0] if len(values) == 1 else values
    if value is not None:
        print(repr(value))


def show_error(error):
    """Print the last line of a traceback."""
    print(traceback.format_exception_only(error)[-1].strip())


def expect(page):
    """Compare what was printed since the last call with what the page prints."""
    printed, sys.stdout = sys.stdout.getvalue().strip("\\n"), Recorder()
    _same.append(printed == page.strip("\\n"))
    if not _same[-1]:
        sys.__stdout__.write("^^^ differs from the page, which prints:\\n" + page.strip("\\n") + "\\n")


_same = []
sys.stdout = Recorder()
'''

_TAIL = """\
# %% The end

sys.stdout = sys.__stdout__
if not all(_same):
    sys.exit(f"{_same.count(False)} of {len(_same)} outputs differ from the page")
print(f"All {len(_same)} outputs are those of the page.")
"""

_RESERVED = {"Recorder", "_same", "check_package", "expect", "io", "show", "show_error", "sys", "traceback"}


class DownloadError(BuildError, ValueError):
    """A page that cannot become a script."""


def add_download(html: str, page: Page, config: MkDocsConfig, files: Files, *, notebooks: bool) -> str:
    """Put a script beside a page that has examples, and a link to it at the page's end, and to its notebook."""
    source = page.file.src_uri
    if source != "index.md" and not source.startswith("learn/"):
        return html
    name = PurePosixPath(source).stem
    script = as_script(page.file.content_string, page.canonical_url or "", name, config.site_url)
    if script is None:
        return html
    address = f"{page.file.dest_uri.removesuffix('index.html')}{name}.py"
    if address in files.src_uris:
        files.remove(files.src_uris[address])  # the live server builds a page again
    files.append(File.generated(config, address, content=script))
    colab = _in_colab(f"{address.removesuffix('.py')}.ipynb") if notebooks else None
    return f"{html}\n{_LINE(name=name, notebook=notebooks, colab=colab)}"


def _in_colab(notebook: str) -> str | None:
    """Return the address that opens a notebook in Colab, if REPO_URL names a repository on GitHub.

    Colab reads it from a branch that holds the site: gh-pages, to which `mkdocs gh-deploy` pushes it.
    """
    name = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", os.environ.get("REPO_URL", ""))
    return f"https://colab.research.google.com/github/{name[1]}/blob/gh-pages/{notebook}" if name else None


def list_downloads(html: str, page: Page, nav: Navigation, *, notebooks: bool) -> str:
    """Put links to all scripts and notebooks where a page asks for them, in the order of the menu."""
    if MARK not in html:
        return html
    offering = [other for other in nav.pages if _OFFER in (other.content or "") and "/" in other.file.src_uri]
    names = [PurePosixPath(other.file.src_uri).stem for other in offering]
    scripts = [
        (name, get_relative_url(other.url + name, page.url)) for other, name in zip(offering, names, strict=True)
    ]
    return html.replace(MARK, _LIST(scripts=scripts, notebooks=notebooks))


def as_script(text: str, address: str, name: str, site_url: str | None = None) -> str | None:
    """Return the page's examples as one script, or None if it has none."""
    title, cells = name, list[str]()
    heading: str | None = None
    for part in _PART.finditer(text):
        if part["title"]:
            title = _plain(part["title"])
        elif part["heading"] or part["question"]:
            heading = _plain(part["heading"] or part["question"])
        elif part["language"] in ("pycon", "quiz-question"):
            line, console = text.count("\n", 0, part.start("code")) + 1, dedent(part["code"])
            if part["language"] == "quiz-question":
                quiz, _ = parse(console)
                heading, console = _plain(quiz["question"]), quiz["proof"]
            try:
                code = joined(DocTestParser().get_examples(console), _python)
            except (DownloadError, ValueError) as error:
                raise DownloadError(f"{name}.md:{line}: {error}") from None
            cells.append((f"# %% {heading}\n\n" if heading else "") + code + "\n")
            heading = None
    if not cells:
        return None
    about = (
        f"The examples of {address} as one script. "
        f"`python {name}.py` prints what the page prints and ends with an error if an output differs. "
        "Change something and run it again. It needs the package of the site, `attention-line-by-line`, and NumPy:"
    )
    head = _HEAD.format(
        title=title,
        about=fill(about, 100, break_long_words=False, break_on_hyphens=False),
        install=install(site_url),
        check=guard(site_url),
    )
    return "\n\n".join((head, *cells, _TAIL))


def joined(examples: list[Example], write: Callable[[Example], str]) -> str:
    """Write examples below one another, with an empty line after their imports."""
    lines = ""
    for example, after in zip_longest(examples, examples[1:]):
        lines += write(example)
        if _is_import(example) and after and not _is_import(after):
            lines += "\n"
    return lines.strip("\n")


def _is_import(example: Example) -> bool:
    return isinstance(ast.parse(example.source).body[0], ast.Import | ast.ImportFrom)


def _python(example: Example) -> str:
    """Write one example as code that prints what the prompt shows, followed by what the page shows."""
    code = example.source
    if taken := _RESERVED & set(_names_bound_by(code)):
        raise DownloadError(f"the script needs the name {min(taken)} for itself")
    if not example.want:
        return code
    if example.exc_msg is not None:
        code = f"try:\n{indent(code, '    ')}except Exception as error:\n    show_error(error)\n"
        return f"{code}expect({_literal(example.exc_msg)})\n\n"
    return f"{shown(code)}expect({_literal(example.want.replace('<BLANKLINE>', ''))})\n\n"


def _names_bound_by(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name


def shown(code: str, by: str = "show") -> str:
    """Wrap in show() each expression whose value the prompt would print; a call of print() stays as it is."""
    opening = f"{by}(".encode()
    lines = code.encode().splitlines(keepends=True)  # ast counts columns in bytes
    for value in sorted(_shown_by(ast.parse(code).body), key=lambda value: (-value.lineno, -value.col_offset)):
        first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
        lines[last] = lines[last][: value.end_col_offset] + b")" + lines[last][value.end_col_offset :]
        lines[first] = lines[first][: value.col_offset] + opening + lines[first][value.col_offset :]
        for number in range(first + 1, last + 1):
            lines[number] = b" " * len(opening) + lines[number]  # stays under the line above
    return b"".join(lines).decode()


def _shown_by(body: list[ast.stmt]) -> Iterator[ast.Expr]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                continue  # the prompt does not show what happens inside
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                continue
            case ast.Expr():
                yield statement
        for inner in ("body", "orelse", "finalbody"):
            yield from _shown_by(getattr(statement, inner, []))


def _literal(text: str) -> str:
    """Write a page's output as a string that can be read."""
    text = text.rstrip("\n")
    if "\n" not in text and '"' not in text and "\\" not in text:
        return f'"{text}"'
    if '"""' in text or text.endswith("\\"):
        raise DownloadError("an output that no raw string can hold")
    return f'r"""\n{text}\n"""' if "\\" in text else f'"""\n{text}\n"""'


def _plain(text: str) -> str:
    r"""Write a heading without markup: `$\dk$` is d_k."""
    text = re.sub(r"\$(.+?)\$", lambda tex: standard_tex(tex[1]), text)
    text = re.sub(r"\\(?:text|operatorname)\s*\{(.*?)\}", r"\1", text)
    text = re.sub(r"\[(.+?)\](?:\(.*?\)|\[.*?\])", r"\1", text)
    return re.sub(r"\*+(.+?)\*+", r"\1", text).replace("`", "")
