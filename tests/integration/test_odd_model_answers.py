"""What a model's server sends and no store can hold: the command line reads it, stores it and prints it.

Where odd text is printed, the command is a process of its own, and its standard output is read as bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import fake_llm
from fake_llm import FakeLlm
from kg_neo4j.graph.database import Database
from kg_runner import RunKg

Load = Callable[..., tuple[int, Any]]
TEXT = "Ada Lovelace met Charles Babbage in London. Ada Lovelace was born in Oxford.\n"


@pytest.fixture
def given(environment: Mapping[str, str], llm: FakeLlm) -> dict[str, str]:
    """The environment of a command that asks the scripted model, with standard output in UTF-8."""
    asked = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted", "KG_MODEL_RETRIES": "0"}
    return {**environment, **asked, "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def load(given: Mapping[str, str], run_kg: RunKg) -> Load:
    """Run `kg load --json` in this process; return its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, Any]:
        code, out, err = run_kg(["load", *arguments, "--json"], given)
        assert "Traceback" not in err, err[-2_000:]
        return code, json.loads(out)

    return run


def kg(given: Mapping[str, str], *arguments: str | bytes) -> tuple[int, Any]:
    """Run `kg` with --json; return its exit code and the JSON that it printed, read as strict UTF-8."""
    command: list[str | bytes] = [sys.executable, "-m", "kg_neo4j", *arguments, "--json"]
    done = subprocess.run(command, env=given, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode("utf-8", "replace")[-2_000:]
    return done.returncode, json.loads(done.stdout.decode("utf-8", "strict"))


@pytest.fixture
def document(tmp_path: Path) -> str:
    file = tmp_path / "ada.txt"
    file.write_text(TEXT, encoding="utf-8")
    return str(file)


def test_lone_surrogates_in_rows_of_a_model_are_loaded_and_printed(
    database: Database, given: Mapping[str, str], load: Load, llm: FakeLlm, document: str, graph: str
) -> None:
    llm.rules = lambda prompt, user: (
        fake_llm.answer(prompt, user).replace("London", "Lon\ud83ddon") + "\ud83d torn row\n"
    )
    code, report = kg(given, "load", document)
    assert (code, report["nodes"]) == (0, 4)
    with database.driver.session() as session:
        answers = session.run("MATCH (a:Answer {graph: $graph}) RETURN a.text AS text", graph=graph).value("text")
    assert answers
    assert all("\ufffd torn row" in text for text in answers)
    calls = llm.calls
    assert load(document, "--rebuild")[0] == 0  # what was kept of the answers can be read
    assert llm.calls == calls
    llm.rules = lambda prompt, user: "I cannot \ud83d do that."
    Path(document).write_text("Grace Hopper wrote a compiler in New York.\n", encoding="utf-8")
    code, report = load(document)
    assert (code, len(report.get("failed", ())) > 0) == (3, True), report


def test_lone_surrogates_in_an_answer_are_printed(
    given: Mapping[str, str], load: Load, llm: FakeLlm, document: str
) -> None:
    assert load(document)[0] == 0
    llm.rules = lambda prompt, user: "Charles Babbage \ud83d [C1]." if "Question:" in user else "x"
    code, answer = kg(given, "ask", "Whom did Ada Lovelace meet?", "--mode", "naive")
    assert (code, answer["answer"]) == (0, "Charles Babbage \ufffd [1].")


@pytest.mark.parametrize("count", [10**30, float("nan")])
def test_numbers_of_tokens_that_no_store_can_hold(load: Load, llm: FakeLlm, document: str, count: int) -> None:
    llm.usage = (count, count)
    code, report = load(document)
    assert (code, report["nodes"]) == (0, 4)
    assert report["tokens"]["input"] == (llm.calls * 10**9 if count > 0 else 0)
    assert load(document, "--rebuild")[0] == 0


def test_bytes_that_are_no_text_are_printed_as_json(
    given: Mapping[str, str], load: Load, document: str, tmp_path: Path
) -> None:
    assert load(document)[0] == 0
    code, answer = kg(given, "ask", b"Who is Ada Lovelace \xff\xed\xa0\x80?")
    assert code == 0
    assert answer["question"].startswith("Who is Ada Lovelace")
    code, failed = kg(given, "load", os.fsencode(tmp_path) + b"/none-\xff")
    assert (code, failed["error"]["type"]) == (1, "SourceNotFound")
    ascii_only = {**given, "PYTHONIOENCODING": "ascii"}
    assert kg(ascii_only, "load", str(tmp_path / "żółw-\U0001f600"))[1]["error"]["message"].count("żółw-\U0001f600")
