"""What a page's consoles define, for its fences: the names, once a page, and what is wrong with page and line."""

import numpy as np
import pytest

from docs_ext import disk_cache
from docs_ext.errors import SpecError
from docs_ext.reading import consoles, page
from docs_ext.reading.expressions import evaluate
from tests.tables import beside, each_row

GOOD = beside(__file__, "trial.markdown")


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "DOCS", tmp_path)
    (tmp_path / "learn").mkdir()
    return lambda text: (tmp_path / "learn/trial.md").write_text(text, "utf-8")


def test_an_expression_knows_what_a_page_defines_and_no_quiz(write, capsys):
    write(GOOD)
    assert evaluate('page("trial").n') == 5
    assert evaluate('[page("trial").twice(k) for k in range(3)]') == [0, 5, 10]
    assert capsys.readouterr().out == ""


def test_a_page_runs_once_until_it_is_edited(write):
    write("```pycon\n>>> a = [0]\n\n```\n")
    assert consoles.page("trial").a is consoles.page("trial").a
    write("```pycon\n>>> a = [1]\n\n```\n")
    assert consoles.page("trial").a == [1]


def test_what_a_page_computes_is_kept_until_the_page_changes(write, tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path / "cache")
    write("```pycon\n>>> a = [1]\n\n```\n")
    assert evaluate('page("trial").a') == [1]
    monkeypatch.setattr(consoles, "run", None)
    assert evaluate('page("trial").a') == [1]
    write("```pycon\n>>> a = [2]\n\n```\n")
    with pytest.raises(SpecError, match="'NoneType' object is not callable"):
        evaluate('page("trial").a')


def test_a_page_leaves_no_print_options_behind(write):
    before = np.get_printoptions()
    write("```pycon\n>>> import numpy as np\n>>> np.set_printoptions(precision=1)\n\n```\n")
    consoles.page("trial")
    assert np.get_printoptions() == before


@each_row("sound, faulty, words", "trial.toml")
def test_what_is_wrong_is_named_with_page_and_line(write, sound, faulty, words):
    write(GOOD.replace(sound, faulty))
    with pytest.raises(SpecError, match=words):
        evaluate('page("trial").twice(1)')


def test_a_page_that_is_not_there_is_refused(write):
    write(GOOD)
    with pytest.raises(SpecError, match=r"there is no page learn/trail\.md \(did you mean 'learn/trial.md'\?\)"):
        evaluate('page("trail").n')
