"""The one bibliography file: every source stands in `docs/reference/sources.bib`, and nowhere else.

    @inproceedings{vaswani2017,
      author = {Ashish Vaswani and Noam Shazeer and others},
      title  = {Attention Is All You Need},
      year   = {2017},
      venue  = {NeurIPS 2017},
      eprint = {1706.03762},
      archiveprefix = {arXiv},
      url    = {https://arxiv.org/abs/1706.03762},
      places = {§3.2.1: masks 2, order; §3.5: order},
      digest = {0f3a9c41}
    }

It is BibTeX in Unicode with a few fields of its own:

- `label`: how pages name the source, where that does not follow from authors and key; `names`: other words of a link
- `venue`: what the page says between title and address, in Markdown; `shown`: the words of the address
- `note`: of an entry without a year, such as a manual, all that the page says
- `seen`: how much of the text was opened for these pages, where that is not what they cite by its place; the page
  marks such an entry with a dagger, and says how much if it is not the abstract
- `places`: which section, equation or table is cited, and on which page or in which module, with how often
- `digest`: of all fields but places, so that none changes by accident; `python -m tools.sources` writes these two

A fact stands here once. What repeats a part of it must agree: the key has the first author and the year, the address
has the arXiv number, and the words of every link name the authors (tests/site/site/test_sources.py).
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import fill
from urllib.parse import urlsplit

from docs_ext.errors import SpecError

FILE = Path(__file__).parents[2] / "docs/reference/sources.bib"
DAGGER = "\N{DAGGER}"  # of an entry whose text was not opened as a whole
OWN = ("label", "names", "venue", "shown", "seen", "places", "digest")  # BibTeX does not know them
_ENTRY = re.compile(r"@(?P<kind>[a-z]+)\{(?P<key>[\w-]+),\n(?P<fields>(?:  .*\n)+)\}\n*")
_FIELD = re.compile(r"  (?P<name>[a-z]+) *= \{(?P<value>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}(?:,\n|\n\Z)")


@dataclass(frozen=True)
class Source:
    """One entry: its kind and key, and its fields in the order in which they stand."""

    kind: str
    key: str
    fields: dict[str, str]

    @property
    def authors(self) -> list[str]:
        """The authors as the page names them, *others* among them."""
        return [plain(author) for author in self.fields.get("author", "").split(" and ")]

    @property
    def year(self) -> str:
        """The year in the key, by which pages name the source; a manual has none."""
        found = re.search(r"\d{4}", self.key)
        return found[0] if found else ""

    @property
    def label(self) -> str:
        """How pages name the source: Vaswani et al. 2017."""
        if "label" in self.fields:
            return self.fields["label"]
        first, *rest = map(surname, self.fields["author"].split(" and "))
        if len(rest) > 1 or rest == ["others"]:
            return f"{first} et al. {self.year}"
        return f"{' & '.join([first, *rest])} {self.year}"

    @property
    def names(self) -> list[str]:
        """Return all that the words of a link may be."""
        return [self.label, *filter(None, self.fields.get("names", "").split("; "))]

    @property
    def digest(self) -> str:
        """What `digest` must be."""
        facts = [self.kind, self.key, *(f"{n} {v}" for n, v in self.fields.items() if n not in ("places", "digest"))]
        return sha256("\n".join(facts).encode()).hexdigest()[:8]

    def prose(self) -> str:
        """Return the entry as Markdown, with its anchor."""
        get = self.fields.get
        if "author" not in self.fields:
            text = get("note", "")
        else:
            names = ", ".join(self.authors).replace(", others", ", and others")
            title = plain(self.fields["title"])
            venue = f" {get('venue')}." if get("venue") else ""
            stop = "" if title.endswith("?") else "."
            seen = f" *Seen: {get('seen')}.*" if get("seen", "abstract") != "abstract" else ""
            text = f"{names}. *{title}{stop}*{venue} [{self.shown}]({self.fields['url']}){seen}"
        mark = f" {DAGGER}" if get("seen") else ""
        return f"**{self.label}.**{mark} {text}\n{{ #{self.key} }}"

    @property
    def shown(self) -> str:
        """The words of the address."""
        for name, prefix in (("shown", ""), ("eprint", "arXiv:"), ("doi", "doi:")):
            if name in self.fields:
                return prefix + self.fields[name]
        return urlsplit(self.fields["url"]).netloc.removeprefix("www.")

    def bibtex(self) -> str:
        """Return the entry for a reader's own file, without the fields that are ours."""
        fields = {name: text.replace("&", r"\&") for name, text in self.fields.items() if name not in OWN}
        if fields.get("url", "").endswith(fields.get("eprint") or fields.get("doi") or "\0"):
            del fields["url"]  # it says the same
        return written(self.kind, self.key, fields)


def surname(author: str) -> str:
    """Return the part of a name by which a source is cited."""
    grouped = re.search(r"\{(.*)\}$", author)
    return grouped[1] if grouped else author.split()[-1]


def plain(text: str) -> str:
    """Leave out the braces that keep capitals."""
    return re.sub(r"[{}]", "", text)


def written(kind: str, key: str, fields: dict[str, str]) -> str:
    """Write an entry, one field a line, in lines of 80 columns at most where words allow."""
    width = max(len(name) for name in fields if name != "archiveprefix")
    lines = []
    for name, text in fields.items():
        head = f"  {name:{width}} = {{"
        lines.append(
            fill(text + "}", 79, initial_indent=head, subsequent_indent=" " * len(head), **_WHOLE)  # type: ignore[arg-type]
        )
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


_WHOLE = {"break_long_words": False, "break_on_hyphens": False}


def read(text: str) -> dict[str, Source]:
    """Read a file of sources, and refuse a line that is not as `written` would write it."""
    sources: dict[str, Source] = {}
    start = 0
    while start < len(text):
        line = text.count("\n", 0, start)
        entry = _ENTRY.match(text, start)
        if entry is None:
            raise SpecError(f"this is no entry: {text[start:].splitlines()[0]!r}", line=line)
        fields = list(_FIELD.finditer(entry["fields"]))
        if "".join(field[0] for field in fields) != entry["fields"]:
            raise SpecError(f"{entry['key']}: each field is 'name = {{text}}', with a comma between two", line=line)
        if entry["key"] in sources or len({field["name"] for field in fields}) < len(fields):
            raise SpecError(f"{entry['key']}: the key or one of its fields stands twice", line=line)
        found = {field["name"]: " ".join(field["value"].split()) for field in fields}
        sources[entry["key"]] = Source(entry["kind"], entry["key"], found)
        start = entry.end()
    return sources


def load(file: Path = FILE) -> dict[str, Source]:
    """Read the bibliography of the site."""
    return read(file.read_text("utf-8"))


def listed() -> list[str]:
    """Write all entries as Markdown, each under the anchor of its key."""
    return "\n\n".join(source.prose() for source in _load().values()).split("\n")


def copied() -> list[str]:
    """Write what can be cited as a block of BibTeX."""
    entries = "\n\n".join(source.bibtex() for source in _load().values() if source.year)
    return f"```bibtex\n{entries}\n```".split("\n")


def _load() -> dict[str, Source]:
    try:
        return load()
    except SpecError as error:
        raise SpecError(f"{FILE.name}:{(error.line or 0) + 1}: {error}") from error


def save(sources: dict[str, Source], file: Path = FILE) -> None:
    """Write the bibliography of the site."""
    file.write_text("\n\n".join(written(s.kind, s.key, s.fields) for s in sources.values()) + "\n", "utf-8")
