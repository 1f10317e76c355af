"""What an extractor's types mean among those of an annotation."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotated import write
from kg_neo4j.errors import UsageError
from kg_neo4j_lab.extraction import gold, type_map
from kg_neo4j_lab.extraction.gold import GoldSet
from kg_neo4j_lab.extraction.type_map import Meaning, snake


@pytest.fixture
def passages(tmp_path: Path) -> GoldSet:
    return gold.read(write(tmp_path))


def user_file(folder: Path, text: str) -> str:
    (folder / "types.toml").write_text(text, "utf-8")
    return str(folder / "types.toml")


def test_the_built_in_map_knows_the_types_of_the_offline_extractor(passages: GoldSet) -> None:
    types = type_map.load(passages)
    kinds = {kind: types.node_type(kind) for kind in ("PERSON", "PLACE", "ORGANIZATION", "DATE", "OTHER", "NOVEL")}
    assert kinds == {
        "PERSON": "PER",
        "PLACE": "LOC",
        "ORGANIZATION": "ORG",
        "DATE": "TIME",
        "OTHER": "MISC",
        "NOVEL": "MISC",
    }
    assert types.claims("BORN_IN") == ((Meaning("P19"),),)
    assert types.claims("MARRIED_TO") == ((Meaning("P26"),), (Meaning("P26", reversed=True),))
    assert types.claims("SON_OF") == ((Meaning("P22"), Meaning("P25")), (Meaning("P40", reversed=True),))
    assert types.claims("ADMIRED") == ()


def test_names_and_ids_of_the_annotation_mean_themselves(passages: GoldSet) -> None:
    types = type_map.load(passages)
    assert types.claims("PLACE_OF_BIRTH") == types.claims("P19") == ((Meaning("P19"),),)
    assert types.node_type("TIME") == "TIME"
    assert snake("dissolved, abolished or demolished") == "DISSOLVED_ABOLISHED_OR_DEMOLISHED"


def test_the_annotation_s_own_names_come_before_built_in_lines(tmp_path: Path) -> None:
    types = type_map.load(gold.read(write(tmp_path, names={"P1": "lived in"})))
    assert types.claims("LIVED_IN") == ((Meaning("P1"),),)


def test_a_user_s_file_adds_and_overrides(passages: GoldSet, tmp_path: Path) -> None:
    text = """
        other_nodes = ""
        [nodes]
        SHIP = "LOC"
        PLACE = ""
        [relationships]
        ADMIRED = "^spouse | child"
        LIVED_IN = ["P551", "P19"]
        """
    types = type_map.load(passages, user_file(tmp_path, text))
    assert types.node_type("SHIP") == "LOC"
    assert types.node_type("PLACE") is None
    assert types.node_type("NOVEL") is None
    assert types.node_type("PERSON") == "PER"
    assert types.claims("ADMIRED") == ((Meaning("P26", reversed=True), Meaning("P40")),)
    assert types.claims("LIVED_IN") == ((Meaning("P551"),), (Meaning("P19"),))
    assert types.claims("BORN_IN") == ((Meaning("P19"),),)


def test_what_a_file_does_not_say_stays(passages: GoldSet, tmp_path: Path) -> None:
    assert type_map.load(passages, user_file(tmp_path, "")).node_type("NOVEL") == "MISC"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nodes = ", "types.toml"),
        ("[node]", "node"),
        ('[nodes]\nSHIP = "VESSEL"', "VESSEL"),
        ('[relationships]\nADMIRED = "P999"', "P999"),
        ('[relationships]\nADMIRED = "^"', "names no relation"),
        ("[relationships]\nADMIRED = [1]", "not a text"),
        ("[relationships]\nADMIRED = 1", "types.toml"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(passages: GoldSet, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        type_map.load(passages, user_file(tmp_path, text))


def test_a_file_that_is_not_there_is_named(passages: GoldSet) -> None:
    with pytest.raises(UsageError, match=r"nothing\.toml"):
        type_map.load(passages, "nothing.toml")


def test_every_built_in_line_means_something_in_re_docred(shared_data: Path) -> None:
    whole = gold.read(shared_data / "redocred" / "dev_revised.json")
    types = type_map.load(whole)
    meant = {each.type for claims in types.relationships.values() for claim in claims for each in claim}
    assert meant <= set(whole.relation_names)
    assert {types.node_type(kind) for kind in (*types.nodes, "ANYTHING")} == whole.entity_types
