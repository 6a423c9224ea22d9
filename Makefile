# Everything a newcomer needs: python3, pip and make. Nothing is installed outside .venv.
#
#   make demo       optimise a real problem and look at the result
#   make test       every test but the long ones
#   make test-all   every test
#   make check      lint, format and types
#   make format     mend lint and format
#   make docs       the documentation site, in out/docs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(shell cat pyproject.toml requirements/pinned.txt | cksum | cut -d ' ' -f 1)
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-all test-slow check format docs clean setup

setup: $(STAMP)

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=python3.x"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements/pinned.txt --editable '.[dev]'
	@rm -f $(VENV)/.installed-*
	@touch $@

demo: setup
	$(BIN)/python examples/demo.py

test: setup
	$(PYTEST) -m "not slow"

test-slow: setup
	$(PYTEST) -m slow

test-all: test test-slow

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs out/docs

clean:
	rm -rf $(VENV) out docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis
