"""What a diagram shows is what the package computes, and a page shows the whole diagram."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import attention
from attention import attention_scores, attention_vjp, attention_weights, example
from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
from tests.site.pages import ROOT
from tests.tables import beside, each_row
from tools.numbers.numerals import numerals

FOLDER = ROOT / "docs/assets/diagrams"
FILES = sorted(FOLDER.glob("*.svg"))
ALIKE = [path for path in FILES if ".wide" not in path.name]  # one of two layouts, or the only one
MEASURED = [path for path in FILES if re.search("data-(shows|widths)=", path.read_text("utf-8"))]
SVG = "{http://www.w3.org/2000/svg}"


def read(name):
    return ElementTree.parse(FOLDER / name).getroot()


def text(element):
    """Return the words of a drawing, a multiplication sign as x."""
    return re.sub(r"\s+", " ", "".join(element.itertext())).replace("\N{MULTIPLICATION SIGN}", "x").strip()


def number(element, name):
    return float(element.get(name))


def layouts(name):
    """Return a drawing and, where there is one, its layout for a desk."""
    return [read(path.name) for path in FILES if path.name in (f"{name}.svg", f"{name}.wide.svg")]


DOCS = [page.read_text("utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_diagram_is_shown_is_small_takes_its_colours_from_the_page_and_keeps_its_size(path):
    wide = path.name.endswith(".wide.svg")
    assert any(f"assets/diagrams/{path.name.replace('.wide', '')})" in page for page in DOCS)
    source = path.read_text("utf-8")
    assert len(source.encode()) < 10_000
    assert not re.search(r"#[0-9a-f]{3,8}\b|rgb|<style|\sstyle=", source), "a colour or style of its own"
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', source)) <= {"none", "currentColor", "url(#hatch)"}
    assert set(re.findall(r"role-\w+", source)) <= {"role-query", "role-key", "role-value", "role-output"}
    assert float(read(path).get("viewBox").split()[2]) <= (720 if wide else 340)  # a phone has room for 340
    # a wide one shows from 680 pixels on, where 14 are more than 13
    assert min(float(size) for size in re.findall(r'font-size="([\d.]+)"', source)) >= (13.5 if wide else 12)


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
    for part in (part for layout in layouts("masks") for part in layout.findall(f"{SVG}g[@data-mask]")):
        cells = {}
        for kind in ("allowed", "forbidden"):
            squares = re.findall(r"M([\d.]+) ([\d.]+)h", part.find(f"{SVG}path[@class='{kind}']").get("d"))
            cells[kind] = np.zeros((5, 5), int)
            for place in squares:
                column, row = (int(float(one) / int(part.get("data-cell"))) for one in place)
                cells[kind][row, column] += 1
        np.testing.assert_array_equal(cells["allowed"], np.broadcast_to(shown(part.get("data-mask")), (5, 5)))
        np.testing.assert_array_equal(cells["forbidden"], 1 - cells["allowed"])


def measured(element):
    """Return how long a bar is, how thick an arc, where the centre of a circle or to where an arrow leads."""
    if element.tag == f"{SVG}circle":
        return number(element, "cx"), -number(element, "cy")
    if "marker-end" in element.attrib:
        x, y, end_x, end_y = map(float, re.findall(r"-?[\d.]+", element.get("d")))
        return end_x - x, y - end_y
    return (number(element, "width" if "width" in element.attrib else "stroke-width"),)


def shown(expression):
    """Evaluate what an element or the elements of a group show: an expression of our own file."""
    return np.array(eval(expression, {}, vars(attention) | vars(example) | {"np": np}))


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.name)
def test_what_a_drawing_measures_is_in_proportion_to_what_it_shows(path):
    root = read(path.name)
    single = root.findall(".//*[@data-shows]")
    cases = [(single, [shown(one.get("data-shows")) for one in single])] if single else []
    cases += [(group, shown(group.get("data-widths"))) for group in root.iter(f"{SVG}g") if group.get("data-widths")]
    for elements, values in cases:
        drawn, wanted = np.array([*map(measured, elements)]), np.reshape(values, (len(elements), -1))
        free = np.kron(np.ones((len(wanted), 1)), np.eye(wanted.shape[1])) if wanted.shape[1] > 1 else None
        parts = [part for part in (wanted.reshape(-1, 1), free) if part is not None]  # one scale, and any origin
        found, *_ = np.linalg.lstsq(np.hstack(parts), drawn.ravel(), rcond=None)
        assert found[0] > 0
        np.testing.assert_allclose(np.hstack(parts) @ found, drawn.ravel(), atol=2e-3 * np.ptp(drawn))


def test_a_place_of_the_map_leads_to_the_page_that_its_row_names():
    rows = re.findall(
        r"^\| (\d+) \|.*?\]\(([\w-]+\.md)\)", (ROOT / "docs/learn/engineering.md").read_text("utf-8"), re.M
    )
    for root in layouts("engineering-map"):
        links = [(text(link.find(f"{SVG}text")), link.get("href")) for link in root.findall(f"{SVG}a")]
        assert sorted(links) == sorted(rows)
        assert all(link.get("aria-label").startswith(text(link.find(f"{SVG}text"))) for link in root.findall(f"{SVG}a"))


# How a page shows them

COMPLETE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 340 20" role="img">'
    "<title>Name &amp; more</title><desc>About</desc>"
    '<g id="a"/><path fill="url(#a)"/></svg>'
)


@pytest.fixture
def convert(tmp_path, monkeypatch):
    from markdown import markdown

    from docs_ext.extensions import diagrams

    (tmp_path / "a.svg").write_text(COMPLETE, "utf-8")
    monkeypatch.setattr(diagrams, "FOLDER", tmp_path)
    return lambda page: markdown(page, extensions=["docs_ext.extensions.page_steps"])


def test_an_image_becomes_a_figure(convert):
    html = convert('Before\n\n![X &\n"Y"](../assets/diagrams/a.svg)\n\nAfter')
    assert html.startswith(
        '<p>Before</p>\n<figure class="diagram"><figcaption>Name &amp; more</figcaption>'
        '<svg class="only" width="340" height="20" aria-label="X &amp; &quot;Y&quot;"'
    )
    assert html.endswith("</svg></figure>\n<p>After</p>")
    assert "<desc>About</desc>" in html
    assert "<title>" not in html


def test_a_wide_layout_stands_beside_the_narrow_one_with_ids_of_its_own_and_the_same_words(convert, tmp_path):
    wide = COMPLETE.replace("<title>Name &amp; more</title><desc>About</desc>", "").replace("340", "720")
    (tmp_path / "a.wide.svg").write_text(wide, "utf-8")
    html = convert("![one](assets/diagrams/a.svg)\n\n![two](assets/diagrams/a.svg)")
    assert re.findall(r'class="(\w+)" width="(\d+)" height="20"', html) == [("narrow", "340"), ("wide", "720")] * 2
    assert html.count("<desc>About</desc>") == html.count("aria-label=") == 4
    assert html.count("<figcaption>") == 2
    for ident in ("diagram-1-a", "diagram-1-wide-a", "diagram-2-a", "diagram-2-wide-a"):
        assert html.count(f'id="{ident}"') == html.count(f"url(#{ident})") == 1


def test_a_link_in_a_drawing_leads_to_a_lesson(convert, tmp_path):
    linked = COMPLETE.replace('role="img"', 'role="group"').replace("<g ", '<a href="masks.md"/><g ')
    (tmp_path / "a.svg").write_text(linked, "utf-8")
    assert '<a href="../masks/"/>' in convert("![one](assets/diagrams/a.svg)")


def test_other_images_stay_images(convert):
    assert convert("![photo](../assets/home.png)") == '<p><img alt="photo" src="../assets/home.png" /></p>'


@each_row("page, sound, faulty, message", "diagrams.toml", "faults")
def test_a_bad_diagram_stops_the_build_and_says_where(convert, tmp_path, page, sound, faulty, message):
    assert sound in COMPLETE
    (tmp_path / "a.svg").write_text(COMPLETE.replace(sound, faulty), "utf-8")
    from docs_ext.reading.converter import PageError

    with pytest.raises(PageError, match=f"line of the text 1: the diagram .*{re.escape(message)}"):
        convert(page)


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
    return " | ".join(text(label) for layout in layouts(name[:-4]) for label in layout.iter(f"{SVG}text"))


def described(name):
    drawing = read(name)
    return f"{text(drawing.find(f'{SVG}title'))}. {text(drawing.find(f'{SVG}desc'))}"


def told_in(words):
    return list(numerals(re.sub(r"[A-Za-z]+\d\w*", "x", words), skip=False))  # float32 is a name


def values(words):
    return {round(number.value, 9) for number in told_in(words)}


OTHERWISE = "block-table backwards engineering-map matrix-product one-third ring token-row two-sentences"
COMPUTED = {f"{name}.svg" for name in OTHERWISE.split()}
EVERY = pytest.mark.parametrize("path", ALIKE, ids=lambda path: path.name)


@EVERY
def test_labels_and_the_words_for_a_drawing_have_the_same_numbers(path):
    drawn, told, instead = values(labels(path.name)), values(described(path.name)), values(alternative(path.name))
    assert path.name in COMPUTED or drawn <= told | instead
    assert instead <= told | drawn


def numbered(heads):
    return np.hstack([[number, *np.ravel(head)] for number, head in enumerate(heads, 1)])


NAMES = vars(example) | {"np": np, "attention": attention, "example": example, "numbered": numbered}
TABLES = beside(__file__, "diagrams.toml")
for name, expression in TABLES["names"].items():
    NAMES[name] = eval(expression, NAMES)


@EVERY
def test_every_number_of_a_description_is_computed(path):
    told = [number for number in told_in(described(path.name)) if re.search(r"\d", number.text)]
    computed = eval(TABLES["told"].get(path.name, "[]"), NAMES)
    wanted = np.hstack([*computed, []])  # a number in letters says how many parts are drawn
    assert len(told) == len(wanted), [number.text for number in told]
    for number, value in zip(told, wanted, strict=True):
        assert number.means(value), f"{number.text!r} is told, and {value:.6g} is computed"
