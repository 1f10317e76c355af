import pytest

from film_graph import MODEL, TOKENISER
from kg_neo4j.factory import contradictions, without_model
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.interface import Found, FoundChunk, Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j_offline.from_sources import answer

HOW = AskContext(MODEL, TOKENISER, without_model(), contradictions())


def limits(*languages: str) -> tuple[str, ...]:
    chunks = [FoundChunk(f"c{n}", "Goethe.", 2, "", "Goethe", 1.0, each) for n, each in enumerate(languages)]
    return answer(
        AnswerFromSources(Search("graph", read("Wer war Goethe?")), Found("naive", tuple(chunks)), HOW)
    ).limits


@pytest.mark.parametrize("languages", [(), ("",), ("en",), ("en-GB", "de"), ("", "en", "de")])
def test_english_needs_no_remark(languages: tuple[str, ...]) -> None:
    assert limits(*languages) == ()


def test_other_languages_give_names_and_dates_and_the_answer_says_what_to_do() -> None:
    (line,) = limits("de", "de-AT", "pl", "en", "")
    assert line.startswith("text in 'de', 'pl': without a model only names and dates are extracted; set OPENAI_API_KEY")
    assert "KG_MODEL" in line


@pytest.mark.parametrize(
    ("asked", "support"),
    [
        ("Who was Ada Lind?", "supported"),
        ("How many plants does the garden have?", "supported"),
        ("Why did Ada Lind cross the river?", "quoted"),
    ],
)
def test_a_sentence_is_supported_where_what_is_asked_for_was_looked_for_in_it(asked: str, support: str) -> None:
    text = (
        "Ada Lind was a botanist. The garden of Ada Lind has four thousand plants, of which 800 are trees. "
        "Ada Lind crossed the river because the bridge was gone."
    )
    made = answer(
        AnswerFromSources(Search("graph", read(asked)), Found("naive", (FoundChunk("c", text, 0, "", "", 1.0),)), HOW)
    )
    assert [claim.support for claim in made.claims] == [support]
