"""The first guard of a query that a model wrote: it is parsed and rebuilt, or refused. Pure.

Nothing of the model's text reaches the server as it was. What does is put together here, of keywords, of labels, types
and properties that this graph has, of plain names and numbers; every text is a parameter. Only MATCH, OPTIONAL MATCH,
WITH, UNWIND and RETURN are known, so nothing can be written, loaded, called, shown or used; every node pattern is held
to the graph; what is returned are values, of bounded number and size, each row with the ids of what it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kg_neo4j.records import CellParameter
from kg_neo4j.retrieve.cypher.parser import ONLY_FACTS, ONLY_NODES, Parser
from kg_neo4j.retrieve.cypher.schema import GraphSchema, narrow
from kg_neo4j.retrieve.cypher.tokens import tokenise
from kg_neo4j.retrieve.filtered import IdsLeft


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that was parsed and rebuilt. `columns` leaves out the one of ids, which is the last."""

    text: str
    parameters: Mapping[str, CellParameter]  # with `graph`
    columns: tuple[str, ...]


def guard(
    text: str, given: Mapping[str, CellParameter], schema: GraphSchema, graph: str, left: IdsLeft | None = None
) -> GuardedQuery:
    """Return the query `text` with parameters `given`, held to `graph`; CypherRefused says why it cannot be.

    It is held to what filters have `left`, too: these nodes, these facts, and properties that one text says.
    """
    reader = Parser(tokenise(text), schema if left is None else narrow(schema), given)
    written, columns = reader.read()
    only = {} if left is None else {ONLY_NODES: list(left.nodes), ONLY_FACTS: list(left.facts)}
    return GuardedQuery(written, {**reader.parameters, **only, "graph": graph}, columns)
