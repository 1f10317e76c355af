"""Questions read as paths of relations, and as comparisons; what they are taken apart to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_offline.short.comparison import read_comparison
from kg_neo4j_offline.short.wanted import AskedThing, read_thing, read_wanted


@pytest.mark.parametrize(
    ("question", "name", "relations"),
    [
        ("When was the director of film Rain Road born?", "Rain Road", ("director", "born on")),
        ("Where did Ada Lind die?", "Ada Lind", ("died in",)),
        ("What is the place of birth of Ada Lind's father?", "Ada Lind", ("father", "born in")),
        (
            "Who is the paternal grandfather of Ada Lind, Countess of Hald?",
            "Ada Lind, Countess of Hald",
            ("father", "father"),
        ),
        ("Who directed Rain Road?", "Rain Road", ("director",)),
        ("What nationality is the performer of song Salt?", "Salt", ("performer", "nationality")),
        ("Where did Ada Lind's mother study?", "Ada Lind", ("mother", "school")),
        ("Who is the spouse of the author of The Glass Year?", "The Glass Year", ("author", "spouse")),
        ("In which country is Hald located?", "Hald", ("country",)),
        ("When was the woman who directed Rain Road born?", "Rain Road", ("director", "born on")),
        ("When was Norda founded?", "Norda", ("made on",)),
    ],
)
def test_a_question_is_read_as_a_name_and_the_relations_from_there(
    question: str, name: str, relations: tuple[str, ...]
) -> None:
    assert read_wanted(question) == AskedThing(name, relations)


@pytest.mark.parametrize("question", ["Why did the war begin?", "Tell me of Ada.", "", "Who is Ada Lind?", "x" * 5_000])
def test_other_questions_have_no_path(question: str) -> None:
    assert read_wanted(question) is None


def test_a_title_that_sounds_like_a_relation_stays_a_title() -> None:
    assert read_thing("film Father of the Bride") == AskedThing("Father of the Bride")
    assert read_thing("Mother of Pearl") == AskedThing("Mother of Pearl")


@pytest.mark.parametrize(
    ("question", "rule", "relations", "pair"),
    [
        ("Which film came out first, Rain Road or Salt?", "least", ("made on",), ("Rain Road", "Salt")),
        ("Who was born first, Ada Lind or Otto Berg?", "least", ("born on",), ("Ada Lind", "Otto Berg")),
        ("Who is younger, Ada Lind or Otto Berg?", "most", ("born on",), ("Ada Lind", "Otto Berg")),
        (
            "Which film has the director who died later, Salt or Rain Road?",
            "most",
            ("director", "died on"),
            ("Salt", "Rain Road"),
        ),
        ("Was Ada Lind or Otto Berg born first?", "least", ("born on",), ("Ada Lind", "Otto Berg")),
        ("Who lived longer, Ada Lind or Otto Berg?", "longest life", (), ("Ada Lind", "Otto Berg")),
        ("Which film has more directors, Salt or Rain Road?", "count", ("director",), ("Salt", "Rain Road")),
        ("Are Ada Lind and Otto Berg from the same country?", "same", ("citizenship",), ("Ada Lind", "Otto Berg")),
        ("Are Ada Lind and Otto Berg both film directors?", "both", (), ("Ada Lind", "Otto Berg")),
    ],
)
def test_a_comparison_is_read_as_a_rule_over_two_names(
    question: str, rule: str, relations: tuple[str, ...], pair: tuple[str, str]
) -> None:
    found = read_comparison(question)
    assert found is not None
    assert (found.rule, found.relations) == (rule, relations)
    assert found.pairs[0] == (AskedThing(pair[0]), AskedThing(pair[1]))


def test_two_directors_of_two_films_are_followed_before_they_are_compared() -> None:
    found = read_comparison("Do director of film Salt and director of film Rain Road share the same nationality?")
    assert found is not None
    assert found.pairs[0] == (AskedThing("Salt", ("director",)), AskedThing("Rain Road", ("director",)))


def test_a_name_with_or_in_it_is_split_in_every_way() -> None:
    found = read_comparison("Which film came out first, Sink or Swim or Salt?")
    assert found is not None
    names = {tuple(each.name for each in pair) for pair in found.pairs}
    assert names == {("Sink or Swim", "Salt"), ("Sink", "Swim or Salt")}


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    read_comparison(text)
    read_wanted(text)
