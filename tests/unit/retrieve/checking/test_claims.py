"""Claims of an answer: split, checked, marked, dropped, renumbered."""

from __future__ import annotations

from kg_neo4j.records import Citation, Claim
from kg_neo4j.retrieve.checking.claims import (
    DROP,
    MARK,
    CheckedClaims,
    check_claims,
    plain_text,
    settle,
    split_claims,
    without,
)
from kg_neo4j.retrieve.checking.support import Support
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, Place

CHUNK = FoundChunk("a" * 32, "Ada was born in London. She met Babbage in 1833.", 0, "", "Ada", 1.0)
FOUND = Found("local", (CHUNK,))
BORN = Citation(CHUNK.id, "Ada", 0, 23, "Ada was born in London.")
MET = Citation(CHUNK.id, "Ada", 24, 48, "She met Babbage in 1833.")
TEXT = "Ada was born in London [1]. She met Babbage in 1834 [2]. She was kind."


def claims() -> tuple[Claim, ...]:
    return check_claims(TEXT, (BORN, MET), FOUND)


def test_each_sentence_is_a_claim_with_its_citations_and_a_verdict() -> None:
    assert [(claim.text, claim.citations, claim.support) for claim in claims()] == [
        ("Ada was born in London.", (1,), "supported"),
        ("She met Babbage in 1834.", (2,), "contradicted"),
        ("She was kind.", (), "uncited"),
    ]
    assert "1834" in claims()[1].reason


def test_a_number_of_thousands_of_figures_cites_nothing() -> None:
    text = f"Ada was born in London [{'9' * 5_000}]. She was born on 4 May {'9' * 5_000} [1]."
    found = check_claims(text, (BORN,), FOUND)
    assert [(claim.citations, claim.support) for claim in found] == [((), "uncited"), ((1,), "quoted")]
    assert settle(text, (BORN,), found, MARK, {}).citations == (BORN,)


def test_marks_after_the_full_stop_belong_to_the_sentence_before() -> None:
    assert split_claims("Ada was born. [1] [2] She met him. [3]") == ["Ada was born [1] [2].", "She met him [3]."]


def test_lines_of_a_list_are_claims_and_stay_lines() -> None:
    text = "Among them:\n- Ada, who was born in London [1].\n- Babbage, whom she met in 1834 [2]."
    first, second = split_claims(text)
    assert f"{first}{second}" == text
    assert second.startswith("\n- Babbage")
    checked = settle(text, (BORN, MET), check_claims(text, (BORN, MET), FOUND), MARK, {})
    assert checked.text == text.replace("[2].", "[2] [contradicted].")


def test_contradicted_claims_are_marked_before_the_full_stop() -> None:
    checked = settle(TEXT, (BORN, MET), claims(), MARK, {})
    assert checked.text == "Ada was born in London [1]. She met Babbage in 1834 [2] [contradicted]. She was kind."
    assert checked.citations == (BORN, MET)
    assert checked.dropped == ()


def test_dropped_claims_take_their_citations_with_them_and_the_others_are_numbered_anew() -> None:
    text = "She met Babbage in 1834 [2]. Ada was born in London [1]. She was kind."
    checked = settle(text, (BORN, MET), check_claims(text, (BORN, MET), FOUND), DROP, {})
    assert checked.text == "Ada was born in London [1]."
    assert checked.citations == (BORN,)
    assert [claim.citations for claim in checked.claims] == [(1,)]
    assert (checked.count("contradicted"), checked.count("uncited")) == (1, 1)


def test_a_models_support_stands_above_the_words_and_its_doubt_alone_accuses_nothing() -> None:
    verdicts = {0: Support("not all quoted", "no"), 1: Support("supported"), 2: Support("supported")}
    checked = settle(TEXT, (BORN, MET), claims(), MARK, verdicts)
    assert [(claim.support, claim.judged_by) for claim in checked.claims] == [
        ("quoted", "model"),
        ("supported", "model"),
        ("uncited", "words"),
    ]


def test_names_that_the_graph_knows_in_the_chunk_count_as_said() -> None:
    place = Place(CHUNK.id, "Babbage", 32, 39)
    entity = FoundEntity("e" * 32, "Babbage", "PERSON", ("Charles Babbage",), "", "", False, 1.0, (place,))
    text = "She met Charles Babbage in 1833 [1]."
    assert check_claims(text, (MET,), FOUND)[0].support == "quoted"
    assert check_claims(text, (MET,), Found("local", (CHUNK,), (entity,)))[0].support == "supported"


def test_citations_that_are_gone_leave_the_text_and_the_others_are_numbered_anew() -> None:
    checked = CheckedClaims(TEXT, (BORN, MET), claims())
    left = without(checked, frozenset({1}))
    assert left.text == "Ada was born in London. She met Babbage in 1834 [1]. She was kind."
    assert left.citations == (MET,)
    assert [claim.support for claim in left.claims] == ["uncited", "contradicted", "uncited"]
    assert left.claims[0].reason == "the cited chunk is gone"


def test_an_answer_can_be_had_without_its_numbers_and_marks() -> None:
    assert plain_text("She met him [2] [not all quoted]. He died [1] [3] [contradicted].") == "She met him. He died."


def test_what_the_cited_words_say_of_somebody_else_is_quoted_and_stays() -> None:
    chunk = FoundChunk("b" * 32, "Ada Lind carved the stone; Otto Berg paid for it.", 0, "", "Hald", 1.0)
    cited = Citation(chunk.id, "Hald", 0, len(chunk.text), chunk.text)
    text = "Otto Berg carved the stone [1]. Ada Lind carved the stone [1]."
    found = check_claims(text, (cited,), Found("local", (chunk,)))
    assert [each.support for each in found] == ["quoted", "supported"]
    assert "Ada Lind" in found[0].reason
    assert settle(text, (cited,), found, DROP, {}).text == text
