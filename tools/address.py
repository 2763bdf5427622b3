"""Write the addresses of the repository and of the site into the files that cannot ask for them, once and again.

    make address REPO_URL=https://github.com/OWNER/NAME SITE_URL=https://OWNER.github.io/NAME/

README.md gets its first line of links, pyproject.toml the links of the package index, CITATION.cff where to find it.
The site asks for REPO_URL and SITE_URL itself when it is built.
"""

import os
import re
import sys
from pathlib import Path

from docs_ext.site.address import directory, repository

ROOT = Path(__file__).parents[1]


def readme(text: str, repo: str, site: str) -> str:
    """Put the site, and badges that have an address, below the title."""
    links = [f"**[Read the site]({site})**"] if site else []
    if repo.startswith("https://github.com/"):
        checks = f"{repo}/actions/workflows/check.yml"
        links.append(f"[![check]({checks}/badge.svg)]({checks})")
    bare = re.sub(r"\A(# .*\n\n)(?:(?:\*\*\[Read the site|\[!\[check).*\n\n)?", r"\1", text)
    title, _, rest = bare.partition("\n\n")
    return "\n\n".join([title, *([" · ".join(links)] if links else []), rest])


def pyproject(text: str, repo: str, site: str) -> str:
    """Write the table of addresses that a package index shows."""
    named = {"Documentation": site, "Source": repo}
    named |= {"Changelog": f"{repo}/blob/main/CHANGELOG.md", "Issues": f"{repo}/issues"} if repo else {}
    bare = re.sub(r"\[project\.urls\]\n(?:.+\n)*\n", "", text)
    lines = "".join(f'{name} = "{address}"\n' for name, address in named.items() if address)
    table = f"[project.urls]\n{lines}\n" if lines else ""
    return bare.replace("[project.optional-dependencies]", f"{table}[project.optional-dependencies]")


def citation(text: str, repo: str, site: str) -> str:
    """Name the site as the address of the work, and where its code is."""
    bare = re.sub(r"^(?:  )?(?:url|repository-code): .*\n", "", text, flags=re.MULTILINE)
    lines = (f"url: {site}\n" if site else "") + (f"repository-code: {repo}\n" if repo else "")
    return bare.replace("license: MIT\n", f"license: MIT\n{lines}", 1) + (f"  url: {site}\n" if site else "")


FILES = {"README.md": readme, "pyproject.toml": pyproject, "CITATION.cff": citation}


def main() -> None:
    """Write the files."""
    repo, site = repository(os.environ.get("REPO_URL")), directory(os.environ.get("SITE_URL", ""))
    if not (repo or site):
        sys.exit("make address needs REPO_URL=https://..., SITE_URL=https://... or both")
    for name, write in FILES.items():
        path = ROOT / name
        path.write_text(write(path.read_text("utf-8"), repo or "", site), "utf-8")


if __name__ == "__main__":
    main()
