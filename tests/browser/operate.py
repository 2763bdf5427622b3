"""Every control of a page used once: what a policy, a disk, a sub-path or another engine might forbid shows then."""

from collections import Counter

from tests.browser.conftest import Script

JS = Script("operate.js")


def operate(page) -> Counter[str]:
    """Use all controls of the page's content, and return how many of each widget there were."""
    undefined = page.evaluate(JS.spread)
    assert not undefined, f"<{undefined}> stays as it was built"
    return Counter(tag for tag, _ in page.evaluate(JS.operate))
