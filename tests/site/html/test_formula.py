import re
from html import unescape

import pytest

from docs_ext.html.formula import MACROS, render, standard_tex
from docs_ext.reading.converter import PageError
from tests.site.pages import converted
from tests.tables import each_row


def annotations(html):
    return [unescape(tex) for tex in re.findall(r'encoding="application/x-tex">(.*?)</annotation>', html, re.S)]


@each_row("ours, standard", "formula.toml", "standard")
def test_copied_tex_is_standard_tex(ours, standard):
    assert standard_tex(ours) == standard


@pytest.mark.parametrize("macro", [macro for macro in MACROS if macro != r"\softmax"])  # the others are symbols
@pytest.mark.parametrize("template", ["%s", r"\sqrt%s", "x^%s", "%s_i^2", r"\text{of }%s x"])
def test_standard_tex_draws_the_same_formula(macro, template):
    def glyphs(tex):
        visible = render(tex, display=True).partition('class="katex-html"')[2]
        return re.sub(r"<[^>]+>", "", visible)

    ours = template % macro
    assert glyphs(ours) == glyphs(standard_tex(ours))


ROLES = {"q": "query", "k": "key", "v": "value", "z": "output"}


@pytest.mark.parametrize("macro", MACROS)
def test_a_letter_has_the_colour_of_its_role_by_class_alone(macro):
    role = ROLES.get(macro[1:].lower())
    assert re.findall(r"role-(\w+)", render(macro)) == [role] * (role is not None)
    assert "color" not in render(macro)


def test_an_operator_of_letters_is_one_text_in_mathml():
    assert re.findall("<mo [^>]*>(.*?)</mo>", render(r"a \bmod b")) == ["mod"]


def test_a_page_carries_both_html_and_mathml_and_keeps_them_from_the_index():
    html = converted("Scores $\\Q\\K^\\T$ are\n\n$$a < b \\tag{1}$$\n\n| $\\lvert x \\rvert$ |\n| --- |\n| $y$ |")
    assert html.count("<math ") == html.count('class="katex-html"') == html.count("data-search-exclude") == 4
    assert annotations(html) == [r"QK^\top", r"a < b \tag{1}", r"\lvert x \rvert", "y"]
    assert html.count("katex-display") == 1
    assert "$" not in html


@each_row("formula, complaint", "formula.toml", "refused")
def test_what_katex_cannot_read_stops_the_build(formula, complaint):
    with pytest.raises(PageError, match=r"^learn/scaling\.md:1: ") as error:
        converted(f"Before {formula} after" if formula.count("$") == 2 else formula, page="learn/scaling.md")
    assert formula.strip("$").replace("\\", "\\\\") in str(error.value)
    assert complaint in str(error.value)


def test_the_mark_after_a_formula_stays_with_it():
    html = re.sub(
        r'<span class="katex">.*?</annotation></semantics></math></span>.*?</span></span></span>',
        "F",
        converted("($x$, and $y$.) Then $z$; **bold $w$**: $v$ alone"),
    )
    both = re.findall(r'<span class="formula-and-mark"><span class="arithmatex"[^>]*>.*?</span>([^<\s]+)</span>', html)
    assert both == [",", ".)", ";"]
    assert html.count("formula-and-mark") == 3
