"""Loads from servers that refuse: one text, every text, a wait, and a run that is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm, Reply, Request
from kg_runner import RunKg

NAMES = ("Ada Lind", "Bruno Falk", "Clara Holm", "Dora Berg", "Egon Moe")


@pytest.fixture
def given(environment: Mapping[str, str], llm: FakeLlm) -> dict[str, str]:
    """The environment of a command that asks the scripted model."""
    return {**environment, "OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "key-0123456789", "KG_MODEL": "scripted"}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    place = tmp_path / "texts"
    place.mkdir()
    for name in NAMES:
        (place / f"{name.split()[0]}.txt").write_text(f"{name} works at Harbour School.\n", encoding="utf-8")
    return str(place)


def refusing(llm: FakeLlm, name: str, message: str) -> Callable[[Request], Reply | None]:
    return lambda asked: llm.json({"error": {"message": message}}, 400) if name in asked.prompt else None


def load(run_kg: RunKg, given: Mapping[str, str], folder: str) -> tuple[int, str]:
    code, out, err = run_kg(["load", folder, "--gleanings", "0", "--no-analytics"], given)
    assert "Traceback" not in err, err[-2_000:]
    return code, out + err


@pytest.mark.parametrize("message", ["Content Exists Risk", "field 'x' of the request is odd"])
def test_a_refused_text_is_named_and_the_others_are_loaded(
    run_kg: RunKg, given: dict[str, str], llm: FakeLlm, folder: str, message: str
) -> None:
    llm.faults = refusing(llm, "Clara", message)
    code, said = load(run_kg, given, folder)
    assert (code, "chunk 1 of 'Clara'" in said, message in said) == (3, True, True)
    assert "documents      5" in said
    assert "rows           12 read = 12 accepted" in said
    llm.faults = None
    code, said = load(run_kg, given, folder)
    assert (code, "rows           3 read = 3 accepted" in said) == (0, True)


def test_three_texts_that_are_refused_alike_stop_the_load(
    run_kg: RunKg, given: dict[str, str], llm: FakeLlm, folder: str
) -> None:
    llm.faults = refusing(llm, "", "field 'x' of the request is odd")
    code, said = load(run_kg, {**given, "KG_MODEL_CONCURRENCY": "1"}, folder)
    assert (code, llm.calls) == (5, 4)  # one of the three as a stream, and as a whole answer
    assert "the first 3 requests ended in this way" in said
    llm.faults = None
    assert load(run_kg, given, folder)[0] == 0


def test_a_parameter_that_is_refused_is_reported_once(
    run_kg: RunKg, given: dict[str, str], llm: FakeLlm, folder: str
) -> None:
    def refuse(asked: Request) -> Reply | None:
        error = {"message": "`temperature` is deprecated for this model."}
        return llm.json({"error": error}, 400) if "temperature" in asked.body else None

    llm.faults = refuse
    code, said = load(run_kg, given, folder)
    assert (code, said.count("refuses temperature, which is left out")) == (0, 1)


def test_an_interrupted_load_ends_its_calls_at_the_server(given: dict[str, str], llm: FakeLlm, folder: str) -> None:
    llm.faults = lambda asked: Reply(200, b" " * 100, endless=True, pause_s=0.02)
    command = [sys.executable, "-m", "kg_neo4j", "load", folder]
    with subprocess.Popen(command, env=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as loading:
        llm.wait_for_calls(len(NAMES) - 1)
        os.kill(loading.pid, signal.SIGINT)
        assert llm.closed.wait(2)
        said: Any = loading.communicate(timeout=60)[1]
    assert loading.returncode == 130
    assert b"Traceback" not in said
