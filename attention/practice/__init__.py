"""Kill the mutant: a reader's examples against packages that are wrong in one place (python -m attention.practice)."""
