"""Attention in NumPy, line by line."""

__version__ = "0.1.0"
