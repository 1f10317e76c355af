"""Extracting to files needs no server: what a second run asks about, keeps and counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings
from kg_neo4j.errors import BudgetReached
from kg_neo4j.extract import schema as schemas
from kg_neo4j.records import QuoteCounts
from kg_neo4j_scale.extract import extract

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ARTICLE = str(EXAMPLES / "alexander_von_humboldt.md")
STORY = EXAMPLES / "the_lamp_at_skarnes.md"
GRAPH = schemas.load("described")
SMALL = LoadOptions(chunk_tokens=150, gleanings=0, wave=0)


@pytest.fixture
def settings(llm: FakeLlm, tmp_path: Path) -> Settings:
    (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
    return Settings(
        openai_base_url=llm.url,
        openai_api_key="k",  # type: ignore[arg-type]
        model="scripted",
        model_retries=0,
        model_concurrency=4,
        prices=tmp_path / "prices.toml",
        cache=tmp_path / "cache",
        answer_cache=False,
    )


def test_a_second_extraction_asks_only_about_what_changed(settings: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    options = LoadOptions(chunk_tokens=200, wave=3)
    note = tmp_path / "story.md"
    text = STORY.read_text("utf-8")
    note.write_text(text, "utf-8")
    folder = str(tmp_path / "extracted")
    first = extract([str(note)], to=folder, settings=settings, options=options)
    assert extract([str(note)], to=folder, settings=settings, options=options).files == 0
    assert llm.calls == first.usage.calls
    paragraphs = text.split("\n\n")
    note.write_text("\n\n".join([*paragraphs[:3], "Anna Weber met Karl Braun.", *paragraphs[3:]]), "utf-8")
    second = extract([str(note)], to=folder, settings=settings, options=options)
    assert second.files == 1
    assert 2 <= second.usage.calls <= 6
    assert second.chunks >= first.chunks


def test_a_budget_is_kept_and_the_cache_has_what_was_paid_for(settings: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    llm.counts = True
    cached = settings.model_copy(update={"answer_cache": True})
    with pytest.raises(BudgetReached):
        extract([ARTICLE], to=str(tmp_path / "files"), settings=cached, options=replace(SMALL, budget_usd=0.12))
    first = llm.calls
    report = extract([ARTICLE], to=str(tmp_path / "files"), settings=cached, options=SMALL)
    assert 0 < report.usage.calls == llm.calls - first < report.chunks


def test_rows_without_a_quote_are_counted(settings: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Anna met Ben.", "utf-8")
    nodes, relationships = (",".join(each) for each in (GRAPH.node_header, GRAPH.relationship_header))
    llm.say(f"{nodes}\nn1,PERSON,Anna,,,,,,\nn2,PERSON,Ben,,,,,,Benjamin the elder\n\n{relationships}\n")
    found = extract(
        [str(tmp_path / "note.txt")],
        to=str(tmp_path / "files"),
        settings=settings,
        options=replace(SMALL, schema="described"),
    )
    assert found.quotes == QuoteCounts(1, 1)
    assert found.notes[0].startswith("of 2 recorded rows 1 has no quote and 1 has a quote that is not in the text")
