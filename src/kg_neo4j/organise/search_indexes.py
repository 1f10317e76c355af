"""Full-text and vector indexes: their names, whether they fit the model, and when they are made.

A vector index's name carries the model and the dimension (graph/constraints.py). Neo4j stores vectors of a wrong
size, or of another model, without a word and never finds them, so the names are compared before any write. All stand on
labels that only we use; indexes of other programs are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import VectorSpace, list_all, online, rules_needed, space_of, vector_index_name
from kg_neo4j.graph.database import Database, can_search, swept
from kg_neo4j.graph.queries import OWN

LABELS = ("Chunk", "Entity", "Passage", "TreeNode")  # whose vectors are in an index; facts are compared one by one
WORDED = ("Chunk", "Document", "Entity", "Fact", "TreeNode")  # whose nodes are found by words
_OF = {"Passage": "Chunk"}  # what is searched for by an index over its parts
_LOOKED_AT = 1_000  # nodes of a label: vectors come to all of them, so the first ones tell
_STATES = {"FAILED": "unusable: it could not be filled", "POPULATING": "not filled yet"}


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """An index that a search can use."""

    name: str
    kind: str  # "FULLTEXT" or "VECTOR"
    label: str  # the public one of the nodes in it, such as "Chunk"
    state: str  # "ONLINE", "POPULATING" or "FAILED"
    dimension: int | None = None  # of a vector index
    by_graph: bool = False  # it can be searched inside one graph

    @property
    def model(self) -> str | None:
        """The embedding model in the name of a vector index; None for a full-text index."""
        space = space_of(self.name, self.label)
        return space.name if space is not None else None

    def fits(self, model: EmbeddingModel | VectorSpace) -> bool:
        """Return whether vectors of `model` belong in this index."""
        return self.name == vector_index_name(self.label, model) and self.dimension == model.dimension


def fulltext_index_name(label: str) -> str:
    """Return the name of the full-text index over nodes of `label`."""
    return f"kg_{label.lower()}_text"


def list_indexes(database: Database) -> tuple[SearchIndex, ...]:
    """Return the search indexes on chunks, entities, facts and tree nodes, by name."""
    texts = {fulltext_index_name(label) for label in WORDED}
    return tuple(
        SearchIndex(row["name"], row["kind"], label, row["state"], row["dimension"], "graph" in row["properties"])
        for row in list_all(database)
        for label in [row["labels"][0].removeprefix(OWN)]
        if row["labels"] == [OWN + label]
        and ((row["kind"] == "FULLTEXT" and row["name"] in texts) or space_of(row["name"], label) is not None)
    )


def usable_indexes(
    database: Database, graph: str, model: EmbeddingModel | None = None, labels: Sequence[str] = WORDED
) -> tuple[SearchIndex, ...]:
    """Return the search indexes that are online; without `model` only full-text indexes are required.

    Raises SchemaConflict if `graph` has nodes or vectors of one of `labels` whose index is missing, failed or not yet
    filled: a search would find nothing and say that there is nothing. Vectors of another model need no index of ours.
    """
    found = list_indexes(database)
    online = [each for each in found if each.state == "ONLINE"]
    wanted = {fulltext_index_name(label): label for label in labels}
    if model is not None and not any(each.model and not each.fits(model) for each in found):
        wanted |= {vector_index_name(label, model): label for label in LABELS if _OF.get(label, label) in labels}
    missing = wanted.keys() - {each.name for each in online}
    if not missing:
        return tuple(online)
    searched = database.read(queries.get("write/searched_labels"), graph=graph, looked_at=_LOOKED_AT)
    rows = {row["label"]: row for row in searched}
    has_nodes = any(row["nodes"] for row in rows.values())
    for name in sorted(missing):
        row = rows[wanted[name]]
        is_fulltext = name == fulltext_index_name(row["label"])
        if row["vectors"] or (is_fulltext and has_nodes and (row["nodes"] or row["label"] != "TreeNode")):
            state = next((_STATES.get(each.state, each.state) for each in found if each.name == name), "missing")
            raise SchemaConflict(
                f"{database.address.shown}: the index {name!r} is {state}; graph {graph!r} cannot be searched",
                hint="`kg db indexes` makes it again; no model is called",
            )
    return tuple(online)


def repair(database: Database, model: EmbeddingModel, *, facts: bool = False) -> tuple[str, ...]:
    """Create search indexes that are missing, failed or `outdated`, and return the names of the new ones.

    With `facts` also one over their vectors, which no question reads. Waits until all are online. Vectors stay as they
    are. Raises SchemaConflict as `check` does.
    """
    check(database, model)
    useless = {each.name for each in list_indexes(database) if each.state == "FAILED"} | {*outdated(database)}
    before = {each.name for each in list_indexes(database)} - useless
    for name in sorted(useless):
        database.schema(queries.get("write/drop_index"), name=name)
    create_fulltext(database)
    has_facts = facts or vector_index_name("Fact", model) in useless
    create_vector(database, model, (*LABELS, "Fact") if has_facts else LABELS)
    return tuple(each.name for each in list_indexes(database) if each.name not in before)


def outdated(database: Database) -> list[str]:
    """Return the names of vector indexes that find nodes of all graphs, where the server can search inside one."""
    found = [each.name for each in list_indexes(database) if each.kind == "VECTOR" and not each.by_graph]
    return found if found and can_search(database.verify()) else []


def create_fulltext(database: Database) -> None:
    """Create the full-text indexes that are missing, and wait until they are online."""
    present = {index.name for index in list_indexes(database)}
    missing = [label for label in WORDED if fulltext_index_name(label) not in present]
    _create(database, [(queries.get(f"schema/fulltext_{label.lower()}"), {}) for label in missing])


def create_vector(database: Database, model: EmbeddingModel | VectorSpace, labels: Sequence[str] = LABELS) -> None:
    """Create the vector indexes that are missing, and wait until they are online.

    Raises SchemaConflict as `check` does.
    """
    present = {index.name for index in check(database, model)}
    missing = [each for each in _of_vectors(model, labels) if each[1]["name"] not in present]
    if missing and can_search(database.verify()):
        missing = [(maker.by_graph(), values) for maker, values in missing]
    _create(database, missing)


def _of_vectors(
    model: EmbeddingModel | VectorSpace, labels: Sequence[str]
) -> list[tuple[queries.Query, dict[str, Any]]]:
    given = {label: {"name": vector_index_name(label, model), "dimension": model.dimension} for label in labels}
    return [(queries.get(f"write/vector_index_{label.lower()}"), values) for label, values in given.items()]


def statements(model: EmbeddingModel | VectorSpace) -> tuple[str, ...]:
    """Return the Cypher that creates all constraints and indexes of kg-neo4j, for vectors of `model`."""
    plain = [*rules_needed(), *(queries.get(f"schema/fulltext_{label.lower()}") for label in WORDED)]
    vectors = (query.statement(**values) for query, values in _of_vectors(model, LABELS))
    return (*(query.statement() for query in plain), *vectors)


def _create(database: Database, statements: Sequence[tuple[queries.Query, Mapping[str, Any]]]) -> None:
    """Create indexes, together where that can be done, and wait until all of ours are online."""
    if statements:
        database.schemas(statements)
    online(database, lambda row: row["name"].startswith("kg_"))


def check(
    database: Database, model: EmbeddingModel | VectorSpace, *, graph: str | None = None, rebuild: bool = False
) -> tuple[SearchIndex, ...]:
    """Return the vector indexes that fit `model`, or raise SchemaConflict with both models and dimensions.

    Call it before the first write. Indexes of another model without a vector in them are dropped. With `rebuild`, and
    where no other graph has vectors, those of `graph` are removed, so that it can be embedded with `model`.
    """
    indexes = [index for index in list_indexes(database) if index.kind == "VECTOR"]
    others = [index for index in indexes if not index.fits(model)]
    if not others:
        return tuple(indexes)
    owners = database.read(queries.get("write/vector_graphs"))
    if rebuild and graph is not None and all(row["graph"] == graph for row in owners):
        clear(database, graph)
        owners = []
    if owners:
        names, other = ", ".join(repr(row["graph"]) for row in owners), others[0]
        is_built_in = str(other.model).startswith("static-minilm-")
        former = "unset KG_EMBEDDING_MODEL" if is_built_in else f"set KG_EMBEDDING_MODEL={other.model}"
        raise SchemaConflict(
            f"{database.address.shown} holds vectors of {other.model!r} with {other.dimension} dimensions "
            f"(graph {names}); this run would add "
            f"vectors of {model.name!r} with {model.dimension} dimensions, which cannot be compared with them",
            hint=f"{former} to continue with the former model, use another database, or "
            "`kg load --re-embed` (where no other graph has vectors)",
        )
    for index in others:
        database.schema(queries.get("write/drop_index"), name=index.name)
    return tuple(index for index in indexes if index.fits(model))


def clear(database: Database, graph: str) -> None:
    """Remove all vectors of one graph; other graphs keep theirs."""
    swept(database.write, queries.get("write/vector_clear"), 10_000, graph=graph)
