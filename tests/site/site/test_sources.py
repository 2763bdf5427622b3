"""The bibliography: one file, whose entries agree with themselves, and a page that uses each of them."""

import re

import pytest

from docs_ext.errors import SpecError
from docs_ext.sources.bibliography import DAGGER, FILE, copied, listed, load, read, surname, written
from tests.site.pages import ROOT
from tests.tables import each_row
from tools.citations import faults, places, recorded, unrecorded
from tools.sources import cited, stamped, texts

SOURCES = load()
PAPERS = {key: source for key, source in SOURCES.items() if source.year}  # the others are documentation
EVERY = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
PAPER = pytest.mark.parametrize("source", PAPERS.values(), ids=PAPERS)


def test_entries_stand_in_order_and_once_as_they_would_be_written():
    assert len(PAPERS) > 80
    assert sorted(SOURCES) == list(SOURCES)
    assert FILE.read_text("utf-8") == "\n\n".join(written(s.kind, s.key, s.fields) for s in SOURCES.values()) + "\n"


@EVERY
def test_an_entry_is_as_it_was_when_it_was_last_compared_with_the_paper(source):
    hint = f"{source.key}: compare the entry with the paper, then run python -m tools.sources"
    assert source.fields["digest"] == source.digest, hint


@PAPER
def test_the_key_is_made_of_the_first_author_and_the_year(source):
    first = re.sub(r"[^a-z]", "", surname(source.fields["author"].split(" and ")[0]).lower())
    name = source.key[: source.key.index(source.year)]
    assert name.startswith(first[:4]) or name.endswith(first)  # deepseek2024, nelsonliu2024
    assert source.year in source.label
    assert any(surname(author).split(",")[0] in source.label for author in source.fields["author"].split(" and "))


@PAPER
def test_the_years_of_an_entry_agree(source):
    fields = source.fields
    first = {source.year}
    if "eprint" in fields:  # of 2305.13245 the first two digits
        first.add(f"20{fields['eprint'][:2]}")
    venue = set(re.findall(r"\b(?:19|20)\d{2}\b", fields.get("venue", "")))
    assert len(venue) <= 1
    assert fields["year"] in (venue or first), f"{fields['year']} is neither of {venue or first}"
    assert source.year in {fields["year"]} | first
    assert 0 <= int(fields["year"]) - int(min(first)) <= 2, "printed before it was written, or long after"


@PAPER
def test_an_address_ends_with_its_number(source):
    fields = source.fields
    assert re.fullmatch(r"https://[\w.-]+/\S*", fields["url"])
    if "eprint" in fields:
        assert re.fullmatch(r"\d{2}(0[1-9]|1[0-2])\.\d{4,5}", fields["eprint"])
        assert len(fields["eprint"]) == (10 if int(fields["eprint"][:2]) > 14 else 9), "five digits since 2015"
        assert fields["url"] == f"https://arxiv.org/abs/{fields['eprint']}"
        assert fields["archiveprefix"] == "arXiv"
    elif "doi" in fields:
        assert re.fullmatch(r"10\.\d{4,}/\S+", fields["doi"])
        assert fields["url"] == f"https://doi.org/{fields['doi']}"


def test_no_two_sources_share_a_label_or_a_number():
    labels = [source.label for source in SOURCES.values()]
    numbers = [
        source.fields[name] for source in SOURCES.values() for name in ("eprint", "doi") if name in source.fields
    ]
    assert len(set(labels)) == len(labels)
    assert len(set(numbers)) == len(numbers)


def test_the_page_shows_each_entry_and_copies_each_paper():
    page = (ROOT / "docs/reference/sources.md").read_text("utf-8")
    assert "<!-- sources -->" in page
    assert "<!-- bibtex -->" in page
    assert re.findall(r"^\{ #([\w-]+) \}$", "\n".join(listed()), re.M) == list(SOURCES)
    assert re.findall(r"^@\w+\{([\w-]+),$", "\n".join(copied()), re.M) == list(PAPERS)
    assert "\n".join(listed()).count("](https://") >= len(PAPERS)
    assert f"\n{DAGGER} " in page, "the legend of the mark"
    titles = re.findall("title *= {(.*?)}", "\n".join(copied()), re.DOTALL)
    assert not [title for title in titles if re.search(r"(?<!\\)&", title)], "BibTeX ends a column there"
    for own in ("digest", "places", "label", "venue"):
        assert f"  {own} " not in "\n".join(copied())


@PAPER
def test_an_entry_that_was_not_read_as_a_whole_has_the_mark_and_says_what_was_seen_if_not_the_abstract(source):
    seen = source.fields.get("seen")
    assert (DAGGER in source.prose()) == bool(seen)
    assert (f"*Seen: {seen}.*" in source.prose()) == (seen not in (None, "abstract"))


# --- citations ---------------------------------------------------------------------------------------------------

TEXTS = {name: text for name, text in texts().items() if name != "reference/sources"}
RECORDED = recorded(cited(SOURCES))


def test_the_words_of_every_link_name_its_source():
    wrong = [f"{name}.*:{line}: {what}" for name, text in TEXTS.items() for line, what in faults(text, SOURCES)]
    assert not wrong, "\n".join(wrong)


def test_a_link_to_no_source_is_named_with_its_line_and_stops_no_other_test():
    text = "One.\n\nTwo [Su et al. 2021](sources.md#su2012), and [Su 2021](sources.md#su2021). Su et al., §3"
    assert list(faults(text, SOURCES)) == [
        (3, "su2012 is not in sources.bib (did you mean 'su2021'?)"),
        (3, "[Su 2021] is none of Su et al. 2021"),
    ]
    assert set(places(text, SOURCES)) == {("su2021", "§3")}


def test_a_source_that_a_sentence_names_by_year_is_listed():
    known = {named for source in SOURCES.values() for named in source.names}
    wrong = []
    for name, text in TEXTS.items():
        for found in re.finditer(r"[A-Z][\w-]+ (?:et al\.|& [A-Z][\w-]+) \d{4}", text):
            if not any(" ".join(found[0].split()) in named for named in known):
                wrong.append(f"{name}: {found[0]}")
    assert not wrong, "\n".join(wrong)


@EVERY
def test_a_source_is_cited_at_the_places_that_its_entry_lists(source):
    assert f"#{source.key})" in "".join(TEXTS.values()), f"{source.key}: nothing cites it"
    assert source.fields.get("places") == stamped(source, RECORDED).fields.get("places"), "\n".join(
        f"{name} {what}" for name, text in TEXTS.items() for what in unrecorded(name, text, SOURCES)
    )


# --- the file's form ---------------------------------------------------------------------------------------------


@each_row("text, line, message", "bad_sources.toml")
def test_a_bad_file_is_refused_with_its_line(text, line, message):
    with pytest.raises(SpecError, match=re.escape(message)) as error:
        read(text)
    assert error.value.line == line
