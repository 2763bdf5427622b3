"""The content security policy: the scripts of the site run, and no others."""

import hashlib
from base64 import b64encode

import pytest

from docs_ext.site.policy import policy, with_policy

PAGE = """<!doctype html>
<head>
      <meta charset="utf-8">
      <script>first()</script>
      <script type="application/json">{"a": 1}</script>
</head>
<script>
  second()
</script>
<script src="a.js"></script>
"""


def test_the_policy_allows_the_inline_scripts_of_all_pages_and_no_others():
    csp = policy([PAGE, PAGE.replace("first()", "third()")])
    for script in ("first()", "\n  second()\n", "third()"):
        digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in csp
    assert csp.count("sha256-") == 3
    assert "script-src 'self' 'sha256-" in csp
    assert "style-src 'self';" in csp


def test_the_policy_stands_before_everything_that_it_governs():
    page = with_policy(PAGE, "default-src 'self'")
    assert page.index("charset") < page.index("Content-Security-Policy") < page.index("<script>")


def test_a_changed_theme_is_noticed():
    with pytest.raises(ValueError, match="has the theme changed"):
        with_policy("<head></head>", "default-src 'self'")
