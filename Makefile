# Every target does its own set-up: the first call creates .venv from the hashed lock.
PY ?= python3
V := .venv
BIN := $(V)/bin
STAMP := $(V)/.installed
LOCKS := requirements/dev.lock requirements/nodeps.lock

.PHONY: venv demo test check bench docs lock clean web
venv: $(STAMP)

$(STAMP): $(LOCKS) pyproject.toml
	@test -x $(BIN)/python || $(PY) -m venv $(V)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements/nodeps.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: venv
	$(BIN)/proofreel demo

test: venv
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/architecture
	@$(MAKE) --no-print-directory web

# Rebuilds the TypeScript bundle where Node is present and fails when the committed files differ.
web:
	@if command -v npm >/dev/null 2>&1; then cd web && npm ci --no-audit --no-fund --silent && npm run --silent build && cd .. && git diff --exit-code --stat -- src/proofreel/report/assets src/proofreel/agents/_human/assets; \
	else echo "web: Node is not here, committed assets kept as they are"; fi

bench: venv
	$(BIN)/python -m benchmarks_perf

docs: venv
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q

# Re-resolves the pins; the files record versions and hashes, no addresses.
lock: venv
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile --generate-hashes --no-annotate --no-header --python-version 3.11 -q pyproject.toml --extra local --extra figures --extra web --extra mcp --extra providers --extra dev --extra docs --extra bench -o requirements/dev.lock
	$(BIN)/uv pip compile --generate-hashes --no-annotate --no-header --python-version 3.11 -q pyproject.toml -c requirements/dev.lock -o requirements/core.lock
	$(BIN)/uv pip compile --no-deps --generate-hashes --no-annotate --no-header -q requirements/nodeps.in -o requirements/nodeps.lock

clean:
	rm -rf $(V) demo_out bench_out site
