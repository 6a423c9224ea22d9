# Everything a newcomer needs: python3, pip and make. Nothing is installed outside .venv.
#
#   make demo       optimise a real problem and look at the result
#   make test       every test but the long ones
#   make test-all   every test
#   make check      lint, format and types
#   make format     mend lint and format
#   make docs       the documentation site, in out/docs
#   make test-lowest    the main tests with the lowest versions of all dependencies, in .venv-lowest (Python 3.11 or 3.12)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(shell cat pyproject.toml requirements/pinned.txt | cksum | cut -d ' ' -f 1)
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-all test-slow test-lowest check format docs clean setup

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

test-all: test test-slow test-lowest docs

# The lowest versions that pyproject.toml allows. Old packages may warn about newer ones, which is no error here.
LOWEST := .venv-lowest
LOWEST_TESTS := $(addprefix tests/, test_import.py test_optimize.py test_result.py test_callbacks.py \
	test_reference_vectors.py host/test_host_problem.py host/test_workers.py metrics plot runs/test_resume.py \
	runs/test_result_file.py study/test_statistics.py adapters neuroevolution/test_mujoco.py \
	neuroevolution/test_policy.py cli)

test-lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements/lowest.txt \
		--editable '.[adapters,film,neuroevolution,ray,report,tensorboard]' beartype hypothesis pytest pytest-timeout \
		pytest-xdist
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow" -o filterwarnings=default $(LOWEST_TESTS)

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
	rm -rf $(VENV) .venv-lowest out docs/reference docs/notebooks .pytest_cache .mypy_cache .ruff_cache .hypothesis
