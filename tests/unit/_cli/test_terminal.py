"""JSON on a standard output that cannot encode every character; tables of texts that hold control characters; usage."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace

import pytest
import typer

from kg_neo4j._cli import terminal
from kg_neo4j._cli.terminal import print_json, print_table, spent
from kg_neo4j.records import Usage
from kg_runner import RunKg


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


def test_a_question_without_a_terminal_names_the_option_that_answers_it(run_kg: RunKg) -> None:
    code, out, err = run_kg(["db", "reset", "--graph", "notes"], {}, typed="y\n")
    assert (code, out) == (2, "")
    assert err == "error: Delete graph 'notes'? No terminal is there to answer\n  try: the same command with --yes\n"


@pytest.mark.parametrize(("typed", "code"), [("y", None), ("n", 1), ("", 1)])
def test_a_question_on_a_terminal_is_asked(
    typed: str, code: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    if code is None:
        terminal.confirm("Delete it?", yes=False)
    else:
        with pytest.raises(typer.Exit) as left:
            terminal.confirm("Delete it?", yes=False)
        assert left.value.exit_code == code
        assert "nothing was changed" in capsys.readouterr().err


def test_a_list_of_sources_is_named_for_a_dash(run_kg: RunKg) -> None:
    code, _, err = run_kg(["load", "-"], {}, typed="a.txt\n")
    assert code == 2
    assert "`kg load --from -`" in err
