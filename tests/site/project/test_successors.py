"""Which links of a site that another generator has built are dead."""

from tools.successors import dead_links


def test_a_link_is_dead_without_its_page_or_its_anchor(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="a/#here">1</a> <a href="a/#gone">2</a> <a class="x" href="b/">3</a> <a href="#~widget.x=1">4</a>'
        '<a href="https://site.test/b/">5</a> <a href="#top">6</a>'
    )
    (tmp_path / "a/index.html").write_text('<h2 id="here">H</h2> <a href="../">1</a> <a href="../c.css">2</a>')
    assert sorted(dead_links(tmp_path)) == [
        "a/index.html: ../c.css#",
        "index.html: #top",
        "index.html: a/#gone",
        "index.html: b/#",
    ]
