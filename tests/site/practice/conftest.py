"""The programs run as in the tests of the package."""

from tests.package.practice.conftest import folder

__all__ = ["folder"]
