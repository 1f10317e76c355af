"""Progress in a log: a line a period for what runs, none for what is over."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack

import pytest

from kg_neo4j._cli import terminal
from kg_neo4j._cli.terminal import LogProgress


def test_a_line_says_how_far_a_stage_is(capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        progress = LogProgress(stack, every_s=0.05)
        progress.start("extract", 400)
        progress.advance("extract", 100)
        progress.count("documents", 3)
        progress.count("USD", 0.1234)
        time.sleep(0.2)
        said = capsys.readouterr().err.splitlines()[0]
        assert said.startswith("extract: 100 of 400 done, ")
        assert " a second, " in said
        assert said.endswith(" s left, 3 documents, 0.123 USD")
        progress.finish("extract")
        progress.start("settle")
        time.sleep(0.2)
        assert "settle: 0 s so far" in capsys.readouterr().err
    time.sleep(0.1)
    capsys.readouterr()
    time.sleep(0.15)
    assert capsys.readouterr().err == ""


def test_each_line_comes_once_however_many_stages_there_were() -> None:
    with ExitStack() as stack:
        progress = LogProgress(stack, every_s=60)
        for stage in ("read", "settle", "embed"):
            progress.start(stage)
            progress.finish(stage)
        progress.start("analytics")
        reporting = [each for each in threading.enumerate() if each.name == "kg-progress"]
        assert len(reporting) == 1


def test_a_start_of_the_server_is_described_before_the_first_period_is_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "SOON_S", 0.05)
    with ExitStack() as stack:
        progress = LogProgress(stack, every_s=60)
        progress.start("read", 4)
        progress.start("start Neo4j")
        time.sleep(0.3)
        said = capsys.readouterr().err
        assert said == "starting Neo4j, which then keeps running for further commands: 0 s so far\n"
