"""Two builds of the same sources are compared, and what a reader would miss is named."""

from types import SimpleNamespace

import pytest

pytest.importorskip("markdown", reason="the site's tools are not installed: pip install -e .[docs]")
pytest.importorskip("uv", reason="installing other generators needs the dev extra")

from markdown import Markdown

from docs_ext.extensions.fences import ANCHORS
from docs_ext.reading.page import current_page
from tools import successors
from tools.compare import read

HOME = """<nav><a href="learn/masks/">Masks</a><a href="https://elsewhere.test/x">x</a></nav>
<article><h1 id="home">Home</h1><p>Two words<br>more</p><span class="katex">x</span>
<softmax-lab><svg><path d=""/></svg></softmax-lab><script>no words</script></article><footer>none</footer>"""
MASKS = """<article><p class="place">1 of 2</p><h1 id="masks">Masks</h1><a href="../../#home">home</a>
<a href="#masks">here</a><a href="../../#~k=1">a state</a><div class="highlight">1 2</div></article>"""


@pytest.fixture
def folder(tmp_path):
    for name, text in {"index.html": HOME, "learn/masks/index.html": MASKS}.items():
        write(tmp_path / name, text)
    write(tmp_path / "search.json", '{"items": [1, 2, 3]}')
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_what_an_article_holds_is_read(folder):
    site = read(folder)
    assert site.parts() == {"formulas": 1, "widgets": 1, "consoles and code": 1}
    assert site.pages["index.html"].words == ["Home", "Two", "words", "more", "x"]
    assert site.pages["learn/masks/index.html"].words == ["Masks", "home", "here", "a", "state", "1", "2"]
    assert site.searched == 3
    assert list(site.dead_links()) == []


@pytest.mark.parametrize(
    ("was", "now", "line"),
    [
        ("Two words", "Two Words", "1 pages say something else: `index.html`"),
        ('id="home"', "", "1 anchors are lost: `index.html#home`"),
        ('id="home"', "", "1 links lead nowhere: `learn/masks/index.html: ../../#home`"),
        ("learn/masks/", "masks/", "1 links lead nowhere: `index.html: masks/`"),
    ],
)
def test_what_a_reader_would_miss_is_wrong(folder, was, now, line):
    before = read(folder)
    write(folder / "index.html", HOME.replace(was, now))
    found = successors.lacks(before, read(folder))
    assert successors.Line(line, True) in found


def test_what_only_hooks_write_is_named_and_no_error(folder):
    after = read(folder)
    write(folder / "old/index.html", "<article>moved</article>")
    write(folder / "mine.py", "")
    texts = dict(successors.lacks(read(folder), after))
    assert texts["1 pages are missing: `old/index.html`"] is False
    assert texts["1 other files are missing beside those of the theme: `mine.py`"] is False
    assert not any(texts.values())


def test_the_table_has_a_column_for_each_generator(folder):
    site = read(folder)
    table = successors.table(
        successors.Build("mkdocs 1", site, 1.2), [successors.Build("other 2", site._replace(pages={}), 2.6)]
    )
    assert table.splitlines()[0] == "|  | mkdocs 1 | other 2 |"
    assert {"| pages | 2 | 0 |", "| formulas | 1 | 0 |", "| seconds | 1 | 3 |"} < set(table.splitlines())


def test_a_generator_that_fails_is_reported_with_what_it_said(monkeypatch, capsys, folder):
    def fail(*_):
        raise successors.FailedError("said no")

    monkeypatch.setattr(successors, "install", fail)
    monkeypatch.setattr(successors, "build", lambda name, *_: successors.Build(name, read(folder), 0))
    assert successors.main() == len(successors.SUCCESSORS)
    assert "zensical: said no" in capsys.readouterr().out


def test_a_command_that_fails_is_quoted(tmp_path):
    with pytest.raises(successors.FailedError, match="it broke"):
        successors._run(["sh", "-c", "echo it broke; exit 2"], tmp_path)


def test_zensical_tells_the_extensions_which_page_they_convert():
    md = Markdown()
    md.preprocessors.register(SimpleNamespace(page=SimpleNamespace(path="learn/masks.md")), "rendering_context", 0)
    assert current_page(md) == "learn/masks.md"


def test_anchors_of_fences_are_known_to_mkdocs_and_to_its_fork():
    assert ANCHORS == ("mkdocs_extract_anchors", "properdocs_extract_anchors")
