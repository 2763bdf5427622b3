"""Exercises: write attention, and test it against wrong versions of it.

Run it with `python -m attention.practice`.
"""
