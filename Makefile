# All that is done with a checkout. `make` alone tells what there is.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types tests peers bench bench-scale lock pictures format clean

PYTHON_HERE := .venv/bin/python

# Where third-party voice servers stand that can be called; see tests/peers
PEERS ?= ../shared/peers

help: ## show this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

setup: ## make the environment in .venv, or bring it up to date
	@scripts/setup test

demo: ## hold three short dialogues with the reference endpoint, and report on them
	@scripts/setup run
	.venv/bin/viva demo

test: setup ## check everything: lint, types, tests
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory tests

lint: setup ## check style
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: setup ## check types
	$(PYTHON_HERE) -m mypy

tests: setup ## run the tests alone; ARGS="tests/streams -k flush" picks some
ifdef ARGS
	$(PYTHON_HERE) -m pytest $(ARGS)
else
	$(PYTHON_HERE) -m pytest --numprocesses=auto --dist=worksteal -m "not wall_clock"
	@# by the clock on the wall, beside one another; what a neighbour disturbed is decided alone
	$(PYTHON_HERE) -m pytest --numprocesses=2 --dist=worksteal -m wall_clock || \
		$(PYTHON_HERE) -m pytest -m wall_clock --last-failed --last-failed-no-failures=none
endif

format: setup ## format the code, and mend what ruff can mend
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

peers: setup ## call third-party servers below PEERS=DIR (takes long; not part of `make test`)
	VIVA_PEERS_DIR="$(abspath $(PEERS))" $(PYTHON_HERE) -m pytest tests/peers

bench: setup ## measure speeds, all or ARGS="'NAME' ..."; see benchmarks/
	$(PYTHON_HERE) -m benchmarks $(ARGS)

bench-scale: setup ## measure many sessions, scoring, and runs of thousands of calls; SESSIONS=20 holds fewer at once
	$(PYTHON_HERE) -m benchmarks "many sessions, pcm" "many sessions, openai" "live words, eight calls" \
		"scoring speed" "5,000 calls, ten kills" "10,000 calls reported" "gate, planted" "gate, equal endpoints"

pictures: setup ## make the README's pictures from RUN=FOLDER; needs chromium
	$(PYTHON_HERE) scripts/pictures.py $(RUN)

lock: setup ## write constraints.txt from what is installed in .venv
	$(PYTHON_HERE) scripts/lock.py

clean: ## remove what can be made again; recordings stay
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
