"""Hold somebody's attention kernel against the package."""

from attention.testing.checks import (
    assert_attention,
    check,
    check_gradients,
)
from attention.testing.errors import expected_error
from attention.testing.report import Finding, Report

__all__ = [
    "Finding",
    "Report",
    "assert_attention",
    "check",
    "check_gradients",
    "expected_error",
]
