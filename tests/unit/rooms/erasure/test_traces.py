"""What quotes a document is found by its words, and files that commands wrote by their list."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kg_neo4j import Settings, jsonl_log
from kg_neo4j.rooms.erasure.traces import Quoted, questions, written

TEXT = "The ledger of the mill was signed by Ada Reed on Monday."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", cache=tmp_path / "cache", graph="main")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("It reads: the LEDGER, of the mill (was it?)", True),  # five words in a row, whatever is between them
        ("the ledger of the house", False),
        ("What did Ada Reed sign?", True),  # a name of the document alone
        ("What did Tom Hale sign?", False),
        ("", False),
    ],
)
def test_five_words_in_a_row_or_a_name_are_a_quote(said: str, expected: bool) -> None:
    assert Quoted([TEXT], ["Ada Reed"]).is_in("other", said) is expected


def test_a_text_of_four_words_is_quoted_by_its_names_alone() -> None:
    assert not Quoted(["Ada signed on Monday"], ()).is_in("Ada signed on Monday")


def test_questions_that_quote_go_and_others_keep_their_bytes(settings: Settings) -> None:
    file = settings.home / "questions" / "main.jsonl"
    file.parent.mkdir(parents=True)
    kept = '{"question": "Who?",  "right": "nothing"}\n'
    file.write_text(kept + json.dumps({"question": "What was signed?", "right": TEXT}) + "\n", "utf-8")
    quoted = Quoted([TEXT], ())
    assert questions(settings, quoted) == 1
    assert len(file.read_text("utf-8").splitlines()) == 2
    assert questions(settings, quoted, remove=True) == 1
    assert file.read_text("utf-8") == kept
    assert questions(settings, quoted, remove=True) == 0


def test_answers_that_were_saved_with_questions_of_a_person_go_line_by_line(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    kept = '{"question": "Who?"}\n'
    file.write_text(kept + json.dumps({"question": "What?", "saved": {"citations": [{"quote": TEXT}]}}) + "\n", "utf-8")
    jsonl_log.note_written(settings.home, "answers", "main", file)
    assert written(settings, ["d1"]) == ([], [])
    assert questions(settings, Quoted([TEXT], ()), remove=True) == 1
    assert file.read_text("utf-8") == kept


def test_exports_are_found_by_the_id_of_a_document_and_others_by_their_graph(
    settings: Settings, tmp_path: Path
) -> None:
    out = {
        name: tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.gz", "torn.gz", "all.html", "all.dump", "other.svg")
    }
    for path in out.values():
        path.write_text("{}\n", "utf-8")
    out["a.jsonl"].write_text('{"id": "d1"}\n', "utf-8")
    out["c.gz"].write_bytes(gzip.compress(b'{"id": "d1"}\n'))
    out["torn.gz"].write_bytes(gzip.compress(b'{"id": "d2"}\n' * 99)[:20])
    (tmp_path / "extracted").mkdir()
    jsonl_log.note_written(settings.home, "export", "main", out["a.jsonl"], out["b.jsonl"], tmp_path / "gone.jsonl")
    jsonl_log.note_written(settings.home, "archive", "main", out["c.gz"], out["torn.gz"])
    jsonl_log.note_written(settings.home, "picture", "main", out["all.html"])
    jsonl_log.note_written(settings.home, "picture", "another", out["other.svg"])
    jsonl_log.note_written(settings.home, "backup", "", out["all.dump"])
    jsonl_log.note_written(settings.home, "extraction", "main", tmp_path / "extracted")
    found, folders = written(settings, ["d1"])
    assert {each.path.name for each in found} == {"a.jsonl", "c.gz", "torn.gz", "all.html", "all.dump"}
    assert [each.path.name for each in folders] == ["extracted"]
    for each in found:
        each.remove()
        each.remove()  # a run that was stopped is repeated
    assert {path.name for path in out.values() if path.exists()} == {"b.jsonl", "other.svg"}


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", "utf-8")
    jsonl_log.note_written(tmp_path / "home", "export", "main", tmp_path / "a.jsonl")
    assert (tmp_path / "home").read_text("utf-8") == "a file"
