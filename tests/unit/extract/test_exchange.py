"""Files of extractions give back what was written, and nothing that was changed since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csv_grammar import SCHEMA
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.extract.exchange import ExtractedDocument
from kg_neo4j.extract.reading import Reading, without_rows
from kg_neo4j.records import (
    Chunk,
    ChunkOutcome,
    Document,
    Extraction,
    ModelAnswer,
    NodeRow,
    Rejection,
    RejectionReason,
    RelationshipRow,
    Span,
    Usage,
)

DOCUMENT = Document("d" * 32, "main", "file", "ada.txt", "Ada", "ada.txt", "The text.", "0" * 64, redirects=("A",))
HEADER = ExtractedDocument(DOCUMENT, {"config_hash": "c", "rebuild": False, "schema_text": None}, 1)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.one_of(WORDS, st.integers(-3000, 3000), st.floats(allow_nan=False, allow_infinity=False))


def extractions() -> st.SearchStrategy[Extraction]:
    properties = st.dictionaries(st.sampled_from(["role", "birth_year", "strength"]), VALUES)
    span = st.one_of(st.none(), st.just(Span(3, 9, "exact")))
    node = st.builds(NodeRow, st.integers(1, 9), WORDS, WORDS, WORDS, WORDS, properties, st.none() | WORDS, span)
    row = st.builds(
        RelationshipRow, st.integers(1, 9), WORDS, WORDS, WORDS, WORDS, WORDS, properties, st.none() | WORDS, span
    )
    refused = st.builds(
        Rejection, st.integers(1, 9), WORDS, st.sampled_from(RejectionReason), WORDS, repaired=st.booleans()
    )
    usage = st.builds(Usage, st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.none() | st.floats(0, 1))
    answer = st.builds(ModelAnswer, WORDS, WORDS, WORDS, st.none() | WORDS, st.integers(0, 3), usage)
    chunk = Chunk("c" * 32, "d" * 32, "main", 0, "The text.", 2, 0, 9, "Life > Work")

    def whole(
        answers: list[ModelAnswer], nodes: list[NodeRow], rows: list[RelationshipRow], bad: list[Rejection]
    ) -> Extraction:
        empty = without_rows(chunk, Reading(SCHEMA, "flag", "c"), ChunkOutcome.DONE, "")
        return replace(
            empty,
            answers=tuple(answers),
            nodes=tuple(nodes),
            relationships=tuple(rows),
            rejections=tuple(bad),
            rows_read=len(nodes) + len(rows) + len(bad),
        )

    return st.builds(whole, *(st.lists(each, max_size=3) for each in (answer, node, row, refused)))


@given(extraction=extractions())
def test_what_is_written_is_read_again_with_every_type(
    tmp_path_factory: pytest.TempPathFactory, extraction: Extraction
) -> None:
    folder = tmp_path_factory.mktemp("extracted")
    other = replace(HEADER, document=replace(DOCUMENT, id="e" * 32), chunks=0)
    assert exchange.write(folder, "one", [(HEADER, [extraction]), (other, [])], unfinished=2)
    assert not exchange.write(folder, "one", [(HEADER, [extraction]), (other, [])], unfinished=2)
    (path,) = exchange.files_in(folder)
    (header, found), (second, nothing) = exchange.read(path)
    assert (found, nothing) == ((extraction,), ())
    assert header == replace(HEADER, document=replace(DOCUMENT, text=""))
    assert list(exchange.documents(path)) == [header, second]
    assert exchange.summary(path) == exchange.FileSummary(2, 1, 2)
    for row, again in zip(extraction.nodes, found[0].nodes, strict=True):
        assert [type(value) for value in again.properties.values()] == [
            type(value) for value in row.properties.values()
        ]


def test_a_file_that_was_cut_at_any_byte_or_changed_is_refused(tmp_path: Path) -> None:
    """Row 48."""
    extraction = without_rows(
        Chunk("c" * 32, "d" * 32, "main", 0, "The text.", 2, 0, 9), Reading(SCHEMA, "flag", "c"), ChunkOutcome.EMPTY, ""
    )
    exchange.write(tmp_path, "one", [(HEADER, [extraction])])
    (path,) = exchange.files_in(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(UnreadableSource):
            list(exchange.read(path))
    path.write_bytes(whole.replace(b"The text.", b"My text. ", 1))
    with pytest.raises(UnreadableSource, match="not whole, or was changed"):
        list(exchange.read(path))


def test_what_a_killed_worker_left_of_a_file_goes_when_it_is_written_again(tmp_path: Path) -> None:
    other = tmp_path / ".two.extraction.jsonl.0a0b0c0d.partial"
    for path in (tmp_path / ".one.extraction.jsonl.0a0b0c0d.partial", other):
        path.write_bytes(b"")
    exchange.write(tmp_path, "one", [(replace(HEADER, chunks=0), [])])
    assert sorted(tmp_path.iterdir()) == [other, exchange.file_of(tmp_path, "one")]


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    exchange.write(tmp_path, "one", [(replace(HEADER, version=1, chunks=0), [])])
    with pytest.raises(UnreadableSource, match="version 1"):
        list(exchange.read(exchange.files_in(tmp_path)[0]))


def test_only_files_of_extractions_count_as_such(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    assert exchange.files_in(tmp_path) == []
    assert exchange.files_in(tmp_path / "absent") == []
    assert exchange.files_in(tmp_path / f"one{exchange.SUFFIX}") == [tmp_path / f"one{exchange.SUFFIX}"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="file cannot be written to: "):
        exchange.write(tmp_path / "file", "one", [(replace(HEADER, chunks=0), [])])
