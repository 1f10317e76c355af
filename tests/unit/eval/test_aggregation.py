"""What aggregation saves, counted."""

from __future__ import annotations

import pytest

from kg_neo4j._models.tokens import Approximation
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j.eval import aggregation
from kg_neo4j.records import Document

TOKENISER = Approximation()


def document(text: str) -> Document:
    return Document("0" * 32, "g", "file", "x", "x", "x", text, "", sections=read_markdown(text).sections)


def test_thousand_small_pieces_take_a_third_of_the_calls():
    # W5's arithmetic: pieces of about 360 tokens, 1,200 to a call
    text = "\n\n".join(f"Piece {number}. " + "Leon met Zofia. " * 89 for number in range(1_000))
    counted = aggregation.measure(document(text), TOKENISER)
    assert counted.pieces == counted.calls_without == 1_000
    assert 280 <= counted.calls_with == counted.chunks <= 320
    assert counted.embedding_pieces_without == 1_000
    assert 850 <= counted.embedding_pieces_with <= 1_000
    assert 0.66 <= counted.calls_saved <= 0.75


def test_piece_longer_than_a_chunk_takes_several_calls_either_way():
    counted = aggregation.measure(document("word " * 4_000), TOKENISER)
    assert counted.pieces == 1
    assert counted.calls_without == 3
    assert counted.embedding_pieces_without == 9
    assert counted.calls_with == 3


def test_empty_document_costs_nothing():
    counted = aggregation.measure(document(""), TOKENISER)
    assert (counted.pieces, counted.calls_with, counted.calls_without, counted.calls_saved) == (0, 0, 0, 0.0)


def test_folder_is_the_sum_of_its_files(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nOne.\n\nTwo.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Three.", encoding="utf-8")
    (tmp_path / "c.png").write_bytes(b"")
    counted = aggregation.measure_sources([str(tmp_path)], chunk_tokens=300)
    assert (counted.documents, counted.pieces, counted.chunks) == (2, 4, 2)


def test_nothing_to_read_is_said(tmp_path):
    with pytest.raises(UnreadableSource, match="nothing to read"):
        aggregation.measure_sources([str(tmp_path)])
    with pytest.raises(SourceNotFound):
        aggregation.measure_sources([str(tmp_path / "missing")])
