"""The widget of a test module, as its page shows it first."""

import pytest

from tests.browser.conftest import UNFOLD


@pytest.fixture
def widget(page, request):
    """Find the widget that the module's CONTRACT names, wait for its script, and reset it."""
    (row, *_) = request.module.CONTRACT
    widget = page.locator(row.tag).first
    widget.evaluate(UNFOLD)
    widget.scroll_into_view_if_needed()
    widget.get_by_role("button", name=row.reset).click()
    return widget
