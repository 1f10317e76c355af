"""An answer without a model: a short one where the best passage agrees with it, else the best sentence."""

from __future__ import annotations

import pytest

from film_graph import MODEL, TOKENISER
from kg_neo4j.factory import without_model
from kg_neo4j.records import Answer
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.interface import UNANSWERED, Found, FoundChunk, Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j_offline.from_sources import WITHOUT_MODEL, answer

HOW = AskContext(MODEL, TOKENISER, without_model())


def asked(question: str, *chunks: FoundChunk) -> Answer:
    return answer(AnswerFromSources(Search("graph", read(question)), Found("naive", chunks), HOW))


def ask(question: str, *texts: str) -> Answer:
    return asked(question, *(FoundChunk(f"c{n}", text, 0, "", "Lives", 1.0) for n, text in enumerate(texts)))


def limits(*languages: str) -> tuple[str, ...]:
    text = "Gerda Holm wurde in Hald geboren."
    chunks = [FoundChunk(f"c{n}", text, 2, "", "Holm", 1.0, each) for n, each in enumerate(languages)]
    return asked("Wo wurde Gerda Holm geboren?", *chunks).limits


@pytest.mark.parametrize("languages", [(), ("",), ("en",), ("en-GB", "de"), ("", "en", "de")])
def test_english_needs_no_remark(languages: tuple[str, ...]) -> None:
    assert limits(*languages) == ()


def test_other_languages_give_names_and_dates_and_the_answer_says_what_to_do() -> None:
    (line,) = limits("de", "de-AT", "pl", "en", "")
    assert line.startswith("text in 'de', 'pl': without a model only names and dates are extracted; set OPENAI_API_KEY")
    assert "KG_MODEL" in line


def test_the_remark_on_other_languages_stands_where_nothing_fits_too() -> None:
    chunk = FoundChunk("c", "Die Stadt liegt am Fluss.", 2, "", "Hald", 1.0, "de")
    made = asked("Wer war Goethe?", chunk)
    assert (made.answer, made.passages, made.limits) == (UNANSWERED.answer, (), limits("de"))


def test_a_short_answer_stands_above_the_passages() -> None:
    made = ask("When did Ada Lind die?", "Ada Lind (1890–1951) drew maps. She lived in Hald.")
    assert (made.found, made.short) == (True, "1951")
    assert made.answer == "1951 [1]\nAda Lind (1890–1951) drew maps. [1]"
    assert [claim.support for claim in made.claims] == ["supported", "supported"]
    [passage] = made.passages
    assert (passage.citation, passage.after) == (made.citations[0], "She lived in Hald.")


def test_without_a_short_answer_the_best_sentence_is_shown_and_nothing_is_claimed() -> None:
    text = "The bridge was *gone* by May.[4] Ada Lind crossed the river."
    made = ask("Why was the bridge gone?", text, "Ada Lind drew the bridge.")
    assert made.answer == "The bridge was gone by May. [1]"
    assert (made.found, made.short, made.claims, made.path) == (False, "", (), ())
    assert made.notes == (WITHOUT_MODEL,)
    assert made.citations == (made.passages[0].citation,)
    assert [each.citation.quote for each in made.passages] == [text[:32], "Ada Lind drew the bridge."]


def test_a_short_answer_that_the_best_passage_does_not_agree_with_is_not_shown() -> None:
    best, life = "When Ada Lind died, her house was sold to the town.", "Ada Lind (1890–1951) drew maps."
    apart = ask("When did Ada Lind die?", best, life)
    assert (apart.found, apart.short, apart.answer) == (False, "", f"{best} [1]")
    together = ask("When did Ada Lind die?", f"{life} {best}")
    assert (together.found, together.short) == (True, "1951")


@pytest.mark.parametrize(
    "question", ["When did Stein visit Paris?", "When was Paula Horn born?", "How high is the garden?"]
)
def test_a_question_that_no_sentence_answers_gets_passages_alone(question: str) -> None:
    made = ask(question, "Maria Stein (1801–1870) had a garden at Linz. Paula Horn, a geologist, wrote her life.")
    assert (made.found, made.short, len(made.passages)) == (False, "", 1)


def test_there_is_no_answer_where_no_passage_has_a_name_of_the_question() -> None:
    assert ask("When did Mira Olin die?", "Ada Lind died in 1951 in Hald.") == UNANSWERED
    assert ask("When did Mira Olin die?") == UNANSWERED


def test_what_is_cited_comes_first_in_the_evidence() -> None:
    text = "Maps are rare. Ada Lind died in 1951 in Hald."
    made = ask("When did Ada Lind die?", "Maps of Lind are rare.", text)
    assert [(each.chunk_id, each.text) for each in made.evidence[:1]] == [("c1", text[15:])]
    assert {each.chunk_id for each in made.evidence} == {"c0", "c1"}
