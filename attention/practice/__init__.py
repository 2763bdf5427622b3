"""Kill the mutant: a reader's examples against packages with one mistake.

Run it with `python -m attention.practice`.
"""
