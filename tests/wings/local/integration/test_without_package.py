"""With NEO4J_URI set, commands need nothing of neo4j_local."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kg_runner import Kg


def test_a_load_a_question_and_a_diagnosis_work_without_the_package(
    kg: Kg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "neo4j_local"]:
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    text = tmp_path / "a.txt"
    text.write_text("Anna Weber met Karl Braun in Vienna in 1901.", "utf-8")
    for plan in (["--dry-run"], []):
        code, out, err = kg("load", str(text), *plan, "--json")
        assert code == 0, err
    code, out, err = kg("ask", "Whom did Anna Weber meet?", "--json")
    assert (code, "Karl Braun" in json.loads(out)["answer"]) == (0, True), err
    code, out, err = kg("doctor", "--json")
    assert code == 0, (out, err)
    assert kg("db", "status")[0] == 2
