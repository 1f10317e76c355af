"""Which words of a question are looked up as names, and which of what is found is named."""

from __future__ import annotations

from typing import Any

import pytest

from kg_neo4j.graph.database import Row
from kg_neo4j.graph.queries import Query
from kg_neo4j.retrieve.linking import MAX_PHRASES, _phrases, exact_query, link, own_documents
from kg_neo4j.retrieve.name_fits import bearers, nearly
from kg_neo4j.retrieve.question import read


def phrases(text: str) -> list[str]:
    return [each.text for each in _phrases(read(text))]


def entity(names: list[str], *, evidence: int = 1, kind: str = "entity") -> dict[str, object]:
    return {"place": 0, "kind": kind, "id": names[0], "names": names, "evidence": evidence}


def test_long_runs_of_capitals_are_looked_up_before_their_parts() -> None:
    found = phrases("Who directed The Day They Robbed The Bank Of England?")
    assert found.index("The Day They Robbed The Bank Of England") < found.index("Bank Of England")


def test_a_name_may_hold_small_words_and_does_not_end_in_one() -> None:
    found = phrases("Where was Bolko III of Strzelce born?")
    assert "Bolko III of Strzelce" in found
    assert not any(each.endswith(" of") for each in found)


def test_the_first_word_of_a_sentence_is_no_name_by_itself() -> None:
    assert "Where" not in phrases("Where was Ada born?")
    assert phrases("Ada?") == ["Ada"]


def test_without_capitals_every_run_that_begins_and_ends_with_a_word_that_counts_is_looked_up() -> None:
    found = phrases("when did ada lovelace die")
    assert "ada lovelace" in found
    assert "when did" not in found


def test_a_question_of_a_thousand_words_is_looked_up_by_some() -> None:
    assert len(phrases("Ada " * 1_000)) <= MAX_PHRASES


@pytest.mark.parametrize("text", ["?", "😀", "''", "-"])
def test_what_has_no_word_has_no_phrase(text: str) -> None:
    assert phrases(text) == []


@pytest.mark.parametrize("written", ["Excalibur (film)", "excalibur", "EXCALIBUR", "Excalibur's"])
def test_case_possessives_and_brackets_of_titles_do_not_matter(written: str) -> None:
    assert bearers(written, [entity(["Excalibur (film)"], kind="document")])


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("Ship's Clock Number Four", '"ship\'s clock number four"'),
        ("King’s Cross", '"king’s cross"'),
        ("Ada Lovelace's", '"ada lovelace"'),
        ("King's Cross's", '"king\'s cross"'),
    ],
)
def test_a_possessive_within_a_name_is_looked_up_as_the_index_has_it(written: str, query: str) -> None:
    assert exact_query(written) == query


def test_a_longer_name_is_not_named_by_a_part() -> None:
    assert bearers("Ada", [entity(["Ada Lovelace"])]) == []


def test_an_alias_names() -> None:
    assert bearers("Countess of Lovelace", [entity(["Ada Lovelace", "Countess of Lovelace"])])


def test_of_two_that_hold_a_name_the_better_attested_one_is_meant() -> None:
    found = nearly("Curie", [entity(["Pierre Curie"], evidence=3), entity(["Marie Curie"], evidence=9)])
    assert [row["id"] for row in found] == ["Marie Curie"]


def test_a_slip_of_the_pen_names_and_another_word_does_not() -> None:
    assert nearly("Lovelase", [entity(["Lovelace"])])
    assert nearly("Loveland", [entity(["Babbage"])]) == []


class Names:
    """Answers the look-up of names, each by an entity; where they are no whole ones, by all entities."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def read(self, _: Query, /, **params: Any) -> list[Row]:
        places = list(enumerate(params["phrases"]))
        return [
            {**entity([name]), "place": n}
            for n, asked in places
            for name in self.names
            if asked == exact_query(name) or not asked.startswith('"')
        ]


@pytest.mark.parametrize(
    ("question", "names", "linked"),
    [
        ("What did the French take from Ada?", ("French", "Ada"), ["Ada"]),
        ("What did the French take?", ("French",), ["French"]),
        ("What did the Germans write to Ada?", ("German Academy of Ulm", "Ada"), ["Ada"]),
        ("What did the Germans take?", ("Germans of Ulm",), []),
        ("Where did the King meet Ada?", ("King Olaf", "Ada"), ["Ada"]),
        ("Where did the King dine?", ("King Olaf",), ["King Olaf"]),
        ("Did de Vries meet Ada?", ("Hugo de Vries", "Ada"), ["Ada", "Hugo de Vries"]),
    ],
)
def test_nationalities_particles_and_titles_tell_no_names_apart(
    question: str, names: tuple[str, ...], linked: list[str]
) -> None:
    assert sorted(link(Names(*names), "main", read(question)).entities) == linked


def test_no_word_of_a_question_belongs_to_two_names() -> None:
    linked = link(Names("Bank Of England", "England", "Wales"), "main", read("Is the Bank Of England in Wales?"))
    assert linked.names == ("Bank Of England", "Wales")


def test_a_document_is_about_what_its_title_names() -> None:
    rows = [
        {"kind": "entity", "id": "e1", "names": ["Excalibur"]},
        {"kind": "entity", "id": "e2", "names": ["Arthur", "King Arthur"]},
        {"kind": "entity", "id": "e3", "names": ["Merlin"]},
        {"kind": "document", "id": "d1", "names": ["Excalibur (film)"]},
        {"kind": "document", "id": "d2", "names": ["King Arthur", "Artus"]},
    ]
    assert own_documents(rows) == [["e1", "d1"], ["e2", "d2"]]
