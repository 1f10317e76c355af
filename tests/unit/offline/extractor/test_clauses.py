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
