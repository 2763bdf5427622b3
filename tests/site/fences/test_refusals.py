"""What each fence refuses: a change of its sound one in sound.yaml is told at its key. test_<fence>.py has the rest."""

import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions import draw_fences as fences
from tests.site.fences.reading import SOUND

REFUSED = [
    pytest.param(entry, *case, id=f"{entry}: {label}")
    for entry, known in SOUND.items()
    for label, case in (known.get("refused", {}).items() if "sound" in known else ())
]


@pytest.mark.parametrize(("entry", "change", "key", "words"), REFUSED)
def test_what_does_not_fit_is_refused(entry, change, key, words):
    module = fences.fence(entry.split()[0])
    caption = {"caption": "c"} if "caption" in module.REQUIRED else {}
    spec = {"id": "x"} | caption | SOUND[entry]["sound"]
    render = getattr(module, "data", None) or module.render
    render(spec)
    with pytest.raises((SpecError, ValueError, TypeError)) as error:
        render(spec | change)
    assert getattr(error.value, "key", None) == key
    for part in [words] if isinstance(words, str) else words:
        assert part in str(error.value)
    assert "\n" not in str(error.value)
