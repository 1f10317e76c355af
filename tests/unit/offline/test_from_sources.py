import pytest

from film_graph import MODEL, TOKENISER
from kg_neo4j.factory import without_model
from kg_neo4j.offline.from_sources import answer
from kg_neo4j.retrieve import Means
from kg_neo4j.retrieve.interface import Found, FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.reply import AnswerFromSources

HOW = Means(MODEL, TOKENISER, door=without_model())


def limits(*languages: str) -> tuple[str, ...]:
    chunks = [FoundChunk(f"c{n}", "Goethe.", 2, "", "Goethe", 1.0, each) for n, each in enumerate(languages)]
    return answer(AnswerFromSources(read("Wer war Goethe?"), Found("naive", tuple(chunks)), HOW)).limits


@pytest.mark.parametrize("languages", [(), ("",), ("en",), ("en-GB", "de"), ("", "en", "de")])
def test_english_needs_no_remark(languages: tuple[str, ...]) -> None:
    assert limits(*languages) == ()


def test_other_languages_give_names_and_dates_and_the_answer_says_what_to_do() -> None:
    (line,) = limits("de", "de-AT", "pl", "en", "")
    assert line.startswith("of text in 'de', 'pl' only names and dates are known without a model: set OPENAI_API_KEY")
    assert "KG_MODEL" in line
