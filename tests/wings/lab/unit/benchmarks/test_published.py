"""The files of a published pool are found, and its table says what may be compared."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.records import LoadReport
from kg_neo4j_lab.retrieval.scorecard import RetrievalCard
from kg_neo4j_lab.retrieval.scores import RetrievalScore

CHECKOUT = Path(__file__).resolve().parents[5]


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CHECKOUT / "benchmarks"))
    import published

    return published


def card(asked: int, passages: int) -> RetrievalCard:
    score = RetrievalScore(
        {2: 0.5, 5: 0.75}, {2: (0.4, 0.6), 5: (0.7, 0.8)}, {10: 0.6}, {10: (0.5, 0.7)}, 0.5, 1.0, 2.0, {}
    )
    load = LoadReport("g", 3, 4, 0, 0, documents=1, chunks=1)
    ways = dict.fromkeys(("bm25", "dense", "fusion", "naive", "local"), score)
    return RetrievalCard("c", "q", "g", passages, asked, "static", load, ways, "fusion", {}, {})


def test_every_published_figure_has_a_pool_and_a_source(published: ModuleType) -> None:
    pools, systems = published.read_published()
    keys = {pool.key for pool in pools}
    assert [(pool.name, pool.passages) for pool in pools] == [
        ("MuSiQue", 11_656),
        ("2WikiMultiHopQA", 6_119),
        ("HotpotQA", 9_811),
    ]
    assert len({system.name for system in systems}) == len(systems)
    for system in systems:
        assert set(system.recall5) == keys
        assert set(system.recall2) in (keys, set())
        assert all(system.recall2[key] <= system.recall5[key] <= 100 for key in system.recall2)
        assert system.source
        assert system.checked


def test_measured_ways_come_first_with_intervals_then_published_ones(published: ModuleType) -> None:
    pools, systems = published.read_published()
    report = published.table(card(1000, 11_656), pools[0], systems, "gpt-x")
    assert [row[0] for row in report.rows[:5]] == ["bm25", "dense", "fusion", "naive", "local"]
    figures_of_ours = ("50.0 (40.0-60.0)", "75.0 (70.0-80.0)", "60.0 (50.0-70.0)")
    assert report.rows[4] == ("local", *figures_of_ours, "gpt-x", "none", "static", "measured")
    assert report.rows[0][4:7] == ("none", "none", "none")
    figures = {row[0]: row[1:3] for row in report.rows[5:]}
    assert figures["HippoRAG 2"] == ("", "74.7")
    assert figures["SAG"] == ("64.1", "80.0")
    assert "The sizes are those of the published pool of MuSiQue" in report.notes[0]


@pytest.mark.parametrize(("asked", "passages"), [(100, 11_656), (1000, 1_890), (1000, 9_811)])
def test_another_number_of_questions_or_passages_is_not_comparable(
    published: ModuleType, asked: int, passages: int
) -> None:
    pools, systems = published.read_published()
    (note,) = published.table(card(asked, passages), pools[0], systems).notes
    assert note.startswith("Not comparable")
    assert f"{passages:,} passages" in note
    assert "11,656" in note


def test_a_pool_of_another_name_has_no_published_figures(published: ModuleType) -> None:
    _, systems = published.read_published()
    report = published.table(card(10, 20), None, systems)
    assert len(report.rows) == 5
    assert "no published figure" in report.notes[0]


def test_files_are_found_in_each_layout(published: ModuleType, tmp_path: Path) -> None:
    lines, lists = tmp_path / "musique_dev", tmp_path / "dataset"
    for file in (
        lines / "corpus.jsonl",
        lines / "questions.jsonl",
        lists / "hotpotqa_corpus.json",
        lists / "hotpotqa.json",
    ):
        file.parent.mkdir(exist_ok=True)
        file.touch()
    pools, _ = published.read_published()
    assert published.files_of(str(lines)) == (lines / "corpus.jsonl", lines / "questions.jsonl")
    assert published.pool_of(lines / "corpus.jsonl", pools).name == "MuSiQue"
    found = (lists / "hotpotqa_corpus.json", lists / "hotpotqa.json")
    assert published.files_of(str(lists)) == published.files_of(str(lists / "hotpotqa")) == found
    assert published.pool_of(found[0], pools).name == "HotpotQA"
    (lists / "musique_corpus.json").touch()
    with pytest.raises(UsageError, match="several sets: hotpotqa, musique"):
        published.files_of(str(lists))
    with pytest.raises(SourceNotFound, match=r"musique\.json"):
        published.files_of(str(lists / "musique"))
    with pytest.raises(SourceNotFound, match="NAME_corpus"):
        published.files_of(str(tmp_path))
