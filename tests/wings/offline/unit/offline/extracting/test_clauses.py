"""A source contradicts a claim that takes its words and gives them to another subject, turns or denies them."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extracting.clauses import contradicts, parse, read_clauses


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Ada Lind taught Otto Berg.", "Otto Berg taught Ada Lind."),
        ("Otto carved the memorial.", "Ada carved the memorial; Otto paid for it."),
        ("Ada's brother carved the memorial.", "Ada Lind carved the memorial because her brother was ill."),
        ("Otto left in August 2019.", "She left in August 2019 with her husband Otto."),
        ("Ada wrote the book.", "Ida Moe is the aunt of Ada, and her sister Ida Lind wrote the book."),
        ("The bridge was repaired.", "The mayor hoped that the bridge would be repaired."),
        ("Ada accepted the offer.", "Had Ada accepted the offer, the war might have been avoided."),
        ("The town surrendered.", "The town did not surrender."),
        ("The fire destroyed 14 houses.", "The fire destroyed 88 houses after 14 people had left."),
        ("The song was written by Otto Berg.", "The song, sung by Otto Berg and written by Ada Lind, was a success."),
    ],
)
def test_the_words_said_of_something_else_are_no_support(claim: str, source: str) -> None:
    assert contradicts(parse(claim), parse(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Ada Lind taught Otto Berg.", "Otto Berg was taught by Ada Lind."),
        ("Otto Berg built the mill.", "Clara was the widow of Otto Berg (1819–1881), who had built the mill in 1874."),
        ("Ada Lind founded the school.", "Ada Lind (1850–1901) moved to Hald, where she founded the school."),
        ("The mill was sold in 1846.", "In 1846 Ada sold the mill to Otto."),
        ("Ada is the owner of the mill.", "The mill belongs to Ada."),
    ],
)
def test_the_same_in_other_words_is_not_contradicted(claim: str, source: str) -> None:
    assert not contradicts(parse(claim), parse(source))


def test_a_passive_clause_has_who_did_it_as_its_agent() -> None:
    [clause] = read_clauses(parse("The mill was built by Otto Berg in 1874."))
    assert clause.agent.words == {"otto", "berg"}
    assert clause.patient.words == {"mill"}
    assert "1874" in clause.others
    assert not clause.denied
