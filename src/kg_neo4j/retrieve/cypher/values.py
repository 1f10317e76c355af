"""What the parts of a query are, and how large they may become. Pure.

A node, a relationship or a path never leaves a query as it is, with all its properties: each is returned as a few of
them. A value has a weight: the number of stored values that it may be made of. Weights only grow by what a query says,
so a query whose values would double and double again is refused before it runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kg_neo4j import data_files
from kg_neo4j.retrieve.cypher.tokens import CypherRefused

LIST_CAP = 200  # elements of a gathered list that are returned
HEAVIEST = 5_000  # stored values in one row
LONGEST_LOOP = 1_000_000  # turns of loops within each other: the server does not look at its deadline within one
GATHERED = 100_000  # elements that a gathered list is taken to have
STORED = 100  # elements that a stored list is taken to have

VALUE, NODE, RELATIONSHIP, PATH = "value", "node", "relationship", "path"

_NODE_MAP = "{.id, .name, .title, .type, .description}"
_FILTERED_NODE_MAP = "{.id, .name, .title, .type}"
_RELATIONSHIP_MAP = (
    "{.fact_id, .description, .start_date, type: type(_x), source: startNode(_x).name, target: endNode(_x).name}"
)
_FILTERED_RELATIONSHIP_MAP = "{.fact_id, type: type(_x), source: startNode(_x).name, target: endNode(_x).name}"
_PATH_MAP = (
    "{nodes: [_x IN nodes(_p) | coalesce(_x.name, _x.title)], "
    "relationships: [_x IN relationships(_p) | {type: type(_x), source: startNode(_x).name}]}"
)


@dataclass(frozen=True, slots=True)
class QueryPiece:
    """A part of a query that was understood: its text as it will run, and what it stands for."""

    text: str
    base: str = VALUE
    depth: int = 0  # of a list of nodes, relationships or paths; values do not tell lists apart
    weight: int = 1  # stored values in it; in each element of a gathered list
    is_gathered: bool = False  # a list that grows with the graph: collect(...)
    is_aggregate: bool = False

    @property
    def is_value(self) -> bool:
        """Whether it is made of stored values alone."""
        return self.base == VALUE

    def need_value(self, where: str) -> QueryPiece:
        """Return it; CypherRefused for a node, a relationship or a path, of which a property must be named."""
        if not self.is_value:
            raise CypherRefused(f"{where} takes a property, not a whole {self.base}")
        return self

    def bounded(self) -> QueryPiece:
        """Return it with a gathered list cut to what is returned of one, and one more that tells that it was cut."""
        if not self.is_gathered:
            return self
        return replace(
            self,
            text=f"({self.text})[..{LIST_CAP + 1}]",
            weight=weigh(self.weight * (LIST_CAP + 1)),
            is_gathered=False,
        )


def turns(over: QueryPiece) -> int:
    """Return how many elements a list is taken to have."""
    return GATHERED if over.is_gathered else max(1, over.weight) * (STORED if over.is_value else 1)


def weigh(weight: int) -> int:
    """Return `weight`; CypherRefused where it is more than one row may hold."""
    if weight > HEAVIEST:
        raise CypherRefused("the values of a row would grow too large: return fewer or smaller ones")
    return weight


def join(text: str, *parts: QueryPiece) -> QueryPiece:
    """Return a value made of `parts`, all of which are values."""
    return QueryPiece(
        text,
        weight=weigh(sum(part.bounded().weight for part in parts) or 1),
        is_aggregate=any(part.is_aggregate for part in parts),
    )


def shown(piece: QueryPiece, *, is_filtered: bool = False) -> QueryPiece:
    """Return what leaves the query for `piece`: values as they are, of anything else a few properties.

    Under filters none that is put together from all texts of the graph.
    """
    bound = piece.bounded()
    if bound.is_value:
        return bound
    if bound.depth > 1:
        raise CypherRefused(f"return properties, not lists of lists of {bound.base}s")
    inner = {
        NODE: f"_x {_FILTERED_NODE_MAP if is_filtered else _NODE_MAP}",
        RELATIONSHIP: f"_x {_FILTERED_RELATIONSHIP_MAP if is_filtered else _RELATIONSHIP_MAP}",
        PATH: _PATH_MAP.replace("_p", "_y").replace("_x", "_z"),
    }[bound.base]
    variable = "_y" if bound.base == PATH else "_x"
    weight = weigh(bound.weight * {NODE: 5, RELATIONSHIP: 6, PATH: 21}[bound.base])
    if bound.depth == 1:
        return replace(bound, text=f"[{variable} IN {bound.text} | {inner}]", base=VALUE, depth=0, weight=weight)
    one = f"head([{variable} IN [{bound.text}] WHERE {variable} IS NOT NULL | {inner}])"
    return replace(bound, text=one, base=VALUE, weight=weight)


@dataclass(frozen=True, slots=True)
class Function:
    """A function that may be called."""

    name: str  # as it is written into the query
    takes: str  # base of its first argument; "any"
    gives: str  # what it returns; "element", "same": of its first argument
    grows: int  # by how much more than its arguments the result may weigh
    is_small: bool  # the result is a number, a truth or a short text
    least: int = 1  # arguments
    most: int = 1


AGGREGATES = ("count", "collect", "sum", "avg", "min", "max")
FUNCTIONS = {
    name.lower(): Function(name, takes, gives, int(weight.replace("small", "1")), weight == "small", *map(int, count))
    for name, takes, gives, weight, *more in data_files.beside(__file__).rows("functions", 4, optional=1)
    for count in ["".join(more).split()]
}
