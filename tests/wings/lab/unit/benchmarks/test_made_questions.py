"""Questions made from annotated passages hide the entity between two passages, and come out equal twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import annotated

CHECKOUT = Path(__file__).resolve().parents[5]
BORN = annotated.row(
    "Ada Byron",
    ("Ada Byron was born in Veldburg .",),
    (((0, 0, 2, "PER"),), ((0, 5, 6, "LOC"),)),
    ((0, "P19", 1, (0,)),),
)
LIES = annotated.row(
    "Veldburg", ("Veldburg is a town of Gallia .",), (((0, 0, 1, "LOC"),), ((0, 5, 6, "LOC"),)), ((0, "P17", 1, (0,)),)
)
OTHER = annotated.row(
    "Tom Lind", ("Tom Lind was born in Rusk .",), (((0, 0, 2, "PER"),), ((0, 5, 6, "LOC"),)), ((0, "P19", 1, (0,)),)
)


@pytest.fixture
def made_questions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CHECKOUT / "benchmarks"))
    import made_questions

    return made_questions


def make(module: ModuleType, folder: Path, *rows: object) -> dict[str, list[dict[str, object]]]:
    folder.mkdir()
    file = folder / "gold.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["made_questions.py", str(file), str(folder)])
        module.main()
    return {
        name: [
            json.loads(line) for line in (folder / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for name in ("bridge_dev", "plain_dev")
    }


def test_two_steps_hide_the_entity_between(made_questions: ModuleType, tmp_path: Path) -> None:
    first = make(made_questions, tmp_path / "a", BORN, LIES, OTHER)
    (bridge,) = first["bridge_dev"]
    assert (bridge["answer"], bridge["gold"]) == ("Gallia", [0, 1])
    assert "Ada Byron" in str(bridge["question"])
    assert "Veldburg" not in str(bridge["question"])
    assert make(made_questions, tmp_path / "b", BORN, LIES, OTHER) == first


def test_plain_questions_repeat_no_word_but_names(made_questions: ModuleType, tmp_path: Path) -> None:
    found = make(made_questions, tmp_path / "a", BORN, LIES, OTHER)["plain_dev"]
    assert {question["answer"] for question in found} == {"Veldburg", "Rusk"}
    assert not any("born" in str(question["question"]) for question in found)


@pytest.mark.parametrize("second", [{**LIES, "title": "Veldburg again"}, {**BORN, "title": "Ada Byron again"}])
def test_what_two_passages_say_is_not_asked(made_questions: ModuleType, tmp_path: Path, second: object) -> None:
    assert make(made_questions, tmp_path / "a", BORN, LIES, OTHER, second)["bridge_dev"] == []
