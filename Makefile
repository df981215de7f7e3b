# make demo    set up, rank a real data set and write a page about it
#              (make demo FILE=mine.csv does it for a table of your own)
# make test    set up and run every test
# make fuzz    many fresh random tables, and 10,000 damaged inputs at every front door
# make coverage  every test, and the lines and branches that they reach
# make mutate  small faults in what reckons: do the tests notice?
# make lint    ruff, mypy (for Linux and for Windows), clang-format
# make bench   ratios against the peers, measured side by side
# make bench-scale  large tables: rows without end, time and memory
# make truth   which method finds what: planted columns, noise, identifiers, labelled sets
# make docs    the documentation, every guide run, into docs/_build/html
#
# make test-lowest   the tests with the lowest versions that are declared
# make sanitize      the kernel tests and random fits under AddressSanitizer and UBSan
#                    (SANITIZERS=thread for ThreadSanitizer)
# make compilers     clang: no warning, and the same scores (ALL=1 for portable C++ and for g++
#                    without the instructions of newer processors, too)
# make aarch64       the same tests on 64-bit ARM, cross-built and emulated
# make wheels        an sdist and wheels, tested on every Python found
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CXX_FILES := $(shell find src/unsuprank/_core -name '*.[ch]pp')
NATIVE := $(CXX_FILES) CMakeLists.txt pyproject.toml
# What calls every kernel and compares it with its oracle.
KERNEL_TESTS := tests/rankers/forest/test_forest_oracle.py tests/rankers/forest/test_out_of_bag_gain.py \
	tests/rankers/relief/test_relief_kernels.py tests/rankers/relief/test_sparse_urelief.py \
	tests/rankers/subset/test_neighbour_polish.py \
	tests/rankers/test_clustering_space.py tests/test_sparse.py
SANITIZERS ?= address,undefined
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
export VENV

.PHONY: ci-environment demo test test-lowest fuzz coverage mutate lint bench bench-scale truth docs sanitize compilers aarch64 wheels clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per extra; a change of the compiled sources reinstalls.
$(VENV)/.installed-%: $(NATIVE) | $(BIN)/python
	@echo "Installing unsuprank[$*] into $(VENV) (compiles the kernels, about a minute) ..."
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

# One build for all that `.ci/run` does: every extra by itself would compile the kernels again. uv
# finds and unpacks a hundred packages in a fraction of pip's time.
ci-environment: $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[lint,native,test]"
	@touch $(VENV)/.installed-lint $(VENV)/.installed-native $(VENV)/.installed-test

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

test-lowest: $(VENV)/.installed-test $(VENV)/.installed-native
	.ci/lowest $(TESTS)

sanitize: $(VENV)/.installed-test $(VENV)/.installed-native
	.ci/sanitize $(SANITIZERS) $(KERNEL_TESTS)

compilers: $(VENV)/.installed-test $(VENV)/.installed-native
	.ci/compilers

aarch64: $(VENV)/.installed-test $(VENV)/.installed-native
	.ci/aarch64 $(KERNEL_TESTS)

wheels: $(VENV)/.installed-native
	.ci/wheels $(PYTHONS)

FUZZ_COUNT ?= 10000
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-profile=fresh tests/properties
	cd tests && ../$(BIN)/python -m fuzz --count $(FUZZ_COUNT) --keep ../fuzz-findings

# The report of worker processes that were killed is lost; see `pragma: no cover` there.
coverage: $(VENV)/.installed-test
	rm -rf .coverage
	# One thread a worker: those of libraries would only wait for each other.
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal --durations=15 --cov --cov-report=term
	$(BIN)/python .ci/check_coverage.py

MUTANTS ?= 200
mutate: $(VENV)/.installed-test
	$(BIN)/python tests/mutate.py --count $(MUTANTS)

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory -j2 types-linux types-win32
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

# What a system does not have is no attribute there.
types-%:
	$(BIN)/mypy --platform $* --cache-dir .mypy_cache/$*

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

bench-scale: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks scale

truth: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.truth

docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html in a browser."

clean:
	rm -rf $(VENV) build dist docs/_build docs/api docs/guide docs/how docs/methods
