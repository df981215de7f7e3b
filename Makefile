# make demo    set up and rank a real data set
# make test    set up and run every test
# make lint    ruff, mypy, clang-format
# make bench   ratios against the peers, measured side by side
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard src/unsuprank/_core/*.cpp src/unsuprank/_core/*.hpp) CMakeLists.txt pyproject.toml
CXX_FILES := $(wildcard src/unsuprank/_core/*.cpp src/unsuprank/_core/*.hpp)

.PHONY: demo test lint bench clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per extra; a change of the compiled sources reinstalls.
$(VENV)/.installed-%: $(NATIVE) | $(BIN)/python
	@echo "Installing unsuprank[$*] into $(VENV) (compiles the kernels, about a minute) ..."
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

demo: $(VENV)/.installed-plot
	$(BIN)/python examples/demo.py

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build
