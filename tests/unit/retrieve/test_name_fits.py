"""How a name as people write it fits the names of an entity, and which names are suggested where none fits."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.name_fits import NameFit, bearers, fit, nearest, nearly, say_missing


def entity(name: str, *more: str, node_type: str = "PERSON", evidence: int = 1) -> dict[str, object]:
    return {"kind": "entity", "id": name, "names": [name, *more], "evidence": evidence, "type": node_type}


def names(rows: list[dict[str, object]]) -> list[object]:
    return [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("asked", "name", "node_type", "expected"),
    [
        ("marie curie", "Marie Curie", "PERSON", NameFit.SAME),
        ("Lloyd's", "Lloyd's", "ORGANIZATION", NameFit.SAME),
        ("Zelazowa Wola", "Żelazowa Wola", "PLACE", NameFit.FOLDED),
        ("The Orchard", "Orchard", "PLACE", NameFit.FOLDED),
        ("Orchard", "The Orchard", "PLACE", NameFit.FOLDED),
        ("Mrs Dalloway", "Dalloway", "PERSON", NameFit.FOLDED),
        ("Madame Curie", "Marie Curie", "PERSON", NameFit.LAST),
        ("Curie", "Marie Curie", "PERSON", NameFit.LAST),
        ("van Beethoven", "Ludwig van Beethoven", "PERSON", NameFit.LAST),
        ("Curie's", "Marie Curie", "PERSON", NameFit.LAST),
        ("Marie", "Marie Curie", "PERSON", NameFit.PART),
        ("Ishaq", "Muhammad ibn Ishaq", "PERSON", NameFit.PART),  # a father's name is not the man's
        ("Curie", "Institut Curie", "ORGANIZATION", NameFit.PART),
        ("Electric", "General Electric", "ORGANIZATION", NameFit.PART),
        ("Mr Smith", "Mrs Smith", "PERSON", None),
        ("Elizabeth I", "Elizabeth II", "PERSON", None),
        ("Apollo 11", "Apollo 12", "OTHER", None),
        ("Marie Curi", "Marie Curie", "PERSON", NameFit.ALIKE),
        ("Babbage", "Marie Curie", "PERSON", None),
        ("De", "Dē", "PLACE", NameFit.PART),
    ],
)
def test_how_a_name_fits(asked: str, name: str, node_type: str, expected: NameFit | None) -> None:
    assert fit(asked, entity(name, node_type=node_type)) is expected


def test_a_surname_means_the_one_person_who_bears_it_as_well() -> None:
    place = entity("Sand", node_type="PLACE", evidence=9)
    rows = [entity("Sand"), place, entity("George Sand"), entity("Sand Beach", node_type="PLACE")]
    assert names(bearers("Sand", rows)) == ["Sand", "Sand", "George Sand"]
    assert names(bearers("Sand", [*rows, entity("Jules Sand")])) == ["Sand", "Sand"]


def test_a_place_of_that_name_does_not_bring_people_who_are_called_so() -> None:
    assert names(bearers("Paris", [entity("Paris", node_type="PLACE"), entity("Gaston Paris")])) == ["Paris"]


def test_another_spelling_is_meant_as_well_where_it_is_of_one_kind() -> None:
    rows = [entity("Jose Diaz"), entity("José Díaz"), entity("José Diaz", node_type="PLACE")]
    assert names(bearers("Jose Diaz", rows)) == ["Jose Diaz", "José Díaz"]


def test_a_surname_alone_is_no_other_name_of_that_word() -> None:
    rows = [
        entity("Chopin Competition", node_type="OTHER", evidence=30),
        entity("Nicolas Chopin", evidence=2),
        entity("Frédéric Chopin", evidence=14),
    ]
    assert names(nearly("Chopin", rows)) == ["Frédéric Chopin"]


def test_the_nearest_names_are_those_with_the_likest_word() -> None:
    rows = [
        entity("Chopiniana", node_type="OTHER"),
        entity("Frédéric Chopin", evidence=14),
        entity("Chopin Society", node_type="OTHER"),
        entity("Warsaw", node_type="PLACE", evidence=50),
    ]
    assert nearest("Chopn", rows)[0] == "Frédéric Chopin"
    assert "Warsaw" not in nearest("Chopn", rows)
    assert nearest("Xq", rows) == ()


def test_what_is_missing_is_said_with_the_nearest_names() -> None:
    assert say_missing("Chopn", ()) == "No entity is called 'Chopn'."
    assert say_missing("Chopn", ("A",)) == "No entity is called 'Chopn'. Did you mean 'A'?"
    assert say_missing("Chopn", ("A", "B", "C")).endswith("Did you mean 'A', 'B' or 'C'?")
