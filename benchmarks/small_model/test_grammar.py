"""Grammars in llama.cpp itself: it accepts and stops what llguidance does. Only the words of the model are read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # grammar.py

import grammar  # noqa: E402 - after the path is set

from kg_neo4j.rooms.grammar.constraint import Constraint  # noqa: E402


def stops(cases: list[tuple[str, grammar.RecordedAnswer]]) -> list[int | None]:
    """Return where llama.cpp stops each text under the grammar of its answer's chunk; None: it accepts the text."""
    lines = [
        {"grammar": Constraint("llama", grammar.LEAN).fields(grammar.shown(answer.offsets))["grammar"], "text": text}
        for text, answer in cases
    ]
    folder = Path(os.environ["SMALL_MODEL"])
    ran = subprocess.run(
        [str(folder / "venv/bin/python"), str(HERE / "llama_accepts.py"), str(folder / "model.gguf")],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_llama_accepts_what_llguidance_accepts() -> None:
    answers = grammar.recorded()
    found = stops([(each.text, each) for each in answers])
    expected = [grammar.stop(each.text, each.offsets) for each in answers]
    assert [each is None for each in found] == [each is None for each in expected]
    assert found.count(None) == 46


def test_llama_stops_damaged_answers() -> None:
    cases = [(text, answer) for _, answer, text, _ in grammar.damaged(100)]
    found = stops(cases)
    assert None not in found
    for at, (text, answer) in zip(found, cases, strict=True):
        first = grammar.stop(text, answer.offsets)
        assert first is not None
        assert at is not None
        assert first - 40 <= at <= first  # its step is a word, not a byte
