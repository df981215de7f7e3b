# make demo    set up, rank a real data set and write a page about it
#              (make demo FILE=mine.csv does it for a table of your own)
# make test    set up and run every test
# make lint    ruff, mypy, clang-format
# make bench   ratios against the peers, measured side by side
# make truth   which method finds what: planted columns, noise, identifiers, labelled sets
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CXX_FILES := $(shell find src/unsuprank/_core -name '*.[ch]pp')
NATIVE := $(CXX_FILES) CMakeLists.txt pyproject.toml

.PHONY: demo test lint bench truth clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per extra; a change of the compiled sources reinstalls.
$(VENV)/.installed-%: $(NATIVE) | $(BIN)/python
	@echo "Installing unsuprank[$*] into $(VENV) (compiles the kernels, about a minute) ..."
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

# The table of the demo, or the reader's own: FILE=mine.csv, OPTIONS="--drop id --label class".
FILE ?=
OPTIONS ?=
demo: $(VENV)/.installed-all
	@mkdir -p unsuprank-demo
ifeq ($(FILE),)
	@$(BIN)/python examples/demo_table.py unsuprank-demo/nuclei.csv
	$(BIN)/unsuprank rank unsuprank-demo/nuclei.csv --label diagnosis \
		--out unsuprank-demo/scores.csv --report unsuprank-demo/report.html $(OPTIONS)
else
	$(BIN)/unsuprank rank "$(FILE)" \
		--out unsuprank-demo/scores.csv --report unsuprank-demo/report.html $(OPTIONS)
endif
	@echo "Open unsuprank-demo/report.html in a browser."

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

truth: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.truth

clean:
	rm -rf $(VENV) build
