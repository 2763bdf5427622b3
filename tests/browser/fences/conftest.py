"""The widget of a test module, as its page shows it first."""

import pytest

from tests.browser.conftest import UNFOLD
from tests.browser.widget import WIDGETS


@pytest.fixture
def widget(page, request):
    """Find the widget that gives the module its name, wait for its script, and reset it."""
    tag = request.path.stem.removeprefix("test_").replace("_", "-")
    widget = page.locator(tag).first
    widget.evaluate(UNFOLD)
    widget.scroll_into_view_if_needed()
    widget.get_by_role("button", name=next(row.reset for row in WIDGETS if row.tag == tag)).press("Enter")
    return widget
