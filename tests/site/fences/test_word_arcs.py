"""Word arcs: an arc from the word that needs another to that word, over the sentence as it is written."""

import re

from tests.site.fences.reading import Figure

SENTENCES = ["The *boat* drifted towards the **bank**.", "The **bank** turned down her *loan*."]
ARCS = Figure.sound("word-arcs")


def test_an_arc_leads_from_the_bold_word_to_the_one_in_italics_and_the_words_stand_as_written():
    drawing = ARCS.still().find(".//{*}svg")
    wide, high = map(float, drawing.get("viewBox").split()[2:])
    assert drawing.get("aria-label") == "a bank"
    for line, sentence in zip(drawing.findall("{*}g"), SENTENCES, strict=True):
        words = line.findall("{*}g")
        assert " ".join("".join(word.itertext()).strip() for word in words) == sentence.replace("*", "")
        at = {word.get("class"): float(re.search(r"\((\S+) ", word.get("transform"))[1]) for word in words}
        begin, *_, end = re.findall(r"(-?[\d.]+) -?[\d.]+", line.find("{*}path").get("d"))
        assert [float(begin), float(end)] == [at["asks"], at["answers"]]
        assert 0 < min(at.values()) < max(at.values()) < wide
        assert high > float(re.search(r" (\S+)\)", line.get("transform"))[1]) > 38  # room for the arc
