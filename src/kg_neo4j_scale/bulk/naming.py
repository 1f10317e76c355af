"""Entity resolution of the names of the tables, by the rules that settling uses: sure joins, components and aliases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.database import Row
from kg_neo4j.graph.identity import fact_id
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.resolution.aliases import aliases
from kg_neo4j.graph.resolution.decisions import components
from kg_neo4j.graph.resolution.derived import changed_decisions, read_mentioned, read_sources
from kg_neo4j.graph.resolution.showing import stored_values
from kg_neo4j_scale.bulk.tables import stored, stream, whole_folder, write_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROOTS = {"_member": "s", "_root": "s"}  # of keys that are joined with others
ALIASES = {"entity": "s", "names": "l"}
NAMESAKES = {"_of": "s", "_former": "s", "_meant": "s"}  # document, key, key of the bearer that it means
MOVED = {"_of": "s", "_former": "s", "_fact_now": "s", "_source_now": "s", "_target_now": "s"}
DECISIONS = {"id": "s", "graph": "s", "derived": "b", **stored("Decision")}


class TableReader:
    """Answers the queries that names are derived from, out of the tables instead of a graph."""

    def __init__(self, connection: DuckDBPyConnection, schema: Schema) -> None:
        self._connection = connection
        known = [column.name for column in schema.node_properties]
        self._years = [name if name in known else "CAST(NULL AS BIGINT)" for name in ("birth_year", "death_year")]

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Return the rows of a query; `params` are the graph, which the tables are of."""
        return list(self.stream(query, **params))

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a query."""
        del params
        if query.name == "write/resolve_mentions":
            yield from self._mentions()
        elif query.name == "write/resolve_pages":
            for document, title, redirects, links in stream(self._connection, _PAGES):
                yield {"document": document, "title": title, "redirects": redirects or [], "links": links or []}
        elif query.name == "write/resolve_facts":
            for source, target, kind in stream(self._connection, _FACTS):
                yield {"source": source, "target": target, "types": [kind]}
        else:
            raise ValueError(f"the tables do not answer {query.name}")

    def _mentions(self) -> Iterator[Row]:
        """Yield what is said of each key; its documents come a row at a time, sorted, because a hub has very many."""
        placed = itertools.groupby(stream(self._connection, _PLACES.format(*self._years)), itemgetter(0))
        for key, named in itertools.groupby(stream(self._connection, _NAMES), itemgetter(0)):
            names = list(named)
            documents = [
                (document, first, [] if born is None else [born], [] if died is None else [died])
                for _, document, first, born, died in next(placed)[1]
            ]
            spelt = [(name, count) for _, _, name, count in names]
            yield {"key": key, "type": names[0][1], "names": spelt, "documents": documents}


def write_names(connection: DuckDBPyConnection, folder: Path, graph: str, schema: Schema) -> None:
    """Derive the entity resolution, and write it as tables in `folder`, which gets its name in the end."""
    reader = TableReader(connection, schema)
    keys = read_mentioned(reader, graph, schema)
    keys, made = changed_decisions(graph, keys, read_sources(reader, graph, sure=keys), ())
    found = components(each.decision for each in made)
    with whole_folder(folder) as partial:
        decided = ([stored_values(each)[name] for name in DECISIONS] for each in made)
        write_table(partial / "decisions.parquet", DECISIONS, decided)
        del made, decided
        write_table(partial / "roots.parquet", ROOTS, sorted(found.roots.items()))
        meant = [(document, key, other) for (document, key), other in sorted(found.namesakes.items())]
        write_table(partial / "namesakes.parquet", NAMESAKES, meant)
        identity = [column.name for column in schema.relationships if column.identity]
        write_table(partial / "moved.parquet", MOVED, _moved(connection, meant, identity))
        read = iter(keys)
        del keys  # they are freed once aliases has gone through them: they are what takes the memory
        given = aliases(read, found, (row[0] for row in stream(connection, _TITLES)))
        write_table(partial / "aliases.parquet", ALIASES, ((each, given[each] or None) for each in sorted(given)))


def _moved(
    connection: DuckDBPyConnection, meant: Sequence[tuple[str, str, str]], identity: Sequence[str]
) -> Iterator[list[str]]:
    """Yield the facts that a document states of a namesake: document, former id, id, source key and target key."""
    others = {(document, key): other for document, key, other in meant}
    for document in sorted({document for document, *_ in meant}):
        named = "".join(f', "{name}"' for name in identity)
        stated = f"SELECT DISTINCT _fact, _source, _type, _target{named} FROM statements WHERE _document = $document"
        for former, source, kind, target, *values in stream(connection, stated, document=document):
            ends = [others.get((document, key), key) for key in (source, target)]
            if ends != [source, target]:
                own = fact_id(ends[0], kind, ends[1], ["" if value is None else str(value) for value in values])
                yield [document, former, own, *ends]


def show_names(connection: DuckDBPyConnection, folder: Path) -> None:
    """Show the names as views; `mentions` and `statements` of namesakes have the keys of these."""
    for name in ("aliases", "roots", "decisions", "namesakes", "moved"):
        connection.read_parquet(str(folder / f"{name}.parquet")).create_view(name)
    if connection.execute("SELECT 1 FROM namesakes LIMIT 1").fetchall():
        for view in ("mentions", "statements"):
            connection.execute(f"ALTER VIEW {view} RENAME TO read_{view}")
        connection.execute(_MENTIONS_OF_NAMESAKES)
        connection.execute(_STATEMENTS_OF_NAMESAKES)


_TITLES = "SELECT title FROM documents WHERE id IN (SELECT document_id FROM chunks)"  # there may be millions
_NAMES = "SELECT key, type, name, count(*) FROM mentions GROUP BY key, type, name ORDER BY key"
_PLACES = """
SELECT key, _document, min(_index), {0}, {1} FROM mentions GROUP BY key, _document, {0}, {1} ORDER BY key
"""
_MENTIONS_OF_NAMESAKES = """
CREATE VIEW mentions AS SELECT read_mentions.* REPLACE (coalesce(_meant, key) AS key)
FROM read_mentions LEFT JOIN namesakes ON _of = _document AND _former = key
"""
_STATEMENTS_OF_NAMESAKES = """
CREATE VIEW statements AS
SELECT read_statements.* REPLACE (coalesce(_fact_now, _fact) AS _fact, coalesce(_source_now, _source) AS _source,
                                  coalesce(_target_now, _target) AS _target)
FROM read_statements LEFT JOIN moved ON _of = _document AND _former = _fact
"""
_PAGES = "SELECT id, title, redirects, links FROM documents WHERE kind = 'wikipedia' ORDER BY id"
_FACTS = "SELECT DISTINCT _source, _target, _type FROM statements WHERE _source <> _target"
