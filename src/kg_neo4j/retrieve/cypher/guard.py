"""The first guard of a query that a model wrote: it is read word by word and written anew, or refused. Pure.

Nothing of the model's text reaches the server as it was. What does is put together here, of keywords, of labels, types
and properties that this graph has, of plain names and numbers; every text is a parameter. Only MATCH, OPTIONAL MATCH,
WITH, UNWIND and RETURN are known, so nothing can be written, loaded, called, shown or used; every node pattern is held
to the graph; what is returned are values, of bounded number and size, each row with the ids of what it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kg_neo4j.records import CellParameter
from kg_neo4j.retrieve.cypher.cursor import RESERVED
from kg_neo4j.retrieve.cypher.patterns import ONLY_FACTS, ONLY_NODES, Patterns
from kg_neo4j.retrieve.cypher.schema import GraphSchema, narrow
from kg_neo4j.retrieve.cypher.tokens import CypherRefused, tokenise
from kg_neo4j.retrieve.cypher.values import HEAVIEST, NODE, PATH, RELATIONSHIP, Piece, shown
from kg_neo4j.retrieve.interface import Scope

MOST_ROWS = 1_001  # that leave the server: one more than are counted
MOST_CLAUSES = 16
MOST_COLUMNS = 12
CITED = 12  # ids of each kind that a row of an aggregation cites
IDS = "_ids"  # column of the ids that a row rests on: {facts, nodes}


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that was understood and written anew. `columns` leaves out the one of ids, which is the last."""

    text: str
    parameters: Mapping[str, CellParameter]  # with `graph`
    columns: tuple[str, ...]


def guard(
    text: str, given: Mapping[str, CellParameter], schema: GraphSchema, graph: str, scope: Scope | None = None
) -> GuardedQuery:
    """Return the query `text` with parameters `given`, held to `graph`; CypherRefused says why it cannot be.

    With a `scope` it is held to what that leaves, too: its nodes, its facts, and properties that one text says.
    """
    reader = _Query(tokenise(text), schema if scope is None else narrow(schema), given)
    written, columns = reader.read()
    return GuardedQuery(written, {**reader.parameters, **_left(scope), "graph": graph}, columns)


def _left(scope: Scope | None) -> dict[str, CellParameter]:
    """Return the parameters that patterns are held to under filters."""
    if scope is None:
        return {}
    documents = scope.documents or ()
    nodes = [*scope.entities, *scope.chunks, *scope.facts, *documents]
    return {ONLY_NODES: nodes, ONLY_FACTS: list(scope.facts)}


@dataclass(frozen=True, slots=True)
class _Item:
    """What one column of a WITH or RETURN is made of."""

    name: str
    piece: Piece


@dataclass(slots=True)
class _Query(Patterns):
    """Reads clauses."""

    clauses: list[str] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(
        default_factory=list
    )  # names of lists of ids from before a WITH, and their kind

    def read(self) -> tuple[str, tuple[str, ...]]:
        """Return the query as it will run, and its columns."""
        while True:
            if len(self.clauses) > MOST_CLAUSES:
                raise CypherRefused(f"a query has at most {MOST_CLAUSES} clauses")
            if self.accept("OPTIONAL", "MATCH"):
                self._match("OPTIONAL MATCH")
            elif self.accept("MATCH"):
                self._match("MATCH")
            elif self.accept("UNWIND"):
                self._unwind()
            elif self.accept("WITH"):
                self._with()
            elif self.accept("RETURN"):
                columns = self._return()
                if self.token.kind != "end":
                    raise self.lost("nothing may follow RETURN")
                return "\n".join(self.clauses), columns
            else:
                raise self.lost("MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN was expected; a query only reads")

    # -- finding

    def _match(self, word: str) -> None:
        self.is_naming, self.added = True, {}
        plain: list[str] = []
        selected: list[str] = []
        while not (plain or selected) or self.accept(","):
            name = ""
            if self.token.kind == "name" and self.ahead().value == "=":
                name = self.name("the name of a path")
                self.expect("=")
            prefix = f"{name} = " if name else ""
            if self.token.word in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
                kind = "SHORTEST 1" if self.token.word == "SHORTESTPATH" else "ALL SHORTEST"
                self.place += 1
                selected.append(f"{prefix}{kind} {self.shortest()}")
            else:
                plain.append(prefix + self.path())
            if name:
                self.named_path(name)
        self.is_naming = False
        if selected and (word != "MATCH" or len(plain) + len(selected) > 1):
            if word != "MATCH":
                raise CypherRefused("a shortest path stands in a MATCH of its own")
            self.clauses += [f"MATCH {text}" for text in ([", ".join(plain)] if plain else [])]
            self.clauses += [f"MATCH {text}" for text in selected]
        else:
            self.clauses.append(f"{word} {', '.join(plain + selected)}")
        self.scope = {**self.scope, **self.added}
        self.added = {}
        self._where()

    def _where(self) -> None:
        if self.accept("WHERE"):
            found = self.expression()
            if found.is_aggregate:
                raise CypherRefused("WHERE comes before an aggregation; after WITH it may use what was aggregated")
            self.clauses[-1] += f" WHERE {found.text}"

    def _unwind(self) -> None:
        over = self.expression()
        if not over.is_value and not over.depth:
            raise self.lost(f"a {over.base} is no list")
        self.expect("AS")
        name = self._fresh()
        self.scope = {**self.scope, name: Piece(name, over.base, max(0, over.depth - 1), over.weight)}
        self.clauses.append(" ".join(("UNWIND", over.text, "AS", name)))

    def _fresh(self) -> str:
        name = self.name("a name")
        if name in self.scope:
            raise CypherRefused(f"the name {name} is taken")
        return name

    # -- WITH and RETURN

    def _with(self) -> None:
        distinct = self.accept("DISTINCT")
        if not distinct and self.accept("*"):
            self.clauses.append("WITH *")
            items: list[_Item] = []
            after = dict(self.scope)
        else:
            items = self._items(is_last=False)
            ids = self._ids(items, distinct=distinct)
            columns = [_named(item.piece.text, item.name) for item in items]
            word = "WITH DISTINCT " if distinct and not ids else "WITH "
            self.clauses.append(word + ", ".join([*columns, *(_named(text, name) for name, text, _ in ids)]))
            after = {item.name: replace(item.piece, text=item.name, is_aggregate=False) for item in items}
            after |= {name: piece for name, _, piece in ids}
        self.scope = {**self.scope, **after}
        self.clauses[-1] += self._ordered([item.name for item in items], is_last=False)
        self.scope = after
        self._where()

    def _items(self, *, is_last: bool) -> list[_Item]:
        items: list[_Item] = []
        while not items or self.accept(","):
            start = self.place
            if self.token.value == "*" and self.token.kind == "mark":
                raise self.lost("name what is returned")
            found = self.expression()
            said = [token.value for token in self.tokens[start : self.place] if token.kind == "name"]
            if self.accept("AS"):
                name = self.name("a name")
            elif is_last or (len(said) == 1 and found.text == said[0]):
                name = "_".join(said)[:60] or f"column_{len(items) + 1}"
            else:
                raise self.lost("AS and a name were expected")
            if name.upper() in RESERVED or name.startswith("_"):
                name = f"column_{len(items) + 1}"
            if name in [item.name for item in items]:
                name = f"{name}_{len(items) + 1}"
            items.append(_Item(name, found))
        if len(items) > MOST_COLUMNS:
            raise CypherRefused(f"at most {MOST_COLUMNS} columns")
        return items

    def _ordered(self, names: list[str], *, is_last: bool) -> str:
        """Read ORDER BY, SKIP and LIMIT; the last order ends with all columns, so that equal rows have one order."""
        parts: list[str] = []
        text = ""
        if self.accept("ORDER", "BY"):
            while not parts or self.accept(","):
                found = self.expression().bounded()
                way = " DESC" if self.accept("DESC") or self.accept("DESCENDING") else ""
                self.accept("ASC") or self.accept("ASCENDING")
                parts.append(found.need_value("ORDER BY").text + way)
        if is_last:
            parts += [name for name in names if name not in parts and f"{name} DESC" not in parts]
        if parts:
            text += " ORDER BY " + ", ".join(parts)
        if self.accept("SKIP") or self.accept("OFFSET"):
            text += f" SKIP {self._bound()}"
        if self.accept("LIMIT"):
            bound = self._bound()
            text += f" LIMIT {min(bound, MOST_ROWS) if is_last else bound}"
        elif is_last:
            text += f" LIMIT {MOST_ROWS}"
        return text

    def _bound(self) -> int:
        if self.token.kind != "number" or "." in self.token.value:
            raise self.lost("a whole number was expected")
        self.place += 1
        return int(self.tokens[self.place - 1].value)

    def _return(self) -> tuple[str, ...]:
        distinct = self.accept("DISTINCT")
        items = [_Item(item.name, item.piece) for item in self._items(is_last=True)]
        columns_shown = tuple(item.name for item in items)
        given = [self._given(item) for item in items]
        if sum(item.piece.weight for item in given) > HEAVIEST:
            raise CypherRefused("a row would hold too much: return fewer or smaller columns")
        columns = [_named(item.piece.text, item.name) for item in given]
        self.clauses.append("RETURN " + ", ".join([*columns, f"{self._rests_on(items, distinct=distinct)} AS {IDS}"]))
        self.scope = {**self.scope, **{item.name: replace(item.piece, text=item.name) for item in given}}
        self.clauses[-1] += self._ordered([item.name for item in given], is_last=True)
        return columns_shown

    def _given(self, item: _Item) -> _Item:
        """Return a column as it leaves the query; one that is not what it was must not hide what it was made of."""
        made = shown(item.piece, is_filtered=self.schema.is_filtered)
        return _Item(item.name if item.piece.is_value else f"{item.name}_", made)

    # -- what a row rests on

    def _ids(self, items: list[_Item], *, distinct: bool) -> list[tuple[str, str, Piece]]:
        """Return what a WITH hands on beside its items: (name, text, what it is).

        Without an aggregation the nodes and relationships themselves are handed on; with one, some of their ids.
        """
        names = {item.name for item in items}
        handed: list[tuple[str, str, Piece]] = []
        kept = {item.piece.text for item in items}
        for name, piece in self.scope.items():
            if name.startswith("_"):
                handed.append((name, name, piece))
            elif piece.base in (NODE, RELATIONSHIP) and not piece.depth and name not in kept:
                handed.append((f"_{name}_{len(self.clauses)}", name, piece))
        if not distinct and not any(item.piece.is_aggregate for item in items):
            return handed
        grouped = {item.piece.text for item in items if not item.piece.is_aggregate}
        ids: list[tuple[str, str, Piece]] = []
        for kind, texts in self._found(grouped).items():
            if texts:
                name = f"_{kind}{len(self.clauses)}"
                ids.append((name, self._gathered(texts), Piece(name, weight=CITED * len(texts))))
                self.kept.append((name, kind))
        return [each for each in ids if each[0] not in names]

    def _rests_on(self, items: list[_Item], *, distinct: bool) -> str:
        """Return the column of ids: of facts and of nodes. An aggregation of them leaves its groups as they are."""
        gathers = distinct or any(item.piece.is_aggregate for item in items)
        parts = []
        for kind, texts in self._found(set()).items():
            one = self._gathered(texts) if gathers else " + ".join(texts)
            parts.append(f"{kind}: {one or '[]'}")
        if gathers and not any(self._found(set()).values()):
            parts.append("rows: count(*)")  # so that DISTINCT stays what it was
        return f"{{{', '.join(parts)}}}"

    def _found(self, grouped: set[str]) -> dict[str, list[str]]:
        """Return expressions for the lists of ids of what is in scope, by kind."""
        found: dict[str, list[str]] = {"facts": [], "nodes": []}
        kinds = dict(self.kept)
        for name, piece in self.scope.items():
            if name in kinds:
                found[kinds[name]].append(name)
            elif name in grouped or (piece.depth and piece.base != RELATIONSHIP) or piece.is_gathered:
                continue
            elif piece.base == NODE:
                found["nodes"].append(f"[{name}.id]")
            elif piece.base == RELATIONSHIP:
                found["facts"].append(
                    f"coalesce([_x IN {name} | _x.fact_id], [])" if piece.depth else f"[{name}.fact_id]"
                )
            elif piece.base == PATH:
                found["facts"].append(f"coalesce([_x IN relationships({name}) | _x.fact_id], [])")
        return found

    @staticmethod
    def _gathered(texts: list[str]) -> str:
        """Return the ids of many rows, a few of them; of lists that differ from row to row the first ones."""
        parts = []
        for text in texts:
            if text.startswith("["):
                parts.append(f"collect(DISTINCT {text[1:-1]})[..{CITED}]")
            else:
                parts.append(f"coalesce(head(collect({text})), [])")
        return " + ".join(parts)


def _named(text: str, name: str) -> str:
    return name if text == name else f"{text} AS {name}"
