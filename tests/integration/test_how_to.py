"""The commands of the how-to pages and of the tutorial with a model, run in their order on a real server.

`export` lines set the environment; addresses of models and wikis in them become those of the servers of the test.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import fake_llm
import fake_mediawiki
from console_blocks import Step, absent, run, steps_of
from fake_llm import FakeLlm
from fake_mediawiki import Page, Wiki
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_runner import RunKg

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"
ELSEWHERE = ("pip install", "claude mcp", "ollama ", "OLLAMA_CONTEXT_LENGTH=", "unset ")  # of other programs
BEFORE = {"entity-resolution": ("load examples/alexander_von_humboldt.md",)}
ALONE = ("embedder",)  # a database has one embedding model, and other tests' graphs are in this one
PAGES = ("budgets", "entity-resolution", "keep-a-folder", "ollama", "own-neo4j", "schema-file", "wikis")
CODES = {"kg doctor": (0, 1)}  # the model of the test has no list of models


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        titles = ("Ada Lovelace", "Maria Curie", "Release process", "London")
        running.pages = {
            title: Page(number, f"{title} is near Charles Babbage in London.", links=titles[3:] * (number < 4))
            for number, title in enumerate(titles, 1)
        }
        yield running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with what the pages speak of."""
    shutil.copytree(CHECKOUT / "examples", tmp_path / "examples")
    pair = "name_1,type_1,name_2,type_2\n{},PERSON,{},PERSON\n"
    files = {
        "notes/ada.md": "# Ada Lovelace\n\nAda Lovelace met Charles Babbage in London. She died in 1852.",
        "tickets/one.md": "Mira Lind works on T-9 (login). T-9 blocks T-12 since 2024.",
        "questions.jsonl": '{"question": "Who met Charles Babbage?"}\n',
        "apart.csv": pair.format("Alexander Georg von Humboldt", "Alexander von Humboldt"),
        "same.csv": pair.format("Alexander von Humboldt", "Aimé Bonpland"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page_of(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("name", [*(f"how-to/{page}" for page in PAGES), "tutorials/with-a-model"])
def test_the_commands_of_a_page_run(
    name: str,
    run_kg: RunKg,
    environment: Mapping[str, str],
    database: Database,
    folder: Path,
    llm: FakeLlm,
    wiki: Wiki,
) -> None:
    delete_graph(database, "main")  # ids of decisions are those of the page in a graph of this name
    text = page_of(name)
    schema = "".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL))
    (folder / "tickets.toml").write_text(schema, "utf-8")
    llm.rules = fake_llm.answer
    given = {**environment, "KG_GRAPH": "main", "KG_WIKIPEDIA_URL": wiki.url}

    def kg(*arguments: str) -> tuple[int, str, str]:
        code, out, err = run_kg(arguments, {**given, **own})
        if code not in CODES.get(step.command, (0,)):
            failed.append((step.command, code, out, err))
        return code, out, err

    failed: list[object] = []
    own: dict[str, str] = {}
    steps = [Step(f"kg {command}", ()) for command in BEFORE.get(name.partition("/")[2], ())] + steps_of(text)
    for step in steps:
        if step.command.startswith("export "):
            own = {**exported(step.command, llm, wiki), **own}  # of alternatives the first one
        elif not step.command.startswith(ELSEWHERE):
            assert step.command.startswith("kg "), step.command
            if step.command.startswith("kg tune"):  # which writes no file that is there
                (folder / "tickets.toml").unlink()
            printed = run(step, kg, folder)
            (folder / "tickets.toml").write_text(schema, "utf-8")
            if missing := absent(step, printed):
                failed.append((step.command, missing, printed))
    for graph in ("main", "lamp", "lamp-rules"):
        delete_graph(database, graph)
    assert failed == []


def exported(command: str, llm: FakeLlm, wiki: Wiki) -> dict[str, str]:
    """Return what a line sets, with the addresses of the test's servers; the database stays the test's."""
    named = dict(part.split("=", 1) for part in command.split("#", maxsplit=1)[0].split()[1:])
    ours = {"OPENAI_BASE_URL": llm.url, "KG_WIKIPEDIA_URL": wiki.url}
    if named.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_EMBEDDING_MODEL"}:
        named = {"KG_MODEL": "gpt-5-mini", **named, "OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k"}
    return {key: ours.get(key, value) for key, value in named.items() if not key.startswith("NEO4J_")}


def test_every_how_to_page_runs_or_has_no_command_of_ours() -> None:
    others = {path.stem for path in (DOCS / "how-to").glob("*.md")} - {*PAGES, *ALONE}
    left = [step for name in others for step in steps_of(page_of(f"how-to/{name}"))]
    assert [step.command for step in left if not step.command.startswith(ELSEWHERE)] == []
