"""What aggregation saves, counted."""

from __future__ import annotations

import pytest

from kg_neo4j._models.tokens import Approximation
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import Document
from kg_neo4j_lab import aggregation

TOKENISER = Approximation()


def document(text: str) -> Document:
    parsed = read_markdown(text)
    return Document("0" * 32, "g", "file", "x", "x", "x", parsed.text, "", sections=parsed.sections)


def test_thousand_small_pieces_take_a_third_of_the_calls():
    # pieces of about 360 tokens, 1,200 to a call
    text = "\n\n".join(f"Piece {number}. " + "Leon met Zofia. " * 89 for number in range(1_000))
    (counted,) = aggregation.measure([document(text)], TOKENISER, chunk_tokens=[1_200]).targets
    assert counted.pieces == counted.calls_without == 1_000
    assert counted.chunks_ratio == counted.chunks / 1_000
    assert 280 <= counted.calls_with == counted.chunks <= 320
    assert counted.embedding_pieces_without == 1_000
    assert 850 <= counted.embedding_pieces_with <= 1_000
    assert 0.66 <= counted.calls_saved <= 0.75


def test_piece_longer_than_a_chunk_takes_several_calls_either_way():
    (counted,) = aggregation.measure([document("word " * 4_000)], TOKENISER, chunk_tokens=[1_200]).targets
    assert counted.pieces == 1
    assert counted.calls_without == 3
    assert counted.embedding_pieces_without == 9
    assert counted.calls_with == 3


def test_empty_document_costs_nothing():
    found = aggregation.measure([document("")], TOKENISER)
    assert (found.pieces, found.tokens) == (0, 0)
    for counted in found.targets:
        assert (counted.calls_with, counted.calls_without, counted.total_with) == (0, 0, 0)
        assert (counted.calls_saved, counted.total_saved, counted.chunks_ratio) == (0.0, 0.0, 1.0)


def test_half_of_the_calls_is_two_fifths_by_the_published_numbers():
    """1,000 pieces to 300 chunks, 1,000 pieces to embed to 900: 2,000 calls together to 1,200."""
    published = aggregation.Target(1_200, 1_000, 300, 1_000, 300, 1_000, 900)
    assert (published.total_without, published.total_with) == (2_000, 1_200)
    assert published.total_saved == pytest.approx(0.4)
    assert published.calls_saved == pytest.approx(0.7)
    assert published.embedding_ratio == 0.9


def test_each_length_is_counted_once_and_longer_chunks_are_fewer():
    text = "\n\n".join(f"Piece {number}. " + "Leon met Zofia. " * 20 for number in range(60))
    found = aggregation.measure([document(text)], TOKENISER)
    assert [each.chunk_tokens for each in found.targets] == [300, 800, 1200, 2000]
    chunks = [each.chunks for each in found.targets]
    assert chunks == sorted(set(chunks), reverse=True)
    assert {each.embedding_pieces_without for each in found.targets} == {60}


def test_folder_is_the_sum_of_its_files(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nOne.\n\nTwo.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Three.", encoding="utf-8")
    (tmp_path / "c.png").write_bytes(b"")
    found = aggregation.measure_sources([str(tmp_path)], chunk_tokens=[300, 1_200, 300])
    assert (found.documents, found.pieces) == (2, 4)
    assert [(each.chunk_tokens, each.pieces, each.chunks) for each in found.targets] == [(300, 4, 2), (1_200, 4, 2)]


def test_a_length_below_one_is_refused(tmp_path):
    (tmp_path / "a.md").write_text("One.", encoding="utf-8")
    with pytest.raises(UsageError, match="at least one token"):
        aggregation.measure_sources([str(tmp_path)], chunk_tokens=[0])


def test_nothing_to_read_is_said(tmp_path):
    with pytest.raises(UnreadableSource, match="nothing to read"):
        aggregation.measure_sources([str(tmp_path)])
    with pytest.raises(SourceNotFound):
        aggregation.measure_sources([str(tmp_path / "missing")])
