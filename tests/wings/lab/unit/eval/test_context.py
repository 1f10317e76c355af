"""What carry-over is worth, on the text made for it, with a model that uses it (W3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_reader import read_with_context
from fake_llm import FakeLlm
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import NodeRow
from kg_neo4j.settings import Settings
from kg_neo4j_lab.context import component_sizes, count_duplicates, is_pronoun_link, study_context

TEXT = str(Path(__file__).resolve().parents[5] / "examples" / "across_chunks.md")
OPTIONS = LoadOptions(schema="described", chunk_tokens=40, wave=2, gleanings=0)


@pytest.fixture
def reader() -> Iterator[FakeLlm]:
    with FakeLlm(rules=read_with_context) as server:
        yield server


def node(name: str) -> NodeRow:
    return NodeRow(1, "n1", "PERSON", "PERSON", name)


def test_carried_over_context_joins_what_borders_cut(reader: FakeLlm) -> None:
    settings = Settings(OPENAI_BASE_URL=reader.url, KG_MODEL="reader", KG_MODEL_CONCURRENCY=1, KG_ANSWER_CACHE=False)
    found = study_context([TEXT], settings=settings, options=OPTIONS)
    without, carried = found.variants
    assert (without.wave, carried.wave, found.uses_context) == (0, 2, True)
    assert without.chunks == carried.chunks > 5
    assert carried.nodes < without.nodes
    assert carried.components < without.components
    assert (without.duplicates, carried.duplicates) == (6, 1)
    assert carried.pronoun_links > without.pronoun_links - without.nodes + carried.nodes
    assert carried.usage.calls == without.usage.calls
    assert carried.largest > without.largest


def test_rules_read_each_chunk_by_itself_and_the_study_says_so() -> None:
    found = study_context([TEXT], settings=Settings(), options=OPTIONS)
    assert not found.uses_context
    one, other = found.variants
    assert (one.nodes, one.components, one.usage.calls) == (other.nodes, other.components, 0)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" ", "utf-8")
    with pytest.raises(UnreadableSource):
        study_context([str(tmp_path)], settings=Settings(), options=OPTIONS)


def test_a_pronoun_link_names_at_most_one_end() -> None:
    assert is_pronoun_link("She left Torrealba.", node("Ines Aldana"), node("Torrealba"))
    assert not is_pronoun_link("Ines left Torrealba with her father.", node("Ines Aldana"), node("Torrealba"))
    assert not is_pronoun_link("The town of Torrealba.", node("Ines Aldana"), node("Torrealba"))


def test_components_and_duplicates_are_counted() -> None:
    assert component_sizes("abcde", [("a", "b"), ("b", "c"), ("c", "a")]) == [3, 1, 1]
    assert component_sizes([], []) == []
    names = [("marie curie", "PERSON"), ("curie", "PERSON"), ("curie", "UNIT"), ("pierre curie", "PERSON")]
    assert count_duplicates(names) == 1
    assert count_duplicates([*names, ("she", "PERSON")]) == 2
