"""Tables of records: numbers as people read them, words as words."""

from docs_ext.html import tables


def test_a_column_of_words_is_told_by_its_class():
    html = tables.table([{"name": "a", "x": 0.1 + 0.2, "n": None}], "How < many")
    assert '<th scope="col" class="word">name</th><th scope="col">x</th>' in html
    assert '<tr><td class="word">a</td><td>0.3</td><td>none</td></tr>' in html
    assert "<caption><span>How &lt; many</span></caption>" in html
    assert "caption" not in tables.table([{"x": 1}])
