"""Who is proposed as one, and who never is: real names, and pairs that other systems merge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.resolution.bearers import Mentioned, bearer, contradiction, kind_of, likeness
from kg_neo4j.graph.resolution.candidates import Sources, WikiPage
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind, components, decide
from kg_neo4j.graph.resolution.proposals import ProposalVerdict, judged, propose

NO_SOURCES = Sources()


def named(
    name: str, *where: str, born: int | None = None, died: int | None = None, count: int = 2, graph: str = "g"
) -> Mentioned:
    """Return a key; `name` may carry a type ("Kraków::PLACE"), `where` are documents, with the chunk: "a.txt:3"."""
    label, _, node_type = name.partition("::")
    places = [place.partition(":") for place in where or ("a.txt",)]
    return Mentioned(
        key=mention_key(graph, label, node_type or "PERSON"),
        name=label,
        type=node_type or "PERSON",
        count=count,
        births=frozenset() if born is None else frozenset({born}),
        deaths=frozenset() if died is None else frozenset({died}),
        documents={document: int(index or 0) for document, _, index in places},
    )


def found(
    verdict: ProposalVerdict, *keys: Mentioned, sources: Sources = NO_SOURCES, decisions: Sequence[Decision] = ()
) -> set[str]:
    """Return the proposals of one verdict, as "name ~ name: rule"."""
    return {
        f"{each.left.name} ~ {each.right.name}: {each.rule}"
        for each in propose(keys, sources, decisions).proposals
        if each.verdict is verdict
    }


def joined(*keys: Mentioned, sources: Sources = NO_SOURCES, decisions: Sequence[Decision] = ()) -> set[str]:
    return found(ProposalVerdict.JOIN, *keys, sources=sources, decisions=decisions)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Quraysh::TRIBE", "Quraysh::CLAN", "same-name"),
        ("Muhammad", "Muḥammad", "accents"),
        ("Gdansk::PLACE", "Gdańsk::CITY", "accents"),
        ("Al-Khwarizmi", "Alkhwarizmi", "accents"),
        ("Sir Isaac Newton", "Isaac Newton", "title"),
        ("The Beatles::ORGANIZATION", "Beatles::ORGANIZATION", "title"),
        ("Apple Inc.::COMPANY", "Apple::ORGANIZATION", "title"),
        ("Khadijah bint Khuwaylid", "Khadija bint Khuwaylid", "sounds"),
        ("M. Curie", "Marie Curie", "initials"),
        ("Maria Skłodowska", "Maria Salomea Skłodowska", "middle-name"),
        ("WHO::ORGANIZATION", "World Health Organization::ORGANIZATION", "acronym"),
        ("Amina", "Amina bint Wahb", "patronymic"),
        ("Ali", "Ali ibn Abi Talib", "patronymic"),
        ("Abdullah", "Abdullah ibn Abd al-Muttalib", "patronymic"),
        ("Umar", "Umar ibn al-Khattab", "patronymic"),
        ("Hira::PLACE", "Mount Hira::PLACE", "place-kind"),
        ("Watson", "John Watson", "surname"),
        ("Dr. Watson", "John Watson", "surname"),
        ("Dr. Watson", "Watson", "surname"),
    ],
)
def test_two_names_of_one_bearer_are_joined(one: str, other: str, rule: str) -> None:
    proposals = propose([named(one), named(other)], NO_SOURCES, []).proposals
    assert [(each.verdict, each.rule) for each in proposals] == [(ProposalVerdict.JOIN, rule)]
    assert proposals[0].reason


@pytest.mark.parametrize(
    "keys",
    [
        (named("George H. W. Bush", born=1924), named("George W. Bush", born=1946)),
        (named("George H. W. Bush"), named("George W. Bush")),
        (named("Muhammad"), named("Muhammad ibn Isa at-Tirmidhi")),
        (named("Zayd"), named("Zayd ibn Haritha al-Kalbi")),
        (named("John Adams", born=1735), named("John Adams (composer)", born=1947)),
        (named("John Adams", born=1735), named("John C. Adams", born=1947)),
        (named("Marie Curie"), named("Pierre Curie"), named("Irène Joliot-Curie")),
        (named("Marie Curie"), named("Pierre-et-Marie-Curie"), named("Pierre Curie")),
        (named("M. Curie", born=1867), named("Maurice Curie", born=1888)),
        (named("Muhammad", count=9), named("Muhammad Ali", born=1942)),
        (named("Georgia::STATE"), named("Georgia::WORK")),
        (named("Georgia (country)::PLACE"), named("Georgia (U.S. state)::PLACE")),
        (named("Alexandre Dumas, père"), named("Alexandre Dumas, fils")),
        (named("Alexandre Dumas", born=1802), named("Alexandre Dumas fils", born=1824)),
        (named("Pliny the Elder"), named("Pliny the Younger")),
        (named("Henry VII"), named("Henry VIII")),
        (named("World War I::EVENT"), named("World War II::EVENT")),
        (named("Apollo 11::EVENT"), named("Apollo 12::EVENT")),
        (named("Mr. Bennet"), named("Mrs. Bennet")),
        (named("Hasan"), named("Husayn")),
        (named("Ali"), named("Husayn ibn Ali")),
        (named("Badr::PLACE"), named("Battle of Badr::EVENT")),
        (named("Paris::PLACE"), named("University of Paris::ORGANIZATION")),
        (named("Mercury::PLANET"), named("Mercury::PERSON")),
        (named("Countess Wodzińska"), named("Maria Wodzińska")),
        (named("1905::DATE"), named("1906::DATE")),
        (named("De::OTHER"), named("Dē::OTHER")),
    ],
    ids=lambda keys: " / ".join(each.name for each in keys),
)
def test_other_bearers_stay_apart(keys: tuple[Mentioned, ...]) -> None:
    assert joined(*keys) == set()


@pytest.mark.parametrize("graph", "abcdef")
def test_the_article_of_a_name_may_be_missing_whichever_key_comes_first(graph: str) -> None:
    keys = [named(name, "a.txt", graph=graph) for name in ("Al-Tabari", "Tabari")]
    assert [each.partition(": ")[2] for each in joined(*keys)] == ["sounds"]
    assert joined(*(named(name, "a.txt", graph=graph) for name in ("Smith", "Smyth"))) == set()


def test_a_surname_that_fits_two_is_nobodys() -> None:
    curies = [named("Marie Curie"), named("Pierre Curie")]
    assert joined(named("Curie"), *curies) == set()
    assert joined(named("Curie"), *curies[:1]) == {"Curie ~ Marie Curie: surname"}


def test_a_surname_fits_one_bearer_where_surer_rules_made_one_of_two() -> None:
    proposals = propose([named("Watson"), named("Dr. John Watson"), named("John Watson")], NO_SOURCES, []).proposals
    assert [(each.verdict, each.rule) for each in proposals] == [
        (ProposalVerdict.JOIN, "title"),
        (ProposalVerdict.JOIN, "surname"),
    ]


def test_years_tell_which_of_two_a_short_name_is() -> None:
    keys = [named("G. Bush", born=1924), named("George Bush", born=1924), named("Gerald Bush", born=1946)]
    assert joined(*keys) == {"G. Bush ~ George Bush: initials"}


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ((named("Watson", "a.txt:0"), named("John Watson", "a.txt:5")), "before the whole name"),
        ((named("Watson", "a.txt", "b.txt"), named("John Watson", "a.txt")), "some documents"),
        ((named("G. Bush", "a.txt"), named("George Bush", "b.txt")), "no document has both"),
        (
            (named("Asma", "a.txt:12", count=1), named("Asma bint Marwan", "a.txt:2", count=1)),
            "mentioned once, far from each other",
        ),
        ((named("Madame Curie"), named("Marie Curie")), "titled 'madame'"),
        ((named("Alfred T. Welch"), named("Alford T. Welch")), "%"),
        ((named("Irène"), named("Irène Joliot-Curie")), "beginning"),
        ((named("Annalen::PLACE"), named("Annalen::ORGANIZATION")), "one name"),
        ((named("Georgia::OTHER"), named("Georgia::WORK"), named("Georgia::STATE")), "one name"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0].name,
)
def test_what_is_not_sure_is_asked(keys: tuple[Mentioned, ...], reason: str) -> None:
    proposals = propose(keys, NO_SOURCES, []).proposals
    assert proposals
    assert {each.verdict for each in proposals} == {ProposalVerdict.ASK}
    assert all(reason in each.reason for each in proposals)


def test_a_fact_between_two_names_says_that_they_are_two() -> None:
    one, other = named("Watson"), named("John Watson")
    related = {frozenset((one.key, other.key)): frozenset({"SON_OF"})}
    assert joined(one, other, sources=Sources(related=related)) == set()


def test_a_fact_may_say_that_two_names_are_one() -> None:
    one, other = named("Mark Twain"), named("Samuel Clemens", count=1)
    related = {frozenset((one.key, other.key)): frozenset({"ALSO_KNOWN_AS"})}
    assert joined(one, other, sources=Sources(related=related)) == {"Samuel Clemens ~ Mark Twain: stated"}


def test_titles_that_lead_to_a_page_are_its_bearer() -> None:
    page = WikiPage("a.txt", "Muhammad", redirects=("Mahomet", "The Prophet (Islam)"))
    keys = [named("Muhammad"), named("Mahomet"), named("Mahomet::BOOK")]
    assert joined(*keys, sources=Sources((page,))) == {"Mahomet ~ Muhammad: redirect"}


def test_a_title_that_the_page_links_to_casts_doubt_on_a_surname() -> None:
    keys = [named("Ali", count=5), named("Muhammad Ali", count=5)]
    assert joined(*keys) == {"Ali ~ Muhammad Ali: surname"}
    assert joined(*keys, sources=Sources((WikiPage("a.txt", "Islam", links=("Ali",)),))) == set()


def test_neighbours_by_meaning_are_asked_never_joined() -> None:
    one, other = sorted((named("Yathrib::PLACE"), named("Medina::PLACE")), key=lambda each: each.key)
    near = Sources(neighbours={one.key: ((other.key, 0.97),)})
    assert {each.rpartition(": ")[2] for each in found(ProposalVerdict.ASK, one, other, sources=near)} == {"meaning"}
    assert joined(one, other, sources=near) == set()


def test_neighbours_with_words_of_their_own_beside_shared_ones_are_siblings() -> None:
    one, other = sorted((named("Banu Aws::TRIBE"), named("Banu Khazraj::TRIBE")), key=lambda each: each.key)
    near = Sources(neighbours={one.key: ((other.key, 0.99),)})
    assert found(ProposalVerdict.ASK, one, other, sources=near) == set()


def test_what_a_decision_keeps_apart_is_not_proposed() -> None:
    one, other = named("Watson"), named("John Watson")
    apart = decide("g", DecisionKind.CANNOT_LINK, (one.key, other.key), "file", 1.0)
    assert propose([one, other], NO_SOURCES, [apart]).proposals == ()


def test_what_was_taken_back_is_not_proposed_again_in_another_way() -> None:
    keys = [named("Watson"), named("Dr. Watson"), named("John Watson")]
    made = [
        decide("g", DecisionKind.SAME, (keys[0].key, keys[1].key), "surname", 0.85),
        decide("g", DecisionKind.SAME, (keys[0].key, keys[2].key), "surname", 0.85),
    ]
    revoked = [replace(each, revoked=True) for each in made]
    assert joined(*keys)
    assert propose(keys, NO_SOURCES, revoked).proposals == ()
    assert propose(keys, NO_SOURCES, [made[0], revoked[1]]).proposals == ()


def test_what_is_joined_never_holds_a_contradiction_at_second_hand() -> None:
    keys = [
        named("George Bush", "a.txt", "b.txt"),
        named("George W. Bush", "a.txt", "b.txt", born=1946),
        named("George H. W. Bush", "a.txt", "b.txt", born=1924),
    ]
    assert joined(*keys) == set()
    assert joined(*keys[:2]) == {"George Bush ~ George W. Bush: middle-name"}


def test_the_order_of_keys_and_decisions_changes_nothing() -> None:
    keys = [
        *(named("Watson"), named("Dr. Watson"), named("John Watson"), named("J. Watson", "b.txt"), named("Holmes")),
        *(named("Sherlock Holmes"), named("Quraysh::TRIBE"), named("Quraysh::CLAN"), named("Muḥammad")),
        *(named("Muhammad"), named("Mycroft Holmes", "b.txt"), named("Alfred Welch"), named("Alford Welch")),
    ]
    expected = propose(keys, NO_SOURCES, []).proposals
    assert len(expected) > 4
    for seed in range(20):
        random.Random(seed).shuffle(keys)
        assert propose(keys, NO_SOURCES, []).proposals == expected


def test_the_decisions_of_joins_give_no_skipped_union() -> None:
    keys = [named(name) for name in ("Watson", "Dr. Watson", "John Watson", "John H. Watson", "Holmes", "S. Holmes")]
    keys.append(named("Sherlock Holmes"))
    made = [
        decide("g", DecisionKind.SAME, (each.left.key, each.right.key), each.rule, each.score)
        for each in propose(keys, NO_SOURCES, []).proposals
        if each.verdict is ProposalVerdict.JOIN
    ]
    assert components(made).skipped == ()
    assert {len(members) for members in components(made).members.values()} == {4, 3}


def test_a_model_decides_the_grey_band_and_no_contradiction() -> None:
    keys = [
        *(named("Irène"), named("Irène Joliot-Curie", born=1897), named("Irène Adler", born=1858)),
        *(named("Elsa"), named("Elsa Löwenthal")),
    ]
    proposed = propose(keys, NO_SOURCES, [])
    pairs = {(each.left.key, each.right.key): (True, "says so") for each in proposed.open}
    assert len(pairs) == 3
    after = judged(proposed, pairs, 0.8)
    assert [each.verdict for each in after.proposals].count(ProposalVerdict.JOIN) == 2
    (kept,) = after.open
    assert "born 1858 and 1897" in kept.reason or "born 1897 and 1858" in kept.reason


def test_a_no_of_the_model_goes_before_its_yes() -> None:
    keys = [named("Elsa"), named("Elsa Löwenthal"), named("Elsa Einstein")]
    proposed = propose(keys, NO_SOURCES, [])
    answers = {(each.left.key, each.right.key): (each.right.name == "Elsa Einstein", "why") for each in proposed.open}
    verdicts = {each.right.name: each.verdict for each in judged(proposed, answers, 0.8).proposals}
    assert verdicts == {"Elsa Einstein": ProposalVerdict.JOIN, "Elsa Löwenthal": ProposalVerdict.APART}


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (named("A B", born=1924), named("A B", born=1946), "born 1924 and 1946"),
        (named("A B", died=1924), named("A B", died=1946), "died 1924 and 1946"),
        (named("A B", born=1946), named("A B", died=1924), "born 1946, after the other died, 1924"),
        (named("A B", born=570), named("A B", born=571), None),
        (named("A B", born=567), named("A B", born=575), None),
        (named("A B", born=-100), named("A B", born=-44), "born 100 BC and 44 BC"),
        (named("A B (poet)"), named("A B (king)"), "called 'poet' and 'king'"),
        (named("Anna Bo"), named("Berta Bo"), "of one surname"),
        (named("A. Bo"), named("Anna Bo"), None),
        (named("X::CITY"), named("X::PERSON"), "a CITY and a PERSON"),
        (named("X::CITY"), named("X::RIVER"), None),
        (named("X::GLACIER"), named("X::RIVER"), None),
    ],
)
def test_what_tells_two_bearers_apart_is_said(one: Mentioned, other: Mentioned, told: str | None) -> None:
    said = contradiction(bearer(one), bearer(other))
    assert said is None if told is None else told in str(said)
    assert (contradiction(bearer(other), bearer(one)) is None) == (told is None)


def test_kinds_are_alike_in_both_directions() -> None:
    types = "PERSON POET PLACE CITY STATE COUNTRY TRIBE CLAN ORGANIZATION OTHER DATE ELEMENT WORK CONCEPT".split()
    for one in types:
        assert likeness(kind_of(one), kind_of(one)) == 1
        for other in types:
            assert likeness(kind_of(one), kind_of(other)) == likeness(kind_of(other), kind_of(one))
    assert likeness(kind_of("TRIBE"), kind_of("ORGANIZATION")) == 1
    assert likeness(kind_of("STATE"), kind_of("COUNTRY")) == 0
    assert likeness(kind_of("GLACIER"), kind_of("CONCEPT")) == 0.5
    assert likeness(kind_of("OTHER"), kind_of("DATE")) == 0
    assert likeness(kind_of("SHIP", {"SHIP": "PLACE"}), kind_of("CITY")) == 1


def test_rows_with_other_keys_of_one_table_are_two_and_a_text_may_mean_either() -> None:
    names = ("Ann Lee", "Dr. Ann Lee")

    def keyed(*keys: tuple[str, str]) -> list[Mentioned]:
        return [replace(named(name), keys=frozenset([key])) for name, key in zip(names, keys, strict=True)]

    joined = {"Dr. Ann Lee ~ Ann Lee: title"}
    assert found(ProposalVerdict.JOIN, *map(named, names)) == joined
    assert found(ProposalVerdict.JOIN, *keyed(("people.csv", "1"), ("people.csv", "2"))) == set()
    assert found(ProposalVerdict.JOIN, *keyed(("people.csv", "1"), ("staff.csv", "2"))) == joined
    assert found(ProposalVerdict.JOIN, keyed(("people.csv", "1"), ("a", "b"))[0], named(names[1])) == joined
