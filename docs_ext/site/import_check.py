"""The first thing that a downloaded script or notebook does: see whether the package it needs is there.

Another distribution on the Python Package Index is called `attention` and installs a package of that name. What runs
with the wrong one, or with none, should not end in a traceback about TensorFlow. The check reads the package's first
lines and imports nothing, since the other one would take seconds to import, or fail.
"""

import attention
from docs_ext.site.address import public

_WHEEL = "attention_line_by_line-{version}-py3-none-any.whl"
_CLONE = "python -m pip install .    (in the folder of the repository)"

_SOURCE = '''\
def check_package():
    """Stop, and say what to do, unless the package `attention` here is the one of this page."""
    import importlib.util
    import pathlib
    import re
    import sys

    install = "  {install}"
    found = importlib.util.find_spec("attention")
    if found is None:
        sys.exit("This needs the package of Attention, line by line, which is not installed. Please run\\n" + install)
    start = pathlib.Path(found.origin).read_text("utf-8", "replace") if found.origin else ""
    if not start.startswith('"""{first}"""'):
        place = found.origin or list(found.submodule_search_locations)[0]
        sys.exit(
            "This needs the package of Attention, line by line, and found another one of the name `attention`, "
            f"{{place}}. Please remove it, and install ours:\\n"
            "  python -m pip uninstall attention attention-line-by-line\\n" + install
        )
    version = re.search('__version__ = "(.+)"', start)[1]
    if version != "{version}":
        print(f"Note: this is of version {version}, and the package here of version {{version}}.")


check_package()
'''


def guard(site_url: str | None, version: str = attention.__version__) -> str:
    """Return the code that a script or notebook of the site at this address runs first.

    It binds one name, `check_package`. It ends the program with a message and no traceback if the package is missing
    or is another one, and prints one line if it has another version than the page.
    """
    return _SOURCE.format(install=install(site_url, version), first=attention.__doc__, version=version)


def install(site_url: str | None, version: str = attention.__version__) -> str:
    """Return the command that installs the package: the wheel on the site, or a clone if the site has no address.

    >>> install("https://site.test/attention/", "1.2.3")
    'python -m pip install https://site.test/attention/attention_line_by_line-1.2.3-py3-none-any.whl'
    >>> install("http://127.0.0.1:8000/")
    'python -m pip install .    (in the folder of the repository)'
    """
    site = public(site_url)
    return f"python -m pip install {site.rstrip('/')}/{_WHEEL.format(version=version)}" if site else _CLONE
