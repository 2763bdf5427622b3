# README's two commands are `make serve` and `make test`; each sets up .venv from the lock when it must.
PYTHON ?= python3
BIN := .venv/bin
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: serve test build check lint types bench quick lock clean

serve: .venv/ready
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:8000

test: .venv/ready
	$(BIN)/pytest

build: .venv/ready
	$(BIN)/mkdocs build --strict

check: lint types build quick
	REFUSE_SKIPS=1 REQUIRE_BROWSER=1 $(MAKE) test

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/zizmor --offline --quiet .github/workflows
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

types: .venv/ready
	$(BIN)/mypy

bench: .venv/ready
	$(ONE_THREAD) $(BIN)/python -m benchmarks

quick: .venv/ready
	$(ONE_THREAD) $(BIN)/python -m benchmarks --quick

lock: .venv/ready
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --all-extras --python-version 3.11 --upgrade \
	    --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv site

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --disable-pip-version-check --quiet --require-hashes -r requirements.lock
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	touch $@
