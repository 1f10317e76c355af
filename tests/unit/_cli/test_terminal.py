"""JSON on a standard output that cannot encode every character; tables of texts that hold control characters; usage."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace

import pytest

from kg_neo4j._cli.terminal import print_json, print_table, spent
from kg_neo4j.records import Usage


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("text", ["żółw", "\U0001f600", "a\udcff", "\ud83d", "é\x00\x85", "plain"])
def test_any_text_is_printed_as_json(monkeypatch: pytest.MonkeyPatch, encoding: str, text: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    print_json({"said": text})
    out.flush()
    written = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert json.loads(written.decode(encoding)) == {"said": text}


def test_a_table_hands_no_control_characters_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["Node"], [("\x1b[31mred\u202e\x00 a\x9b",), ("two\nlines",)])
    shown = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\x00", "\x9b"} & set(shown)
    assert [line.strip() for line in shown.splitlines()[-4:-1]] == ["[31mred   a", "two", "lines"]


def test_thoughts_are_shown_apart_from_what_else_was_written() -> None:
    used = Usage(2, 1_000, 900, 0.5, reasoning_tokens=640)
    assert spent(used) == "2 calls, 1,000 tokens in, 900 out (640 of them thoughts), 0.5000 USD"
    assert "thoughts" not in spent(replace(used, reasoning_tokens=0))
