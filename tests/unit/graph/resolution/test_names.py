"""The parts of names: what makes candidates, and what must not."""

from __future__ import annotations

import pytest

from kg_neo4j.graph.resolution.names import acronyms, consonants, fits_initials, fold, is_acronym, sounds, take_apart


@pytest.mark.parametrize(
    ("name", "core", "titles"),
    [
        ("Dr. Watson", ("watson",), {"dr"}),
        ("Watson", ("watson",), set()),
        ("Prof. Dr. Marie Skłodowska-Curie", ("marie", "sklodowska", "curie"), {"prof", "dr"}),
        ("The Beatles", ("beatles",), set()),
        ("Apple Inc.", ("apple",), set()),
        ("King", ("king",), set()),  # nothing but a title: that is the name
        ("Muḥammad", ("muhammad",), set()),
    ],
)
def test_titles_articles_and_kinds_of_companies_are_no_part_of_the_core(
    name: str, core: tuple[str, ...], titles: set[str]
) -> None:
    assert take_apart(name).core == core
    assert take_apart(name).titles == titles


@pytest.mark.parametrize(
    ("name", "generation"),
    [
        ("Alexandre Dumas, père", "sr"),
        ("Alexandre Dumas fils", "jr"),
        ("Pliny the Elder", "sr"),
        ("Pliny the Younger", "jr"),
        ("Martin Luther King Jr.", "jr"),
        ("Henry VIII", "viii"),
        ("World War II", "ii"),
        ("Malcolm X", ""),
        ("Ali", ""),
    ],
)
def test_generations_and_regnal_numbers_are_known(name: str, generation: str) -> None:
    assert take_apart(name).generation == generation


def test_a_qualifier_in_parentheses_is_no_part_of_the_words() -> None:
    form = take_apart("Georgia (U.S. state)")
    assert (form.words, form.qualifier) == (("georgia",), "u s state")
    assert take_apart("(untitled)").words == ("untitled",)


def test_special_letters_become_plain_ones() -> None:
    assert fold("Łódź, Brønsted, Straße, Þór") == "lodz bronsted strasse thor"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Quraysh", "Quraish"), ("Khadijah", "Khadija"), ("al-Tabari", "Tabari"), ("Grossmann", "Grossman")],
)
def test_transliterations_of_one_name_sound_alike(one: str, other: str) -> None:
    assert sounds(take_apart(one).words) == sounds(take_apart(other).words)


@pytest.mark.parametrize(
    ("one", "other"), [("Hasan", "Husayn"), ("Marie", "Maria"), ("Pierre", "Marie"), ("Ali", "Eli")]
)
def test_other_names_do_not(one: str, other: str) -> None:
    assert sounds(take_apart(one).words) != sounds(take_apart(other).words)


def test_misspellings_meet_under_their_consonants() -> None:
    assert consonants(("georg", "rheticus")) == consonants(("george", "rheticus"))


def test_acronyms_leave_small_words_out_or_not() -> None:
    assert acronyms(take_apart("University of California").words) == {"uc", "uoc"}
    assert acronyms(("paris",)) == frozenset()
    assert is_acronym("W.H.O.")
    assert not is_acronym("Who")
    assert not is_acronym("A")


@pytest.mark.parametrize(
    ("short", "long", "fits"),
    [
        ("M. Curie", "Marie Curie", True),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", True),
        ("George Bush", "George W. Bush", True),
        ("Marie Skłodowska Curie", "Marie Salomea Skłodowska-Curie", True),
        ("George W. Bush", "George H. W. Bush", False),
        ("P. Curie", "Marie Curie", False),
        ("Curie", "Marie Curie", False),
        ("Marie Curie", "Marie Skłodowska", False),
    ],
)
def test_initials_fit_the_names_they_stand_for(short: str, long: str, fits: bool) -> None:
    assert fits_initials(take_apart(short), take_apart(long)) is fits
