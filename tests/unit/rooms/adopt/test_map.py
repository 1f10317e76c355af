"""Maps of a graph that is there: what they may say, what is read of them, and what is proposed. No server is asked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from foreign_graph import ACTED_IN, DIRECTED, FILMS, MAP, PERSONS
from kg_neo4j._models import tokens
from kg_neo4j.acquire import chunking
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.rooms.adopt.proposing import ForeignGraph, Tie, foreign_graph, normalised, propose
from kg_neo4j.rooms.adopt.reading import check_map, columns_of, read_tables
from kg_neo4j.rooms.tables import loading
from kg_neo4j.rooms.tables.maps import TableMap, read_map
from kg_neo4j.settings import Settings


class Films:
    """Answers the queries of reading and proposing as a server with the films would; all other ones fail."""

    def __init__(self, **labels: list[dict[str, Any]]) -> None:
        self.labels = {
            "Movie": [{"title": title, "released": year, "tagline": words} for title, year, words in FILMS],
            "Person": [{"name": name, "born": year} for name, year in PERSONS.items()],
        } | labels
        acted = [{"name": name, "title": title, "roles": roles} for name, title, roles in ACTED_IN]
        self.ties = {"ACTED_IN": acted, "DIRECTED": [{"name": name, "title": title} for name, title in DIRECTED]}

    def read(self, query: Query, /, **given: Any) -> list[dict[str, Any]]:
        return list(self.stream(query, **given))

    def stream(self, query: Query, /, **given: Any) -> Iterator[dict[str, Any]]:
        if query.name == "adopt/nodes":
            for row in self.labels[given["label"]][: given["limit"]]:
                yield {"cells": [row.get(name) for name in given["properties"]]}
        elif query.name == "adopt/relationships":
            for row in self.ties[given["type"]]:
                keys = [row[given["key"]], row[given["other_key"]]]
                yield {"cells": [*keys, *(row.get(name) for name in given["properties"])]}
        elif query.name == "adopt/properties":
            for label, rows in self.labels.items():
                yield from ({"labels": [label], "property": name} for name in rows[0])
            yield {"labels": ["Entity", "KgEntity", "WORK"], "property": "name"}
            yield {"labels": ["Actor", "Person"], "property": "name"}
        elif query.name == "adopt/keys_of_labels":
            yield from ({"label": "Movie", "property": "title"}, {"label": "KgEntity", "property": "id"})
        else:
            assert query.name == "adopt/types"
            ends = {"labels": ["Movie"], "count": 1}
            if given["label"] == "Person":
                yield {"type": "ACTED_IN", "properties": ["roles"], **ends}
                yield {"type": "DIRECTED", "properties": [], **ends}


def changed(old: str, new: str) -> TableMap:
    assert old in MAP
    return read_map(tomllib.loads(MAP.replace(old, new, 1)))


def test_a_label_and_a_type_of_relationships_are_tables() -> None:
    found = read_map(tomllib.loads(MAP))
    check_map(found)
    assert [each.named for each in found.tables] == ["Movie", "Person", "ACTED_IN", "DIRECTED"]
    assert [columns_of(each) for each in found.tables] == [
        ("title", "released"),
        ("name", "born"),
        ("from.name", "to.title", "roles"),
        ("from.name", "to.title"),
    ]
    assert [each.table for each in found.tables[2].ends] == ["Person", "Movie"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('unique = ["title"]\n', "", "a label has one property in unique, which is the key of a node with a name"),
        ('unique = ["title"]', 'unique = ["released"]', "a label has one property in unique"),
        ('key = "from.name"', 'key = "name"', "a relationship has two nodes of other tables"),
        (
            'label = "Movie"',
            'label = "Movie"\nfile = "a.csv"',
            "a table has one of file, query, label and relationship",
        ),
        ('label = "Movie"', 'label = "Movie"\nrelationship = "ACTED_IN"', "a table has one of file, query, label"),
        ('table = "Person"', 'table = "Nobody"', "no table is called 'Nobody'"),
    ],
)
def test_a_map_that_is_not_whole_is_refused(old: str, new: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        changed(old, new)


def test_a_key_of_another_label_and_a_file_are_refused() -> None:
    with pytest.raises(UsageError, match=re.escape("the key of Person is 'from.name' here, not 'from.born'")):
        check_map(changed('key = "from.name"', 'key = "from.born"'))
    with pytest.raises(UsageError, match="Movie is neither a label nor a type of relationships"):
        check_map(changed('label = "Movie"', 'name = "Movie"\nfile = "a.csv"'))


def test_the_map_of_a_table_means_what_it_meant_before() -> None:
    """Its hash says whether rows are read again."""
    plain = {"tables": [{"file": "a.csv", "nodes": {"it": {"type": "PERSON", "name": "name"}}}]}
    (found,) = read_map(plain).tables
    assert "label" not in repr(found.model_dump(exclude={"file", "label", "relationship"}))


def documents(films: Films, text: str = MAP) -> list[Any]:
    table_map = read_map(tomllib.loads(text))
    tables = read_tables(films, table_map, [])
    found = loading.tables_of([tables], Settings(), LoadOptions(table_map=table_map))
    assert found
    return list(found[0])


def test_rows_are_chunks_that_are_called_as_in_the_other_graph() -> None:
    found = {each.key: each for each in documents(Films())}
    assert {each.kind for each in found.values()} == {"adopted"}
    chunks = chunking.chunk(found["ACTED_IN"], tokens.load(tokens.APPROXIMATION))
    assert chunks[-1].section == "Sigourney Weaver -> Alien"
    assert chunks[-1].text == "from Person: Sigourney Weaver | to Movie: Alien | roles: Ripley"
    assert [each.section for each in chunking.chunk(found["Movie"], tokens.load(tokens.APPROXIMATION))] == sorted(
        title for title, *_ in FILMS
    )
    assert (
        found["Movie"].adopted
        == '{"label": "Movie", "key": "title", "columns": {"name": "title", "start_date": "released"}}'
    )


def test_ends_are_shown_by_their_names_where_keys_are_codes() -> None:
    films = Films(Person=[{"name": name, "id": f"P{year}", "born": year} for name, year in PERSONS.items()])
    for row in films.ties["ACTED_IN"]:
        row["id"] = f"P{PERSONS[row['name']]}"
    films.labels["Person"] = [
        row for row in films.labels["Person"] if row["name"] in {r["name"] for r in films.ties["ACTED_IN"]}
    ]
    text = MAP.replace('unique = ["name"]', 'unique = ["id"]').replace('key = "name"', 'key = "id"')
    text = text.replace("from.name", "from.id").partition('[[tables]]\nrelationship = "DIRECTED"')[0]
    acted = next(each for each in documents(films, text) if each.key == "ACTED_IN")
    assert "from Person: Sigourney Weaver [P1949] | to Movie: Alien" in acted.text
    assert "Sigourney Weaver -> Alien" in [each.title for each in acted.sections]


def test_rows_have_one_order_and_values_are_cells() -> None:
    films = Films()
    films.labels["Movie"].reverse()
    assert documents(films)[0].text == documents(Films())[0].text
    films.labels["Movie"][0] |= {"released": [1974.0, True], "title": "China\n town"}
    table = read_tables(films, read_map(tomllib.loads(MAP)), [])["Movie"]
    assert ("China town", "1974; true") in [row.cells for row in table.rows]


def test_what_is_not_there_is_named() -> None:
    notes: list[str] = []
    films = Films(Movie=[])
    assert read_tables(films, read_map(tomllib.loads(MAP)), notes)["Movie"].rows == ()
    assert notes == ["Movie: there is none in the database"]
    with pytest.raises(UsageError, match="no Movie has the property 'relased'"):
        read_tables(Films(), changed('"released"', '"relased"'), [])


# ------------------------------------------------------------------------------------------------------- proposing


def test_labels_that_are_ours_and_those_within_another_are_left_out() -> None:
    found = foreign_graph(Films())
    assert found.labels == {"Movie": ("title", "released", "tagline"), "Person": ("name", "born")}
    assert found.keys == {"Movie": "title"}
    assert found.left_out == ["Actor: all its nodes have the label Person, too"]
    assert [(each.type, each.source, each.target) for each in found.ties] == [
        ("ACTED_IN", "Person", "Movie"),
        ("DIRECTED", "Person", "Movie"),
    ]


def test_a_proposed_map_can_be_read_and_says_what_was_seen() -> None:
    text = propose(Films(), foreign_graph(Films()))
    found = read_map(tomllib.loads(text))
    check_map(found)
    movie, person, acted, _ = found.tables
    assert {name: node.type for each in (movie, person) for name, node in each.nodes.items()} == {
        "work": "WORK",
        "person": "PERSON",
    }
    assert movie.nodes["work"].properties["start_date"].column == "released"
    assert acted.relationships[0].type == "ACTED_IN"
    assert "# Movie: 6 rows, 3 columns" in text
    assert "# Left out: Actor: all its nodes have the label Person, too" in text
    assert "ignore" not in text


def test_a_label_without_a_key_and_what_leads_to_it_are_left_out_in_words() -> None:
    films = Films(Person=[{"name": "Ada", "born": 1900}, {"name": "Ada", "born": 1900}])
    text = propose(films, foreign_graph(films))
    assert [each.named for each in read_map(tomllib.loads(text)).tables] == ["Movie"]
    assert "# Left out: Person: no property tells all its nodes apart, so that none can be its key" in text
    assert "# Left out: ACTED_IN: an end of it, Person or Movie, is" in text


def test_one_type_between_several_labels_is_several_tables_of_one_title() -> None:
    films = Films(Series=[{"title": "Fargo the series"}, {"title": "Alien the series"}])
    ties = [Tie("ACTED_IN", "Person", target, ("roles",), 1) for target in ("Movie", "Series")]
    there = ForeignGraph({"Movie": ("title",), "Person": ("name",), "Series": ("title",)}, {}, ties, ())
    found = read_map(tomllib.loads(propose(films, there)))
    assert [each.named for each in found.tables][3:] == ["ACTED_IN Person Movie", "ACTED_IN Person Series"]
    assert {each.relationship for each in found.tables[3:]} == {"ACTED_IN"}


@pytest.mark.parametrize(
    ("name", "type_"),
    [("CreditCard", "CREDIT_CARD"), ("Genre", "GENRE"), ("in document", "IN_DOCUMENT_TYPE"), ("`", "OBJECT")],
)
def test_labels_become_types(name: str, type_: str) -> None:
    assert normalised(name) == type_
