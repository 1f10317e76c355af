"""benchmarks/record_behaviour.py: what is masked in a recording, and what a comparison finds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import record_behaviour

    return record_behaviour


def recording(folder: Path, **files: str) -> Path:
    for name, text in {"recorded.json": "{}", **files}.items():
        target = folder / name.replace("__", "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"a__calls": "1\n2\n"}, {"a__calls": "1\n2\n"}, "1 parts compared: equal"),
        ({"a__calls": "1\n2\n"}, {"a__calls": "1\n3\n"}, "-2"),
        ({"a__calls": "1\n"}, {"a__calls": "1"}, "1 files differ: a calls"),
        ({"a__calls": "1\n"}, {"a__out": "1\n"}, "2 files differ"),
        ({"a__calls": "1\n", "b__out": ""}, {"a__calls": "1\n"}, "not compared: b"),
        ({"a__out": "", "a__requests__1": "x"}, {"a__out": ""}, "1 parts compared: equal"),
        ({"a__requests__1": "x"}, {"a__requests__1": "x"}, "a is empty"),
        ({"a__out": ""}, {"b__out": ""}, "0 parts compared: different"),
    ],
)
def test_a_comparison_finds_what_differs(
    script: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    before: dict[str, str],
    after: dict[str, str],
    said: str,
) -> None:
    code = script.compare(recording(tmp_path / "1", **before), recording(tmp_path / "2", **after))
    printed = capsys.readouterr().out
    assert said in printed.replace("1 files differ: a calls\n1 files differ: a out", "2 files differ")
    assert code == (0 if printed.endswith("equal\n") else 1)


def test_half_a_recording_is_refused(script: ModuleType, tmp_path: Path) -> None:
    whole, half = recording(tmp_path / "1", a__out="1"), recording(tmp_path / "2", a__out="1")
    (half / "recorded.json").unlink()
    with pytest.raises(SystemExit, match="no whole recording"):
        script.compare(whole, half)


def test_measured_times_are_masked_and_nothing_else(script: ModuleType) -> None:
    table = (
        "System   R@5   p50 ms  USD\n──────────────────────────\nnaive   41.7     12.5    0\n\ntook 12 ms, 3 calls\n"
    )
    assert script.masks.normal(table, True).splitlines() == [
        "System R@5 p50 ms USD",
        "─",
        "naive 41.7 <time> 0",
        "",
        "took <time>, 3 calls",
    ]
    printed = json.dumps({"seconds": 1.5, "calls": 3, "steps": [{"ms_p50": 2, "f1": 0.5}]})
    masked = {"seconds": "<time>", "calls": 3, "steps": [{"ms_p50": "<time>", "f1": 0.5}]}
    assert json.loads(script.masks.normal(printed, True)) == masked
    assert json.loads(script.masks.normal(printed, False)) == json.loads(printed)


def test_what_the_scripted_model_says_depends_on_the_request_alone(script: ModuleType) -> None:
    say = script.scripted_answers.say
    system = "You rewrite the last question of a conversation\n"
    user = "conversation x\nWho is Ada Lind?\nend of conversation x\n\nLast question: Where was she born?"
    assert say(system + user, user) == say(system + user, user)
    assert "Ada Lind" in say(system + user, user)
    assert say("Hello", "Hello") == "I cannot say."
