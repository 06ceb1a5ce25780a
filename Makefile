# A machine with Python 3.11 or newer and make is all that these targets need: each sets up .venv first,
# and again when pyproject.toml or constraints.txt changed.

PYTHON ?= python3
PYTEST_ARGS ?=
# Number of test processes.
JOBS ?= 2

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt
PYTEST = $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help demo test check format cover bench docs redoc wheel clean distclean

help: ## Show this list.
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=python3.12 chooses the interpreter, PYTEST_ARGS=... goes to pytest, JOBS=4 sets its processes."

demo: $(VENV)/.installed-run ## Place the pending pods of the demo cluster in data/demo.
	$(BIN)/kplace place data/demo

# Two processes that compile the same kernels at once would do the work twice, so it is done before.
test: $(VENV)/.installed-dev ## Run the tests and the examples in docstrings.
	$(BIN)/kplace warmup
	$(PYTEST) -n $(JOBS) $(PYTEST_ARGS)

check: $(VENV)/.installed-dev ## Lint, formatting, types and the import contracts.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev ## Mend what ruff can mend, then format.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

cover: $(VENV)/.installed-dev ## Run the tests without the jit and report the lines they miss (slow).
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(JOBS) --cov $(PYTEST_ARGS)

bench: $(VENV)/.installed-dev ## Run the benchmarks and print one table of them.
	$(BIN)/kplace warmup
	@mkdir -p .benchmarks
	$(PYTEST) benchmarks -q --benchmark-enable --benchmark-only --benchmark-quiet --benchmark-json=.benchmarks/last.json $(PYTEST_ARGS)
	$(BIN)/python -m benchmarks.table .benchmarks/last.json

docs: $(VENV)/.installed-dev ## Check the README and docs/: examples, links, generated pages and pictures.
	$(BIN)/python tools/make_reference.py --check
	$(BIN)/python tools/make_images.py --check
	$(BIN)/python tools/check_docs.py
	$(BIN)/python tools/make_notebooks.py --check

redoc: $(VENV)/.installed-dev ## Write them anew: generated pages, pictures, what the examples print.
	$(BIN)/python tools/make_reference.py
	$(BIN)/python tools/make_images.py
	$(BIN)/python tools/check_docs.py --write
	$(BIN)/python tools/make_notebooks.py

wheel: $(VENV)/.installed-dev ## Build the wheel into dist/.
	$(BIN)/python -m build --wheel --no-isolation

clean: ## Remove what the tools leave behind.
	rm -rf build dist htmlcov .coverage .coverage.* .benchmarks .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find kplace tests benchmarks tools -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## The same, and remove .venv.
	rm -rf $(VENV)

# The build backend is installed first and used without build isolation: constraints.txt holds for it as well.
$(VENV)/.installed-run: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --disable-pip-version-check -q 'pip>=25.1'
	$(PIP_INSTALL) hatchling
	$(PIP_INSTALL) --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --disable-pip-version-check -q 'pip>=25.1'
	$(PIP_INSTALL) hatchling
	$(PIP_INSTALL) --group dev --no-build-isolation -e .
	@touch $@ $(VENV)/.installed-run

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)' here. kplace needs Python 3.11 or newer: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "kplace needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed; some systems keep it in a package of its own (python3-venv)." >&2; exit 1; }
