"""The whole scorecard: passages go through the engine and the CSV path of a load, and come back as scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotated import ANSWER, passage, row, write
from fake_llm import FakeLlm
from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig
from kg_neo4j.extract.interface import Extractor, FollowUp
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.schema import load as load_schema
from kg_neo4j.progress import SILENT
from kg_neo4j.records import ModelAnswer, RowCounts
from kg_neo4j.settings import Settings
from kg_neo4j_lab.extraction import gold as gold_files
from kg_neo4j_lab.extraction import type_map
from kg_neo4j_lab.extraction.judging import Judged, judge
from kg_neo4j_lab.extraction.offers import OffersMentions, OffersRelations, RelationClassifier
from kg_neo4j_lab.extraction.scorecard import Scorecard, ScorecardOptions, extract_passages, score_extraction, select
from kg_neo4j_lab.extraction.scores import Counts, score
from kg_neo4j_offline.extractor.extractor import OfflineExtractor
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation

ONCE = ScorecardOptions(schema="described", gleanings=0)
HEADERS = [line for line in ANSWER.splitlines() if "_id," in line]


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


def settings_of(llm: FakeLlm, tmp_path: Path, *, cache: bool = False) -> Settings:
    (tmp_path / "prices.toml").write_text("[scripted]\ninput = 1000\noutput = 5000\n", "utf-8")
    return Settings(
        openai_base_url=llm.url,
        model="scripted",
        prices=tmp_path / "prices.toml",
        cache=tmp_path / "cache",
        answer_cache=cache,
    )


def counts(card: Scorecard, measure: str) -> Counts:
    return card.scores[measure].counts


def test_a_model_is_scored_through_the_path_of_a_load(llm: FakeLlm, tmp_path: Path) -> None:
    llm.say(ANSWER)
    card = score_extraction(write(tmp_path), settings=settings_of(llm, tmp_path), options=ONCE)
    assert "===== begin" in llm.requests[0].user
    assert "Ada Byron was born in London. She married" in llm.requests[0].user
    assert (card.documents, card.words, card.extractor, card.split) == (1, 16, "scripted", "all")
    assert counts(card, "mentions.strict") == Counts(4, 5, 4, 6)
    assert counts(card, "mentions.span") == Counts(5, 5, 5, 6)
    assert counts(card, "entities") == Counts(3, 6, 3, 5)
    assert counts(card, "relations.end_to_end.document") == Counts(2, 5, 2, 3)
    assert counts(card, "relations.end_to_end.within_sentence") == Counts(1, 2, 1, 2)
    assert counts(card, "relations.gold_entities.document") == Counts(3, 4, 3, 3)
    assert counts(card, "clusters.all.b_cubed") == Counts(5, 5, 4, 6)
    assert (card.judged.duplicates.matched, card.judged.duplicates.surplus) == (4, 1)
    assert card.rows == RowCounts(11, 11, 0)
    evidence = card.judged.evidence
    assert (evidence.rows, evidence.quoted, evidence.found) == (11, 10, 9)
    assert (evidence.stated, evidence.in_gold_sentence) == (2, 1)
    assert (card.usage.calls, card.usage.input_tokens, card.usage.output_tokens) == (1, 100, 20)
    assert card.usage.usd == pytest.approx(0.2)
    assert card.usd_per_right_fact == pytest.approx(0.1)
    assert (card.unscored, card.judged.left_out, card.judged.without_place) == ({"ADMIRED": 1}, 0, 1)
    assert card.words_per_s == pytest.approx(16 / card.seconds)
    assert card.judged.basis["gold_entities"].startswith("no classifier")
    assert not card.gives_mentions
    for name, measure in card.scores.items():  # a model says where nothing is: both ways are one
        if "by_name" in name:
            usual = "clusters.all" if name.startswith("clusters") else ""
            assert measure == card.scores[name.replace("clusters.by_name", usual).replace(".by_name", "")], name
    assert card.judged.best_threshold == {}


def test_rejected_rows_are_counted_with_their_reasons(llm: FakeLlm, tmp_path: Path) -> None:
    llm.say(f"{HEADERS[0]}\nn1,PERSON,Ada Byron,,,,,,\n\n{HEADERS[1]}\nr1,n1,BORN_IN,n9,,,,\n")
    llm.say("\n".join((HEADERS[0], "", HEADERS[1])))
    card = score_extraction(write(tmp_path), settings=settings_of(llm, tmp_path), options=ONCE)
    assert (card.rows, card.rejections) == (RowCounts(2, 1, 1), {"missing_end": 1})
    assert card.usage.calls == 2


def test_a_passage_that_the_model_refuses_counts_as_nothing_found_and_is_named(llm: FakeLlm, tmp_path: Path) -> None:
    llm.say(ANSWER).fail(400, code="content_filter")
    settings = settings_of(llm, tmp_path).model_copy(update={"model_concurrency": 1})
    card = score_extraction(write(tmp_path, row(), row("Grace")), settings=settings, options=ONCE)
    assert counts(card, "mentions.strict") == Counts(4, 5, 4, 12)
    (failed,) = card.failed
    assert "'Grace': filtered" in failed


def test_answers_paid_for_before_are_said_to_be(llm: FakeLlm, tmp_path: Path) -> None:
    llm.say(ANSWER)
    settings = settings_of(llm, tmp_path, cache=True)
    first = score_extraction(write(tmp_path), settings=settings, options=ONCE)
    again = score_extraction(write(tmp_path), settings=settings, options=ONCE)
    assert again.scores == first.scores
    assert (len(llm.requests), again.usage.calls, first.notes) == (1, 0, ())
    assert "1 of 1 answers were paid for before" in again.notes[0]


def test_a_budget_stops_the_scorecard(llm: FakeLlm, tmp_path: Path) -> None:
    options = ScorecardOptions(schema="described", budget_usd=0.001)
    with pytest.raises(BudgetReached):
        score_extraction(write(tmp_path), settings=settings_of(llm, tmp_path), options=options)
    assert llm.requests == []


def test_a_long_passage_is_cut_and_every_chunk_keeps_its_place(llm: FakeLlm, tmp_path: Path) -> None:
    sentences = tuple(f"In the year {number} Ada Byron wrote to Mary King again ." for number in range(1, 301))
    entities = tuple(tuple((at, start, start + 2, "PER") for at in range(len(sentences))) for start in (4, 8))
    llm.rules = lambda *_: f"{HEADERS[0]}\nn1,PERSON,Ada Byron,,,,,,\nn2,PERSON,Mary King,,,,,,\n\n{HEADERS[1]}\n"
    gold = write(tmp_path, row("Letters", sentences, entities, ()))
    card = score_extraction(gold, settings=settings_of(llm, tmp_path), options=ONCE)
    assert card.usage.calls > 2
    assert counts(card, "mentions.strict") == Counts(600, 600, 600, 600)
    assert counts(card, "entities") == Counts(2, 2, 2, 2)


def test_two_passages_of_one_title_are_two(tmp_path: Path) -> None:
    one = score_extraction(write(tmp_path), settings=Settings(), options=ONCE)
    two = score_extraction(write(tmp_path, row(), row()), settings=Settings(), options=ONCE)
    assert counts(one, "mentions.strict").right > 0
    assert counts(two, "mentions.strict") == counts(one, "mentions.strict") + counts(one, "mentions.strict")


def test_a_user_s_types_decide_what_counts(llm: FakeLlm, tmp_path: Path) -> None:
    (tmp_path / "types.toml").write_text(
        '[nodes]\nORGANIZATION = "LOC"\n[relationships]\nADMIRED = "spouse"\n', "utf-8"
    )
    llm.say(ANSWER)
    options = ScorecardOptions(schema="described", gleanings=0, types=str(tmp_path / "types.toml"))
    card = score_extraction(write(tmp_path), settings=settings_of(llm, tmp_path), options=options)
    assert counts(card, "mentions.strict") == Counts(5, 5, 5, 6)
    assert counts(card, "relations.end_to_end.document") == Counts(3, 5, 3, 3)
    assert card.unscored == {}


def test_splits_are_taken_by_title_and_bounded(tmp_path: Path) -> None:
    titles = ["Rome", "Ada", "Chopin", "Marie Curie"]
    gold = gold_files.read(write(tmp_path, *(row(title) for title in titles)))

    def chosen(**options: object) -> list[str]:
        return [each.title for each in select(gold, ScorecardOptions(**options))]  # type: ignore[arg-type]

    assert chosen() == titles
    assert chosen(split="test") == ["Rome"]
    assert chosen(split="validation") == ["Chopin"]
    assert chosen(split="train", limit=1) == ["Ada"]
    for options in ({"split": "tests"}, {"limit": 0}):
        with pytest.raises(UsageError):
            chosen(**options)
    with pytest.raises(UsageError, match="no passage in the split 'test'"):
        select(gold_files.read(write(tmp_path, row("Ada"))), ScorecardOptions(split="test"))


class Knowing(OfflineExtractor):
    """The rules, with mentions and a classifier of relations on top."""

    threshold = 0.5

    @property
    def relation_classifier(self) -> RelationClassifier:
        return self

    def find_mentions(self, task: ChunkTask, shown_text: str) -> tuple[EntityMentions, ...]:
        assert task.chunk.text == shown_text
        places = ((0, 9), (64, 69))
        return (EntityMentions("Ada Byron", "PERSON", places), EntityMentions("1835", "DATE", ((58, 62),)))

    def relate(
        self, text: str, sentences: Sequence[Place], entities: Sequence[EntityMentions]
    ) -> tuple[ScoredRelation, ...]:
        return (ScoredRelation(0, "PLACE_OF_BIRTH", 1, 0.9), ScoredRelation(0, "RESIDENCE", 4, 0.2))


class Mute:
    """The rules with nothing on top: CSV, and nothing else, as from a model."""

    converses = False
    notes = ()

    def __init__(self, schema: Schema) -> None:
        self._rules = OfflineExtractor(schema)
        self.name = self._rules.name
        self.config_hash = self._rules.config_hash

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        return self._rules.answer(task, shown_text)

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        return self._rules.answer(task, shown_text)

    def keep(self, answer: ModelAnswer) -> None:
        """Keep nothing."""


class Mistaken(Knowing):
    """Places Ada where she is not."""

    def find_mentions(self, task: ChunkTask, shown_text: str) -> tuple[EntityMentions, ...]:
        return (EntityMentions("Ada Byron", "PERSON", ((1, 5),)),)


def judge_with(extractor: Extractor, folder: Path) -> Judged:
    types = type_map.load(gold_files.read(write(folder)))
    config = ExtractionConfig(load_schema("described"), extractor)
    found, _ = extract_passages([passage()], config, 1200, SILENT)
    return judge([passage()], found, types, extractor, [passage()])


def test_the_rules_offer_mentions_and_a_classifier() -> None:
    extractor = OfflineExtractor(load_schema("described"))
    assert isinstance(extractor, OffersMentions)
    assert isinstance(extractor, OffersRelations)


def test_rows_have_the_places_that_the_extractor_gives_itself(tmp_path: Path) -> None:
    schema = load_schema("described")
    measure = "relations.end_to_end.document"
    right = [
        score(judge_with(each(schema), tmp_path).counts[measure]).counts.right for each in (Mute, Knowing, Mistaken)
    ]
    assert right[0] == right[1] > right[2]


def test_an_extractor_that_offers_more_is_scored_on_it_and_the_basis_says_so(tmp_path: Path) -> None:
    judged = judge_with(Knowing(load_schema("described")), tmp_path)
    assert score(judged.counts["mentions.strict"]).counts == Counts(3, 3, 3, 6)
    by_name = judge_with(Mute(load_schema("described")), tmp_path)
    for measure in ("mentions.by_name.strict", "entities.by_name", "relations.end_to_end.by_name.document"):
        assert judged.counts[measure] == by_name.counts[measure.replace(".by_name", "")], measure
    assert judged.counts["mentions.by_name.strict"] != judged.counts["mentions.strict"]
    assert score(judged.counts["clusters.all.b_cubed"]).counts == Counts(3, 3, 3, 6)
    assert score(judged.counts["relations.gold_entities.document"]).counts == Counts(1, 1, 1, 3)
    assert "the extractor gives itself" in judged.basis["mentions"]
    assert "default threshold 0.5" in judged.basis["gold_entities"]
    assert judged.best_threshold["document"][1].counts == Counts(2, 2, 2, 3)
    assert judged.best_threshold["document"][0] == pytest.approx(0.2)


def rules_on_real_passages(shared_data: Path) -> Scorecard:
    """Score twelve passages; the passages of the other half are judged as well, for the threshold."""
    gold = str(shared_data / "redocred" / "dev_revised.json")
    return score_extraction(gold, settings=Settings(), options=ScorecardOptions(split="test", limit=12))


def test_the_rules_on_real_passages(shared_data: Path) -> None:
    card = rules_on_real_passages(shared_data)
    assert card.documents == 12
    assert card.scores["mentions.strict"].shares.f1 > 0.3
    assert card.rows.read == card.rows.accepted > 100
    assert card.relation_names["P19"] == "place of birth"


@pytest.mark.long
def test_the_rules_score_real_passages_alike_each_time(shared_data: Path) -> None:
    assert rules_on_real_passages(shared_data).scores == rules_on_real_passages(shared_data).scores
