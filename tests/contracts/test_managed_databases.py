"""What kg-neo4j asks of a database that somebody else runs: no rights of an administrator, no APOC, no other database.

The files of the managed local server are left out: it is ours to administer.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kg_neo4j.graph import queries

CHECKOUT = Path(__file__).resolve().parents[2]
ADMINISTRATION = re.compile(
    r"\b(?:CREATE|ALTER|DROP|START|STOP)\s+(?:OR\s+REPLACE\s+)?(?:DATABASE|USER|ROLE|ALIAS|SERVER)\b"
    r"|(?-i:\bSHOW\s+(?!INDEX|CONSTRAINT)[A-Z]{4,})|\bTERMINATE\s+TRANSACTION|\bLOAD\s+CSV\b|\bUSE\s+system\b"
    r"|\bdatabase\s*=\s*.system.|\bCALL\s+dbms\.|\bapoc\.[a-z]+\.",
    re.IGNORECASE,
)
CALLED = re.compile(r"\b(?:CALL\s+)([a-z][\w.]+)\(|\b((?:gds|db|apoc|genai)\.[a-z][\w.]+)\(")
PROCEDURES = {  # without those of GDS; docs/how-to/own-neo4j.md grants them
    *("db.awaitIndex", "db.index.fulltext.queryNodes", "db.index.vector.queryNodes", "db.info", "db.labels"),
    "db.schema.nodeTypeProperties",  # kg adopt --propose
}
COMMENT = re.compile(r"^\s*(?://|#).*$", re.MULTILINE)
OURS = ("neo4j_local", "local_server", "connections.cypher")  # the managed server; the last is asked in `kg db compact`
OWN_STORE = {"db.awaitIndexes", "dbms.listConnections"}  # in `kg db compact` alone


def code() -> list[Path]:
    """Return the files that may hold Cypher."""
    found = [*CHECKOUT.glob("cypher/**/*.cypher"), *CHECKOUT.glob("src/**/*.py")]
    return [path for path in found if not any(part.removesuffix(".py") in OURS for part in path.parts)]


def test_nothing_is_administered() -> None:
    offenders = [
        f"{path.relative_to(CHECKOUT)}: {found[0]}"
        for path in code()
        for found in ADMINISTRATION.finditer(COMMENT.sub("", path.read_text("utf-8")))
    ]
    assert offenders == []


@pytest.mark.parametrize(
    "text",
    [
        *("CREATE DATABASE other", "SHOW DATABASES", "CALL dbms.listConfig()", "CALL apoc.load.json($x)"),
        *("LOAD CSV FROM $file AS row", 'driver.session(database="system")', "TERMINATE TRANSACTION 'neo4j-1'"),
    ],
)
def test_what_administers_is_recognised(text: str) -> None:
    assert ADMINISTRATION.search(text)


def test_the_procedures_are_those_that_the_page_grants() -> None:
    called = {
        found[1] or found[2]
        for name in queries.names()
        for found in CALLED.finditer(COMMENT.sub("", queries.get(name).text))
    }
    asked = {each for each in called if not each.startswith("gds.")} - OWN_STORE
    assert asked == PROCEDURES
    page = (CHECKOUT / "docs" / "how-to" / "own-neo4j.md").read_text("utf-8")
    granted = re.search(r"^GRANT EXECUTE PROCEDURE (.+) ON DBMS", page, re.MULTILINE)
    assert granted
    assert {*granted[1].split(", ")} == {*PROCEDURES, "gds.*"}
