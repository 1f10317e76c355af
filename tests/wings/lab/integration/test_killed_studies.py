"""kg study chunk-length and kg tune, killed while the model is asked, and given again: the same result, paid once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import fake_llm
from bounded_reader import bounded_reader
from fake_llm import FakeLlm
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query

ARTICLE = Path(__file__).resolve().parents[4] / "examples" / "alexander_von_humboldt.md"
TYPES = {"entity_types": ["PERSON", "ENTITY_NAME"], "relationship_types": ["RELATED_TO", "LIVES_IN"]}
OF_STUDIES = Query(
    *("test/studies", "", "", "read", (), (), "", ""),
    "MATCH (n:Document) WHERE n.graph STARTS WITH 'study-' AND n.source = $source RETURN DISTINCT n.graph AS name",
)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=bounded_reader(), counts=True) as server:
        yield server


@pytest.fixture
def text(tmp_path: Path, database: Database) -> Iterator[str]:
    """The beginning of an article; the graphs that a killed study leaves are removed in the end."""
    place = tmp_path / "short.md"
    place.write_text(ARTICLE.read_text("utf-8")[:2500], "utf-8")
    yield str(place)
    for row in database.read(OF_STUDIES, source=str(place)):
        delete_graph(database, row["name"])


class Command:
    """A command and its environment: a priced model, one call at a time, a cache of answers of its own."""

    def __init__(self, given: Mapping[str, str], llm: FakeLlm, *words: str) -> None:
        cache = Path(given["KG_CACHE"])
        cache.mkdir(parents=True, exist_ok=True)
        prices = cache / "prices.toml"
        prices.write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
        model = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": llm.url, "KG_MODEL": "scripted"}
        calls = {"KG_MODEL_CONCURRENCY": "1", "KG_MODEL_RETRIES": "0", "KG_PRICES": str(prices)}
        self._environment = {**given, **model, **calls}
        self._words = [sys.executable, "-m", "kg_neo4j", *words]

    def run(self) -> str:
        """Run it to its end and return what it prints."""
        done = subprocess.run(self._words, env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def kill_at(self, llm: FakeLlm, answered: int) -> None:
        """Run it until it waits for the answer after so many, and kill it there."""
        before = llm.calls
        llm.answer(answered).hang()
        with subprocess.Popen(self._words, env=self._environment, stdout=subprocess.PIPE) as child:
            llm.wait_for_calls(before + answered + 1)
            child.send_signal(signal.SIGKILL)
        llm.forget()


@pytest.mark.long
@pytest.mark.parametrize("answered", [1, 9, 15])
def test_a_study_killed_in_the_middle_gives_the_same_table_and_pays_for_nothing_twice(
    environment: Mapping[str, str], llm: FakeLlm, text: str, tmp_path: Path, answered: int
) -> None:
    words = ("study", "chunk-length", text, "--tokens", "400", "100", "--format", "csv")
    whole = Command({**environment, "KG_CACHE": str(tmp_path / "undisturbed")}, llm, *words).run()
    calls = llm.calls
    command = Command(environment, llm, *words)
    command.kill_at(llm, answered)
    assert command.run() == whole
    assert calls == 16
    assert llm.calls == 2 * calls + 1  # and the one that was waited for


def test_tuning_killed_in_the_middle_gives_the_same_schema_and_pays_for_nothing_twice(
    environment: Mapping[str, str], llm: FakeLlm, text: str, tmp_path: Path
) -> None:
    llm.rules = lambda prompt, user: json.dumps(TYPES) if "Propose the types" in user else fake_llm.answer(prompt, user)
    whole = tmp_path / "undisturbed" / "tuned.toml"
    Command({**environment, "KG_CACHE": str(whole.parent)}, llm, "tune", text, "--to", str(whole)).run()
    assert llm.calls == 2  # types, and the rows of the example
    command = Command(environment, llm, "tune", text, "--to", str(tmp_path / "tuned.toml"))
    command.kill_at(llm, 1)
    assert not (tmp_path / "tuned.toml").exists()
    command.run()
    assert (tmp_path / "tuned.toml").read_bytes() == whole.read_bytes()
    assert llm.calls == 2 + 3  # and the one that was waited for
