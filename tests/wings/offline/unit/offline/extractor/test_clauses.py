"""What a clause states: its verb, its direction, and what is denied, supposed, asked or hoped."""

from __future__ import annotations

import pytest

from offline_reading import read


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The firm Brightwater Systems acquired Lamu Air.", ("Brightwater Systems", "ACQUIRE", "Lamu Air")),
        ("Lamu Air was acquired by Brightwater Systems.", ("Brightwater Systems", "ACQUIRE", "Lamu Air")),
        ("Ada Brandt teaches botany at the University of Oslo.", ("Ada Brandt", "TAUGHT_AT", "University of Oslo")),
        ("Lamu Air depends on Brightwater Systems for parts.", ("Lamu Air", "DEPEND_ON", "Brightwater Systems")),
        ("The Royal Society sent Otto Lind to Paris.", ("Otto Lind", "SENT_TO", "Paris")),
        (
            "The Vistula Society, founded in 1901 by Ada Brandt, met in Oslo.",
            ("Ada Brandt", "FOUNDED", "Vistula Society"),
        ),
        ("Ada Brandt, who led the Vistula Society, met Otto Lind.", ("Ada Brandt", "LED", "Vistula Society")),
        ("Otto Lind, harbourmaster of Bergen, met Ada Brandt.", ("Otto Lind", "HARBOURMASTER_OF", "Bergen")),
        ("Lamu Air grew. It bought Brightwater Systems in 1999.", ("Lamu Air", "BUY", "Brightwater Systems")),
    ],
)
def test_a_clause_gives_its_verb_or_noun_in_its_direction(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Ada Brandt did not join the Royal Society.", ("Ada Brandt", "JOINED", "Royal Society")),
        ("Ada Brandt never visited Paris.", ("Ada Brandt", "VISITED", "Paris")),
        ("Ada Brandt refused to join the Royal Society.", ("Ada Brandt", "JOINED", "Royal Society")),
        ("Ada Brandt had hoped to found the Vistula Society.", ("Ada Brandt", "FOUNDED", "Vistula Society")),
        ("Did Ada Brandt visit Paris?", ("Ada Brandt", "VISITED", "Paris")),
        ("Ada Brandt would have visited Paris.", ("Ada Brandt", "VISITED", "Paris")),
        ("If Ada Brandt visited Paris, nobody noticed.", ("Ada Brandt", "VISITED", "Paris")),
        ("It is often claimed that Ada Brandt was a cousin of Otto Lind.", ("Ada Brandt", "COUSIN_OF", "Otto Lind")),
        ("The club denied reports that Ada Brandt had dismissed Otto Lind.", ("Ada Brandt", "DISMISS", "Otto Lind")),
        ("Ada Brandt visited Paris, not Vienna.", ("Ada Brandt", "VISITED", "Vienna")),
    ],
)
def test_what_is_denied_supposed_asked_or_hoped_is_no_fact(text, denied):
    found = read(text)
    assert denied not in found.facts | found.likely_facts


def test_a_verb_is_not_turned_round():
    found = read("Otto Lind, the pupil of Ada Brandt, was praised by Paul Roux.")
    assert ("Paul Roux", "PRAISE", "Otto Lind") in found.facts
    assert ("Otto Lind", "PRAISE", "Paul Roux") not in found.facts


def test_who_teaches_at_a_school_did_not_study_there():
    found = read("Ada Brandt teaches botany at the University of Oslo.")
    assert not {
        fact for fact in found.facts | found.likely_facts if fact[1] == "STUDIED_AT" and fact[0] == "Ada Brandt"
    }


def test_what_is_to_come_is_only_likely():
    found = read("Ada Brandt will join the Royal Society in 1999.")
    assert ("Ada Brandt", "JOINED", "Royal Society") in found.likely_facts - found.facts


def test_a_country_near_a_person_is_no_citizenship():
    found = read("In Norway, Lucas Brandt of Poland beat the Armenian player Otto Lind at chess.")
    assert ("Lucas Brandt", "COUNTRY_OF_CITIZENSHIP", "Armenia") not in found.facts
    assert ("Lucas Brandt", "COUNTRY_OF_CITIZENSHIP", "Norway") not in found.facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        # a subject behind its apposition, an object before "which", a verb that is read as a plural
        ("Luca Gavi, a nephew of the mayor, built Castle Rock.", ("Luca Gavi", "BUILT", "Castle Rock")),
        ("Polar Security, a firm in Dundee, bought Lamu Air.", ("Polar Security", "BUY", "Lamu Air")),
        (
            "The hall is run by the Vistula Society, a club which Otto Lind founded in 1991.",
            ("Otto Lind", "FOUNDED", "Vistula Society"),
        ),
        ("OSLO, 5 March — Ada Brandt, an author, won the Corran Prize.", ("Ada Brandt", "WON", "Corran Prize")),
        ("The other was Otto Lind, 61, who founded Lamu Air.", ("Otto Lind", "FOUNDED", "Lamu Air")),
        ("Ada Brandt and Otto Lind married in Oslo.", ("Ada Brandt", "MARRIED_TO", "Otto Lind")),
        # who does it, behind a date or a title; particles
        ("Lamu Air was founded in 1998 by the former pilot Otto Lind.", ("Otto Lind", "FOUNDED", "Lamu Air")),
        ("The Marne Gate was opened on Wednesday by finance minister Ada Lind.", ("Ada Lind", "OPEN", "Marne Gate")),
        ("Otto Lind set up the Vistula Society.", ("Otto Lind", "FOUNDED", "Vistula Society")),
        ("Brightwater Systems took over Lamu Air.", ("Brightwater Systems", "TOOK_OVER", "Lamu Air")),
        ("Ada Brandt took over from Otto Lind in 1901.", ("Ada Brandt", "SUCCEEDED", "Otto Lind")),
        # what is done to what a name has; who gets it
        ("The Paper Room keeps the papers of Baird & Lind.", ("Paper Room", "KEEP_PAPERS_OF", "Baird & Lind")),
        ("Ada Brandt gave birth to Otto Lind.", ("Ada Brandt", "GIVE_BIRTH_TO", "Otto Lind")),
        ("Otto Lind held the chair of law at Vistula College.", ("Otto Lind", "HOLD_CHAIR_AT", "Vistula College")),
        ("Otto Lind sold the Vistula Museum to Lamu Air in 1999.", ("Vistula Museum", "SOLD_TO", "Lamu Air")),
        ("Otto Lind moved to the city of Bergen.", ("Otto Lind", "MOVED_TO", "Bergen")),
    ],
)
def test_a_clause_is_read_across_what_stands_between(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ada Brandt, landlady of the Red Lion Inn, left.", ("Ada Brandt", "LANDLADY_OF", "Red Lion Inn")),
        ("Ada Brandt became a member of the Royal Society.", ("Ada Brandt", "MEMBER_OF", "Royal Society")),
        ("Ada Brandt served as president of the Vistula Society.", ("Ada Brandt", "PRESIDENT_OF", "Vistula Society")),
        ("Rex Lind, vice president of Lamu Air, spoke.", ("Rex Lind", "VICE_PRESIDENT_OF", "Lamu Air")),
        ("Otto Lind, head of sales at Brightwater Systems, left.", ("Otto Lind", "HEAD_AT", "Brightwater Systems")),
        ("Otto Lind, the great-grandfather of Ada Roux, left.", ("Otto Lind", "GREAT_GRANDFATHER_OF", "Ada Roux")),
        ("Otto Lind lives with his sister-in-law Ada Roux.", ("Ada Roux", "SISTER_IN_LAW_OF", "Otto Lind")),
        ("It was built under Otto Lind, Ada Roux's father.", ("Otto Lind", "PARENT_OF", "Ada Roux")),
        ("Paul Roux, a former student of Ada Brandt's, came.", ("Paul Roux", "STUDENT_OF", "Ada Brandt")),
        ("Otto Lind met his wife, the weaver Inga Moar, in Oslo.", ("Otto Lind", "MARRIED_TO", "Inga Moar")),
        (
            "Ada Brandt, whose second husband, the baker Otto Lind, came from Bergen, left.",
            ("Ada Brandt", "MARRIED_TO", "Otto Lind"),
        ),
        ("It was Ada Brandt, a clerk from Leeds.", ("Ada Brandt", "CAME_FROM", "Leeds")),
        ("The film was Ada Brandt's novel, The Salt Ledger, again.", ("Ada Brandt", "WROTE", "The Salt Ledger")),
        ("The Vistula Society grew, and its founder, Otto Lind, left.", ("Otto Lind", "FOUNDED", "Vistula Society")),
        ("The Vistula Society (founded 1871) met in Oslo.", ("Vistula Society", "FOUNDED_IN", "1871")),
        ("The pilot Ada Lind (b. 1739, d. 1812) left Oslo.", ("Ada Lind", "DIED_ON", "1812")),
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
        "Ada Brandt called Otto Lind.",
    ],
)
def test_what_only_stands_near_is_not_related(text):
    assert read(text).facts == set()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Otto Lind represents Brightwater Systems in Norway.", ("Brightwater Systems", "LOCATED_IN", "Norway")),
        ("Otto Lind was succeeded in 1893 by Paul Roux.", ("Otto Lind", "SUCCEEDED_IN", "1893")),
        (
            "Ada Brandt met her daughter Eva Lind and her son-in-law, Otto Lind.",
            ("Eva Lind", "SON_IN_LAW_OF", "Ada Brandt"),
        ),
        ("Ada Brandt, Otto Lind, the mayor of Bergen, and Paul Roux met.", ("Ada Brandt", "GOVERNED", "Bergen")),
        ("During World War I, Ada Brandt left Oslo.", ("Ada Brandt", "PARTICIPANT_OF", "World War I")),
        ("Otto Lind taught at the London grammar school.", ("Otto Lind", "TAUGHT_AT", "London")),
        ("Ada Brandt spoke of the Society of Friends' new hall.", ("Ada Brandt", "SPEAK_OF", "Society of Friends")),
    ],
)
def test_a_nearer_word_takes_the_place_of_a_name(text, wrong):
    assert wrong not in read(text).facts
