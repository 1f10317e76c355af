"""What --quiet and --verbose change, what an interrupted command says, and what a shell completes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hidden_package import needs_all
from kg_neo4j._cli import app, terminal
from kg_neo4j._cli.terminal import wordiness
from kg_runner import RunKg


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    yield
    wordiness.is_quiet = wordiness.is_verbose = False


def work() -> None:
    with terminal.progress() as bars:
        bars.start("read", 4)
        bars.advance("read")
        bars.note("a note")
        bars.finish("read")
    terminal.remark("note", ["a remark"])


def test_a_note_is_printed_but_for_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    work()
    assert capsys.readouterr().err == "a note\nnote: a remark\n"
    wordiness.is_quiet = True
    work()
    assert capsys.readouterr().err == ""


def test_verbose_gives_the_time_of_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    wordiness.is_verbose = True
    work()
    assert "read: 1 done, 0.0 s" in capsys.readouterr().err


@needs_all
def test_every_command_has_both(run_kg: RunKg) -> None:
    for command in (["load"], ["db", "start"], ["graphs", "list"], ["eval", "answers"]):
        out = run_kg([*command, "--help"], {})[1]
        assert "--quiet" in out
        assert "--verbose" in out


def test_verbose_gives_the_traceback_of_an_error(run_kg: RunKg) -> None:
    assert "Traceback" not in run_kg(["load", "nothing.txt", "--schema", "nothing.toml"], {})[2]
    code, _, err = run_kg(["load", "nothing.txt", "--schema", "nothing.toml", "--verbose"], {})
    assert code == 2
    assert "Traceback" in err
    assert "error: " in err
    assert "Traceback" not in run_kg(["load", "nothing.txt", "--schema", "nothing.toml"], {})[2]


@pytest.mark.parametrize("is_quiet", [False, True])
def test_interrupted_work_says_how_far_it_is(capsys: pytest.CaptureFixture[str], is_quiet: bool) -> None:
    def extract() -> None:
        with terminal.progress() as bars:
            bars.start("read", 2)
            bars.finish("read")
            bars.start("extract", 40)
            bars.advance("extract", 12)
            raise KeyboardInterrupt

    wordiness.is_quiet = is_quiet
    with pytest.raises(KeyboardInterrupt):
        extract()
    assert capsys.readouterr().err.startswith("extract: 12 of 40 done, ")


@needs_all
def test_an_interrupted_command_says_how_to_continue() -> None:
    said = app._interrupted(["load", "my notes/", "--model", "x"])
    assert said == "interrupted: what is recorded is kept; continue with `kg load 'my notes/' --model x`"
    assert app._interrupted(["ask", "Who?"]) == "interrupted"
    assert app._interrupted(["--version"]) == "interrupted"
    continued = {name for name in app.ORDER if "continue with" in app._interrupted([name])}
    wanted = "load unload extract build quarantine rebuild resolve communities tree import study eval tune"
    assert continued == set(wanted.split())


@pytest.mark.parametrize(
    ("words", "completed"),
    [("kg gr", ["graphs"]), ("kg graphs de", ["delete"]), ("kg d", ["documents", "diff", "doctor", "db"])],
)
def test_a_shell_completes_commands(run_kg: RunKg, words: str, completed: list[str]) -> None:
    asked = {"_KG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert run_kg([], asked)[1].split() == completed
