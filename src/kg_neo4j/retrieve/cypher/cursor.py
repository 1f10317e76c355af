"""Where a query is being read, and what is known there. Pure."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field

from kg_neo4j.records import CellParameter
from kg_neo4j.retrieve.cypher.schema import GraphSchema
from kg_neo4j.retrieve.cypher.tokens import CypherRefused, Token
from kg_neo4j.retrieve.cypher.values import LONGEST_LOOP, Piece, turns

RESERVED = frozenset(
    """AND AS ASC ASCENDING BY CALL CASE CONTAINS CREATE CSV CYPHER DELETE DESC DESCENDING DETACH
    DISTINCT DROP ELSE END ENDS EXISTS EXPLAIN FALSE FOREACH IN INSERT IS LIMIT LOAD MATCH MERGE NODETACH NOT
    NULL OFFSET ON OPTIONAL OR ORDER PROFILE REMOVE RETURN SET SHORTEST SHORTESTPATH ALLSHORTESTPATHS SHOW
    SKIP STARTS TERMINATE THEN TRANSACTIONS TRUE UNION UNWIND USE USING WHEN WHERE WITH XOR YIELD""".split()
)
Scope = dict[str, Piece]


@dataclass(slots=True)
class Cursor(ABC):
    """The words of a query, where they are being read, and the names that are known there."""

    tokens: list[Token]
    schema: GraphSchema
    given: Mapping[str, CellParameter]
    scope: Scope = field(default_factory=dict)
    parameters: dict[str, CellParameter] = field(default_factory=dict)  # that the query as it is written anew takes
    place: int = 0
    depth: int = 0
    turns: int = 1  # of the loops within which an expression is read

    @property
    def token(self) -> Token:
        """The word that is read next."""
        return self.tokens[self.place]

    def ahead(self, count: int = 1) -> Token:
        """Return a later word."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def accept(self, *words: str) -> bool:
        """Step over the marks or keywords `words` if they come next, one after the other."""
        for count, word in enumerate(words):
            token = self.ahead(count)
            if (token.value if token.kind == "mark" else token.word) != word:
                return False
        self.place += len(words)
        return True

    def expect(self, word: str) -> None:
        """Step over `word`; CypherRefused where it does not come next."""
        if not self.accept(word):
            raise self.lost(f"{word} was expected")

    def lost(self, why: str) -> CypherRefused:
        """Return the refusal of what comes next."""
        said = self.token.value[:40] if self.token.kind != "end" else "the end"
        return CypherRefused(f"{why} where there is {said!r} (character {self.token.start + 1})")

    def name(self, what: str) -> str:
        """Return a name that is no keyword and step over it."""
        if self.token.kind != "name" or self.token.word in RESERVED:
            raise self.lost(f"{what} was expected")
        if self.token.value.startswith("_"):
            raise self.lost("names do not begin with an underscore")
        self.place += 1
        return self.tokens[self.place - 1].value

    def is_pattern(self) -> bool:
        """Tell whether what comes next is a node with a relationship after it."""
        depth, place = 0, self.place
        while place < len(self.tokens) - 1:
            value = self.tokens[place].value if self.tokens[place].kind == "mark" else ""
            depth += (value == "(") - (value == ")")
            place += 1
            if depth == 0:
                break
        after = "".join(token.value for token in self.tokens[place : place + 3] if token.kind == "mark")
        return after.startswith(("-[", "<-[", "--(", "<--", "-->"))

    def loop(self, over: Piece) -> None:
        """Count the turns of a loop over a list; CypherRefused where loops within each other may have too many."""
        self.turns *= turns(over)
        if self.turns > LONGEST_LOOP:
            raise CypherRefused("loops within loops over lists may take too long: UNWIND a list, and use WHERE")

    # -- what may be said

    def check_property(self, name: str) -> None:
        """Raise CypherRefused for a property that the graph does not have, or that is not for queries."""
        if name not in self.schema.properties:
            raise CypherRefused(f"there is no property {name}; there are {', '.join(sorted(self.schema.properties))}")

    def literal(self, text: str) -> str:
        """Return the parameter that a text literal becomes."""
        for name, value in self.parameters.items():
            if value == text and name.startswith("_"):
                return f"${name}"
        name = f"_{len(self.parameters) + 1}"
        self.parameters[name] = text
        return f"${name}"

    def parameter(self, name: str) -> str:
        """Return a parameter that was given with the query; CypherRefused for any other."""
        if name not in self.given or name == "graph":
            raise CypherRefused(f"there is no parameter ${name}")
        self.parameters[name] = self.given[name]
        return f"${name}"


@dataclass(slots=True)
class Inner:
    """A name that is known within brackets alone: an element of a list that is walked over."""

    reader: Cursor
    name: str
    over: Piece
    before: tuple[Scope, int] = field(default_factory=lambda: ({}, 1))

    def __enter__(self) -> None:
        self.before = (self.reader.scope, self.reader.turns)
        element = Piece("", self.over.base, max(0, self.over.depth - 1), self.over.weight)
        self.reader.scope = {**self.reader.scope, self.name: element}
        self.reader.loop(self.over)

    def __exit__(self, *_: object) -> None:
        self.reader.scope, self.reader.turns = self.before
