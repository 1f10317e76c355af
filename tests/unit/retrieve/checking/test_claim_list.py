"""A text as the claims in it, each readable alone."""

from __future__ import annotations

from kg_neo4j.retrieve.checking.claim_list import read_claims
from kg_neo4j.retrieve.checking.statement import name_runs, name_spans


def test_names_are_runs_of_words_with_a_capital() -> None:
    text = "Al met Ludwig van Beethoven of Bonn, and the St of Rome."
    assert [text[start:end] for start, end in name_spans(text)] == ["Al", "Ludwig van Beethoven of Bonn", "St of Rome"]


def test_a_title_and_a_name_are_one_name() -> None:
    assert [each.words for each in name_runs("Dr. Annika K. Holm took over from Peder in May.")] == [
        ("dr", "annika", "k", "holm"),
        ("peder",),
    ]


def read(text: str, *headings: str) -> list[tuple[str, str] | None]:
    return [each and (each.read_as, each.unclear) for each in read_claims(text, headings)]


def test_a_pronoun_becomes_the_one_name_that_it_can_mean() -> None:
    assert read("Ada Lind was born in Oslo. She moved to Paris. Her film burned in 1931.") == [
        ("Ada Lind was born in Oslo.", ""),
        ("Ada Lind moved to Paris.", ""),
        ("Ada Lind's film burned in 1931.", ""),
    ]
    assert read("In 1891 Ada Lind left. Later she moved to Paris.")[1] == ("", "she")
    assert read("Ada Lind met Otto Berg. He moved to Paris.")[1] == ("", "He")
    assert read("She moved to Paris.") == [("", "She")]
    assert read("The firm has its base in Oslo.") == [("The firm has its base in Oslo.", "")]
    assert read("They moved to Paris in May.") == [("", "They")]


def test_questions_and_headings_are_no_claims() -> None:
    text = "# Early life\n\nWho was Ada Lind?\n\n- Ada Lind lived in Oslo.\n\nShort line\n"
    assert read(text, "Early life") == [None, None, ("Ada Lind lived in Oslo.", ""), None]
    assert read("") == []
