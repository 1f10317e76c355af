"""What asking takes, from figures: assumed, measured, and added up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j._models.tokens import Approximation
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.factory import door_to
from kg_neo4j.graph.documents import AnswerFigures
from kg_neo4j.pipeline.estimates import (
    BEFORE_TOKENS,
    KNOWN_TOKENS,
    LATENCY_S,
    REPAIRS,
    SUMMARY_PROMPT,
    TOKENS_A_SECOND,
    WRITTEN,
    Estimate,
    Figures,
    Fixed,
    SummaryEstimate,
    assumed,
    context_tokens,
    measured,
    names_in,
    waiting_s,
    words_in,
)
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, Usage
from kg_neo4j.settings import Settings

TOKENS = Approximation()
RECORDED = Path(__file__).resolve().parents[2] / "data" / "recorded"
LAMP = Path(__file__).resolve().parents[3] / "examples" / "the_lamp_at_skarnes.md"
FIXED = Fixed(whole=1_000, glean=200, repair=100)
ASSUMED = Figures(output=7.0, shown=0.3, gleanings=1.0, gleaned=0.5, repairs=REPAIRS)


def extractor(name: str) -> LlmExtractor:
    return LlmExtractor(door_to(OpenAIChat("m", Endpoint())), schemas.load(name))


def answer(chunk: str, step: str, read: int, written: int, place: int = 0) -> AnswerFigures:
    return AnswerFigures(chunk, place, 500, step, read, written)


@pytest.mark.parametrize("name", schemas.BUILT_IN)
def test_a_model_that_nobody_knows_writes_as_much_as_a_large_one(name: str) -> None:
    schema = schemas.load(name)
    figures = assumed(schema, 2)
    assert (figures.output, figures.gleanings) == (0.0, 2.0)
    a_word, a_name, _ = WRITTEN[schema.evidence]
    assert figures.a_word / figures.a_name == pytest.approx(a_word / a_name)
    # rows of "wikipedia" are shorter than those measured, those of "small" longer
    assert (0.9 < figures.a_word / a_word < 1.1) is (name not in ("wikipedia", "small"))
    assert 0 < figures.shown < 1
    assert "assumed" in figures.in_words()[0]


@pytest.mark.filterwarnings("ignore:open_(binary|text) is deprecated:DeprecationWarning")  # of bpe-openai
@pytest.mark.parametrize(("document", "path"), [("harbour", RECORDED / "harbour.md"), ("lamp", LAMP)])
def test_the_output_of_a_plan_is_within_a_quarter_of_what_a_large_model_wrote(document: str, path: Path) -> None:
    """These texts are among those that the figures were fitted to; the README of the answers has two others."""
    import bpe_openai  # warns as it is imported

    lines = (RECORDED / "extraction_numbered_sentences.jsonl").read_text("utf-8").splitlines()
    answers = [line["answer"] for line in map(json.loads, lines) if line["document"] == document]
    encoding = bpe_openai.get_encoding("o200k_base")
    figures, planned = assumed(schemas.load("lean"), 0), 0.0
    for read in check_sources([str(path)], Settings(), LoadOptions(), Tally()).documents():
        for cut in cut_document(read, TOKENS, Settings(), LoadOptions()):
            planned += figures.a_word * words_in(cut) + figures.a_name * len(names_in(cut.text))
    assert planned == pytest.approx(sum(len(encoding.encode(answer)) for answer in answers), rel=0.25)


def test_the_prompts_themselves_are_counted() -> None:
    fixed = Fixed.of(extractor("described"), TOKENS)
    assert fixed.whole > 700
    assert 50 < fixed.repair < 300
    assert 50 < fixed.glean < 300


def test_figures_are_measured_on_answers() -> None:
    answers = [
        answer("a", "whole", 3_000, 250),
        answer("a", "glean", 3_600, 50),
        answer("b", "whole", 3_000, 750),
        answer("b", "repair", 3_500, 40),
    ]
    found = measured(answers, ASSUMED, FIXED, wave=0)
    assert (found.output, found.factor, found.answers) == (1.0, 2.0, 4)
    assert (found.gleanings, found.gleaned) == (0.5, 0.2)
    assert (found.shown, found.a_name) == (ASSUMED.shown, 0.0)
    assert (found.repairs, found.repair_output) == (0.5, 40)
    assert "measured on 4 answers" in found.in_words()[0]


def test_without_a_first_answer_nothing_is_measured() -> None:
    assert measured([], ASSUMED, FIXED, wave=8) == ASSUMED
    assert measured([answer("a", "glean", 3_600, 50)], ASSUMED, FIXED, wave=8) == ASSUMED


def test_answers_without_gleaning_leave_gleaning_assumed() -> None:
    found = measured([answer("a", "whole", 1_500, 500)], ASSUMED, FIXED, wave=0)
    assert (found.gleanings, found.gleaned, found.shown) == (1.0, 0.5, 0.3)
    assert (found.repairs, found.factor) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("place", "wave", "tokens"),
    [
        (0, 8, 0),
        (5, 8, BEFORE_TOKENS),
        (15, 8, BEFORE_TOKENS),
        (16, 8, BEFORE_TOKENS + KNOWN_TOKENS),
        (16, 0, 0),
    ],
)
def test_names_are_carried_over_from_finished_waves(place: int, wave: int, tokens: int) -> None:
    assert context_tokens(place, wave) == tokens


def test_questions_add_up() -> None:
    figures = Figures(output=2.0, shown=0.5, gleanings=1.0, gleaned=0.25, repairs=0.5, repair_output=60, factor=2.0)
    estimate = Estimate(figures, FIXED)
    seconds = [estimate.ask(1_500, 100, first=True), estimate.ask(1_500, 100, first=False)]
    assert estimate.usages(Price(1.0, 2.0)) == {
        "whole": Usage(1, 3_000, 200, 0.0034),
        "glean": Usage(2, 2 * 3_500, 100, 0.0072),
        "repair": Usage(1, 3_250, 60, 0.00337),
    }
    whole, glean, repair = (LATENCY_S + written / TOKENS_A_SECOND for written in (200, 50, 60))
    assert seconds == pytest.approx([whole + glean + repair / 2, glean + repair / 2])


def test_what_never_takes_place_is_no_step() -> None:
    estimate = Estimate(Figures(2.0, 0.5, 0.0, 0.5, repairs=0.01), FIXED)
    estimate.ask(1_500, 100, first=True)
    assert set(estimate.usages(None)) == {"whole"}
    assert estimate.usages(None)["whole"].usd is None


def test_two_waves_are_waited_for_together() -> None:
    assert waiting_s({}, 4) == 0
    assert waiting_s({0: [1.0, 9.0], 1: [2.0, 2.0]}, 4) == 9.0
    assert waiting_s({0: [4.0] * 8, 1: [4.0] * 8, 2: [4.0]}, 16) == 8.0
    assert waiting_s({0: [4.0] * 8}, 2) == 16.0


# -- summaries


def chunk(text: str) -> Chunk:
    return Chunk("id", "document", "graph", 0, text, 0, 0, len(text))


def test_names_that_many_chunks_have_will_need_a_summary() -> None:
    estimate = SummaryEstimate(bound_tokens=100, description_tokens=30.0, stored={"Bonpland": 2})
    for _ in range(4):
        estimate.add(chunk("Then he met Alexander von Humboldt. The others, and Ada Żuk, stayed. The rest did not."))
    estimate.add(chunk("In Paris they met Bonpland, with Bonpland at home. With Paris behind them."))
    assert estimate.sums() == (2, 2 * (120 + SUMMARY_PROMPT), 240)  # Alexander and Ada Żuk; three of Bonpland fit
    estimate.add(chunk("They met Bonpland."))
    assert estimate.sums()[0] == 3


@pytest.mark.parametrize(("bound", "description"), [(0, 30.0), (100, 0.0)])
def test_where_nothing_is_described_nothing_is_summarised(bound: int, description: float) -> None:
    estimate = SummaryEstimate(bound, description)
    for _ in range(50):
        estimate.add(chunk("They met Bonpland."))
    assert estimate.sums() == (0, 0, 0)


def test_the_prompt_for_summaries_is_as_long_as_assumed() -> None:
    text = Path(__file__).resolve().parents[3].joinpath("prompts", "describe.md").read_text("utf-8")
    assert TOKENS.count(text) == pytest.approx(SUMMARY_PROMPT, rel=0.2)
