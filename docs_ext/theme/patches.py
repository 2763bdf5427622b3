"""Patches of the theme's own files, each for a fault that no block of its templates reaches.

They hold for the locked version. A part of the theme that is not where it was stops the build.
"""

import re
from pathlib import Path

from mkdocs.exceptions import BuildError

_MENDED = "/* mended */"
_PATCHES = {  # the theme's scripts: a fault of each, and what stands in its place
    "bundle": (
        # It fetches the search index, larger than a page, at once. Here it waits until the search is opened,
        ('location.protocol!=="file:"', "!1"),
        # and so does the worker that searches: it is made when the first message is sent to it.
        (
            "function Mn(e,t=new Worker(e))",
            "function Mn(e,t=(l=>{let w;return{addEventListener(...a){w?w.addEventListener(...a):l.push(a)},"
            "removeEventListener(...a){w&&w.removeEventListener(...a)},"
            "postMessage(m){w||(w=new Worker(e),l.forEach(a=>w.addEventListener(...a))),w.postMessage(m)}}})([]))",
        ),
        # While a page loads, it measures every block of code, one after the other, to see whether it scrolls, which
        # main.js does too and without haste; and it marks the page as changing its colours: all is styled twice.
        ('Le(e).pipe(m(({width:t})=>({scrollable:At(e).width>t})),ne("scrollable"))', "tt"),
        ('setAttribute("data-md-color-switching","")', 'hasAttribute("data-md-color-switching")'),
        # For every block of code it asks anew whether the browser can copy, which lays the page out anew each time.
        ("We&&!!document.queryCommandSupported(Yt)", "We"),
    ),
    # It names a node of its tree of words by letters and ids in a row: "1" and 23 as "12" and 3. Two nodes of one name
    # are merged, and a search that meets a word which came to be in this way ("attention1...") finds nothing at all.
    # It takes "do" for the beginning of "dot": words that the index leaves out are dropped, unless all are such, and so
    # is "attention", which is on every page. A title that is typed word for word comes first. What finds nothing is
    # sought again, with a letter wrong in each longer word. A minus before a digit belongs to the number: as an
    # operator it left out all that has the number, such as the section on a mask of -1e9.
    "workers/search": (
        ("e=e+s+o.id", 'e=e+s+o.id+","'),
        (
            r"(/\s+/g).reduce(",
            r"(/\s+/g).filter((w,i,all,f=x=>x!='attention'&&lunr.stopWordFilter(x))=>f(w)||!all.some(w=>f(w))).reduce(",
        ),
        (
            "search(e){if(",
            r"search(e){let asked=(e=e.toLowerCase().replace(/\B[-\u2212](?=\d)/g,'')).replace(/[?\s]*$/,'?');if(",
        ),
        ("score:a*", "score:(c.title.replace(/<[^>]*>/g,'').toLowerCase().startsWith(asked)?1e6:1)*a*"),
        (
            "let i;if(this.options.suggest)",
            "if(!n.size&&!e.includes('~'))return this.search(asked.slice(0,-1).replace(/[^\\s\"]{5,}/g,'$&~'));"
            "let i;if(this.options.suggest)",
        ),
    ),
}
# Rules for tabs, which no page has, are a seventh of its style sheet. As they end in "the nth child", whatever it is, a
# class or a role that changes on an element styles all within it again.
_TABS = re.compile(r"(?<=[{}])(?:[^{},]*\.tabbed-[^{},]*,?)+\{[^{}]*\}")
# The search dialog has no name that a screen reader could say, and the menu of a phone has none and no focus either.
_CONTROLS = {
    'data-md-component="search" role="dialog"': 'aria-label="Search"',
    'class="md-header__button md-icon" for="__drawer"': 'tabindex="0" title="Menu"',
}


def mend_scripts(site: Path) -> None:
    """Patch the theme's scripts."""
    for name, patches in _PATCHES.items():
        scripts = list((site / "assets/javascripts").glob(f"{name}.*.js"))
        if len(scripts) != 1:
            raise BuildError(f"theme/patches.py: {len(scripts)} scripts {name}.*.js: has the theme changed?")
        script = scripts[0].read_text("utf-8")
        if script.startswith(_MENDED):
            return  # the live server builds a page into the site as it is
        for fault, mended in patches:
            script = _patched(scripts[0].name, script, fault, mended)
        scripts[0].write_text(_MENDED + script, "utf-8")


def mend_style(site: Path) -> None:
    """Take out of the theme's style sheet what no page needs."""
    for sheet in (site / "assets/stylesheets").glob("main.*.css"):
        sheet.write_text(_TABS.sub("", sheet.read_text("utf-8")), "utf-8")


def search_from_disk(script: str) -> str:
    """Patch the mended script once more: no file from a disk can be a worker, but one whose text is at hand can."""
    return _patched("the bundle", script, "new Worker(e)", "new Worker(URL.createObjectURL(new Blob([__worker])))")


def name_controls(page: str) -> str:
    """Patch a page that the theme has written."""
    for control, more in _CONTROLS.items():
        page = _patched("a page", page, control, f"{control} {more}")
    return page


def _patched(name: str, text: str, fault: str, mended: str) -> str:
    if text.count(fault) != 1:
        raise BuildError(f"theme/patches.py: {name} has {text.count(fault)} times {fault}: has the theme changed?")
    return text.replace(fault, mended)
