# Short names for everyday commands; `make` alone lists them. Beneath is plain CMake with presets.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local

export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
export CTEST_PARALLEL_LEVEL = $(JOBS)

# one command after another; each uses all JOBS itself
.NOTPARALLEL:

sources = $(shell find include src apps bench examples tests python -name "*.[ch]pp" -not -path "*/wrong/*" 2>/dev/null)

.PHONY: help
help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: demo
demo: build/release/build.ninja ## drive a Panda arm that picks up 2 kg it does not know of, and show how it learns
	@cmake --build --preset release --target ulna
	build/release/bin/ulna mpc panda --demo --report build/mpc.html --force
	@echo "plots and the moving arm: build/mpc.html"

.PHONY: test
test: build/dev/build.ninja dependencies-tutorials ## build everything and run all tests
	@cmake --build --preset dev
	@ctest --preset dev

# again only if the packages are other ones; not npm ci, which demands packages of other platforms in the lock file
apps/viewer/node_modules/.package-lock.json: apps/viewer/package-lock.json | dependencies-viewer
	@cd apps/viewer && npm install --silent
	@touch $@

.PHONY: test-viewer
test-viewer: build/dev/build.ninja dependencies-viewer apps/viewer/node_modules/.package-lock.json ## test the viewer's page in a browser, before a mock server and before the program
	@cmake --build --preset dev --target ulna
	@cd apps/viewer && npm run --silent types && npm run --silent check-dist && npm test --silent && ULNA=$(CURDIR)/build/dev/bin/ulna npm run --silent test-page

.PHONY: viewer
viewer: apps/viewer/node_modules/.package-lock.json ## build the viewer's page anew, which is embedded in the program
	@cd apps/viewer && npm run --silent types && npm run --silent build

.PHONY: python
python: build/release/build.ninja ## build the Python package and show how to use it
	@cmake --preset release -DULNA_BUILD_PYTHON=ON >/dev/null
	@cmake --build --preset release --target ulna_python
	@cat build/release/python/how_to_use

.PHONY: docs
docs: build/release/build.ninja dependencies-docs ## build the documentation site, with tutorials and references, in build/docs
	@cmake --preset release -DULNA_BUILD_PYTHON=ON >/dev/null
	@cmake --build --preset release --target ulna_docs

.PHONY: asan tsan
asan: build/asan/build.ninja ## run all tests under the address and undefined-behaviour sanitizers
tsan: build/tsan/build.ninja ## run all tests under the thread sanitizer
asan tsan:
	@cmake --build --preset $@
	@ctest --preset $@

.PHONY: coverage
coverage: build/coverage/build.ninja ## show how much of each file the tests reach
	@find build/coverage -name '*.gcda' -delete
	@cmake --build --preset coverage
	@ctest --preset coverage
	@tools/coverage build/coverage

# AVX2 and FMA where there is a choice: the same code, and so the same counts, on all machines.
bench thesis robustness fleet contact: export ULNA_BENCH_FLAGS ?= $(if $(filter x86_64,$(shell uname -m)),-march=haswell,-mcpu=native)

# INSTRUCTIONS=1 counts instructions too (some minutes more), DOCS=1 rewrites docs/performance.md
.PHONY: bench
bench: build/bench/build.ninja ## measure; figures also go to build/bench/bench.json
	@cmake --build --preset bench
	$(if $(INSTRUCTIONS),tools/bench-instructions build/bench/bin/ulna_bench > build/bench/instructions.txt)
	build/bench/bin/ulna_bench --out build/bench/bench.json \
	  $(if $(INSTRUCTIONS),--instructions build/bench/instructions.txt)
	@build/bench/bin/ulna_bench_report build/bench/bench.json $(if $(DOCS),docs/performance.md)

# DOCS=1 rewrites docs/thesis.md and what docs/identification.md has of it
.PHONY: thesis
thesis: build/bench/build.ninja ## measure again what the thesis' chapter 6 did; figures also go to build/bench/thesis.json
	@cmake --build --preset bench --target ulna_thesis ulna_thesis_report
	build/bench/bin/ulna_thesis --out build/bench/thesis.json
	@build/bench/bin/ulna_thesis_report build/bench/thesis.json \
	  $(if $(DOCS),docs/thesis.md docs/identification.md)

# OPTIONS="--rows offset_2,wall --seeds 1,2" chooses; build/bench/bin/ulna_robustness lists all
.PHONY: robustness
robustness: build/bench/build.ninja ## drive robots in MuJoCo that differ from their models; figures also go to build/bench/robustness.json
	@cmake --build --preset bench --target ulna_robustness
	build/bench/bin/ulna_robustness --jobs $(JOBS) --out build/bench/robustness.json $(OPTIONS)

# OPTIONS="--seeds 3 ur5e my_arm.urdf" chooses
.PHONY: fleet
fleet: build/bench/build.ninja ## drive many arms that pick up what their models have not
	@cmake --build --preset bench --target ulna_fleet
	build/bench/bin/ulna_fleet --jobs $(JOBS) $(OPTIONS)

# OPTIONS="stack humanoid" chooses scenes
.PHONY: contact
contact: build/bench/build.ninja ## contact beside MuJoCo: speed, penetration, drift
	@cmake --build --preset bench --target ulna_contact_bench
	build/bench/bin/ulna_contact_bench $(OPTIONS)

.PHONY: format
format: dependencies-format ## lay out all sources with clang-format
	@clang-format -i $(sources)

.PHONY: lint
lint: dependencies-lint build/lint/build.ninja ## check layout, layers, and clang-tidy's findings
	@clang-format --dry-run -Werror $(sources)
	@tools/check-layers
	@find src apps -name '*.cpp' | xargs -r -n 1 -P $(JOBS) clang-tidy --quiet -p build/lint 2>/dev/null

.PHONY: install
install: build/release/build.ninja ## install under PREFIX (default /usr/local)
	@cmake --build --preset release --target ulna_installed
	@cmake --install build/release --prefix $(PREFIX)

.PHONY: clean
clean: ## remove all that was built
	@rm -rf build

# Ninja configures again by itself when a CMake file changes; presets it does not know of.
build/%/build.ninja: CMakePresets.json | dependencies-build
	@cmake --preset $*
	@touch $@

build/bench/build.ninja: | dependencies-bench

dependencies = $(addprefix dependencies-,build bench docs format lint tutorials viewer)
.PHONY: $(dependencies)
$(dependencies): dependencies-%:
	@tools/install-dependencies $*
