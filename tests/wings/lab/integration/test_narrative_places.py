"""Questions that give the place of their answer's words, and not the words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j_lab.narrative.questions import NarrativeQuestion, read_narrative, with_keys, with_quotes
from small_graph import OTHER_PARAGRAPHS, PARAGRAPHS, load

QUESTION = {"id": "q", "question": "Who was her father?", "answer": "Lord Byron"}


def asked(tmp_path: Path, **more: object) -> tuple[NarrativeQuestion, ...]:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(QUESTION | more), encoding="utf-8")
    return read_narrative(str(file))


def test_places_are_words_of_the_whole_text_across_its_chunks(database: Database, graph: str, tmp_path: Path) -> None:
    load(database, graph)
    whole = "\n\n".join(PARAGRAPHS)
    places = [[whole.index(words), whole.index(words) + len(words)] for words in ("Lord Byron", "died at his home")]
    border = len(PARAGRAPHS[0])
    places.append([border - 5, border + 9])  # the end of one chunk and the beginning of the next
    [found] = with_quotes(database, graph, asked(tmp_path, spans=places), list_documents(database, graph))
    assert found.quotes[:2] == ("Lord Byron", "died at his home")
    assert found.quotes[2].split() == whole[border - 5 : border + 9].split()
    assert found.spans == ()


def test_quotes_stay_beside_places_and_a_document_is_chosen(database: Database, graph: str, tmp_path: Path) -> None:
    load(database, graph)
    load(database, graph, "Chopin", OTHER_PARAGRAPHS, [])
    documents = list_documents(database, graph)
    unnamed = asked(tmp_path, spans=[[0, 8]], quotes=["her"])
    with pytest.raises(UsageError, match="does not say of which document"):
        with_quotes(database, graph, unnamed, documents)
    named = with_keys((replace(unnamed[0], asked=replace(unnamed[0].asked, document="Chopin")),), documents)
    [found] = with_quotes(database, graph, named, documents)
    assert found.quotes == ("her", OTHER_PARAGRAPHS[0][:8])


def test_a_place_outside_of_its_text_is_refused(database: Database, graph: str, tmp_path: Path) -> None:
    load(database, graph)
    documents = list_documents(database, graph)
    with pytest.raises(UsageError, match="no words at 99999 to 100000"):
        with_quotes(database, graph, asked(tmp_path, spans=[[99_999, 100_000]]), documents)


@pytest.mark.parametrize("spans", [[[5, 5]], [[9, 2]], [[-1, 4]], [["a", "b"]], [[1]], [3], "1-2"], ids=str)
def test_what_is_no_place_is_refused_with_its_line(tmp_path: Path, spans: object) -> None:
    with pytest.raises(UnreadableSource, match="line 1: spans are a list"):
        asked(tmp_path, spans=spans)
