"""kg eval answers killed while the model is asked, and given again: the same table to the byte, paid once."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from answer_judge import rules
from fake_llm import FakeLlm
from published_sets import narrative_set


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=rules) as server:
        yield server


class Command:
    """The command in a process of its own: a priced model, one call at a time, nothing cached."""

    def __init__(self, given: Mapping[str, str], llm: FakeLlm, folder: Path, save: Path) -> None:
        prices = save.with_suffix(".toml")
        prices.write_text("[scripted]\ninput = 1.0\noutput = 4.0\n", "utf-8")
        model = {"OPENAI_BASE_URL": llm.url, "KG_MODEL": "scripted", "KG_PRICES": str(prices)}
        calls = {"KG_MODEL_CONCURRENCY": "1", "KG_MODEL_RETRIES": "0", "KG_ANSWER_CACHE": "0"}
        self.cases = save.with_suffix(".csv")
        self._environment = {**given, **model, **calls}
        words = ["eval", "answers", "--questions", str(folder), "--graph", given["KG_GRAPH"], "--save", str(save)]
        words += ["--systems", "naive,local", "--cases", str(self.cases)]
        self._words = [sys.executable, "-m", "kg_neo4j", *words]

    def run(self, *more: str) -> str:
        """Run it to its end and return what it prints."""
        done = subprocess.run([*self._words, *more], env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def kill_at(self, llm: FakeLlm, answered: int) -> None:
        """Run it until it waits for the answer after so many, and kill it there."""
        before = llm.calls
        llm.answer(answered).hang()
        with subprocess.Popen(self._words, env=self._environment, stdout=subprocess.DEVNULL) as child:
            llm.wait_for_calls(before + answered + 1)
            child.send_signal(signal.SIGKILL)
        assert child.returncode == -signal.SIGKILL
        llm.forget()


def scores(text: str) -> Any:
    """Return the JSON without what depends on the clock and on which run paid."""
    found = json.loads(re.sub(r'"ms_p50": [\d.]+', '"ms_p50": 0', text))
    return {name: found[name] for name in ("systems", "cases", "judge", "embedder", "refused")}


@pytest.mark.long
@pytest.mark.parametrize("places", [(1, 6, 4), (0, 0, 2, 3, 3, 5)], ids=["thrice", "six times"])
def test_a_run_killed_anywhere_gives_the_same_table_and_pays_for_nothing_twice(
    environment: Mapping[str, str], llm: FakeLlm, tmp_path: Path, places: tuple[int, ...]
) -> None:
    folder = narrative_set(tmp_path / "set")
    whole = Command(environment, llm, folder, tmp_path / "whole.jsonl")
    expected = scores(whole.run("--json"))
    loaded = llm.calls
    planned = json.loads(Command(environment, llm, folder, tmp_path / "plan.jsonl").run("--json", "--dry-run"))
    assert llm.calls == loaded
    killed = Command(environment, llm, folder, tmp_path / "killed.jsonl")
    for answered in places:
        killed.kill_at(llm, answered)
    found = killed.run("--json")
    assert llm.calls - loaded == planned["calls"] + len(places)  # what was in the air at each kill was lost
    assert scores(found) == expected
    assert killed.cases.read_bytes() == whole.cases.read_bytes()
    table, calls = killed.run(), llm.calls
    assert killed.run() == table
    assert llm.calls == calls
