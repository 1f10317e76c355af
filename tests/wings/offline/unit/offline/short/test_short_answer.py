"""A short answer is of the kind asked for, of whom is asked for, and nothing that a sentence denies."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.checking.support import SUPPORTED
from kg_neo4j.retrieve.interface import Found, FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.passages import best
from kg_neo4j_offline.short.short_answer import ShortAnswer, find_short, tell


def find(question: str, text: str, title: str = "") -> ShortAnswer | None:
    found = Found("naive", (FoundChunk("c", text, 0, "", title, 1.0),))
    [(sentence, _), *_] = best(read(question), found.chunks)
    return find_short(read(question), found, sentence)


def value(question: str, text: str, title: str = "") -> str:
    short = find(question, text, title)
    return short.value if short else ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Marek Olin died in 312 CE.", ""),
        ("Marek Olin died in the year 312 AD.", ""),
        ("Marek Olin died on Monday.", ""),
        ("Marek Olin died in the Bronze Age.", ""),
        ("Marek Olin died in AD 312.", ""),
        ("Marek Olin died in May.", ""),
        ("Marek Olin died near Easter.", ""),
        ("Marek Olin died in CE 312 in Hald.", "Hald"),
        ("Marek Olin died with Otto Berg.", ""),
        ("Marek Olin died in 312 CE at Hald.", "Hald"),
        ("Marek Olin died on Monday in Hald.", "Hald"),
        ("On Monday Marek Olin died in Hald.", "Hald"),
        ("Marek Olin died in Hald on Monday.", "Hald"),
        ("Marek Olin died in Hald, and Otto Berg died in Moss.", "Hald"),
        ("Otto Berg died in Moss, and Marek Olin died in Hald.", "Hald"),
    ],
)
def test_where_is_answered_by_a_place_of_the_one_asked_for(text: str, place: str) -> None:
    assert value("Where did Marek Olin die?", text) == place


@pytest.mark.parametrize("title", ["", "Lives", "Alexander von Humboldt"])
@pytest.mark.parametrize(
    "text",
    [
        "Wilhelm von Humboldt died in Tegel.",
        "Alexander von Humboldt wrote Kosmos. Wilhelm von Humboldt died in Tegel in 1835.",
        "Alexander von Humboldt wrote it when Wilhelm von Humboldt died in Tegel.",
        "Wilhelm von Humboldt, who was his brother, died in Tegel in 1835.",
        "Alexander von Humboldt was the brother of Wilhelm von Humboldt, who died in Tegel.",
    ],
)
def test_another_bearer_of_the_surname_is_not_the_one_asked_for(text: str, title: str) -> None:
    assert value("Where did Alexander von Humboldt die?", text, title) == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where did Karl Stein die?", "Her father, Karl Stein, was a baker. Her brother Anton Stein died in Prague."),
        ("Where did Maria Stein die?", "Her brother Anton Stein died in Prague in 1832. Stein died in Linz."),
    ],
)
def test_a_surname_that_two_bear_is_nobodys(question: str, text: str) -> None:
    assert value(question, text, "Maria Stein") == ""


@pytest.mark.parametrize("title", ["", "Otto Berg"])
@pytest.mark.parametrize(
    "text",
    [
        "He maintains the Kafka cluster.",
        "Otto Berg came in May. He maintains the Kafka cluster.",
        "They maintain the Kafka cluster.",
        "I maintain the Kafka cluster.",
        "Nobody maintains the Kafka cluster.",
        "The Kafka cluster is maintained by Him.",
        "It was He who maintains the Kafka cluster.",
    ],
)
def test_a_pronoun_is_no_answer(text: str, title: str) -> None:
    assert value("Who maintains the Kafka cluster?", text, title) == ""


def test_a_pronoun_is_no_answer_beside_what_is_said_of_a_life_or_an_office() -> None:
    assert value("Who was born in 1890?", "He was born in 1890.") == ""
    assert value("Who is the director of the museum?", "He is the director of the museum.") == ""


@pytest.mark.parametrize(
    ("text", "founder"),
    [
        ("Torvanne was founded by Guilhem Sarrazac.", "Guilhem Sarrazac"),
        ("The Torvanne Glassworks was established in 1847 by Zoé's husband, Hippolyte Férand.", ""),
        ("Hippolyte Férand founded the Torvanne Glassworks.", ""),
        ("The founder of the Torvanne Glassworks was Hippolyte Férand.", ""),
        ("The Torvanne museum was founded by Hippolyte Férand.", ""),
        ("The glassworks of Torvanne was founded by Hippolyte Férand.", ""),
        ("Torvanne's glassworks was founded by Hippolyte Férand.", ""),
        ("Hippolyte Férand founded a glassworks in Torvanne.", ""),
    ],
)
def test_a_thing_that_bears_the_name_of_a_place_is_not_the_place(text: str, founder: str) -> None:
    assert value("Who founded Torvanne?", text) == founder


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lind's husband was Otto Berg.",
        "Otto Berg was the husband of Ada Lind.",
        "Ada Lind's father was Otto Berg.",
        "Ada Lind's father was Otto Berg, and her husband was Kai Moe.",
        "The father of Ada Lind's husband was Otto Berg.",
        "Otto Berg, the father of Ada Lind, was the husband of Ida Moe.",
    ],
)
def test_who_is_whose_relative_has_no_short_answer(text: str) -> None:
    for question in ("Who was Ada Lind's husband?", "Who was the husband of Ada Lind?"):
        assert find(question, text) is None


@pytest.mark.parametrize(
    ("text", "husband"),
    [
        ("Otto Berg married Ada Lind.", "Otto Berg"),
        ("Ada Lind's father, Otto Berg, married Ida Moe.", ""),
    ],
)
def test_who_married_somebody_is_read_off_the_verb(text: str, husband: str) -> None:
    assert value("Who married Ada Lind?", text) == husband


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who built the mill?", "The mill was not built by Otto Berg."),
        ("Who built the mill?", "Otto Berg denied that he built the mill."),
        ("Who built the mill?", "Otto Berg cannot have built the mill."),
        ("Who built the mill?", "Neither Otto Berg nor Ida Moe built the mill."),
        ("Who built the mill?", "Otto Berg isn't the builder of the mill."),
        ("Who built the mill?", "It was not Otto Berg who built the mill."),
        ("Who owns the mill?", "Otto Berg no longer owns the mill."),
        ("Who founded the press?", "Nobody says that Otto Berg founded the press."),
        ("Who founded the press?", "Otto Berg hardly founded the press."),
        ("Who founded the press?", "The press was founded by Ida Moe, not by Otto Berg."),
        ("Who is the director of the Institute?", "Eva Holm is not the director of the Institute."),
        ("Who is the director of the Institute?", "Eva Holm, no longer director of the Institute, came."),
        ("Who is the mayor of Hald?", "Eva Holm, who is not the mayor of Hald, came."),
        ("When was Ada Lind born?", "Ada Lind was not born in 1890."),
        ("When was Ada Lind born?", "Ada Lind was born in 1890, not in 1880."),
        ("When did Ada Lind die?", "Ada Lind did not die in 1890 at all."),
        ("When did Ada Lind die?", "It is not true that Ada Lind died in 1890."),
        ("When did Ada Lind die?", "Nobody believes that Ada Lind died in 1890."),
        ("When did the Salt War end?", "The Salt War did not end in 1496."),
        ("Where was Ada Lind born?", "Ada Lind was not born in Oslo."),
        ("Where did Ada Lind die?", "Ada Lind did not die in Oslo."),
        ("Where did Ada Lind die?", "Ada Lind never lived or died in Oslo."),
        ("How old was Ada Lind when she died?", "Ada Lind did not die at the age of 84."),
        ("How many ships did Ada Lind see?", "Ada Lind did not see twelve ships."),
    ],
)
def test_a_denied_sentence_gives_no_answer(question: str, text: str) -> None:
    assert value(question, text) == ""


def test_what_a_sentence_denies_far_from_the_answer_is_of_something_else() -> None:
    far = "and in the long years that came after the war she moved to the coast and did not write."
    assert value("When was Ada Lind born?", f"Ada Lind was born in 1890, {far}") == "1890"


def test_a_parent_is_no_father() -> None:
    assert (
        value("Who is the father of Ella Stone?", "The parents of Ella Stone were Georg Stone and Hilda Stone.") == ""
    )


def test_a_short_answer_says_what_it_rests_on_with_its_place() -> None:
    text = "Maps are rare. The press[3] was founded by Tom Reed and Ann Cole."
    short = find("Who founded the press?", text, "Presses")
    assert short is not None
    told = tell(short)
    assert told.answer == "Tom Reed and Ann Cole [1]\nThe press was founded by Tom Reed and Ann Cole. [1]"
    assert (told.found, told.short) == (True, "Tom Reed and Ann Cole")
    assert {claim.support for claim in told.claims} == {SUPPORTED}
    [citation] = told.citations
    assert citation.quote == text[citation.start : citation.end] == text.partition(". ")[2]
    assert [(step.source, step.relation, step.target, step.citation) for step in told.path] == [
        ("Presses", "says", "Tom Reed and Ann Cole", 1)
    ]
