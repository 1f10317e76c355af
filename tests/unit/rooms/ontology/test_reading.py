"""Ontologies and tables of types become schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.rooms.ontology.reading import NOTE_CHARACTERS, as_schema, read

PREFIXES = """@prefix : <http://harbour.example/terms#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
HARBOUR = (
    PREFIXES
    + """
:Vessel a owl:Class ; rdfs:label "Schiff"@de, "vessel"@en ; rdfs:comment "What floats." .
:Barge a owl:Class ; rdfs:subClassOf :Vessel .
:CoalBarge rdfs:subClassOf :Barge .
:Person a rdfs:Class .
:Pier a owl:Class .
:hasCaptain a owl:ObjectProperty ; rdfs:domain :Vessel ; rdfs:range :Person .
:mooredAt a rdf:Property ; rdfs:domain :Vessel ; rdfs:range [ owl:unionOf ( :Pier :Vessel ) ] ;
  rdfs:comment "lies there" .
:knows a owl:ObjectProperty .
:length a owl:DatatypeProperty ; rdfs:domain :Vessel ; rdfs:range xsd:integer .
:built a rdf:Property ; rdfs:range xsd:gYear .
:x1-2 a owl:ObjectProperty ; rdfs:label "docks / undocks" .
owl:Thing a owl:Class .
[] a owl:Class .
"""
)


def written(folder: Path, text: str, name: str = "harbour.ttl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_classes_and_object_properties_become_types(tmp_path: Path) -> None:
    found = read(written(tmp_path, HARBOUR))
    assert found.nodes == (("BARGE", ""), ("COAL_BARGE", ""), ("PERSON", ""), ("PIER", ""), ("VESSEL", "What floats."))
    assert found.relationships == (
        ("HAS_CAPTAIN", "VESSEL to PERSON"),
        ("KNOWS", "any to any"),
        ("MOORED_AT", "VESSEL to PIER or VESSEL: lies there"),
    )
    assert found.families == (("BARGE", "VESSEL"), ("COAL_BARGE", "VESSEL"), ("VESSEL", "VESSEL"))
    assert found.left_out == (
        "2 properties whose values are no nodes",
        "http://harbour.example/terms#x1-2: no name for a type",
    )


@pytest.mark.parametrize("closed", [False, True])
def test_the_schema_can_be_read_and_checks_ends(tmp_path: Path, closed: bool) -> None:
    text = as_schema(read(written(tmp_path, HARBOUR)), schemas.load("lean"), "harbour", closed=closed)
    found = schemas.parse(text, "harbour.toml")
    assert (found.closed, found.checks_ends, found.families[0]) == (closed, True, ("BARGE", "VESSEL"))
    assert dict(found.preferred_relationship_types)["HAS_CAPTAIN"] == "VESSEL to PERSON"
    assert [column.name for column in found.nodes] == [column.name for column in schemas.load("lean").nodes]


def test_other_forms_of_rdf_are_read(tmp_path: Path) -> None:
    from rdflib import Graph

    whole = read(written(tmp_path, HARBOUR))
    graph = Graph().parse(data=HARBOUR, format="turtle")
    for suffix, form in ((".owl", "xml"), (".nt", "nt"), (".jsonld", "json-ld")):
        graph.serialize(str(tmp_path / f"other{suffix}"), format=form, encoding="utf-8")
        found = read(tmp_path / f"other{suffix}")
        assert (found.nodes, found.relationships, found.families) == (whole.nodes, whole.relationships, whole.families)


def test_a_class_above_itself_ends(tmp_path: Path) -> None:
    round_ = PREFIXES + ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A ."
    assert {name for name, _ in read(written(tmp_path, round_)).families} == {"A", "B", "C"}


def test_a_class_above_most_others_is_no_family(tmp_path: Path) -> None:
    rooms, pumps = ([f":{kind}{number} rdfs:subClassOf :{kind} ." for number in range(60)] for kind in ("Room", "Pump"))
    text = "\n".join([PREFIXES, ":Room rdfs:subClassOf :Top .", ":Pump rdfs:subClassOf :Top .", *rooms, *pumps])
    families = dict(read(written(tmp_path, text)).families)
    assert (families["ROOM7"], families["PUMP7"], families["PUMP"]) == ("ROOM", "PUMP", "PUMP")
    few = "\n".join([PREFIXES, ":Room rdfs:subClassOf :Top .", *rooms[:20]])
    assert dict(read(written(tmp_path, few)).families)["ROOM7"] == "TOP"


def test_a_table_of_types(tmp_path: Path) -> None:
    table = (
        "type,family,source,target,note\nbarge,vessel,,,carries coal\ncaptain,,,,\nsteers,,captain,barge or vessel,\n"
    )
    found = read(written(tmp_path, table, "types.csv"))
    assert found.nodes == (("BARGE", "carries coal"), ("CAPTAIN", ""))
    assert found.relationships == (("STEERS", "CAPTAIN to BARGE or VESSEL"),)
    assert found.families == (("BARGE", "VESSEL"),)
    assert read(written(tmp_path, table.replace(",", "\t"), "types.tsv")) == found


def test_a_long_comment_is_cut_at_a_word(tmp_path: Path) -> None:
    text = f'{PREFIXES}:A a owl:Class ; rdfs:comment "{"word " * 90}" .'
    note = read(written(tmp_path, text)).nodes[0][1]
    assert note.endswith("word ...")
    assert len(note) <= NOTE_CHARACTERS + 4


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.ttl", "this is not turtle", "no ontology that rdflib reads"),
        ("a.owl", "<rdf", "no ontology that rdflib reads"),
        ("a.jsonld", "{", "no ontology that rdflib reads"),
        ("a.ttl", PREFIXES, "names no type of nodes"),
        ("a.csv", "name,kind\na,b\n", "no table of types"),
        ("a.csv", "", "no table of types"),
        ("a.csv", "type\n(a)\n", "line 2: '\\(a\\)' does not become a type"),
        ("a.csv", b"type\n\xff\n", "cannot read"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(UsageError, match=said):
        read(path)
    with pytest.raises(UsageError, match="there is no file"):
        read(tmp_path / "missing.ttl")
