"""The site's own scripts as readers get them: without the comments that are there for their authors."""

import re

# What may hold what looks like a comment, or a brace. A regular expression stands where no division can.
_TOKEN = re.compile(
    r"""(?P<comment> //[^\n]* | /\*.*?\*/ )
      | (?P<string> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
      | [(,=:\[!&|?] \s* (?P<expression> /(?![*/]) (?:\\. | \[(?:\\.|[^\]\\\n])*\] | [^/\\\[\n])+ / )
      | (?P<mark> [`{}] )""",
    re.DOTALL | re.VERBOSE,
)
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?P<end>`|\$\{)", re.DOTALL)


def strip_comments(source: str) -> str:
    """Take out the ``// ...`` and ``/** ... */`` that have their lines to themselves; all else stays byte for byte."""
    kept, start = [], 0
    for begin, end in _comments(source):
        line = source.rfind("\n", 0, begin) + 1
        alone = not source[line:begin].strip() and re.compile(r"[ \t]*(?:\r?\n|$)").match(source, end)
        if alone and source.startswith(("//", "/**"), begin):
            kept.append(source[start:line])
            start = alone.end()
    return "".join((*kept, source[start:]))


def _comments(source: str) -> list[tuple[int, int]]:
    """Find where comments begin and end: not in strings, regular expressions and templates, save in their ${...}."""
    found, braces, at = [], [0], 0  # open braces in the code and in each ${...} around the present place
    while token := _TOKEN.search(source, at):
        at = token.end()
        if token["comment"]:
            found.append(token.span())
        elif token["mark"] == "{":
            braces[-1] += 1
        elif token["mark"] == "}" and (braces[-1] or len(braces) == 1):
            braces[-1] -= 1
        elif token["mark"]:  # a template begins, or goes on after its ${...}
            if token["mark"] == "}":
                braces.pop()
            rest = _TEMPLATE.match(source, at)
            if rest is None:
                raise ValueError(f"line {source.count(chr(10), 0, at) + 1}: the template has no end")
            at = rest.end()
            if rest["end"] == "${":
                braces.append(0)
    return found
