"""attention.show: figures of any weights, honest about what they are, and complete without their script."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest

from attention import causal_mask, padding_mask, softmax
from attention.show import arcs, grid, heads, page
from attention.show.words import labels
from tests.tables import each_row

HOSTILE = ["<script>", "</script>", '"', "'", "&amp;", "שלום", "😀", "x" * 300, "", "\n", "a\u202eb", "\ud800"]


def cells(figure):
    """Return the weights that are printed, nan where a cell is masked."""
    shown = re.findall(r"<td data-weight=[^>]*>(.*?)</td>", figure.html.partition("<script>")[0])
    return np.array([np.nan if "masked" in text else float(text) for text in shown])


def notes(figure):
    return unescape(" ".join(re.findall(r"<li>(.*?)</li>", figure.html)))


def random(rng, *shape):
    return rng.dirichlet(np.ones(shape[-1]), shape[:-1])


# --- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_digits_are_those_of_the_array(rng, dtype):
    weights = random(rng, 5, 7).astype(dtype)
    figure = grid(weights, (list("abcde"), list("tuvwxyz")))
    np.testing.assert_allclose(cells(figure), weights.ravel(), atol=0.0005 + 1e-9)


def test_every_head_is_packed_to_thousandths(rng):
    attentions = random(rng, 2, 3, 5, 5)
    attentions[0, 0, 1] = [1, 0, 0, 0, 0]
    given = json.loads(unescape(re.search(r'data-given="([^"]*)"', heads(attentions, "a b c d e").html)[1]))
    assert given["layers"] == [0, 1]
    assert unpacked(given["codes"]) == pytest.approx(attentions.ravel(), abs=0.0005 + 1e-9)
    given = json.loads(unescape(re.search(r'data-given="([^"]*)"', grid(np.tri(2) / [[1], [2]], "a b").html)[1]))
    assert unpacked(given["codes"]).tolist() == [1, 1.001, 0.5, 0.5]  # masked


def unpacked(codes):
    low, high = np.frombuffer(zlib.decompress(b64decode(codes)), np.uint8).astype(int).reshape(2, -1)
    return (low + 256 * high) / 1000


def test_a_batch_of_one_and_lists_of_layers_are_taken_as_they_are(rng):
    attentions = random(rng, 2, 3, 5, 5)
    plain = heads(attentions, "a b c d e").html
    for given in ([*attentions], tuple(attentions[:, None]), attentions[:, None], attentions.tolist()):
        assert heads(given, "a b c d e").html == plain
    assert grid(attentions[:1, 0], "a b c d e").html == grid(attentions[0, 0].tolist(), "a b c d e").html


def test_a_tensor_is_detached_by_itself(rng):
    weights = random(rng, 2, 2)

    class Tensor:
        requires_grad = True
        detach, cpu = lambda self: self, lambda self: weights

    assert grid(Tensor(), "a b").html == grid(weights, "a b").html


def test_words_add_columns_and_average_rows():
    weights = np.array([[1, 0, 0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    figure = grid(weights, ["[CLS]", "un", "##do"], words=[None, 0, 0])
    np.testing.assert_allclose(cells(figure), [1, 0, 0.15, 0.85])
    assert ">undo<" in figure.html
    assert ">not<" in grid(weights, ["[CLS]", "un", "##do"], words=["", "not", "not"]).html


# --- honesty -----------------------------------------------------------------------------------------------------


def test_rows_with_another_sum_are_said_with_it():
    assert "One row does not sum to 1: b 0.500" in notes(grid([[0.5, 0.5], [0.25, 0.25]], "a b"))
    assert "dropout" in notes(grid([[0.9, 0.5], [0.5, 0.5]], "a b"))
    assert "not sum" not in notes(grid(softmax(np.random.default_rng(0).normal(size=(9, 9))), [*"abcdefghi"]))


@pytest.mark.parametrize("name", ["causal", "padding", "both"])
def test_zeros_in_the_pattern_of_a_mask_are_hatched_and_said_to_be_inferred(rng, name):
    causal, padding = causal_mask(5), padding_mask([3], 5)[0, 0]
    mask = {"causal": causal, "padding": padding & np.ones((5, 5), bool), "both": causal & padding}[name]
    figure = grid(softmax(np.where(mask, rng.normal(size=(5, 5)), -np.inf)), "a b c d e")
    np.testing.assert_array_equal(np.isnan(cells(figure)).reshape(5, 5), ~mask)
    assert "No mask was given" in notes(figure)


@pytest.mark.parametrize("weights", [np.eye(4), np.eye(4, k=-1) + [[1, 0, 0, 0]] * np.eye(4)[:, :1], np.eye(4)[::-1]])
def test_other_zeros_are_no_mask(weights):
    figure = grid(weights, "a b c d")
    assert not np.isnan(cells(figure)).any()
    assert "Hatched" not in notes(figure)
    assert "12 cells are exactly 0, which no mask that is known explains" in notes(figure)


def test_a_mask_that_is_given_is_shown_and_must_fit(rng):
    mask = np.eye(3, dtype=bool) | np.eye(3, k=1, dtype=bool)
    weights = softmax(np.where(mask, rng.normal(size=(3, 3)), -np.inf))
    figure = grid(weights, "a b c", mask=mask)
    assert np.isnan(cells(figure)).sum() == 4
    assert "as mask= says" in notes(figure)
    with pytest.raises(ValueError, match="where it says False, weights must be 0"):
        grid(weights, "a b c", mask=~mask)


def test_a_sink_is_named_and_an_even_spread_is_said(rng):
    weights = random(rng, 6, 6) * 0.3
    weights[:, 0] += 0.7
    assert "[BOS] takes much from every token" in notes(grid(weights, "[BOS] b c d e f"))
    for n, is_sink in ((4, True), (3, False)):  # of five others, most of whose weight it takes
        weights[1:, 0], weights[1:, 1:] = [0.9] * n + [0.1] * (5 - n), 0.02
        assert ("[BOS] takes much" in notes(grid(weights, "[BOS] b c d e f"))) == is_sink
    even = notes(grid(np.full((6, 6), 1 / 6), "[BOS] b c d e f"))
    assert "An even spread would give each token 1/6 = 0.167" in even
    assert "takes much" not in even


def test_a_weight_is_not_importance_and_the_site_says_why(monkeypatch):
    monkeypatch.setattr(page, "site", lambda: "https://docs.test/")
    html = grid([[1]], ["a"]).html
    assert "A weight is not importance" in html
    assert 'href="https://docs.test/learn/explanation/#not-importance"' in html


def test_the_same_head_on_a_second_text_stands_beside_the_first(rng):
    first, second = random(rng, 2, 3, 4, 4), random(rng, 2, 3, 5, 5)
    figure = heads(first, "a b c d", layer=1, head=2, controls=(second, "e f g h i"))
    np.testing.assert_allclose(cells(figure), [*first[1, 2].ravel(), *second[1, 2].ravel()], atol=0.0005 + 1e-9)


# --- tokens ------------------------------------------------------------------------------------------------------


def test_hostile_tokens_are_escaped_and_legible(rng):
    figure = arcs(random(rng, 12, 12), HOSTILE)
    assert re.findall(r"<(script|style)\b", figure.html) == ["style", "script"]
    for shown in ("&lt;script&gt;", "&amp;amp;", "שלום", "😀", "x" * 17 + "…", "(empty)", "↵", "aU+202Eb", "U+D800"):
        assert f"<bdi>{shown}</bdi>" in figure.html or f">{shown}</bdi>" in figure.html
    assert f'title="{"x" * 300}"' in figure.html
    figure.html.encode()


@each_row("tokens, shown", "show.toml", "pieces")
def test_pieces_are_shown_as_people_read_them(tokens, shown):
    assert labels(tokens) == shown


def test_punctuation_is_named_in_quotes_and_what_gets_nothing_is_not():
    assert "b gives “.” 1.000; an even spread" in unescape(arcs([[1, 0], [1, 0]], ". b", query="b").html)


# --- what is refused ---------------------------------------------------------------------------------------------

EVEN = np.full((2, 2), 0.5)


@each_row("call, says", "show.toml", "refused")
def test_what_cannot_be_shown_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        eval(call)


def test_tokens_are_strings_and_weights_are_not_the_whole_output():
    with pytest.raises(TypeError, match=r"tokens must be strings.*: 7.*convert_ids_to_tokens"):
        grid(EVEN, [7, 8])
    with pytest.raises(TypeError, match="the whole output of a model: give its"):
        heads(SimpleNamespace(attentions=()), "a b")


# --- the file ----------------------------------------------------------------------------------------------------


def test_the_file_asks_for_nothing_and_its_policy_knows_its_script(rng, tmp_path):
    figure = heads(random(rng, 2, 3, 5, 5), "a b c d e")
    figure.save(tmp_path / "heads.html")
    assert (tmp_path / "heads.html").read_text("utf-8") == figure.html
    assert not re.search(r"url\((?!#)|@import|<link|<\w+ [^>]*\bsrc=|https?:", figure.html)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', figure.html)[1]
    for name in ("script", "style"):
        [text] = re.findall(rf"<{name}>(.*?)</{name}>", figure.html, re.DOTALL)
        assert f"{name}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


def test_a_notebook_gets_a_frame_of_its_own():
    figure = grid(EVEN, "a b")
    frame = figure._repr_html_()
    assert unescape(re.search(r'srcdoc="([^"]*)"', frame)[1]) == figure.html
    assert "allow-same-origin" not in frame
    assert re.search(r"height:\d+px", frame)
    assert "color-scheme" not in re.search(r"<iframe([^>]*)srcdoc=", frame)[1]  # that of the notebook is inherited
    assert re.search(r'">[\w ,()]*trust[\w ,()]*\.</iframe>$', frame)  # all that an untrusted notebook shows


def test_twelve_layers_of_twelve_heads_with_64_tokens_fit(rng):
    html = heads(rng.dirichlet(np.full(64, 0.1), (12, 12, 64)), [f"token{i}" for i in range(64)]).html
    assert len(html.encode()) < 1_500_000
