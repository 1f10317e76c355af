"""The canned reports on the real server: known rows, one order, one graph, nothing written."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import entity_graph
from corpus import Fact, document, extraction, record_document
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import (
    browser_text,
    list_reports,
    literal,
    outside_name,
    run,
    with_literals,
)
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.report_format import Report, render
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.search_indexes import create_fulltext
from kg_neo4j.pipeline.commands.report import report as pipeline_report
from kg_neo4j.records import Span
from kg_neo4j.retrieve.linking import known_names
from kg_neo4j.settings import Settings
from kg_runner import Kg

NAMES = [outside_name(query) for query in list_reports()]
NEEDED: dict[str, dict[str, str | int | float]] = {
    "neighbours": {"name": "Marie Curie"},
    "shortest-path": {"from": "Paul Langevin", "to": "polonium"},
    "shortest-paths": {"from": "Paul Langevin", "to": "polonium"},
    "similar-entities": {"name": "Marie Curie"},
    "similar-neighbourhoods": {"name": "Marie Curie"},
}
TEXTS: dict[str, dict[str, list[Fact]]] = {
    "curie.txt": {
        "Marie Curie married Pierre Curie.": [("Marie Curie", "MARRIED_TO", "Pierre Curie")],
        "MARIE CURIE discovered polonium in Paris.": [
            ("MARIE CURIE", "DISCOVERED", "polonium::ELEMENT"),
            ("MARIE CURIE", "LIVED_IN", "Paris::PLACE"),
        ],
        "Marie Curie lived in Paris.": [("Marie Curie", "LIVED_IN", "Paris::PLACE")],
        "Nothing is said here.": [],
    },
    "langevin.txt": {
        "Paul Langevin studied with Pierre Curie.": [("Paul Langevin", "STUDENT_OF", "Pierre Curie")],
        "Lviv is a town, and Paris a prince.": [("Lviv::PLACE", "", ""), ("Paris::PERSON", "PRAISED", "Paris::PERSON")],
    },
}


def build(database: Database, graph: str, *, backwards: bool = False) -> None:
    """Load TEXTS; the words of the first row of each chunk are found in it, those of the others are not."""
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, entity_graph.SCHEMA, lease)
        for name, paragraphs in sorted(TEXTS.items(), reverse=backwards):
            source, chunks = document(graph, name, list(paragraphs))
            configuration = LoadConfiguration("c0", "described", entity_graph.SCHEMA.hash, "words")
            record_document(database, lease, source, chunks, configuration)
            for chunk in sorted(chunks, key=lambda each: each.index, reverse=backwards):
                made = extraction(chunk, paragraphs[chunk.text], rejected=chunk.index)
                found = tuple(
                    replace(row, span=Span(0, 20, "exact") if index == 0 else None)
                    for index, row in enumerate(made.relationships)
                )
                recorder.record([replace(made, relationships=found)])
        settle(database, graph, entity_graph.SCHEMA, lease)
    refresh(database, graph)


@pytest.fixture(scope="module")
def curie(database: Database) -> Iterator[str]:
    """A graph that all tests of this module read and none changes."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    build(database, name)
    yield name
    delete_graph(database, name)


def report(database: Database, graph: str, name: str, /, **parameters: str | int | float) -> Report:
    return run(database, name, graph=graph, parameters={**NEEDED.get(name, {}), **parameters})


def rows(database: Database, graph: str, name: str, /, **parameters: str | int | float) -> list[tuple[Any, ...]]:
    return list(report(database, graph, name, **parameters).rows)


def write(database: Database, graph: str, text: str, **params: Any) -> None:
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", text), graph=graph, **params)


# --------------------------------------------------------------------------------------------------- known rows


def test_most_connected_counts_neighbours_once_and_no_relationship_to_itself(database: Database, curie: str) -> None:
    found = report(database, curie, "most-connected")
    assert found.columns == ("Node", "Connections")
    assert list(found.rows) == [
        ("Marie Curie", 3),
        ("Pierre Curie", 2),
        ("Paris", 1),  # the place; the prince praised nobody but himself
        ("Paul Langevin", 1),
        ("polonium", 1),
    ]
    assert rows(database, curie, "most-connected", limit=1) == [("Marie Curie", 3)]
    assert len(rows(database, curie, "most-connected", limit="100")) == 5


def test_relationships_and_nodes_by_type(database: Database, curie: str) -> None:
    found = report(database, curie, "relationships-by-type")
    assert found.columns == ("RelationshipType", "Count")
    assert list(found.rows) == [(name, 1) for name in ("DISCOVERED", "LIVED_IN", "MARRIED_TO", "PRAISED", "STUDENT_OF")]
    found = report(database, curie, "nodes-by-type")
    assert found.columns == ("NodeType", "Count", "WithoutRelationships")
    assert list(found.rows) == [("PERSON", 4, 0), ("PLACE", 2, 1), ("ELEMENT", 1, 0)]


def test_database_info_counts_what_is_there(database: Database, curie: str) -> None:
    found = {(kind, name): count for kind, name, count in rows(database, curie, "database-info")}

    def of(wanted: str) -> dict[str, int]:
        return {name: count for (kind, name), count in found.items() if kind == wanted}

    assert (of("Nodes"), of("Relationships")) == ({"": 7, "without relationships": 1}, {"": 5})
    assert of("Label") == {"PERSON": 4, "PLACE": 2, "ELEMENT": 1}
    assert set(of("Relationship type")) == {"DISCOVERED", "LIVED_IN", "MARRIED_TO", "PRAISED", "STUDENT_OF"}
    assert found["Property of nodes", "evidence_count"] == 7
    assert not {"num", "embedding", "summary_hash"} & of("Property of nodes").keys()
    kept = of("Bookkeeping label")
    assert (kept["Document"], kept["Chunk"], kept["Fact"]) == (2, 6, 5)
    assert of("Bookkeeping nodes")[""] == sum(
        count for name, count in kept.items() if name not in ("Unsettled", "Leaf", "Summary", "Detail")
    )
    assert of("Bookkeeping relationship type")["STATED_IN"] == 6
    assert of("Bookkeeping relationships")[""] == sum(of("Bookkeeping relationship type").values())
    assert of("Bookkeeping property of nodes")["num"] == 7
    assert "quote" in of("Bookkeeping property of relationships")
    places = list(dict.fromkeys(kind for kind, _ in found))
    assert places == sorted(places, key=lambda kind: kind.startswith("Bookkeeping"))


def test_database_info_of_an_empty_graph_counts_nothing(database: Database, graph: str) -> None:
    found = rows(database, graph, "database-info")
    kinds = ("Nodes", "Relationships", "Bookkeeping nodes", "Bookkeeping relationships")
    assert found == [(kind, "", 0) for kind in kinds[:1]] + [
        ("Nodes", "without relationships", 0),
        *((kind, "", 0) for kind in kinds[1:]),
    ]


@pytest.mark.parametrize("name", ["Marie Curie", "marie curie", "MARIE CURIE"])
def test_neighbours_are_found_by_any_spelling(database: Database, curie: str, name: str) -> None:
    assert [row[:6] for row in rows(database, curie, "neighbours", name=name)] == [
        ("Marie Curie", "-LIVED_IN->", "Paris", "PLACE", None, 2),
        ("Marie Curie", "-MARRIED_TO->", "Pierre Curie", "PERSON", None, 1),
        ("Marie Curie", "-DISCOVERED->", "polonium", "ELEMENT", None, 1),
    ]
    assert rows(database, curie, "neighbours", name="Pierre Curie")[0][:3] == (
        *("Pierre Curie", "<-MARRIED_TO-", "Marie Curie"),
    )
    assert rows(database, curie, "neighbours", name="Nobody") == []


def test_neighbours_are_found_by_an_alias(database: Database, graph: str) -> None:
    entity_graph.load(database, graph, [("A", "KNOWS", "B")])
    write(database, graph, "MATCH (e:Entity {graph: $graph, name: 'A'}) SET e.aliases = ['Älpha', 'One']")
    assert [row[:3] for row in rows(database, graph, "neighbours", name="älpha")] == [("A", "-KNOWS->", "B")]


def test_the_shortest_path_shows_each_step_and_its_direction(database: Database, curie: str) -> None:
    assert rows(database, curie, "shortest-path") == [
        (1, "Paul Langevin", "-STUDENT_OF->", "Pierre Curie", 1),
        (2, "Pierre Curie", "<-MARRIED_TO-", "Marie Curie", 1),
        (3, "Marie Curie", "-DISCOVERED->", "polonium", 1),
    ]
    assert rows(database, curie, "shortest-path", **{"from": "Lviv", "to": "Paris"}) == []
    assert rows(database, curie, "shortest-path", **{"from": "Lviv", "to": "Lviv"}) == []
    assert rows(database, curie, "shortest-path", **{"from": "Nobody", "to": "Lviv"}) == []


def test_of_equal_paths_the_one_with_most_evidence_then_the_first_by_name(database: Database, graph: str) -> None:
    around: list[Fact] = [(left, "KNOWS", right) for middle in "DCB" for left, right in ((middle, "A"), (middle, "Z"))]
    entity_graph.load(database, graph, around)
    assert [row[1:4:2] for row in rows(database, graph, "shortest-path", **{"from": "a", "to": "z"})] == [
        ("A", "B"),
        ("B", "Z"),
    ]
    write(database, graph, "MATCH (:Entity {graph: $graph, name: 'D'})-[r:KNOWS]->() SET r.evidence_count = 2")
    assert rows(database, graph, "shortest-path", **{"from": "a", "to": "z"})[0][3] == "D"


def test_facts_by_evidence_quote_the_words(database: Database, curie: str) -> None:
    assert rows(database, curie, "facts-by-evidence", limit=2) == [
        ("Marie Curie", "LIVED_IN", "Paris", 2, 1, "MARIE CURIE discover"),
        ("Marie Curie", "DISCOVERED", "polonium", 1, 1, "MARIE CURIE discover"),
    ]


def test_isolated_nodes_unsupported_facts_and_names_shared(database: Database, curie: str) -> None:
    assert rows(database, curie, "isolated-nodes") == [("Lviv", "PLACE", 1, "langevin.txt")]
    assert rows(database, curie, "same-names") == [("paris", 2, ("PERSON", "PLACE"), ("Paris", "Paris"))]
    assert rows(database, curie, "unsupported-facts") == []


def test_a_fact_whose_words_are_not_in_the_text_is_unsupported(database: Database, graph: str) -> None:
    entity_graph.load(database, graph, [("A", "KNOWS", "B")])
    assert [row[:6] for row in rows(database, graph, "unsupported-facts")] == [("A", "KNOWS", "B", 1, "facts.txt", 0)]


def test_years_on_which_texts_differ_have_their_places(database: Database, graph: str) -> None:
    """Both spellings are one entity; the maker of rows takes the length of a name for the year of birth."""
    texts = [("a.txt", "Marie  Curie"), ("b.txt", "Marie Curie"), ("c.txt", "Marie Curie"), ("d.txt", "Pierre Curie")]
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, entity_graph.SCHEMA, lease)
        for name, person in texts:
            source, chunks = document(graph, name, [f"{person} is named in {name}."])
            configuration = LoadConfiguration("c0", "described", entity_graph.SCHEMA.hash, "words")
            record_document(database, lease, source, chunks, configuration)
            recorder.record([extraction(chunks[0], [(person, "", "")])])
        settle(database, graph, entity_graph.SCHEMA, lease)
    assert rows(database, graph, "differing-years") == [
        ("Marie Curie", "PERSON", "birth_year", 1911, 2, "b.txt", "Marie Curie"),
        ("Marie Curie", "PERSON", "birth_year", 1912, 1, "a.txt", "Marie  Curie"),
    ]


def test_documents_and_rejected_rows_say_what_came_of_each_chunk(database: Database, curie: str) -> None:
    assert [row[:8] for row in rows(database, curie, "documents")] == [
        ("curie.txt", 4, 4, 1, 4, 0, 3, 6),
        ("langevin.txt", 2, 2, 0, 4, 1, 2, 1),
    ]
    assert "Lviv" not in [row[0] for row in rows(database, curie, "pagerank")]
    assert len(rows(database, curie, "pagerank")) == 6
    assert rows(database, curie, "rejected-rows")[:2] == [
        ("curie.txt", 3, "", 3, 3, "done"),
        ("curie.txt", 2, "", 5, 2, "done"),
    ]


def test_the_schema_is_drawn_by_families_of_types(database: Database, curie: str, settings: Settings) -> None:
    assert ("PERSON", "LIVED_IN", "PLACE", 1, "Marie Curie -> Paris") in rows(database, curie, "schema")
    found = pipeline_report("schema", settings=settings.model_copy(update={"graph": curie}))
    assert found.columns == ("Source", "Relationship", "Target", "Count", "Example")
    assert len(found.rows) == len(rows(database, curie, "schema")) == 5
    drawn = render(found, "mermaid").splitlines()
    assert drawn[0] == "flowchart LR"
    assert '  n0 -->|"LIVED_IN 1"| n1' in drawn
    assert {'  n0["PERSON"]', '  n1["PLACE"]', '  n2["SUBSTANCE"]'} <= set(drawn)
    with pytest.raises(UsageError, match="no format 'mermaid'"):
        render(report(database, curie, "most-connected"), "mermaid")


def test_communities_come_from_analytics(database: Database, graph: str) -> None:
    entity_graph.load(database, graph, entity_graph.two_cliques())
    assert rows(database, graph, "communities") == []
    refresh(database, graph)
    found = rows(database, graph, "communities", members=3)
    assert [row[:3] for row in found] == [(1, 0, 5), (2, 0, 5)]
    assert {row[3][0] for row in found} == {"A5", "B1"}
    assert rows(database, graph, "communities", smallest=6) == []


@pytest.fixture(scope="module")
def married(database: Database) -> Iterator[str]:
    """A graph of one relationship, without years; a test gives it its date."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    entity_graph.load(database, name, [("A", "MARRIED_TO", "B")])
    write(database, name, "MATCH (e:Entity {graph: $graph}) REMOVE e.birth_year")
    yield name
    delete_graph(database, name)


@pytest.mark.parametrize(
    ("date", "year"),
    [
        *(("570", 570), ("c. 570", 570), ("12 May 1820", 1820), ("June 1799–1804", 1799), ("-44", -44)),
        *(
            ("323 BC", -323),
            ("15 March 44 B.C.E.", -44),
            ("in his youth", None),
            ("2019-05-01", 2019),
            ("since 2019", 2019),
        ),
    ],
)
def test_the_timeline_reads_a_year_from_a_date(database: Database, married: str, date: str, year: int | None) -> None:
    write(database, married, "MATCH (:Entity {graph: $graph})-[r:MARRIED_TO]->() SET r.start_date = $date", date=date)
    assert rows(database, married, "timeline") == [(year, date, "A", "MARRIED_TO", "B", "PERSON", 1)]


def test_the_timeline_is_in_the_order_of_time_and_can_be_about_one(database: Database, curie: str) -> None:
    found = rows(database, curie, "timeline")
    years = [row[0] for row in found]
    assert years == sorted(years[: years.index(None)]) + [None] * years.count(None)
    assert (None, None, "Marie Curie", "LIVED_IN", "Paris", "PLACE", 2) in found
    assert (1911, "1911", "Marie Curie", "BORN", None, None, 3) in found
    assert {row[2] for row in rows(database, curie, "timeline", who="marie curie")} == {"Marie Curie"}


# ----------------------------------------------------------------------------------------------------- the checks


def test_a_graph_that_is_whole_passes_every_check(database: Database, curie: str) -> None:
    quoted = "MATCH ({graph: $graph})-[e:MENTIONED_IN|STATED_IN]->() WHERE e.quote_start IS NULL SET e.quote_start = -1"
    unquoted = "MATCH ({graph: $graph})-[e:MENTIONED_IN|STATED_IN]->() WHERE e.quote_start = -1 REMOVE e.quote_start"
    write(database, curie, quoted)
    assert {count for _, count in rows(database, curie, "checks")} == {0}
    write(database, curie, unquoted)


# ------------------------------------------------------------------------------------------------ all of them


@pytest.mark.parametrize("name", NAMES)
def test_values_are_of_the_declared_types(database: Database, curie: str, name: str) -> None:
    types = {"STRING": str, "INTEGER": int, "FLOAT": float, "BOOLEAN": bool, "LIST<STRING>": tuple}
    found = report(database, curie, name)
    declared = [types[column.type] for column in queries.get(f"reports/{name.replace('-', '_')}").columns]
    for row in found.rows:
        assert len(row) == len(declared)
        assert all(cell is None or type(cell) is kind for cell, kind in zip(row, declared, strict=True))
    for output in ("csv", "json", "markdown"):
        assert render(found, output)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_graph_is_no_error(database: Database, graph: str, name: str) -> None:
    counts = {row[-1] for row in rows(database, graph, name)}
    assert counts <= {0}


def test_no_report_writes_and_none_sees_another_graph_or_the_order_of_loading(
    database: Database, curie: str, graph: str
) -> None:
    before = "\n".join(lines(database, curie))
    expected = {name: report(database, curie, name) for name in NAMES}
    build(database, graph, backwards=True)
    assert {name: report(database, graph, name) for name in NAMES} == expected
    assert {name: report(database, curie, name) for name in NAMES} == expected
    assert "\n".join(lines(database, curie)) == before


PAGE = Path(__file__).resolve().parents[2] / "docs" / "your-own-cypher.md"


def test_the_queries_of_the_documentation_give_the_rows_of_the_reports(database: Database, curie: str) -> None:
    texts = re.findall(r"```cypher\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(texts) == 3
    found = []
    for text in texts:
        assert "{graph: 'main'}" in text
        own = replace(queries.get("reports/nodes_by_type"), text=text.replace("'main'", "$graph"))
        found.append([tuple(row.values()) for row in database.read(own, graph=curie)])
    assert found == [
        rows(database, curie, name) for name in ("most-connected", "relationships-by-type", "nodes-by-type")
    ]


HOSTILE = "A`) DETACH DELETE n //"


def test_hostile_labels_in_the_database_stay_data(database: Database, graph: str) -> None:
    """Row 59."""
    entity_graph.load(database, graph, [("A", "KNOWS", "B")])
    create = (
        "MATCH (a:Entity {graph: $graph, name: 'A'}) MATCH (b:Entity {graph: $graph, name: 'B'}) "
        "SET a:$($hostile), a[$hostile] = $hostile, a.type = $hostile "
        "CREATE (a)-[r:$($hostile)]->(b) SET r[$hostile] = 1"
    )
    write(database, graph, create, hostile=HOSTILE)
    assert refresh(database, graph).nodes == 2
    found = {
        name: rows(database, graph, name, **({"from": "A", "to": "B"} if "path" in name else {})) for name in NAMES
    }
    assert (HOSTILE, 1, 0) in found["nodes-by-type"]
    assert (HOSTILE, 1) in found["relationships-by-type"]
    assert ("Label", HOSTILE, 1) in found["database-info"]
    assert ("Property of relationships", HOSTILE, 1) in found["database-info"]


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "O'Neil",
        'a"b',
        "back\\slash",
        "\\u0027 RETURN 1 //",
        "\\\\u0060",
        "line\nend\r\t",
        "`$graph`",
        "李白 é",
        "\\",
        "'",
    ],
)
def test_the_literals_for_browser_mean_the_same_text(database: Database, value: str) -> None:
    query = Query("test", "test", "test", "read", (), (), "none", "test", "RETURN $name AS value")
    shown = replace(query, text=with_literals(query, {"name": literal(value)}))
    assert database.read(shown)[0]["value"] == value


@pytest.mark.parametrize("name", NAMES)
def test_the_text_for_browser_gives_the_rows_of_the_report(database: Database, curie: str, name: str) -> None:
    values = {"from": "Marie Curie", "to": "Polonium", "name": "Marie Curie"}
    query = queries.get(f"reports/{name.replace('-', '_')}")
    given = {each.name: values[each.name] for each in query.params if each.default is None and each.name in values}
    shown = database.read(replace(query, text=browser_text(name, curie, given)))
    assert [tuple(row.values()) for row in shown] == [
        tuple(list(cell) if isinstance(cell, tuple) else cell for cell in row)
        for row in run(database, name, graph=curie, parameters=given).rows
    ]


@pytest.mark.parametrize(
    ("asked", "meant", "others"),
    [
        ("Marie Curie", "Marie Curie", ""),
        ("Madame Langevin", "Paul Langevin", ""),
        ("Curie", "Marie Curie", "; it may also be Pierre Curie"),
        ("Märie CURIE", "Marie Curie", ""),
    ],
)
def test_a_report_finds_an_entity_by_a_form_of_its_name(
    database: Database, curie: str, asked: str, meant: str, others: str
) -> None:
    create_fulltext(database)
    values, notes = known_names(database, curie, "neighbours", {"name": asked, "limit": "3"})
    assert values == {"name": meant if notes else asked, "limit": "3"}
    assert notes == ([] if asked == meant else [f"{asked!r} was taken to mean {meant}{others}"])


def test_a_name_that_nothing_bears_gives_the_nearest_ones(database: Database, curie: str, kg: Kg) -> None:
    create_fulltext(database)
    with pytest.raises(
        UsageError, match=r"No entity is called 'Curi'\. Did you mean 'Marie Curie' or 'Pierre Curie'\?"
    ):
        known_names(database, curie, "neighbours", {"name": "Curi"})
    code, _, err = kg("report", "shortest-path", "--set", "from=Langevin", "--set", "to=Polonum", "--graph", curie)
    assert code == 2
    assert "No entity is called 'Polonum'. Did you mean 'polonium'?" in err
    code, out, err = kg("report", "shortest-path", "--set", "from=Langevin", "--set", "to=Polonium", "--graph", curie)
    assert code == 0
    assert "'Langevin' was taken to mean Paul Langevin" in err
    assert "STUDENT_OF" in out
    assert known_names(database, curie, "timeline", {"who": "*"}) == ({"who": "*"}, [])
