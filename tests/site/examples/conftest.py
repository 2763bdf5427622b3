"""What runs the examples needs requirements-nightly.lock: make setup-nightly."""

from importlib.util import find_spec

NEEDS = {"test_sequence_parallel.py": "distributed", "test_real_model.py": "tokenizers"}
collect_ignore = [file for file, module in NEEDS.items() if not find_spec(module)]
