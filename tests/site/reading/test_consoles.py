"""What a page's consoles define, for its fences: the names, once a page, and what is wrong with page and line."""

from pathlib import Path

import numpy as np
import pytest

from docs_ext import disk_cache
from docs_ext.errors import SpecError
from docs_ext.reading import consoles, page
from docs_ext.reading.expressions import evaluate

GOOD = Path(__file__).with_name("trial.markdown").read_text("utf-8")


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            GOOD.replace("n = 2", "n = 2 + none"), "learn/trial.md:4: NameError: name 'none' is not", id="raises"
        ),
        pytest.param(GOOD.replace("n = 5", "n = 5 +"), "trial.md:18: this line of a console is no", id="no Python"),
        pytest.param(GOOD.replace("\n6", "\n7"), r"learn/trial.md:7: twice\(3\) gives 6, not 7", id="wrong output"),
        pytest.param(
            GOOD.replace("n = ", "m = "),
            r"learn/trial.md:7: NameError: name 'n' is not defined",
            id="within a function",
        ),
        pytest.param(
            GOOD.replace("twice", "twicely"),
            r"no console of learn/trial.md defines 'twice' \(did you mean 'twicely'\?\)",
            id="misspelt",
        ),
    ],
)
def test_what_is_wrong_is_named_with_page_and_line(write, text, words):
    write(text)
    with pytest.raises(SpecError, match=words):
        evaluate('page("trial").twice(1)')


def test_a_page_that_is_not_there_is_refused(write):
    write(GOOD)
    with pytest.raises(SpecError, match=r"there is no page learn/trail\.md \(did you mean 'learn/trial.md'\?\)"):
        evaluate('page("trail").n')
