"""The rounds about one chunk, against a real HTTP server: cut answers, gleaning, repair; test plan rows 5, 6, 27."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csv_grammar import NODE_HEADER, RELATIONSHIP_HEADER, SCHEMA
from fake_llm import FakeLlm
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import ModelUnavailable
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.conversation import RUNAWAY_SHARE, Conversation, split_in_two
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.llm_extractor import LIMIT_A_COLUMN, LIMIT_A_TOKEN, LlmExtractor, RowListener
from kg_neo4j.extract.reading import Rounds, Shown
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, ModelAnswer, RejectionReason

HEADERS = (",".join(NODE_HEADER), ",".join(RELATIONSHIP_HEADER))
ADA = "n1,PERSON,Ada Lovelace,,,,,,Ada Lovelace"
BEN = "n2,PERSON,Charles Babbage,,,,,,Charles Babbage"
KNEW = "r1,n1,KNEW,n2,1843,,,wrote to"
LONG = "Anna met Ben in Kraków in the spring. They talked.\n\nCleo lived in Prague for many years. She wrote."


def csv(*rows: str) -> str:
    nodes = [row for row in rows if row.count(",") == len(NODE_HEADER) - 1]
    others = [row for row in rows if row not in nodes]
    return "\n".join([HEADERS[0], *nodes, "", HEADERS[1], *others]) + "\n"


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


def configure(llm: FakeLlm, **options: object) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=no_wait))
    return ExtractionConfig(SCHEMA, LlmExtractor(door_to(model), SCHEMA), **options)  # type: ignore[arg-type]


@pytest.fixture
def task(document: Document, chunks: tuple[Chunk, ...]) -> ChunkTask:
    return ChunkTask(document, chunks[0])


def steps(extraction: Extraction) -> list[tuple[int, str]]:
    return [(answer.round, answer.step) for answer in extraction.answers]


def adds_up(extraction: Extraction) -> bool:
    accepted = len(extraction.nodes) + len(extraction.relationships) + extraction.repeated
    return extraction.rows_read == accepted + len(extraction.rejections)


# ------------------------------------------------------------------------------------------------------ gleaning


def test_gleaning_goes_on_until_a_round_brings_nothing_new(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA)).say(csv(BEN)).say(csv()).say(csv())
    found = extract_chunk(task, configure(llm, gleanings=5))
    assert steps(found) == [(0, "whole"), (1, "glean"), (2, "glean")]
    assert [node.node_id for node in found.nodes] == ["n1", "1:n2"]
    assert llm.calls == found.usage.calls == 3


def test_a_gleaning_round_sees_the_text_the_rules_and_what_was_found(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BEN, KNEW)).say(csv())
    extract_chunk(task, configure(llm, gleanings=1))
    first, second = (request.body["messages"] for request in llm.requests)
    assert second[0] == first[0]
    assert second[1]["content"].startswith(first[1]["content"])
    assert "n1,PERSON,Ada Lovelace\nn2,PERSON,Charles Babbage" in second[1]["content"]
    assert "n1,KNEW,n2" in second[1]["content"]


def test_a_later_round_may_use_the_ids_that_stand(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BEN)).say(csv(KNEW))
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert [(row.source_id, row.target_id) for row in found.relationships] == [("n1", "n2")]
    assert found.rejections == ()


def test_rows_that_repeat_are_accepted_and_add_no_evidence(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BEN, KNEW)).say(csv(ADA.replace("n1", "x9"), BEN, KNEW.replace("n1", "x9").replace("1843", "")))
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert (len(found.nodes), len(found.relationships), found.repeated, found.rows_read) == (2, 1, 3, 6)
    assert adds_up(found)


def test_a_repeated_node_that_says_more_is_kept(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA)).say(csv(ADA.replace("Lovelace,,", "Lovelace,1815,")))
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert [dict(node.properties) for node in found.nodes] == [{}, {"birth_year": 1815}]


def test_the_same_id_for_another_node_in_a_later_round_means_that_node(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA)).say(csv(BEN.replace("n2", "n1"), "r1,n1,IS,n1,,,,"))
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert [node.node_id for node in found.nodes] == ["n1", "1:n1"]
    assert found.relationships[0].source_id == "1:n1"


@pytest.mark.parametrize("fault", ["filter", "nonsense"])
def test_a_round_that_fails_costs_its_own_rows_only(llm: FakeLlm, task: ChunkTask, fault: str) -> None:
    llm.say(csv(ADA))
    if fault == "filter":
        llm.fail(400, code="content_filter")
    else:
        llm.say("I see nothing else.")
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert found.outcome is ChunkOutcome.DONE
    assert [node.name for node in found.nodes] == ["Ada Lovelace"]
    assert (fault == "filter") == ("glean" in found.detail)


def test_a_round_in_which_an_extractor_has_a_fault_costs_its_own_rows_only(
    llm: FakeLlm, task: ChunkTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_extractor: LlmExtractor, _task: ChunkTask, _text: str, question: FollowUp) -> ModelAnswer:
        raise KeyError(question.step)

    llm.say(csv(ADA, BEN, KNEW))
    monkeypatch.setattr(LlmExtractor, "follow_up", broken)
    found = extract_chunk(task, configure(llm, gleanings=1))
    assert [node.name for node in found.nodes] == ["Ada Lovelace", "Charles Babbage"]
    assert found.detail.startswith("glean: fake raised KeyError (test_conversation.py")
    assert adds_up(found)


def test_an_unavailable_model_stops_the_run_also_in_a_later_round(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA)).fail(503)
    with pytest.raises(ModelUnavailable):
        extract_chunk(task, configure(llm, gleanings=1))


# ------------------------------------------------------------------------------------------------------- repair

BAD_TYPE = "n2,PERSON?,Charles Babbage,,,,,,Charles Babbage"


def test_rejected_rows_are_asked_for_once_with_their_reasons(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BAD_TYPE, KNEW)).say(csv(BEN, KNEW))
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "whole"), (1, "repair")]
    assert [(each.reason, each.repaired) for each in found.rejections] == [
        (RejectionReason.BAD_TYPE, True),
        (RejectionReason.MISSING_END, True),
    ]
    assert {node.name for node in found.nodes} == {"Ada Lovelace", "Charles Babbage"}
    assert [(row.source_id, row.target_id) for row in found.relationships] == [("n1", "1:n2")]
    asked = llm.requests[1].user
    assert BAD_TYPE in asked
    assert "bad type" in asked
    assert adds_up(found)


def test_what_fails_again_is_quarantined(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BAD_TYPE)).say(csv(BAD_TYPE))
    found = extract_chunk(task, configure(llm))
    assert [(each.round, each.repaired) for each in found.rejections] == [(1, False)]  # once, as it came last
    assert llm.calls == 2
    assert adds_up(found)


def test_a_row_that_is_rejected_again_counts_once_with_its_last_reason(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BAD_TYPE, "n3,PERSON,Cleo", KNEW)).say(csv(BEN, "n3,,Cleo,,,,,,Cleo", KNEW))
    found = extract_chunk(task, configure(llm))
    assert Counter((str(each.reason), each.repaired) for each in found.rejections) == {
        ("bad_type", True): 1,
        ("missing_end", True): 1,
        ("empty_field", False): 1,
    }
    assert [each.text for each in found.rejections if not each.repaired] == ["n3,,Cleo,,,,,,Cleo"]
    assert adds_up(found)


def test_asking_once_more_shows_only_what_is_still_in_quarantine(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BAD_TYPE, "n3,PERSON,Cleo")).say(csv(BEN)).say(csv("n3,PERSON,Cleo,,,,,,Cleo"))
    config = configure(llm)
    first = extract_chunk(task, config)
    assert [each.repaired for each in first.rejections] == [True, False]
    rounds = Rounds(task.chunk, config.reading, Shown(task.chunk.text))
    again = Conversation(task, config.extractor, rounds, 0, repair=True)
    found = again.repair_again(first.answers)
    asked = llm.requests[2].user
    assert "n3,PERSON,Cleo" in asked
    assert BAD_TYPE not in asked
    assert [each.repaired for each in found.rejections] == [True, True]
    assert [answer.round for answer in found.answers] == [0, 1, 2]


def test_nothing_is_asked_again_without_a_reason_or_a_wish(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA)).say(csv(ADA, BAD_TYPE)).say(csv(ADA, "n3,PERSON,A\u202eda\0,,,,,,"))
    assert extract_chunk(task, configure(llm)).rejections == ()
    assert len(extract_chunk(task, configure(llm, repair=False)).rejections) == 1
    found = extract_chunk(task, configure(llm))
    assert llm.calls == 3 or found.rejections == ()


def test_an_answer_with_a_wrong_header_is_repaired_too(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA).replace("node_type", "kind")).say(csv(ADA))
    found = extract_chunk(task, configure(llm))
    assert found.outcome is ChunkOutcome.DONE
    assert [each.repaired for each in found.rejections] == [True]


def test_the_stored_rounds_give_the_same_extraction_without_asking(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA, BAD_TYPE)).say(csv(KNEW.replace("n2", "n1"))).say(csv(BEN))
    config = configure(llm, gleanings=1)
    first = extract_chunk(task, config)
    assert [step for _, step in steps(first)] == ["whole", "glean", "repair"]
    again = extract_chunk(replace(task, stored=first.answers), config)
    assert again == first
    assert llm.calls == 3


# -------------------------------------------------------------------------------------- cut answers, long texts


def test_a_cut_answer_is_gone_on_with(llm: FakeLlm, task: ChunkTask) -> None:
    """Row 5: its whole rows stay, the rest is asked for."""
    llm.say(csv(ADA) + "r1,n1,KN", finish_reason="length").say(csv(BEN, KNEW))
    found = extract_chunk(task, configure(llm, repair=False))
    assert steps(found) == [(0, "whole"), (1, "continue")]
    assert found.outcome is ChunkOutcome.DONE
    assert {node.name for node in found.nodes} == {"Ada Lovelace", "Charles Babbage"}
    assert "n1,PERSON,Ada Lovelace" in llm.requests[1].user


def test_an_answer_that_is_cut_twice_is_asked_for_in_two_halves(llm: FakeLlm, task: ChunkTask) -> None:
    task = replace(task, chunk=replace(task.chunk, text=LONG))
    cut = csv(ADA) + "r1,n1,KN"
    llm.say(cut, finish_reason="length").say(cut, finish_reason="length").say(csv(ADA)).say(csv(BEN))
    config = configure(llm, repair=False)
    found = extract_chunk(task, config)
    assert steps(found) == [(0, "whole"), (1, "continue"), (2, "half"), (3, "half")]
    assert found.outcome is ChunkOutcome.DONE
    assert [node.name for node in found.nodes] == ["Ada Lovelace", "Charles Babbage"]
    asked = [request.user for request in llm.requests]
    assert "Anna met" in asked[2]
    assert "Cleo" not in asked[2]
    assert "Cleo" in asked[3]
    again = extract_chunk(replace(task, stored=found.answers), config)
    assert (again.nodes, llm.calls) == (found.nodes, 4)


def test_an_answer_cut_before_its_first_row_is_asked_for_in_parts_and_ends(llm: FakeLlm, task: ChunkTask) -> None:
    """Row 6: reasoning used up the budget."""
    task = replace(task, chunk=replace(task.chunk, text=LONG))
    for _ in range(20):
        llm.say("", finish_reason="length")
    found = extract_chunk(task, configure(llm))
    assert found.outcome is ChunkOutcome.FAILED
    assert "truncated" in found.detail
    assert llm.calls <= 1 + 2 + 4


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "max_tokens", "error", "model_length"])
def test_every_word_for_a_cut_is_one(llm: FakeLlm, task: ChunkTask, reason: str) -> None:
    llm.say(csv(ADA), finish_reason=reason).say(csv(BEN, KNEW))
    found = extract_chunk(task, configure(llm, repair=False))
    assert steps(found) == [(0, "whole"), (1, "continue")]
    assert found.outcome is ChunkOutcome.DONE


@pytest.mark.parametrize("reason", ["end_turn", "eos", None, "OTHER"])
def test_an_answer_with_both_sections_is_whole_whatever_a_server_calls_its_end(
    llm: FakeLlm, task: ChunkTask, reason: str | None
) -> None:
    llm.say(csv(ADA, BEN, KNEW), finish_reason=reason)
    found = extract_chunk(task, configure(llm))
    assert (steps(found), found.outcome) == ([(0, "whole")], ChunkOutcome.DONE)


@pytest.mark.parametrize("reason", ["stop", None])
def test_an_answer_without_the_second_header_is_not_whole(llm: FakeLlm, task: ChunkTask, reason: str | None) -> None:
    first = csv(ADA, BEN).partition(HEADERS[1])[0]
    llm.say(first, finish_reason=reason).say(csv(KNEW))
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "whole"), (1, "continue")]
    assert (found.outcome, len(found.relationships)) == (ChunkOutcome.DONE, 1)
    for _ in range(4):
        llm.say(first)
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "whole"), (1, "continue"), (2, "again")]
    assert found.outcome is ChunkOutcome.TRUNCATED
    assert "no header row of relationships" in found.detail


def test_nothing_more_does_not_make_a_cut_answer_whole(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA), finish_reason="MAX_TOKENS").say(csv()).say(csv())
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "whole"), (1, "continue"), (2, "again")]
    assert (found.outcome, len(found.nodes)) == (ChunkOutcome.TRUNCATED, 1)
    llm.say(csv(ADA), finish_reason="length").say(csv()).say(csv(ADA, BEN, KNEW))
    assert extract_chunk(task, configure(llm)).outcome is ChunkOutcome.DONE


def test_an_answer_that_is_none_is_asked_for_once_more(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say("Ada knew Ben.").say(csv(ADA))
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "whole"), (1, "again")]
    assert found.outcome is ChunkOutcome.DONE
    assert "Your last answer could not be used: the answer has no header row" in llm.requests[1].user


def test_words_below_the_headers_are_not_an_empty_answer(llm: FakeLlm, task: ChunkTask) -> None:
    prose = "Ada Lovelace was a person who wrote to Babbage\n" * 9
    llm.say(f"{HEADERS[0]}\n{prose}\n{HEADERS[1]}\n").say(csv(ADA))
    assert extract_chunk(task, configure(llm)).outcome is ChunkOutcome.DONE
    llm.say(f"{HEADERS[0]}\n{HEADERS[1]}\nThis text names no one.")
    assert extract_chunk(task, configure(llm)).outcome is ChunkOutcome.EMPTY


ENDLESS = csv(ADA, *(f"n{i},PERSON,Charles Babbage,,,,,," for i in range(2, 400)))


def test_an_answer_that_repeats_itself_is_stopped_and_asked_for_in_halves(llm: FakeLlm, task: ChunkTask) -> None:
    task = replace(task, chunk=replace(task.chunk, text=LONG * 8))
    llm.say(ENDLESS).say(csv(ADA)).say(ENDLESS)
    found = extract_chunk(task, configure(llm))
    assert [(answer.step, answer.finish_reason) for answer in found.answers] == [
        ("whole", "runaway"),
        ("half", "stop"),
        ("half", "runaway"),
    ]
    assert max(len(answer.text.splitlines()) for answer in found.answers) < 30
    assert found.outcome is ChunkOutcome.TRUNCATED
    assert "repeated itself" in found.detail
    assert llm.calls == 3  # no gleaning and no repair
    count = tokens.load().count
    left = RUNAWAY_SHARE * count(task.chunk.text) - count(found.answers[0].text)
    assert [request.body["max_tokens"] for request in llm.requests[1:]] == [left // 2] * 2


def test_no_half_is_asked_where_an_endless_answer_took_the_room(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(ENDLESS)
    found = extract_chunk(replace(task, chunk=replace(task.chunk, text=LONG)), configure(llm))
    assert (llm.calls, found.outcome, len(found.nodes)) == (1, ChunkOutcome.TRUNCATED, 14)


def test_an_answer_that_takes_its_whole_limit_has_no_end(llm: FakeLlm, task: ChunkTask) -> None:
    endless = csv(*(f"n{i},PERSON,Person {i},,,,,," for i in range(1, 400)))
    llm.usage = (100, tokens.load().count(endless))
    llm.say(endless, finish_reason="length")
    found = extract_chunk(task, configure(llm))
    assert (llm.calls, found.outcome) == (1, ChunkOutcome.TRUNCATED)
    assert "a text of this length" in found.detail


def test_lines_that_repeat_and_are_no_rows_end_an_answer(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA) + "\n".join(f"{each}\n" for each in ("and so on", "...") * 300))
    found = extract_chunk(task, configure(llm))
    assert found.answers[0].finish_reason == "runaway"
    assert len(found.answers[0].text) < 1_000


def test_each_request_has_a_limit_made_from_text_and_columns(llm: FakeLlm, task: ChunkTask) -> None:
    llm.say(csv(ADA))
    extract_chunk(task, configure(llm))
    columns = len(NODE_HEADER) + len(RELATIONSHIP_HEADER)
    text = tokens.load().count(task.chunk.text)
    assert llm.requests[0].body["max_tokens"] == LIMIT_A_TOKEN["words"] * text + LIMIT_A_COLUMN * columns


def test_a_model_that_spends_the_limit_on_thoughts_gets_none(llm: FakeLlm, task: ChunkTask) -> None:
    llm.usage = (100, 5_000)  # tokens that the server counts, and does not show
    llm.say("", finish_reason="length").say(csv(ADA)).say(csv(BEN))
    config = configure(llm)
    assert extract_chunk(task, config).outcome is ChunkOutcome.DONE
    assert extract_chunk(task, config).outcome is ChunkOutcome.DONE
    assert ["max_tokens" in request.body for request in llm.requests] == [True, False, False]


def test_a_listener_hears_nothing_new_in_ten_rows() -> None:
    listener = RowListener(SCHEMA)
    people = [f"n{i},PERSON,Person {i},,,,,," for i in range(200)]
    pairs = [f"r{i},n{i},KNEW,n{i + 1},,,," for i in range(199)]
    assert not any(listener(f"{line}\n") for line in csv(*people, *pairs).splitlines())
    again = (f"r{i},n1,KNEW,n2,,,,\n" for i in range(200, 300))
    assert next(place for place, line in enumerate(again) if listener(line) == "runaway") < 40


def test_a_text_that_is_too_long_is_asked_about_in_parts(llm: FakeLlm, task: ChunkTask) -> None:
    """Row 27."""
    task = replace(task, chunk=replace(task.chunk, text=LONG))
    llm.fail(400, code="context_length_exceeded").say(csv(ADA)).say(csv(BEN))
    found = extract_chunk(task, configure(llm))
    assert steps(found) == [(0, "half"), (1, "half")]
    assert found.outcome is ChunkOutcome.DONE


def test_a_text_that_never_fits_has_an_outcome_of_that_name(llm: FakeLlm, task: ChunkTask) -> None:
    """Row 27: no endless loop."""
    task = replace(task, chunk=replace(task.chunk, text=LONG * 4))
    for _ in range(40):
        llm.fail(400, code="context_length_exceeded")
    found = extract_chunk(task, configure(llm))
    assert found.outcome is ChunkOutcome.TOO_LONG
    assert found.answers == ()
    assert llm.calls == 3  # the whole, a half, a quarter


@given(st.text(alphabet="ab .\n", min_size=0, max_size=80))
def test_halves_are_the_whole_text(text: str) -> None:
    halves = split_in_two(text)
    assert "".join(halves) == text
    assert len(halves) == 1 or all(half.strip() or half for half in halves)


# --------------------------------------------------------------------------------------------- the cache of answers


def cached(llm: FakeLlm, folder: Path) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=no_wait))
    return ExtractionConfig(SCHEMA, LlmExtractor(door_to(model, AnswerCache(folder / "answers")), SCHEMA), gleanings=1)


def test_a_run_that_stopped_between_two_rounds_pays_for_the_second_only(
    llm: FakeLlm, task: ChunkTask, tmp_path: Path
) -> None:
    llm.say(csv(ADA)).fail(503)
    with pytest.raises(ModelUnavailable):
        extract_chunk(task, cached(llm, tmp_path))
    llm.say(csv(BEN))
    found = extract_chunk(task, cached(llm, tmp_path))
    assert [node.name for node in found.nodes] == ["Ada Lovelace", "Charles Babbage"]
    assert (llm.calls, found.usage.calls) == (3, 1)
    again = extract_chunk(task, cached(llm, tmp_path))
    assert (again.nodes, llm.calls, again.usage.calls) == (found.nodes, 3, 0)


def test_only_answers_of_use_are_kept(llm: FakeLlm, task: ChunkTask, tmp_path: Path) -> None:
    """Row 33."""
    llm.say("I see nothing.").say("Nothing.").say(csv())
    assert extract_chunk(task, cached(llm, tmp_path)).outcome is ChunkOutcome.FAILED
    llm.say(csv(ADA)).say(csv())
    assert extract_chunk(task, cached(llm, tmp_path)).usage.calls == 2
    assert llm.calls == 4
    assert extract_chunk(task, cached(llm, tmp_path)).usage.calls == 0
    assert extract_chunk(
        replace(task, document=replace(task.document, title="Other")), cached(llm, tmp_path)
    ).usage.calls
