"""What a diagram shows is what the package computes, and a page shows the whole diagram."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import attention
from attention import attention_scores, attention_vjp, attention_weights, project
from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_Q2, W_V, WORD, attend, embed
from docs_ext.numbers.numerals import numerals
from tests.site.pages import ROOT
from tests.site.test_floors import FLOORS

FOLDER = ROOT / "docs/assets/diagrams"
FILES = sorted(FOLDER.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


def read(name):
    return ElementTree.parse(FOLDER / name).getroot()


def text(element):
    """Return the words of a drawing, a multiplication sign as x."""
    return re.sub(r"\s+", " ", "".join(element.itertext())).replace("\N{MULTIPLICATION SIGN}", "x").strip()


def number(element, name):
    return float(element.get(name))


EVERY = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
DOCS = [page.read_text("utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))]


@EVERY
def test_a_diagram_is_shown_is_small_takes_its_colours_from_the_page_and_fits_a_phone(path):
    assert any(f"assets/diagrams/{path.name})" in page for page in DOCS)
    source = path.read_text("utf-8")
    assert len(source.encode()) < 10_000
    assert not re.search(r"#[0-9a-f]{3,8}\b|rgb|<style|\sstyle=", source), "a colour or style of its own"
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', source)) <= {"none", "currentColor", "url(#hatch)"}
    assert set(re.findall(r"role-\w+", source)) <= {"role-query", "role-key", "role-value", "role-output"}
    assert float(read(path).get("viewBox").split()[2]) <= 340  # drawn at its own size, so that its text keeps its size
    assert min(float(size) for size in re.findall(r'font-size="([\d.]+)"', source)) >= 12


def test_the_flow_names_the_shape_of_every_array(rng):
    sizes = {"n": 5, "dmodel": 7, "dk": 3, "dv": 2}
    x = rng.standard_normal((5, 7))
    q, k, v = (project(x, rng.standard_normal((7, width))) for width in (3, 3, 2))
    weights = attention_weights(q, k)
    arrays = {"X": x, "Q": q, "K": k, "V": v, "weights": weights, "Z": weights @ v}
    arrays |= {"scores": attention_scores(q, k), "mask": attention.causal_mask(5)}
    boxes = read("data-flow.svg").findall(f".//{SVG}g[@data-array]")
    assert sorted(box.get("data-array") for box in boxes) == sorted(arrays)
    for box in boxes:
        shape = text(box.find(".//*[@class='shape']"))
        drawn = tuple(sizes[size] for size in shape.split(" x "))
        assert drawn == arrays[box.get("data-array")].shape, f"{box.get('data-array')}: {shape}"


def test_slopes_go_back_as_numbers_went_forward():
    x = embed(SENTENCE, EARLY)
    query, key, value = x[4:] @ W_Q1, x @ W_K, x @ W_V
    weights, wish = attention_weights(query, key), np.array([[1.0, 0.0]])
    d_query, _, _, d_scores = attention_vjp(query, key, value, wish, bias=np.zeros((1, 5)), return_bias=True)
    forward = {"query": query, "scores": attention_scores(query, key), "weights": weights, "output": weights @ value}
    back = {"query": d_query, "scores": d_scores, "weights": wish @ value.T, "output": wish}
    for direction, arrays in (("forward", forward), ("back", back)):
        boxes = read("backwards.svg").findall(f".//{SVG}g[@data-{direction}]")
        assert [box.get(f"data-{direction}") for box in boxes] == list(arrays)
        for box in boxes:
            shown = text(box.find(f"{SVG}text[@class='numbers']")).replace("\N{MINUS SIGN}", "-")
            factor, row, divisor = re.fullmatch(r"(ln 2 \N{MIDDLE DOT} )?\((.*)\)(?: / (\d+))?", shown).groups()
            drawn = np.array(row.split(", "), float) * (np.log(2) if factor else 1) / float(divisor or 1)
            np.testing.assert_allclose(drawn, arrays[box.get(f"data-{direction}")][0], rtol=0, atol=1e-12)


def test_the_masks_are_those_of_the_package():
    drawn = read("masks.svg").findall(f".//{SVG}g[@data-mask]")
    assert [text(part.find(f"{SVG}text")) for part in drawn] == ["causal", "padding", "packed"]
    for part in drawn:
        functions = {name: getattr(attention, name) for name in attention.__all__}
        mask = eval(part.get("data-mask"), {"__builtins__": {}}, functions)  # an expression of our own file
        cells = np.full((5, 5), "", dtype="U9")
        for kind in ("allowed", "forbidden"):
            squares = part.find(f"{SVG}path[@class='{kind}']").get("d")
            for column, row in re.findall(r"M([\d.]+) ([\d.]+)h17v17h-17z", squares):
                place = int(float(row) / 18), int(float(column) / 18)
                assert cells[place] == "", "two cells in one place"
                cells[place] = kind
        expected = np.where(np.broadcast_to(mask, (5, 5)), "allowed", "forbidden")
        np.testing.assert_array_equal(cells, expected, err_msg=part.get("data-mask"))
    assert [text(part.findall(f"{SVG}text")[1]) for part in drawn] == [
        "self and earlier",
        f"{int(attention.padding_mask(3, 5).sum())} words of 5",
        "texts of 2 and 3",
    ]
    assert drawn[1].get("data-mask") == "padding_mask(3, 5)"
    assert drawn[2].get("data-mask") == "segment_mask([0, 0, 1, 1, 1])"


def test_an_exercise_shows_a_row_the_words_up_to_its_own_and_asks_for_the_next():
    for i, part in enumerate(read("exercises.svg").findall(f"{SVG}g[@data-row]")):
        words = {kind: part.findall(f"{SVG}text[@class='{kind}']") for kind in ("seen", "guess")}
        seen, guess = ([text(word) for word in found] for found in words.values())
        assert (part.get("data-row"), seen, guess) == (SENTENCE[i], SENTENCE[: i + 1], [f"{SENTENCE[i + 1]}?"])
        assert len(seen + guess + part.findall(f"{SVG}rect[@class='hidden']")) == len(SENTENCE)
    assert i == len(SENTENCE) - 2


def test_encoder_and_decoder_have_the_grids_of_their_words():
    root = read("encoder-decoder.svg")
    words = {side: len(root.findall(f"{SVG}g[@data-side='{side}']/{SVG}text")) for side in ("encoder", "decoder")}
    n, m = words["encoder"], words["decoder"]
    expected = {
        "self-attention": np.ones((n, n), bool),
        "causal self-attention": attention.causal_mask(m),
        "cross-attention": np.ones((m, n), bool),
    }
    drawn = {}
    for part in root.findall(f"{SVG}g[@data-use]"):
        *name, caption = (text(line) for line in part.findall(f"{SVG}text"))
        cells = {}
        for path in part.findall(f".//{SVG}path[@class]"):
            for column, row in re.findall(r"M(\d+) (\d+)h13v13h-13z", path.get("d")):
                cells[int(row) // 14, int(column) // 14] = path.get("class") == "allowed"
        shape = tuple(np.max(list(cells), axis=0) + 1)
        drawn[" ".join(name)] = np.array([cells[place] for place in np.ndindex(shape)]).reshape(shape)
        if name == ["cross-attention"]:
            assert caption == f"{m} words ask {n}"
    assert drawn.keys() == expected.keys()
    for name, mask in expected.items():
        np.testing.assert_array_equal(drawn[name], mask, err_msg=name)


def test_ran_receives_what_the_plane_shows():
    root = read("two-sentences.svg")
    scales = {}
    for axis, along in (("cats", "x"), ("dogs", "y")):
        ticks = root.findall(f"{SVG}g[@data-axis='{axis}']/{SVG}text")
        places, values = [number(tick, along) for tick in ticks], [float(text(tick)) for tick in ticks]
        scales[axis] = np.poly1d(np.polyfit(values, places, 1))
    points = set()
    drawn = root.findall(f".//{SVG}g[@data-sentence]")
    for point in drawn:
        words, positions = point.get("data-sentence").split(), point.get("data-positions")
        output = attend(embed(words, EARLY if positions == "on" else None), W_Q1)[1][words.index("ran")]
        cat, dog = output.round(9)
        for circle in point.findall(f"{SVG}circle"):
            centre = number(circle, "cx"), number(circle, "cy")
            np.testing.assert_allclose(centre, (scales["cats"](cat), scales["dogs"](dog)), atol=0.01)
        points.add(f"({cat:g}, {dog:g})")
        assert f"{cat:g}, {dog:g}" in text(root.find(f"{SVG}desc"))
    assert len({(point.get("data-sentence"), point.get("data-positions")) for point in drawn}) == 4
    assert {text(label) for label in root.findall(f"{SVG}text[@class]")} == points


def test_an_arc_of_two_heads_is_as_thick_as_its_weight():
    root, chased = read("two-heads.svg"), SENTENCE.index("chased")
    heads = {1: attend(embed(SENTENCE, EARLY), W_Q1)[0][chased], 2: attend(embed(SENTENCE, EARLY), W_Q2)[0][chased]}
    budgets = set()
    for head, weights in heads.items():
        arcs = root.findall(f"{SVG}g[@data-head='{head}']/{SVG}path")
        thick = {arc.get("data-word"): number(arc, "stroke-width") for arc in arcs}
        assert len(arcs) == len(thick) == len(SENTENCE)
        budgets.add(sum(thick.values()))
        drawn = [thick[word] / sum(thick.values()) for word in SENTENCE]
        np.testing.assert_allclose(drawn, weights, rtol=0, atol=1e-9)
    assert len(budgets) == 1


def test_the_house_has_the_floors_of_docs_ext():
    drawn = read("house.svg").findall(f".//{SVG}g[@data-floor]")
    assert [name for part in drawn for name in part.get("data-floor").split()] == list(reversed(FLOORS))
    for part in drawn:
        assert set(text(part.find(f"{SVG}text")).split(", ")) <= set(part.get("data-floor").split())


# How a page shows them

COMPLETE = (
    '<svg xmlns="http://www.w3.org/2000/svg" role="img"><title>Name &amp; more</title><desc>About</desc>'
    '<g id="a"/><path fill="url(#a)"/></svg>'
)


@pytest.fixture
def convert(tmp_path, monkeypatch):
    from markdown import markdown

    from docs_ext.extensions import diagrams

    (tmp_path / "a.svg").write_text(COMPLETE, "utf-8")
    monkeypatch.setattr(diagrams, "FOLDER", tmp_path)
    return lambda page: markdown(page, extensions=["docs_ext.extensions.page"])


def test_an_image_becomes_a_figure(convert):
    html = convert('Before\n\n![X &\n"Y"](../assets/diagrams/a.svg)\n\nAfter')
    assert html.startswith('<p>Before</p>\n<figure class="diagram"><svg aria-label="X &amp; &quot;Y&quot;"')
    assert html.endswith("<figcaption>Name &amp; more</figcaption></figure>\n<p>After</p>")
    assert "<desc>About</desc>" in html
    assert "<title>" not in html


def test_ids_stay_unique_when_a_diagram_is_shown_twice(convert):
    html = convert("![one](assets/diagrams/a.svg)\n\n![two](assets/diagrams/a.svg)")
    for number in (1, 2):
        assert html.count(f'id="diagram-{number}-a"') == 1
        assert html.count(f"url(#diagram-{number}-a)") == 1


def test_other_images_stay_images(convert):
    assert convert("![photo](../assets/home.png)") == '<p><img alt="photo" src="../assets/home.png" /></p>'


@pytest.mark.parametrize(
    ("page", "svg", "message"),
    [
        ("![alt](../assets/diagrams/none.svg)", COMPLETE, "none.svg: there is no such file"),
        ("![](../assets/diagrams/a.svg)", COMPLETE, "a.svg: the alt text must say"),
        ("text ![alt](../assets/diagrams/a.svg)", COMPLETE, "a paragraph of its own"),
        ("![alt](../assets/diagrams/a.svg)", COMPLETE.replace("Name &amp; more", " "), "<title> is missing"),
        ("![alt](../assets/diagrams/a.svg)", COMPLETE.replace("<desc>About</desc>", ""), "<desc> is missing"),
        ("![alt](../assets/diagrams/a.svg)", COMPLETE.replace('role="img"', ""), "the root must be"),
        ("![alt](../assets/diagrams/a.svg)", COMPLETE + "</svg>", "not well-formed"),
        ("![alt](../assets/diagrams/a.svg)", COMPLETE.replace("<g ", '<a href="x"/><g '), "cannot set an href"),
    ],
    ids=["missing file", "no alt", "inside a sentence", "no title", "no desc", "no role", "broken", "href"],
)
def test_a_bad_diagram_stops_the_build_and_says_where(convert, tmp_path, page, svg, message):
    (tmp_path / "a.svg").write_text(svg, "utf-8")
    from docs_ext.reading.converter import PageError

    with pytest.raises(PageError, match=f"line of the text 1: the diagram .*{re.escape(message)}"):
        convert(page)


def test_the_tree_merges_what_the_example_merges():
    nodes = [part.get("data-part").split() for part in read("merge-tree.svg").findall(f".//{SVG}g[@data-part]")]
    shards = [[shard.get("data-shard")] for shard in read("merge-tree.svg").findall(f".//{SVG}g[@data-shard]")]
    drawn, level = shards, shards
    while len(level) > 1:  # as examples/sequence_parallel.py does
        level = [[*one, *other] for one, other in zip(level[::2], level[1::2], strict=True)]
        drawn = drawn + level
    assert nodes == drawn


def test_a_token_fetches_its_row_of_the_table():
    drawing = read("token-row.svg")
    rows = drawing.findall(f"{SVG}g[@class='row']")
    drawn = {
        text(row.findall(f"{SVG}text")[1]): [int(text(x)) for x in row.findall(f"{SVG}text[@class='feature']")]
        for row in rows
    }
    assert drawn == WORD
    assert list(drawn) == list(WORD)
    assert [text(row.find(f"{SVG}text")) for row in rows] == [str(ident) for ident in range(len(WORD))]
    token, ident = (text(drawing.find(f"{SVG}text[@class='{name}']")) for name in ("token", "id"))
    assert list(WORD).index(token) == int(ident)


def test_lanes_meet_in_attention_from_each_word_to_those_after_it():
    drawing = read("whole-model.svg")
    words = [text(word) for word in drawing.find(f"{SVG}g[@data-part='words']")]
    drawn = np.zeros((len(words), len(words)), bool)
    for line in drawing.find(f"{SVG}g[@data-part='attention']"):
        drawn[words.index(line.get("data-to")), words.index(line.get("data-from"))] = True
    np.testing.assert_array_equal(drawn, attention.causal_mask(len(words)))
    assert [*words, text(drawing.find(f"{SVG}text/{SVG}tspan"))] == SENTENCE


def test_the_matrix_product_is_one():
    root, shapes = read("matrix-product.svg"), {"A": (2, 3), "B": (3, 4), "AB": (2, 4)}
    entries = {name: root.findall(f"{SVG}g[@data-matrix='{name}']/{SVG}text[@class='entry']") for name in shapes}
    a, b, product = (np.array([int(text(x)) for x in entries[name]]).reshape(shapes[name]) for name in shapes)
    np.testing.assert_array_equal(a @ b, product)


# --- words and numbers of every drawing ---------------------------------------------------------------------------


def alternative(name):
    """Return what the pages say in place of a drawing."""
    return " ".join(alt for page in DOCS for alt in re.findall(rf"!\[([^\]]*)\]\([^)]*diagrams/{name}\)", page))


def labels(name):
    return " | ".join(text(label) for label in read(name).iter(f"{SVG}text"))


def described(name):
    drawing = read(name)
    return f"{text(drawing.find(f'{SVG}title'))}. {text(drawing.find(f'{SVG}desc'))}"


def told_in(words):
    return list(numerals(re.sub(r"[A-Za-z]+\d\w*", "x", words), skip=False))  # float32 is a name


def values(words):
    return {round(number.value, 9) for number in told_in(words)}


COMPUTED = {f"{name}.svg" for name in ("backwards", "matrix-product", "one-third", "token-row", "two-sentences")}


@EVERY
def test_labels_and_the_words_for_a_drawing_have_the_same_numbers(path):
    drawn, told, instead = values(labels(path.name)), values(described(path.name)), values(alternative(path.name))
    assert path.name in COMPUTED or drawn <= told | instead
    assert instead <= told | drawn


LOADS, PLACES = attention.softmax(np.log([1, 1, 2])), [0, 4, 8]
SHARES = [attend(embed(SENTENCE, EARLY), head)[0][4] for head in (W_Q1, W_Q2)]
TO_RAN = attend(embed(SENTENCE, EARLY), W_Q1)[1][4]
TOLD = {  # every number of a title and a description, in order
    "average.svg": [0, 8, *np.stack([LOADS, PLACES], 1).ravel(), LOADS @ PLACES],
    "backwards.svg": [3, *TO_RAN, 1, 0],
    "block.svg": [2, 2],
    "data-flow.svg": [3],
    "encoder-decoder.svg": [3, 2, 3, 3, 3, 2, 2, 2, 2, 3],
    "engineering-map.svg": [2, *range(1, 6), 2, *range(6, 12)],
    "exercises.svg": [len(SENTENCE) - 1, len(SENTENCE) - 1],
    "from-translation.svg": [3, 2014, 2014, 2017, 2],
    "house.svg": [2],
    "latent.svg": [2],
    "masks.svg": [3, 3, 5, 5, 3, 2, 2, 3, 3],
    "matrix-product.svg": [2, 3, 3, 4, 1, 2, 0, 3, 1, 5, np.dot([1, 2, 0], [3, 1, 5])],
    "merge-tree.svg": [4, *range(4), 2],
    "one-third.svg": [5, 1 / 3, 1, 8, 23, 1, 5, 10, 1, 8, 7, 1, 4, 3, 1, 5, 2, 1],
    "token-row.svg": [list(WORD).index("cats"), 0, len(WORD) - 1, list(WORD).index("cats"), *WORD["cats"]],
    "two-heads.svg": [2, *(x for head, row in enumerate(SHARES, 1) for x in (head, *np.unique(row)[::-1]))],
    "two-sentences.svg": [*TO_RAN, *TO_RAN[::-1], 3, 3],
}


@EVERY
def test_every_number_of_a_description_is_computed(path):
    told, wanted = told_in(described(path.name)), np.hstack([*TOLD.get(path.name, []), []])
    assert len(told) == len(wanted), [number.text for number in told]
    for number, value in zip(told, wanted, strict=True):
        assert number.means(value), f"{number.text!r} is told, and {value:.6g} is computed"
