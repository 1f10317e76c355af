"""The first paid load of a model that was never tested proposes the test once; a plan and built-in rules do not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fake_llm import FakeLlm
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_runner import RunKg


def test_the_test_is_proposed_once(
    run_kg: RunKg, environment: Mapping[str, str], llm: FakeLlm, tmp_path: Path, database: Database
) -> None:
    text = tmp_path / "note.txt"
    text.write_text("Ada Lind works at Harbour School.\n", encoding="utf-8")
    paid = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "key-0123456789", "KG_MODEL": "scripted"}
    load = ["load", str(text), "--no-analytics"]

    def said(arguments: list[str], **more: str) -> int:
        code, out, err = run_kg([*load, *arguments], {**environment, **more})
        assert code == 0, out + err
        return err.count("note: the model scripted was never tested; `kg doctor --model` takes about 10 calls, ")

    assert said(["--dry-run"], **paid) == 0
    assert said(["--graph", "without"]) == 0
    delete_graph(database, "without")
    assert [said([], **paid), said([], **paid), said(["--rebuild"], **paid)] == [1, 0, 0]
    assert said(["--rebuild"], **paid, KG_MODEL_OPTIONS='{"think": false}') == 1
