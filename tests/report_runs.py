"""Runs of community reports for tests: a graph is loaded, its reports are written, what they cite is looked up."""

from __future__ import annotations

from typing import Any

from corpus import Fact, document, extraction, record_document, withdraw_document
from entity_graph import SCHEMA
from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.community_reports import CommunityReportsReport, Wanted, write_reports
from kg_neo4j.organise.stored_reports import CommunityReport

TOKENISER = tokens.load("approximate-1")
HERMIT: Fact = ("Hermit", "", "")
DOUBT: Fact = ("B2", "DOUBTED", "B2")  # to itself: the communities stay as they are


def cypher(text: str) -> Query:
    return Query("test", "test", "test", "read", (), (), "none", "test", text)


ANSWERS = cypher(
    "MATCH (a:Answer {kind: 'report'}) WHERE a.graph = $graph "
    "RETURN a.round AS round, COUNT { (a)-[:ANSWERS]->(:Community) } AS communities ORDER BY a.id"
)
KNOWN_IDS = cypher("MATCH (n:Entity|Fact) WHERE n.graph = $graph RETURN collect(n.id) AS ids")


def door_to(model: ChatModel | None, cache: AnswerCache | None = None, concurrency: int = 1) -> Door:
    """Return the door to a model; to the stand-ins without one."""
    return factory.door_to(model, cache, concurrency) if model else factory.without_model()


def report(
    database: Database,
    graph: str,
    model: ChatModel | None,
    *,
    domain: str | None = None,
    singletons: bool | None = None,
    **how: Any,
) -> CommunityReportsReport:
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease, singletons=singletons)
        return write_reports(database, graph, door_to(model, **how), TOKENISER, Wanted(domain, 2), lease=lease)


def add(database: Database, graph: str, name: str, facts: list[Fact]) -> None:
    """Add a document of one chunk."""
    source, [chunk] = document(graph, name, [f"{name}: {facts}"])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, (chunk,), LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
        Recorder(database, graph, SCHEMA, lease).record([extraction(chunk, facts)])
        settle(database, graph, SCHEMA, lease)


def withdraw(database: Database, graph: str, name: str) -> None:
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, name, ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def check_references(database: Database, graph: str, found: tuple[CommunityReport, ...]) -> int:
    """Assert that everything that reports cite is in the graph; return how much that is."""
    known = set(database.read(KNOWN_IDS, graph=graph)[0]["ids"])
    cited = [each for report in found for finding in report.findings for each in finding.ids]
    assert set(cited) <= known
    assert all(finding.ids for report in found for finding in report.findings)
    return len(cited)


PARENTS = """
MATCH (c:Community) WHERE c.graph = $graph SET c.level = 1
WITH collect(c) AS parts
CREATE (whole:KgCommunity:Community {id: $graph + '-whole', graph: $graph, level: 0, number: 1, size: 32})
WITH whole, parts
UNWIND parts AS part
CREATE (part)-[:CHILD_OF]->(whole)
"""


def write_parents(database: Database, graph: str) -> None:
    """Put all communities into one, as a graph with more levels would have it."""
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", PARENTS), graph=graph)


def write_only(
    database: Database, graph: str, model: ChatModel | None, domain: str | None = None
) -> CommunityReportsReport:
    with Lease(database, graph) as lease:
        return write_reports(database, graph, door_to(model), TOKENISER, Wanted(domain, 2), lease=lease)
