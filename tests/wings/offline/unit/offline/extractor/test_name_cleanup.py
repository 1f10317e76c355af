"""Names without what stands around them, and what is no name."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.name_cleanup import clean_names, is_none
from offline_reading import read


def cleaned(marked: str, kind: str = "PERSON") -> list[tuple[str, str]]:
    """Clean the stretch between two underlines; the rest of the text stands around it."""
    before, name, after = marked.split("_") if "_" in marked else ("", marked, "")
    text = before + name + after
    spans = clean_names(text, [(len(before), len(before) + len(name), kind)])
    return [(text[start:end], found) for start, end, found in spans]


@pytest.mark.parametrize(
    ("marked", "kind", "name"),
    [
        ("Miss Tarrow!", "PERSON", "Miss Tarrow"),
        ("“Ada Lind”,", "PERSON", "Ada Lind"),
        ("Lind & Co.", "ORGANIZATION", "Lind & Co"),
        ("Skerrow 66,", "PLACE", "Skerrow 66"),
        ("J. S. Bach", "PERSON", "J. S. Bach"),
        ("Dr. Lind", "PERSON", "Dr. Lind"),
        ("'s-Hertogenbosch", "PLACE", "'s-Hertogenbosch"),
        ("Excalibur (film)", "OTHER", "Excalibur (film)"),
        ("Lind (1902", "PERSON", "Lind (1902"),
        ("C#", "OTHER", "C#"),
        ("Then Ada", "PERSON", "Ada"),
        ("Dearest Tilly", "PERSON", "Tilly"),
        ("Oh Mr Darcy", "PERSON", "Mr Darcy"),
        ("Oporto 21 March 1923", "PERSON", "Oporto"),
        ("Lind 1931", "PERSON", "Lind"),
        ("Euro 1996", "OTHER", "Euro 1996"),
        ("Never Let Me Go", "OTHER", "Never Let Me Go"),
        ("Twelve Years: A Study", "OTHER", "Twelve Years: A Study"),
        ("_Ballade No_. 2 in F", "OTHER", "Ballade No. 2"),
        ("_Étude Op_. 10, No. 3 and", "OTHER", "Étude Op. 10, No. 3"),
        ("_Étude Op_ of that year", "OTHER", "Étude"),
        ("हिन्दी", "OTHER", "हिन्दी"),
        ("Lind on Whit Monday", "OTHER", "Lind"),
        ("Aldery since Sept. 4", "PLACE", "Aldery"),
        ("late United Mills", "ORGANIZATION", "United Mills"),
        ("Cllrs Ada Lind", "PERSON", "Ada Lind"),
        ("Messrs Lind & Roth", "ORGANIZATION", "Lind & Roth"),
        ("Murder on the Aldery Line", "OTHER", "Murder on the Aldery Line"),
        ("Catherine of Aragon", "PERSON", "Catherine of Aragon"),
        ("Frederick II of Prussia", "PERSON", "Frederick II of Prussia"),
        ("Queen Maria Theresa of Austria", "PERSON", "Queen Maria Theresa of Austria"),
        ("Royal Society of Norland", "ORGANIZATION", "Royal Society of Norland"),
        ("vom Stein", "PERSON", "vom Stein"),
    ],
)
def test_a_name_is_cut_to_what_it_is(marked: str, kind: str, name: str) -> None:
    assert cleaned(marked, kind) == [(name, kind)]


@pytest.mark.parametrize(
    ("marked", "kind", "names"),
    [
        ("_Ada Lind of Marlow Green_ said", "PERSON", [("Ada Lind", "PERSON"), ("Marlow Green", "PLACE")]),
        (
            "_Norvane Systems of Cork_. Norvane Systems",
            "ORGANIZATION",
            [("Norvane Systems", "ORGANIZATION"), ("Cork", "PLACE")],
        ),
        ("_Rosa: Slow tests_", "OTHER", [("Rosa", "OTHER"), ("Slow tests", "OTHER")]),
        ("_Prof. Ada Lind of Marlow Green_ said", "PERSON", [("Prof. Ada Lind", "PERSON"), ("Marlow Green", "PLACE")]),
        (
            "said _Ada Lind of North Aldery Council_",
            "ORGANIZATION",
            [("Ada Lind", "PERSON"), ("North Aldery Council", "ORGANIZATION")],
        ),
        ("_Poor Ada Lind_ left", "PERSON", [("Ada Lind", "PERSON")]),
        ("and _Poor Ada Lind_ left", "PERSON", [("Poor Ada Lind", "PERSON")]),
        ("_Aldery British Legion £50_", "ORGANIZATION", [("Aldery British Legion", "ORGANIZATION")]),
        ("_Stockport SK4 1AB_", "PLACE", [("Stockport", "PLACE")]),
        ("_Good God_", "OTHER", []),
        ("the _TX_-40 pump", "ORGANIZATION", [("TX-40", "OTHER")]),
        ("_Pump   Valve_", "OTHER", [("Pump", "OTHER"), ("Valve", "OTHER")]),
        ("Adler Works\n_Kiln Lane\nAldery_", "PLACE", [("Kiln Lane", "PLACE"), ("Aldery", "PLACE")]),
    ],
)
def test_a_stretch_may_hold_more_than_a_name(marked: str, kind: str, names: list[tuple[str, str]]) -> None:
    assert cleaned(marked, kind) == names


@pytest.mark.parametrize("said", ["Have I", "God bless us", "Will you come in", "Sept. 4", "Tue–Sat 9.00", "Fridays"])
def test_what_somebody_says_or_when_is_no_name(said: str) -> None:
    assert cleaned(said, "OTHER") == []


@pytest.mark.parametrize("title", ["Call Me by Your Name", "He Who Whispers", "The Wind in the Willows"])
def test_a_title_with_small_words_is_a_name(title: str) -> None:
    assert cleaned(title, "OTHER") == [(title, "OTHER")]


def test_a_title_behind_a_conjunction_makes_a_person() -> None:
    assert cleaned("But Miss Tarrow", "OTHER") == [("Miss Tarrow", "PERSON")]


@pytest.mark.parametrize(
    "text",
    ["19/03 Police", "Op. cit.", "Ibid.", "P.S.", "M.D.", "J. A.", "L.", "Mrs.", "1931", "Then he", "!", "Signed"],
)
def test_what_is_nobodys_name_is_none(text: str) -> None:
    assert cleaned(text) == []


@pytest.mark.parametrize("name", ["U.S.", "The Who", "No Man's Land", "Q Division", "Ed Lind", "St Mary", "Li"])
def test_what_looks_like_none_and_is_one(name: str) -> None:
    assert not is_none(name)


def test_marks_that_no_name_has_divide() -> None:
    assert [name for name, _ in cleaned("Facebook · Instagram | Back", "ORGANIZATION")] == [
        "Facebook",
        "Instagram",
        "Back",
    ]
    assert [name for name, _ in cleaned("Gazeta do Mar. Lind", "ORGANIZATION")] == ["Gazeta do Mar", "Lind"]


def test_a_graph_has_names_without_the_words_around_them() -> None:
    text = (
        "But Miss Lind!” cried Otto Berg. Ada Lind's pupil Otto Berg left Oslo in 1901. Dear Aunt Ada, he wrote, I saw "
        "the Seamen's Infirmary of Bergen. Ada Lind (née Roux) and her father, Otto Roux, stayed."
    )
    names = read(text).names
    assert {"Ada Lind", "Otto Berg", "Oslo", "Otto Roux"} <= names
    assert all(name[-1].isalnum() for name in names)
    assert not any(word in name for name in names for word in ("But", "Dear", "pupil", "left"))
