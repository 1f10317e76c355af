"""A graph as tables of pandas and as a network of networkx, with the names that people read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from pandas import DataFrame

from kg_neo4j.display import near
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import list_reports, outside_name
from kg_neo4j.graph.database import Row
from kg_neo4j.graph.export import COLUMNS, stated
from kg_neo4j.knowledge_graph import KnowledgeGraph
from kg_neo4j.pipeline.commands.graphs import graphs as all_graphs

if TYPE_CHECKING:
    from networkx import MultiDiGraph

ENTITIES = queries.get("retrieve/all_entities")
QUERY_S = 60.0  # that a query may take


def frames(kg: KnowledgeGraph) -> tuple[DataFrame, DataFrame]:
    """Return all entities and all relationships."""
    entities = DataFrame(_entities(kg), columns=[each.name for each in ENTITIES.columns])
    return entities, DataFrame(list(stated(kg._open(), kg.name)), columns=COLUMNS)


def entities(kg: KnowledgeGraph, wanted: str | None) -> DataFrame:
    """Return the entities, or those of one type."""
    return _of_type(kg.to_pandas().entities, wanted, "types")


def relationships(kg: KnowledgeGraph, wanted: str | None, entity: str | None) -> DataFrame:
    """Return the relationships, or those of one type or of one entity, by any of its names."""
    own = kg.entity(entity).id if entity else None
    frame = _of_type(kg.to_pandas().relationships, wanted, "type")
    ends = (frame["source_id"] == own) | (frame["target_id"] == own)
    return frame[ends].reset_index(drop=True) if own else frame


def plain_report(kg: KnowledgeGraph, name: str) -> DataFrame:
    """Return a report with the names of columns in lower case."""
    return kg.report(name).rename(columns=lambda column: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).lower())


def documents(kg: KnowledgeGraph) -> DataFrame:
    """Return the documents: what each is called, where it is from, and counts."""
    frame = plain_report(kg, "documents")
    return frame[["document", "source", *(each for each in frame if each not in ("document", "source"))]]


def types(kg: KnowledgeGraph) -> DataFrame:
    """Return the types of nodes and relationships."""
    return DataFrame(resolve_name("kg_neo4j.rooms.types.deciding:list_types")(settings=kg.settings))


def graphs(kg: KnowledgeGraph) -> DataFrame:
    """Return all graphs of the database."""
    return DataFrame(all_graphs(settings=kg.settings))


def reports(_kg: KnowledgeGraph) -> DataFrame:
    """Return all reports with the defaults of their parameters."""
    rows = [
        (outside_name(each), each.title, {own.name: own.default for own in each.params if own.name != "graph"})
        for each in list_reports()
    ]
    return DataFrame(rows, columns=["name", "title", "parameters"])


def query(kg: KnowledgeGraph, cypher: str, parameters: Mapping[str, Any]) -> DataFrame:
    """Return the rows of a query that reads."""
    with kg._open().reading(timeout_s=QUERY_S, fetch_size=1_000) as transaction:
        result = transaction.run(cypher, {"graph": kg.name, **parameters})
        columns = result.keys()
        rows = [[_plain(value) for value in record.values()] for record in result]
    return DataFrame(rows, columns=columns)


def network(kg: KnowledgeGraph) -> MultiDiGraph:
    """Return the graph of networkx. A name that several entities have is followed by their types and ids."""
    try:
        from networkx import MultiDiGraph
    except ImportError as error:
        raise UsageError("networkx is not installed", hint="pip install networkx") from error
    rows, graph = _entities(kg), MultiDiGraph(name=kg.name)
    bearers = Counter(row["name"] for row in rows)
    names = {
        row["id"]: row["name"] if bearers[row["name"]] == 1 else f"{row['name']} ({row['type']}, {row['id'][:6]})"
        for row in rows
    }
    graph.add_nodes_from((names[row["id"]], _attributes(row)) for row in rows)
    for row in stated(kg._open(), kg.name):
        own = {name: value for name, value in row.items() if name not in ("source", "target")}
        graph.add_edge(names[row["source_id"]], names[row["target_id"]], key=row["fact_id"], **_attributes(own))
    return graph


def _entities(kg: KnowledgeGraph) -> list[Row]:
    return kg._open().read(ENTITIES, graph=kg.name)


def _of_type(frame: DataFrame, wanted: str | None, column: str) -> DataFrame:
    """Return the rows of one type, in any case; a cell may hold several. Raises UsageError where none has it."""
    kinds = frame[column].explode()
    if wanted is None:
        return frame
    name = wanted.strip().upper().replace(" ", "_")
    if name not in set(kinds):
        raise UsageError(f"nothing has the type {wanted!r}", hint=near(wanted, kinds.value_counts().index))
    return frame.loc[kinds.index[kinds == name]].reset_index(drop=True)


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that GraphML can hold: nothing empty, no lists."""
    ours = {name: "; ".join(value) if isinstance(value, list) else value for name, value in row.items()}
    return {name: value for name, value in ours.items() if value not in (None, "")}


def _plain(value: Any) -> Any:
    """Return a value of the driver as plain data; dates and times as Python has them."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {**value, "labels": sorted(value.labels)}
    if isinstance(value, Relationship):
        return {**value, "type": value.type}
    if isinstance(value, Path):
        return {"nodes": _plain([*value.nodes]), "relationships": _plain([*value.relationships])}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.to_native() if hasattr(value, "to_native") else value
