"""What the wheel holds beside the package: the script and the style of attention.show, joined from the site's."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JoinedAssets(BuildHookInterface):  # type: ignore[type-arg]
    """Write both into every wheel but an editable one, which reads them from the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Join them before the files are gathered."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)  # the sdist holds docs_ext and docs too
        try:
            from docs_ext.html.alone import joined
        finally:
            sys.path.remove(self.root)
        self._folder = TemporaryDirectory()
        for name, text in zip(("show.js", "show.css"), joined(), strict=True):
            path = Path(self._folder.name, name)
            path.write_text(text, "utf-8", newline="\n")
            build_data["force_include"][str(path)] = f"attention/show/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if version != "editable":
            self._folder.cleanup()
