# Each target sets up what it needs in .venv by itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
READY_TEST := $(VENV)/.ready-test
INSTALL := $(shell command -v uv >/dev/null 2>&1 && echo uv pip install --quiet --python $(BIN)/python || \
	echo $(BIN)/python -m pip install --quiet --disable-pip-version-check)
HAS_CHROMIUM := command -v chromium >/dev/null 2>&1
HAS_FONTS := fc-list :lang=zh 2>/dev/null | grep -q .
HAS_POSTGRESQL := ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1
HAS_JAVA := command -v java >/dev/null 2>&1
HAS_R := command -v Rscript >/dev/null 2>&1
export LEAKGAUGE_DATA ?= $(abspath ../shared/data)
# Modules are compiled once, not again in each of the hundreds of processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check bench nightly languages clean servers

demo: $(READY)
	$(BIN)/leakgauge demo -o out/demo

# The last line says what was left out, where something was. Two processes of one thread each do not wait for each other.
test: $(READY_TEST) servers
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not nightly"
	@$(HAS_POSTGRESQL) || echo "Skipped: the tests of PostgreSQL, which need Debian's package postgresql."
	@$(HAS_JAVA) || echo "Skipped: the tests of Spark, which need Debian's package default-jre-headless."
	@$(HAS_R) || echo "Skipped: the tests of the recipients' script in R, which need Debian's package r-base-core."
	@$(HAS_CHROMIUM) || echo "Skipped: the tests of the page in a browser, which need Debian's package chromium."
	@$(HAS_FONTS) || echo "Skipped: the tests of Chinese PDF files, which need Debian's package fonts-noto-cjk."

check: $(READY_TEST)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Peers that nothing else needs come along where they can be had. One thread: seconds of CPU then mean work, not waiting.
bench: $(READY_TEST)
	-@$(BIN)/python -c "from importlib.metadata import version as v; v('diffprivlib'), v('qif'), v('POT')" 2>/dev/null || $(INSTALL) -e '.[bench]' -c constraints.txt
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m bench

nightly: $(READY_TEST) servers
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "nightly or hypothesis" --hypothesis-profile=nightly

# Debian's packages that some tests start; where they may not be installed those tests are skipped, and pytest says so.
servers:
	@$(HAS_POSTGRESQL) || $(call debian,postgresql) || echo "PostgreSQL is not here and could not be installed."
	@$(HAS_JAVA) || $(call debian,default-jre-headless) || echo "Java is not here and could not be installed."
	@$(HAS_R) || $(call debian,r-base-core) || echo "R is not here and could not be installed."
	@$(HAS_CHROMIUM) || $(call debian,chromium) || echo "Chromium is not here and could not be installed."
	@$(HAS_FONTS) || $(call debian,fontconfig fonts-noto-cjk) || echo "A Chinese font is not here and could not be installed."

debian = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && echo "Installing $(1) ..." && \
	export DEBIAN_FRONTEND=noninteractive && { apt-get install -qq -y --no-install-recommends $(1) || \
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends $(1); }; } >/dev/null 2>&1; }

# Catalogues brought in step with the source and compiled; what is not translated yet is counted.
languages: $(READY_TEST)
	$(BIN)/python -m tests.languages.catalogues

clean:
	rm -rf $(VENV) bench/data

# What running needs, and nothing else. uv is used where it is present because it is faster; pip does the same work.
$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV); \
	else \
		$(PYTHON) -m venv $(VENV); \
	fi
	@$(INSTALL) -e . -c constraints.txt
	@$(BIN)/python -m compileall -q $(VENV)/lib || true
	@touch $(READY)

$(READY_TEST): $(READY)
	@echo "Adding what the tests need ..."
	@$(INSTALL) -e '.[test,check]' -c constraints.txt
	@$(BIN)/python -m compileall -q $(VENV)/lib || true
	@touch $(READY_TEST)
