"""The commands of README, docs and examples, run in their order on a real server; what a page shows is compared.

`export` lines set the environment; addresses of models and wikis in them become those of the servers of the test.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from markdown_it import MarkdownIt

import annotated
import fake_llm
import fake_mediawiki
import published_sets
from console_blocks import Step, absent, run, steps_of
from fake_llm import FakeLlm
from fake_mediawiki import Page, Wiki
from hidden_package import needs_all
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_runner import RunKg
from made_files import pdf
from private_server import PrivateServer, short_lived

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(CHECKOUT).with_suffix("")): path
    for path in (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("examples/*.md"))
    if path.parent.name != "decisions"  # which say what was measured once
}
NOT_RUN = {
    # a folder of office files: tests/wings/readers/integration/test_loading.py makes one, loads it and asks
    "kg load shared/": "needs such a folder",
    'kg ask "Who is the harbour master of Molde?"': "the same",
    "kg load https://example.org/report": "needs the network; tests/wings/readers/integration/test_web.py has a server",
    "kg load deeds.pdf": "needs a scan; tests/wings/readers/unit/readers/test_scans.py",
    "kg load --from sources.txt": "needs the network; tests/wings/readers/integration/test_web_refresh.py",
    "kg load --refresh https": "the same",
    # commands of other programs
    "pip install": "needs a package index; tests/contracts/test_packaging.py installs the wheel",
    "python -m venv": "the same",
    "make ": "is the suite itself, or trains a model, or needs published sets",
    ".venv/bin/python -m pytest": "is the suite itself",
    ".venv/bin/python -m pip install": "installs the checkout again",
    "docker ": "needs Docker",
    "opentelemetry-instrument ": "needs opentelemetry-distro; tests/integration/test_tracing.py sets a tracer itself",
    "claude mcp": "needs Claude Code; tests/wings/serve/integration/test_serve_mcp.py asks what it starts",
    "ollama ": "needs Ollama; a server with the same protocol takes its place",
    "OLLAMA_CONTEXT_LENGTH=": "the same",
    "litellm ": "needs LiteLLM: `make test-proxy`",
    "ray ": "needs a cluster: `make test-ray`",
    "unset ": "is for the shell of the reader",
    "python benchmarks/": "measures, with data that are not in the repository",
    # commands of ours
    "kg doctor --model": "takes minutes; tests/unit/rooms/fitness has servers, benchmarks/small_model a model",
    "kg extract --manifest work.jsonl --to /shared/extracted --engine ray": "needs a cluster: `make test-ray`",
    "kg resolve --split": "needs a name with two bearers; tests/integration/test_one_name.py",
    "kg eval answers --questions ../shared/data/graphrag_bench": "needs the set",
    "kg eval graphrag-bench": "needs the set; tests/wings/lab/integration/test_eval_systems.py has a small one",
    "kg study format": "needs a model that writes JSON; tests/wings/lab/unit/_cli/test_formats.py",
    "kg schema import": "needs an ontology; tests/unit/rooms/ontology/test_reading.py",
    "kg load notes/ --schema harbour.toml": "the same",
    "kg adopt ": "needs a graph of another program; tests/integration/test_adopt.py has one",
    "kg load notes.md": "the same",
    'kg ask "How many people acted in Chinatown?"': "the same",
    'kg show "Ridley Scott"': "the same",
    "kg unload --purge": "needs such a document; tests/integration/test_erasure.py",
    "kg db compact": "takes a minute; tests/wings/local/integration/test_compacting.py",
    "kg serve --new-token": "makes a token; tests/wings/serve/integration/test_serve_people.py",
    "kg serve --rights": "needs its file; tests/wings/serve/integration/test_serve_rights.py",
    "kg fact ": "needs such facts; tests/integration/test_corrections.py",
    "kg node edit": "the same",
    'kg show "Ada Reed"': "the same",
    'kg ask "Who did Ada Reed marry?"': "the same",
    "kg types merge": "needs such types; tests/integration/test_types.py",
    "kg types inverse": "the same",
    "kg types rename": "the same",
    "kg types promote": "the same",
    "kg types undo": "the same",
    "kg db start --recover": "takes a minute; tests/wings/local/integration/test_full_disk.py",
    "kg study narrative story.txt --questions questions.jsonl --to tables/": "questions.md has it",
}
# Pages that share a graph, one after the other, with what is loaded before them.
ARTICLE = "kg load examples/alexander_von_humboldt.md"
RUNS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("docs/how-to/budgets",): (),
    ("docs/how-to/entity-resolution",): (ARTICLE,),
    ("docs/how-to/keep-a-folder",): (),
    ("docs/how-to/model-options",): (),
    ("docs/how-to/model-servers",): (),
    ("docs/how-to/ollama",): (),
    ("docs/how-to/own-neo4j",): (),
    ("docs/how-to/schema-file",): (),
    ("docs/how-to/tables",): (),
    ("docs/how-to/types",): (ARTICLE,),
    ("docs/how-to/wikis",): (),
    ("docs/tutorials/with-a-model",): (),
    ("docs/tutorials/a-novel",): (),
    ("docs/models-and-languages",): (),
    ("docs/serve",): ("kg load notes/ --graph notes",),
    ("README",): ("kg load examples/",),
    ("docs/updating",): ("kg load examples/",),
    ("docs/many-machines", "docs/models", "docs/benchmarks", "docs/answers"): (),
    (
        *("examples/README", "docs/index", "docs/commands", "docs/cypher"),
        *("docs/communities", "docs/questions", "docs/tree"),
    ): (),
}
SLOW = (  # last pages of the runs that take seconds; README and the short ones are in `make test`
    *("docs/serve", "docs/updating", "docs/answers", "docs/tree", "docs/how-to/entity-resolution"),
    *("docs/how-to/keep-a-folder", "docs/tutorials/with-a-model", "docs/tutorials/a-novel"),
)
LOCAL = ("kg db start", "kg db backup", "kg db restore", "kg browse")  # they mean the local server
# Pages for a server of their own. A database has vectors of one embedding model; a bulk build replaces the store.
OWN = {  # None: all its commands, True: those that mean the local server
    "docs/how-to/embedder": None,
    "docs/tutorials/first-graph": True,  # test_tutorials.py has the others
    "README": True,
    "docs/updating": True,
    "docs/backup": None,
    "docs/scale": None,
    "docs/your-own-cypher": None,
}
CODES = {  # other exit codes than 0; that of `kg doctor` depends on the machine
    ("docs/commands", "kg verify draft.txt"): 1,  # not all claims are stated
    ("docs/updating", "kg test questions.jsonl"): 1,  # an answer changed
    ("docs/updating", "kg diff before.jsonl"): 1,
    ("docs/how-to/keep-a-folder", "kg diff before.jsonl"): 1,
}
PAID = re.compile(r"--model ")  # these commands need a model
WITH_MODEL = ("docs/how-to/budgets", "docs/many-machines")  # pages that speak of one without an `export`
# What a page leaves to its reader; an ID is the last one that was printed.
NAMED = {
    "FILE...": "story.txt",
    "FILE": "notes/ada.txt",
    "--graph NAME": "--graph main",
    "$SLURM_ARRAY_TASK_ID": "1",
    "/shared/work.jsonl": "work.jsonl",
    "/shared/extracted": "shared",
}
ASKING = ("kg db restore", "kg db reset")  # they ask whether they may
HUMBOLDT = """Alexander Georg von Humboldt was an officer of the king. Alexander von Humboldt was a traveller, who wrote
about the mountains and the rivers that he had seen. It is not always clear which of the two is meant."""
PEACE = "Peace was signed at Fontmaure by the duke's chancellor, Matthias Egli, aged 71, who died soon."
ADA = "Ada Lovelace met {} in 1833. Ada Lovelace married {} in 1835."
FIRST = ("notes/ada.txt", ADA.format("Charles Babbage", "William King"))
SECOND = ("notes/ada.txt", ADA.format("Mary Somerville", "John Crosse"))
BEFORE: dict[str, tuple[str, ...]] = {  # what a page takes for granted
    "docs/communities": ("kg load examples/the_lamp_at_skarnes.md", "kg load notes/", "kg load texts/"),
    "docs/backup": ("kg load --re-embed --graph paid", "kg graphs delete paid --yes", "kg load notes/"),
    "docs/scale": ("kg graphs delete main --yes",),
}
AFTER: dict[str, tuple[str | tuple[str, str], ...]] = {  # what happens between two commands: a text or a command
    "kg load notes/ --include '*.md' --exclude drafts": ("kg load notes/",),
    "kg export before.jsonl": (SECOND,),
    "kg diff before.jsonl": (FIRST, "kg load notes/"),
    "kg test questions.jsonl --save": (SECOND,),
    "kg export --archive notes.jsonl.gz": ("kg graphs delete main --yes",),
    "kg export --archive graph.jsonl.gz": ("kg graphs delete main --yes",),
}


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        titles = ("Ada Lovelace", "Maria Curie", "Marie Curie", "Release process", "London")
        running.pages = {
            title: Page(number, f"{title} is near the river in London.", links=titles[4:] * (number < 5))
            for number, title in enumerate(titles, 1)
        }
        yield running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with what the pages speak of."""
    place = tmp_path / "work"
    shutil.copytree(CHECKOUT / "examples", place / "examples")
    shutil.copy(CHECKOUT / "LICENSE", place)
    pair = "name_1,type_1,name_2,type_2\n{},PERSON,{},PERSON\n"
    ada = "Ada Lovelace met Charles Babbage in 1833."
    asked = {"id": "1", "question": "Who met Charles Babbage?", "answer": "Ada Lovelace", "gold": [0]}
    files = {
        FIRST[0]: FIRST[1],
        "notes/humboldt.md": HUMBOLDT,
        "notes/drafts/later.md": "Ada Lovelace wrote to Michael Faraday.",
        "tickets/one.md": "Mira Lind works on T-9 (login). T-9 blocks T-12 since 2024.",
        "questions.jsonl": json.dumps(asked) + "\n",
        "questions.txt": "Who met Charles Babbage?\nWhen?\n",
        "corpus.jsonl": json.dumps({"idx": 0, "title": "Ada Lovelace", "text": ada}) + "\n",
        "draft.md": ada,
        "prices.toml": '["qwen3"]\ninput = 0\noutput = 0\n',
        **dict.fromkeys(("novel.txt", "story.txt"), "Ada Lovelace went to the sea. She saw a lamp there. It was dark."),
        "texts/carol.md": "# A Christmas Carol\n\nEbenezer Scrooge lived in London. He kept a letter.",
        "texts/road.md": "# Rain Road\n\nRain Road is a film by Ada Lind.",
        "texts/lind.md": "# Ada Lind\n\nAda Lind was born on 4 May 1890 in Oslo. Marie Curie met Isaac Newton.",
        "texts/torvanne.md": f"# Torvanne\n\n{PEACE}",
        "apart.csv": pair.format("Alexander Georg von Humboldt", "Alexander von Humboldt"),
        "same.csv": pair.format("Alexander von Humboldt", "Aimé Bonpland"),
    }
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text, "utf-8")
    (place / "paper.pdf").write_bytes(pdf(["Ada Lovelace wrote the first program in 1843."]))
    shutil.copy(CHECKOUT / "prompts" / "aspects" / "minutes.toml", place / "mine.toml")
    published_sets.two_articles(place)
    published_sets.narrative_set(place / "narrativeqa")
    for table in (place / "narrativeqa").rglob("*.csv"):
        table.write_text(table.read_text("utf-8").replace(",train,", ",valid,"), "utf-8")
    redocred = tmp_path / "shared" / "data" / "redocred"
    redocred.mkdir(parents=True)
    for at in (redocred, place):
        Path(annotated.write(at, annotated.row("Ada Lind"))).rename(at / "dev_revised.json")
    (place / "musique_dev").mkdir()
    for name in ("corpus.jsonl", "questions.jsonl"):
        shutil.copy(place / name, place / "musique_dev")
    monkeypatch.chdir(place)
    return place


class Reader:
    """Types the commands of pages, one after the other, and keeps what was not as a page says."""

    def __init__(self, run_kg: RunKg, given: Mapping[str, str], folder: Path, llm: FakeLlm, wiki: Wiki) -> None:
        self.run_kg, self.folder = run_kg, folder
        ours = {"KG_GRAPH": "main", "KG_WIKIPEDIA_URL": wiki.url, "KG_PRICES": str(folder / "prices.toml")}
        self.given = {**given, **ours}
        self.model = {"KG_MODEL": "gpt-5-mini", "OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k"}
        self.servers = contextlib.ExitStack()
        self.typed: set[str] = set()
        self.failed: list[str] = []
        self.name = self.schema = self.id = ""
        self.own: dict[str, str] = {}
        self.port = 0

    def read(self, name: str, *, local: bool | None = None) -> None:
        """Type the commands of a page, but what an earlier page had, too, only if it shows or loads something.

        `local` tells whether those that mean the local server are meant, or all others.
        """
        text, before = PAGES[name].read_text("utf-8"), set(self.typed)
        self.name, self.own = name, dict(self.model if name in WITH_MODEL else {})
        self.schema = next(iter(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)), "")  # others are parts of a file
        for command in BEFORE.get(name, ()):
            self.type(Step(command))
        with self.servers:
            for step in steps_of(text):
                again = bare(step.command) in before and not (step.shown or step.command.startswith("kg load"))
                if again or not is_run(step.command) or local not in (None, step.command.startswith(LOCAL)):
                    continue
                if step.command.startswith("export "):
                    self.own = {**self.exported(step.command), **self.own}  # of alternatives the first one
                else:
                    self.type(step)

    def type(self, step: Step) -> None:
        """Run a command, and compare what it prints with what the page shows."""
        self.typed.add(bare(step.command))
        command = step.command
        for word, meant in {**NAMED, " ID": f" {self.id}", "/ID/": f"/{self.id}/"}.items():
            command = command.replace(word, meant)
        printed = self.printed(replace(step, command=command))
        if missing := absent(step, printed):
            self.failed.append(f"{command}\nlacks {missing}\nin {printed}")
        self.id = (re.findall(r"\b[0-9a-f]{8,}\b", printed) or [self.id])[-1]
        for change in AFTER.get(bare(step.command), ()):
            if isinstance(change, str):
                self.type(Step(change))
            else:
                (self.folder / change[0]).write_text(change[1], "utf-8")

    def printed(self, step: Step) -> str:
        schema, words = self.folder / "tickets.toml", shlex.split(step.command, comments=True)
        if self.schema:
            schema.write_text(self.schema, "utf-8")
        if words[0] == "cat":  # which is the file that the next command reads
            (self.folder / words[1]).write_text("\n".join(step.shown) + "\n", "utf-8")
        if words[1:2] == ["tune"] and "--to" in words:  # which writes no file that is there
            (self.folder / words[words.index("--to") + 1]).unlink(missing_ok=True)
        if words[1:2] == ["serve"]:
            return self.serve(words[1:]).replace(str(self.port), "8765")
        if words[0] == "curl":
            asked = step.command.replace("8765", str(self.port)).replace("curl ", "curl -sS --fail-with-body ", 1)
            return run(replace(step, command=asked), self.kg, self.folder)
        return run(step, self.kg, self.folder)

    def serve(self, arguments: Sequence[str]) -> str:
        """Start the server of a page in a process that ends with the page; ask it, and return its first line."""
        self.servers.close()
        self.port = free_port()
        command = [sys.executable, "-m", "kg_neo4j", *arguments, "--port", str(self.port), "--allow-write"]
        process = subprocess.Popen(command, env={**self.given, **self.own}, stderr=subprocess.PIPE, text=True)
        self.servers.callback(process.communicate, timeout=60)
        self.servers.callback(process.terminate)
        assert process.stderr
        line = process.stderr.readline()
        head = {"Authorization": f"Bearer {self.own.get('KG_SERVE_TOKEN')}"}
        if "--name" in arguments:
            head["Host"] = arguments[arguments.index("--name") + 1]
        answer = httpx.get(f"http://127.0.0.1:{self.port}/api/documents", headers=head, timeout=60, trust_env=False)
        if answer.status_code != 200:
            self.failed.append(f"{arguments}\n{answer.status_code}\n{answer.text}")
        return line

    def kg(self, *arguments: str, typed: str = "") -> tuple[int, str, str]:
        command = " ".join(("kg", *arguments))
        given = {**self.given, **(self.model if PAID.search(command) else {}), **self.own}
        answered = [*arguments, *["--yes"] * (command.startswith(ASKING) and "--yes" not in arguments)]
        code, out, err = self.run_kg(answered, given, typed)
        if code != CODES.get((self.name, command), 0) and command != "kg doctor":
            self.failed.append(f"{command}\n{code}\n{out}{err}")
        return code, out, err

    def exported(self, command: str) -> dict[str, str]:
        """Return what a line sets; servers are those of the test, and what a model reads has a graph of its own."""
        names = re.findall(r"(\w+)=", bare(command))
        shown = " ".join(f'"${name}"' for name in names)
        done = run(Step(f"{bare(command)}; printf '%s\\n' {shown}"), self.kg, self.folder)
        named = dict(zip(names, done.splitlines(), strict=True))
        if named.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_EMBEDDING_MODEL"}:
            named = {**self.model, "KG_GRAPH": "paid", **named, "OPENAI_BASE_URL": self.model["OPENAI_BASE_URL"]}
        if "KG_WIKIPEDIA_URL" in named:
            named["KG_WIKIPEDIA_URL"] = self.given["KG_WIKIPEDIA_URL"]
        return {key: value for key, value in named.items() if not key.startswith("NEO4J_")}


def bare(command: str) -> str:
    """Return a command without its remark."""
    return command.partition(" #")[0].rstrip()


def is_run(command: str) -> bool:
    return not command.startswith(tuple(NOT_RUN))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    "pages",
    [pytest.param(pages, id=pages[-1], marks=[needs_all, *[pytest.mark.slow] * (pages[-1] in SLOW)]) for pages in RUNS],
)
def test_the_commands_of_a_page_run(
    pages: tuple[str, ...],
    run_kg: RunKg,
    environment: Mapping[str, str],
    database: Database,
    folder: Path,
    llm: FakeLlm,
    wiki: Wiki,
) -> None:
    def graphs() -> set[str]:
        return {str(row["graph"]) for row in database.read(queries.get("write/graphs"))}

    delete_graph(database, "main")  # ids of decisions are those of the page in a graph of this name
    others = graphs()
    llm.rules = fake_llm.answer
    reader = Reader(run_kg, environment, folder, llm, wiki)
    for command in RUNS[pages]:
        reader.type(Step(command))
    for name in pages:
        reader.read(name, local=False)
    for name in graphs() - others:
        delete_graph(database, name)
    assert "\n\n".join(reader.failed) == ""


@pytest.fixture
def managed(environment: Mapping[str, str], settings: Settings, tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """The environment for a local server that no command has started yet."""
    with PrivateServer(tmp_path / "managed", settings) as server, short_lived():
        own = server.settings
        home = {"NEO4J_URI": "", "KG_HOME": own.home, "KG_CACHE": own.cache, "KG_ANSWER_CACHE": "off"}
        ports = {"KG_DB_BOLT_PORT": own.db_bolt_port, "KG_DB_HTTP_PORT": own.db_http_port}
        memory = {"KG_DB_HEAP_MB": own.db_heap_mb, "KG_DB_PAGECACHE_MB": own.db_pagecache_mb}
        kept = {key: value for key, value in environment.items() if not key.startswith("NEO4J_")}
        yield {**kept, **{name: str(value) for name, value in {**home, **ports, **memory}.items()}}


@pytest.mark.slow
def test_the_commands_for_the_local_server_run(
    run_kg: RunKg,
    managed: Mapping[str, str],
    folder: Path,
    llm: FakeLlm,
    wiki: Wiki,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(fake_llm, "DIMENSION", 1536)  # of text-embedding-3-small
    reader = Reader(run_kg, managed, folder, llm, wiki)
    for name, local in OWN.items():
        reader.read(name, local=local)
    assert "\n\n".join(reader.failed) == ""
    assert len(opened) == 1


def test_every_command_of_every_page_runs_or_has_a_reason_not_to() -> None:
    steps = {name: steps_of(page.read_text("utf-8")) for name, page in PAGES.items()}
    read = {*itertools.chain(*RUNS), *OWN}
    others = [step.command for name in steps.keys() - read for step in steps[name]]
    assert [command for command in others if is_run(command)] == []
    local = {name for name in steps for step in steps[name] if step.command.startswith(LOCAL)}
    assert local <= OWN.keys()
    commands = [step.command for step in itertools.chain(*steps.values())]
    assert [reason for reason in NOT_RUN if not any(each.startswith(reason) for each in commands)] == []
    ours = [command for command in commands if command.startswith("kg ")]
    assert len(ours) > 200
    written = [line for page in PAGES.values() for line in commands_in(page.read_text("utf-8"))]
    assert sorted(written) == sorted(ours)  # no block has another form


def commands_in(text: str) -> list[str]:
    """Return the lines of blocks that are commands of ours, whatever is before and after them."""
    blocks = [token.content for token in MarkdownIt().parse(text) if token.type in ("fence", "code_block")]
    return [
        line for block in blocks for line in re.findall(r"^(?:\$ )?(kg [a-z](?!.*\[OPTIONS\]).*)$", block, re.MULTILINE)
    ]
