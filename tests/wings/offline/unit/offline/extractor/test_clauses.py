"""What a clause states: its verb, its direction, and what is denied, supposed, asked or hoped."""

from __future__ import annotations

import pytest

from offline_reading import read


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "The firm Brightwater Systems acquired Calder Club.",
            ("Brightwater Systems", "ACQUIRED", "Calder Club"),
        ),
        ("Calder Club was acquired by Brightwater Systems.", ("Brightwater Systems", "ACQUIRED", "Calder Club")),
        ("Ada Brandt teaches botany at the University of Oslo.", ("Ada Brandt", "WORKED_FOR", "University of Oslo")),
        ("Rosa Lindqvist works at Harbour Clinic.", ("Rosa Lindqvist", "WORKED_FOR", "Harbour Clinic")),
        ("Calder Club depends on Brightwater Systems for parts.", ("Calder Club", "USES", "Brightwater Systems")),
        ("The Royal Society sent Otto Lind to Paris.", ("Otto Lind", "RELATED_TO sent to", "Paris")),
        (
            "The Vistula Society, founded in 1901 by Ada Brandt, met in Oslo.",
            ("Ada Brandt", "FOUNDED", "Vistula Society"),
        ),
        ("Ada Brandt, who led the Vistula Society, met Otto Lind.", ("Ada Brandt", "LED", "Vistula Society")),
        ("Otto Lind, harbourmaster of Bergen, met Ada Brandt.", ("Otto Lind", "MET", "Ada Brandt")),
        ("Calder Club grew. It bought Brightwater Systems.", ("Calder Club", "ACQUIRED", "Brightwater Systems")),
    ],
)
def test_a_clause_gives_its_verb_or_noun_in_its_direction(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Ada Brandt did not join the Royal Society.", ("Ada Brandt", "MEMBER_OF", "Royal Society")),
        ("Ada Brandt never visited Paris.", ("Ada Brandt", "VISITED", "Paris")),
        ("Ada Brandt refused to join the Royal Society.", ("Ada Brandt", "MEMBER_OF", "Royal Society")),
        ("Ada Brandt had hoped to found the Vistula Society.", ("Ada Brandt", "FOUNDED", "Vistula Society")),
        ("Did Ada Brandt visit Paris?", ("Ada Brandt", "VISITED", "Paris")),
        ("Ada Brandt would have visited Paris.", ("Ada Brandt", "VISITED", "Paris")),
        ("If Ada Brandt visited Paris, nobody noticed.", ("Ada Brandt", "VISITED", "Paris")),
        ("It is often claimed that Ada Brandt was a cousin of Otto Lind.", ("Ada Brandt", "RELATIVE_OF", "Otto Lind")),
        ("The club denied reports that Ada Brandt had met Otto Lind.", ("Ada Brandt", "MET", "Otto Lind")),
        ("Ada Brandt visited Paris, not Vienna.", ("Ada Brandt", "VISITED", "Vienna")),
    ],
)
def test_what_is_denied_supposed_asked_or_hoped_is_no_fact(text, denied):
    found = read(text)
    assert denied not in found.facts | found.likely_facts


def test_a_verb_is_not_turned_round():
    found = read("Otto Lind, the pupil of Ada Brandt, was succeeded by Paul Roux.")
    assert found.facts == {("Otto Lind", "STUDENT_OF", "Ada Brandt"), ("Paul Roux", "SUCCEEDED", "Otto Lind")}


def test_who_teaches_at_a_school_did_not_study_there():
    found = read("Ada Brandt teaches botany at the University of Oslo.")
    assert not {fact for fact in found.facts | found.likely_facts if fact[1] == "STUDIED_AT"}


def test_what_is_to_come_is_only_likely():
    found = read("Ada Brandt will join the Royal Society in 1999.")
    assert ("Ada Brandt", "MEMBER_OF", "Royal Society") in found.likely_facts - found.facts


def test_a_country_near_a_person_is_no_citizenship():
    found = read("In Norway, Lucas Brandt of Poland beat the Armenian player Otto Lind at chess.")
    assert not {("Lucas Brandt", "CITIZEN_OF", country) for country in ("Armenia", "Norway")} & found.facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        # a subject behind its apposition, an object before "which"
        ("Luca Gavi, a nephew of the mayor, built Castle Club.", ("Luca Gavi", "CREATED", "Castle Club")),
        (
            "Norvane Club, a firm in Dundee, bought Calder Club.",
            ("Norvane Club", "ACQUIRED", "Calder Club"),
        ),
        (
            "The hall is run by the Vistula Society, a club which Otto Lind founded in 1991.",
            ("Otto Lind", "FOUNDED", "Vistula Society"),
        ),
        ("OSLO, 5 March — Ada Brandt, an author, won the Corran Prize.", ("Ada Brandt", "RECEIVED", "Corran Prize")),
        ("The other was Otto Lind, 61, who founded Calder Club.", ("Otto Lind", "FOUNDED", "Calder Club")),
        ("Ada Brandt and Otto Lind married in Oslo.", ("Ada Brandt", "MARRIED_TO", "Otto Lind")),
        # who does it, behind a date or a title; particles
        (
            "Calder Club was founded in 1998 by the former pilot Otto Lind.",
            ("Otto Lind", "FOUNDED", "Calder Club"),
        ),
        (
            "The Marne Gate was opened on Wednesday by finance minister Ada Lind.",
            ("Ada Lind", "RELATED_TO open", "Marne Gate"),
        ),
        ("Otto Lind set up the Vistula Society.", ("Otto Lind", "FOUNDED", "Vistula Society")),
        # what is done to what a name has; what it goes to
        (
            "The Vistula Museum keeps the papers of Baird & Lind.",
            ("Vistula Museum", "RELATED_TO keep papers of", "Baird & Lind"),
        ),
        ("Otto Lind moved to the city of Bergen.", ("Otto Lind", "LIVED_IN", "Bergen")),
    ],
)
def test_a_clause_is_read_across_what_stands_between(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ada Brandt became a member of the Royal Society.", ("Ada Brandt", "MEMBER_OF", "Royal Society")),
        ("Ada Brandt served as president of the Vistula Society.", ("Ada Brandt", "LED", "Vistula Society")),
        ("Otto Lind is the mayor of Bergen.", ("Otto Lind", "LED", "Bergen")),
        ("It was built under Otto Lind, Ada Roux's father.", ("Otto Lind", "PARENT_OF", "Ada Roux")),
        ("Paul Roux, a former student of Ada Brandt's, came.", ("Paul Roux", "STUDENT_OF", "Ada Brandt")),
        ("Otto Lind met his wife, the weaver Inga Moar, in Oslo.", ("Otto Lind", "MARRIED_TO", "Inga Moar")),
        (
            "Ada Brandt, whose second husband, the baker Otto Lind, came from Bergen, left.",
            ("Ada Brandt", "MARRIED_TO", "Otto Lind"),
        ),
        ("The Vistula Society grew, and its founder, Otto Lind, left.", ("Otto Lind", "FOUNDED", "Vistula Society")),
    ],
)
def test_a_noun_beside_a_name_says_what_it_is(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    "text",
    [
        "With Otto Lind, the house of Ada Brandt was sold.",
        "Ada Brandt did not become a member of the Royal Society.",
        "Ada Brandt did not keep the papers of Otto Lind.",
        "Otto Lind wrote to the daughter of Paul Roux, whom Ada Brandt had taught.",
        "London newspapers the world over.",
        "Ada Brandt, landlady of the Red Lion Inn, left.",  # a noun without a type of its own, behind a comma
        "Otto Lind, head of sales at Brightwater Systems, left.",
    ],
)
def test_what_only_stands_near_is_not_related(text):
    assert read(text).facts == set()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Otto Lind represents Brightwater Systems in Norway.", ("Brightwater Systems", "LOCATED_IN", "Norway")),
        (
            "Ada Brandt met her daughter Eva Lind and her son-in-law, Otto Lind.",
            ("Eva Lind", "RELATIVE_OF", "Ada Brandt"),
        ),
        ("Ada Brandt, Otto Lind, the mayor of Bergen, and Paul Roux met.", ("Ada Brandt", "LED", "Bergen")),
        ("Otto Lind taught at the London grammar school.", ("Otto Lind", "WORKED_IN", "London")),
        (
            "Ada Brandt spoke of the Society of Friends' new hall.",
            ("Ada Brandt", "RELATED_TO speak of", "Society of Friends"),
        ),
    ],
)
def test_a_nearer_word_takes_the_place_of_a_name(text, wrong):
    assert wrong not in read(text).facts
