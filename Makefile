# `make install`, `make demo` and `make test` need Python 3.11+ and make, and nothing done by hand.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc')

.PHONY: help install demo test lint types contract unit fuzz bench clean

help:  ## Show what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'

$(VENV)/.package: pyproject.toml $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	touch $@

$(VENV)/.tests: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group test --group oracles
	touch $@

$(VENV)/.plugin: $(shell find tests/plugin -type f -name '*.py' 2>/dev/null) tests/plugin/pyproject.toml $(VENV)/.package
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall ./tests/plugin
	touch $@

install: $(VENV)/.package  ## Make .venv with the package as its users get it

demo: install  ## Evaluate shipped predictions and show the results
	$(BIN)/python examples/demo.py

test: lint types contract unit  ## Run everything CI runs

lint: $(VENV)/.tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.package $(VENV)/.tests
	$(BIN)/mypy

contract: $(VENV)/.package $(VENV)/.tests
	$(BIN)/lint-imports

unit: $(VENV)/.package $(VENV)/.tests $(VENV)/.plugin
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not campaign'

fuzz: $(VENV)/.package $(VENV)/.tests  ## Feed 20,000 broken files to the readers
	$(BIN)/python -m pytest -n 2 -m campaign tests/faults -k fuzz

bench: install $(VENV)/.tests  ## Measure us beside our peers
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python bench/run.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
