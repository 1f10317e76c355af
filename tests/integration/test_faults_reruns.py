"""Run again: unchanged, edited, with another configuration, in another environment, with answers in another order.

Rows 51 to 54 of the test plan. Torn files of the managed server, of the cache of answers and of `kg extract` are in
test_state, test_cache and test_exchange.

Mutants seen to turn this red: rows written in the order of a set of names (row 53); evidence not sorted in
`fold` (row 54); the model left out of the configuration's hash (row 52).
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from fake_llm import FakeLlm, answer
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j._models import prompts
from kg_neo4j.acquire import chunking
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.extract import engine
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARTICLE = EXAMPLES / "alexander_von_humboldt.md"
STORY = EXAMPLES / "the_lamp_at_skarnes.md"
OPTIONS = LoadOptions(chunk_tokens=150, analytics=False, gleanings=0, wave=4)


class Slow:
    """Answers by the rules, after a wait that differs from call to call."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._stop = threading.Event()

    def __call__(self, prompt: str, user: str) -> str:
        self._stop.wait(self._random.uniform(0, 0.05))
        return answer(prompt, user)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def offline(settings: Settings, graph: str) -> Settings:
    chosen = {"graph": graph, "openai_api_key": None, "openai_base_url": None, "embedding_model": None}
    return settings.model_copy(update=chosen)


@pytest.fixture
def online(offline: Settings, llm: FakeLlm) -> Settings:
    chosen = {"openai_base_url": llm.url, "model": "scripted", "model_retries": 0, "model_concurrency": 6}
    return Settings(**{**offline.model_dump(), **chosen})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The story, cut into four files."""
    parts = STORY.read_text("utf-8").split("\n\n")
    size = -(-len(parts) // 4)
    path = tmp_path / "texts"
    path.mkdir()
    for number in range(4):
        (path / f"{number}.md").write_text("\n\n".join(parts[number * size : (number + 1) * size]), "utf-8")
    return path


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


# ------------------------------------------------------------------------------------------------------- row 51


def test_only_what_changed_is_asked_about(database: Database, online: Settings, llm: FakeLlm, folder: Path) -> None:
    first = load([str(folder)], settings=online, options=OPTIONS)
    asked = llm.calls
    assert asked == first.chunks
    again = load([str(folder)], settings=online, options=OPTIONS)
    assert (again.changes, llm.calls) == (0, asked)
    one = folder / "1.md"
    text = one.read_text("utf-8")
    one.write_text(text.replace(text.split("\n\n")[-1], "Anna Weber met Karl Braun in Graz."), "utf-8")
    edited = load([str(folder)], settings=online, options=OPTIONS)
    assert 1 <= llm.calls - asked == edited.usage.calls <= 2
    asked = llm.calls
    (folder / "0.md").unlink()
    unload("0.md", settings=online)
    after = dump(database, online.graph)
    assert llm.calls == asked
    delete_graph(database, online.graph)
    load([str(folder)], settings=one_at_a_time(online), options=replace(OPTIONS, analytics=True))  # as `unload` does
    assert without_contexts(dump(database, online.graph)) == without_contexts(after)


def one_at_a_time(settings: Settings) -> Settings:
    return settings.model_copy(update={"model_concurrency": 1})


def without_contexts(text: str) -> set[str]:
    """Leave out answers: what was carried over when a kept chunk was asked about is stored with its answer."""
    return {line for line in text.splitlines() if '"labels":["Answer"]' not in line}


def test_nothing_at_all_is_no_error(database: Database, online: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    """Row 46: an empty batch."""
    (tmp_path / "note.txt").write_text("nothing is said here.", "utf-8")
    report = load([str(tmp_path)], settings=online, options=OPTIONS)
    assert (report.documents, report.nodes, report.relationships) == (1, 0, 0)
    assert load([str(tmp_path)], settings=online, options=OPTIONS).changes == 0
    assert llm.calls == 1


# ------------------------------------------------------------------------------------------------------- row 52

OTHER_OPTIONS = (
    replace(OPTIONS, chunk_tokens=90),
    replace(OPTIONS, chunk_overlap=10),
    replace(OPTIONS, preprocess="stopwords"),
    replace(OPTIONS, schema="wikipedia"),
    replace(OPTIONS, output_language="en"),
    replace(OPTIONS, gleanings=1),
    replace(OPTIONS, evidence="reject"),
)
OTHER_SETTINGS: tuple[dict[str, object], ...] = ({"model": "another"}, {"temperature": 0.7})


@pytest.fixture
def half_done(database: Database, online: Settings, llm: FakeLlm, folder: Path) -> str:
    """A load that the model stopped after five answers."""
    llm.answer(5).fail(401)
    with pytest.raises(KgError):
        load([str(folder)], settings=one_at_a_time(online), options=OPTIONS)
    llm.forget()
    return dump(database, online.graph)


def refused(database: Database, settings: Settings, options: LoadOptions, llm: FakeLlm, folder: Path) -> None:
    before, asked = dump(database, settings.graph), llm.calls
    with pytest.raises(UsageError) as error:
        load([str(folder)], settings=settings, options=options)
    assert error.value.hint
    assert "--rebuild" in error.value.hint or "--graph" in error.value.hint
    assert llm.calls == asked
    assert dump(database, settings.graph) == before


def test_going_on_with_other_options_or_another_model_is_refused(
    database: Database, online: Settings, llm: FakeLlm, folder: Path, half_done: str
) -> None:
    assert '"Document"' in half_done
    for options in OTHER_OPTIONS:
        refused(database, online, options, llm, folder)
    for other in OTHER_SETTINGS:
        refused(database, online.model_copy(update=other), OPTIONS, llm, folder)
    assert half_done == dump(database, online.graph)


def test_going_on_with_another_version_of_the_program_is_refused(
    database: Database,
    online: Settings,
    llm: FakeLlm,
    folder: Path,
    half_done: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = prompts.load
    others: tuple[tuple[ModuleType, str, object], ...] = (
        (prompts, "load", lambda name: replace(real(name), hash=f"{real(name).hash[:-1]}x")),
        (engine, "RULES_VERSION", "0"),
        (chunking, "RULES_VERSION", "0"),
    )
    for module, name, other in others:
        with monkeypatch.context() as changed:
            changed.setattr(module, name, other)
            refused(database, online, OPTIONS, llm, folder)
    load([str(folder)], settings=online, options=OPTIONS)
    assert half_done != dump(database, online.graph)


# ------------------------------------------------------------------------------------------------------- row 53

HERE = {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"}
TURKEY = {
    "TZ": "America/St_Johns",
    "LANG": "tr_TR.UTF-8",
    "LANGUAGE": "tr",
    "PYTHONHASHSEED": "4242",
    "PYTHONUTF8": "1",
}
NEPAL = {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}


@pytest.mark.slow  # each runs the commands in processes of their own
@pytest.mark.parametrize("other", [TURKEY, NEPAL], ids=["Turkish", "Nepal"])
def test_time_zone_locale_and_hash_seed_change_nothing(
    database: Database, graph: str, environment: Mapping[str, str], folder: Path, other: Mapping[str, str]
) -> None:
    shutil.copy(ARTICLE, folder)  # many spellings of one name
    kept = {name: value for name, value in environment.items() if not name.startswith(("LC_", "LANG"))}
    command = [sys.executable, "-m", "kg_neo4j", "load", str(folder), "--chunk-tokens", "150"]
    found = []
    for each in (HERE, other):
        subprocess.run(command, env={**kept, **each}, check=True, capture_output=True)
        found.append(dump(database, graph))
        delete_graph(database, graph)
    assert '"Community"' in found[0]
    assert found[1] == found[0]


# ------------------------------------------------------------------------------------------------------- row 54


@pytest.mark.parametrize(
    "seed",
    [
        1,
        pytest.param(2, marks=pytest.mark.slow),
        *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 30)),
    ],
)
def test_answers_and_files_in_any_order_give_the_same_graph(
    database: Database, online: Settings, folder: Path, seed: int
) -> None:
    files = sorted(map(str, folder.iterdir()))
    load(files, settings=one_at_a_time(online), options=OPTIONS)
    wanted = dump(database, online.graph)
    delete_graph(database, online.graph)
    draw = random.Random(seed)
    with FakeLlm(rules=Slow(seed)) as slow:
        shuffled = online.model_copy(update={"openai_base_url": slow.url, "model_concurrency": draw.choice([2, 5, 9])})
        load(draw.sample(files, len(files)), settings=shuffled, options=OPTIONS)
        assert slow.calls > len(files)
    assert dump(database, online.graph) == wanted
