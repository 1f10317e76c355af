"""What one passage says of a claim: stated, contradicted, or not found where it is not certain."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.checking.claim_list import read_claims
from kg_neo4j.retrieve.checking.counterparts import counterparts, name_spans
from kg_neo4j.retrieve.checking.support import CitedPassage
from kg_neo4j.retrieve.checking.verdict import CONTRADICTED, NOT_FOUND, STATED, Verdict, find_quote, judge_claim
from kg_neo4j_offline.stand_ins import contradicts

TEXT = (
    "Ada Lind (4 May 1890 – 3 June 1950) was a director from Oslo. She was taught by Otto Berg. Ada Lind directed Rain "
    "Road in 1931. The film was not a success. Its 1,200 copies were burned. Jan Holm never visited Vienna. Eva Dahl "
    "died on 7 October 1901 in the north of Norway. Ida Rask did not become a member until 1950. Ola Vik wept; Per did "
    "not. Tom Moe hoped to marry Liv Ness in 1920."
)


def judged(claim: str, text: str = TEXT, title: str = "Notes") -> Verdict:
    return judge_claim(claim, CitedPassage(text, title), contradicts)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Ada Lind directed Rain Road in 1931.", STATED),
        ("Rain Road was directed by Ada Lind.", STATED),
        ("Otto Berg taught Ada Lind.", STATED),
        ("Ada Lind died on 3 June 1950.", STATED),
        ("Jan Holm never visited Vienna.", STATED),
        ("The film was not a success.", STATED),
        ("1200 copies were burned.", STATED),
        ("Ada Lind directed Rain Road in 1934.", CONTRADICTED),
        ("Ada Lind did not direct Rain Road.", CONTRADICTED),
        ("Rain Road directed Ada Lind.", CONTRADICTED),
        ("Jan Holm visited Vienna.", CONTRADICTED),
        ("Eva Dahl died on 9 November 1901 in the north of Norway.", CONTRADICTED),
        ("Eva Dahl died on 7 October 1901 in the south of Norway.", CONTRADICTED),
        ("1,300 copies were burned.", CONTRADICTED),
        ("Ada Lind directed The Glass Year in 1931.", NOT_FOUND),
        ("Ada Holm directed Rain Road in 1931.", NOT_FOUND),
        ("Only Ada Lind directed Rain Road.", NOT_FOUND),
        ("Ada Lind was paid for Rain Road in 1931.", NOT_FOUND),
        ("Ida Rask became a member.", NOT_FOUND),
        ("Tom Moe married Liv Ness in 1920.", NOT_FOUND),
        ("Jan Holm collected stamps.", NOT_FOUND),
        ("", NOT_FOUND),
    ],
)
def test_what_a_passage_says_of_a_claim(claim: str, verdict: str) -> None:
    assert judged(claim).verdict == verdict


OWNED = (
    "In 1903 she joined the Harbour Institute, whose director was Otto Brandt. Her father, Nils Lindqvist, taught "
    "Clara Lindqvist. Eva Dahl's brother Per was a smith."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Otto Brandt was the director of the Harbour Institute.", NOT_FOUND),
        ("Otto Brandt directed the Harbour Institute.", NOT_FOUND),
        ("The Harbour Institute was the director of Otto Brandt.", NOT_FOUND),
        ("Clara Lindqvist was the father of Nils Lindqvist.", NOT_FOUND),
        ("Nils Lindqvist taught Clara Lindqvist.", STATED),
        ("Eva Dahl's brother Per was a smith.", STATED),
    ],
)
def test_a_word_that_the_text_has_as_somebodys_tells_no_direction(claim: str, verdict: str) -> None:
    assert judged(claim, OWNED).verdict == verdict


def test_the_words_that_tell_are_quoted_from_the_passage() -> None:
    found = judged("Ada Lind directed Rain Road in 1934.")
    assert TEXT[found.start : found.end] == "Ada Lind directed Rain Road in 1931."
    assert found.reason == "the text has '1931', not '1934'"
    assert judged("Jan Holm visited Vienna.").reason == "the text denies it"
    assert judged("Rain Road directed Ada Lind.").reason == "the text says it the other way round"


def test_a_number_that_may_belong_to_another_thing_states_nothing() -> None:
    text = "The mill had 30 windows in 1850 and 50 windows in 1900."
    assert judged("The mill had 50 windows in 1850.", text).verdict == NOT_FOUND


def test_an_alias_of_the_graph_stands_for_a_name() -> None:
    text = "The Enchantress met Charles Babbage in London."
    names = (("Ada Lovelace", "The Enchantress", "Enchantress"),)
    assert judge_claim(
        "Ada Lovelace met Charles Babbage in London.", CitedPassage(text, "", names), contradicts
    ).verdict == (STATED)
    assert judged("Ada Lovelace met Charles Babbage in London.", text).verdict == NOT_FOUND


def test_in_other_languages_a_claim_is_stated_word_for_word_only() -> None:
    text = "Der Film war kein Erfolg. Ada Lind drehte den Film nicht in Oslo."
    assert find_quote("Ada Lind drehte den Film nicht in Oslo!", text).verdict == STATED
    assert find_quote("Ada Lind drehte den Film in Oslo.", text).verdict == NOT_FOUND
    assert find_quote("Oslo.", text).verdict == NOT_FOUND


def test_counterparts_are_the_claim_but_for_one_thing() -> None:
    changed = {each.claim for each in counterparts("Ada taught Otto in 1901.", "Ada taught Otto in 1910.")}
    assert changed == {"Otto taught Ada in 1901.", "Ada taught Otto in 1910."}
    assert not list(counterparts("Ada taught.", "Ada not only taught."))


def test_names_are_runs_of_words_with_a_capital() -> None:
    text = "Al met Ludwig van Beethoven of Bonn, and the St of Rome."
    assert [text[start:end] for start, end in name_spans(text)] == ["Al", "Ludwig van Beethoven of Bonn", "St of Rome"]


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
