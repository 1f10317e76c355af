"""Lists, maps, CASE and calls of functions in a query that a model wrote. Pure.

Functions are those of an allow-list; whatever could grow without end (`reduce`, `range`, `replace`, ...) is not on it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from kg_neo4j.retrieve.cypher.cursor import RESERVED, Cursor, Inner
from kg_neo4j.retrieve.cypher.tokens import LONGEST_TEXT, CypherRefused
from kg_neo4j.retrieve.cypher.values import AGGREGATES, FUNCTIONS, STORED, Function, Piece, join, turns, weigh


@dataclass(slots=True)
class Calls(Cursor):
    """Reads what has parts that are expressions themselves."""

    @abstractmethod
    def expression(self) -> Piece:
        """Read an expression."""

    @abstractmethod
    def subquery(self, kind: str) -> Piece:
        """Read what stands in the braces of EXISTS, COUNT or COLLECT."""

    @abstractmethod
    def pattern_predicate(self) -> Piece:
        """Read a pattern that stands as a condition."""

    @abstractmethod
    def labels_of(self, variable: str) -> str:
        """Read the labels after a colon."""

    def read_list(self) -> Piece:
        """Read a list, or one that is made of another one."""
        if self.ahead().kind == "name" and self.ahead(2).word == "IN" and self.ahead(1).word not in RESERVED:
            return self._comprehension()
        self.expect("[")
        items: list[Piece] = []
        while self.token.value != "]" or self.token.kind != "mark":
            items.append(self.expression().bounded())
            if not self.accept(","):
                break
        self.expect("]")
        text = f"[{', '.join(item.text for item in items)}]"
        bases = {(item.base, item.depth) for item in items}
        if len(bases) == 1 and not items[0].is_value:
            made = join(text, *items)
            return replace(made, base=items[0].base, depth=items[0].depth + 1)
        for item in items:
            item.need_value("a list")
        return join(text, *items)

    def _comprehension(self) -> Piece:
        self.expect("[")
        name, over = self._walked()
        over = self._not_gathered(over)
        text = f"{name} IN {over.text}"
        with Inner(self, name, over):
            if self.accept("WHERE"):
                text += f" WHERE {self.expression().text}"
            if self.accept("|"):
                each = self.expression().bounded()
                weight = weigh(turns(over) * each.weight)
                made = Piece(f"[{text} | {each.text}]", each.base, each.depth + 1, weight)
                made = made if not each.is_value else replace(made, depth=0)
            else:
                made = replace(over, text=f"[{text}]")
        self.expect("]")
        return replace(made, is_aggregate=over.is_aggregate)

    def _not_gathered(self, over: Piece) -> Piece:
        if over.is_gathered:
            raise CypherRefused("a gathered list is not made into another one: choose before collect, or UNWIND it")
        return over

    def _walked(self) -> tuple[str, Piece]:
        name = self.name("a name")
        self.expect("IN")
        over = self.expression()
        if not over.is_value and not over.depth:
            raise self.lost(f"a {over.base} is no list")
        return name, over

    def read_map(self) -> Piece:
        """Read a map of values."""
        self.expect("{")
        items: list[Piece] = []
        parts: list[str] = []
        while self.token.value != "}" or self.token.kind != "mark":
            key = self.name("a key")
            self.expect(":")
            items.append(self.expression().bounded().need_value("a map"))
            parts.append(f"{key}: {items[-1].text}")
            if not self.accept(","):
                break
        self.expect("}")
        return join(f"{{{', '.join(parts)}}}", *items)

    def read_case(self) -> Piece:
        """Read CASE ... END."""
        self.expect("CASE")
        parts, values, tests = ["CASE"], [], []
        if self.token.word != "WHEN":
            tests.append(self.expression())
            parts.append(tests[-1].text)
        while self.accept("WHEN"):
            tests.append(self.expression())
            self.expect("THEN")
            values.append(self.expression().bounded().need_value("CASE"))
            parts.append(f"WHEN {tests[-1].text} THEN {values[-1].text}")
        if self.accept("ELSE"):
            values.append(self.expression().bounded().need_value("CASE"))
            parts.append(f"ELSE {values[-1].text}")
        self.expect("END")
        made = join(" ".join([*parts, "END"]), *values)
        return replace(made, is_aggregate=made.is_aggregate or any(each.is_aggregate for each in tests))

    # -- calls

    def read_call(self) -> Piece:
        """Read a call of a function, an aggregation or a condition over a list."""
        word, said = self.token.word, self.token.value
        lower = said.lower()
        self.place += 2
        if word in ("ALL", "ANY", "NONE", "SINGLE"):
            return self._quantified(lower)
        if lower in AGGREGATES:
            return self._aggregate(lower)
        if lower == "exists" and self.is_pattern():
            found = self.pattern_predicate()
            self.expect(")")
            return found
        if lower not in FUNCTIONS:
            raise CypherRefused(
                f"the function {said[:40]} is not allowed; there are {', '.join([*AGGREGATES, *FUNCTIONS])}"
            )
        arguments = [self.expression()]
        while self.accept(","):
            arguments.append(self.expression())
        self.expect(")")
        return self._called(FUNCTIONS[lower], arguments)

    def _called(self, function: Function, arguments: list[Piece]) -> Piece:
        first = arguments[0]
        if not function.least <= len(arguments) <= function.most:
            raise CypherRefused(f"{function.name} takes {function.least} to {function.most} arguments")
        if function.takes != "any" and (first.base != function.takes or (first.depth and not first.is_value)):
            raise CypherRefused(f"{function.name} takes a {function.takes}, not a {first.base}")
        for other in arguments[1:]:
            if function.name != "coalesce" or first.is_value:
                other.need_value(function.name)
            elif (other.base, other.depth) != (first.base, first.depth):
                raise CypherRefused("coalesce takes values, or nodes, but not both")
        text = f"{function.name}({', '.join(each.text for each in arguments)})"
        if function.name == "split":  # every letter may become an element
            text = f"split(left({first.text}, {LONGEST_TEXT}), {arguments[1].text})[..{STORED}]"
        weight = 1 if function.is_small else weigh(function.grows * sum(each.weight for each in arguments))
        aggregate = any(each.is_aggregate for each in arguments)
        if function.gives == "element":
            return Piece(text, first.base, max(0, first.depth - 1), first.weight, is_aggregate=aggregate)
        if function.gives == "same":
            gathered = any(each.is_gathered for each in arguments)
            return Piece(text, first.base, first.depth, weight, gathered, aggregate)
        if function.gives != "value":
            return Piece(
                text, function.gives, 0 if function.name.endswith("Node") else 1, weight, is_aggregate=aggregate
            )
        return Piece(text, weight=weight, is_aggregate=aggregate)

    def _quantified(self, word: str) -> Piece:
        name, over = self._walked()
        with Inner(self, name, over):
            self.expect("WHERE")
            text = f"{word}({name} IN {over.text} WHERE {self.expression().text})"
        self.expect(")")
        return Piece(text, is_aggregate=over.is_aggregate)

    def _aggregate(self, name: str) -> Piece:
        if name == "count" and self.accept("*", ")"):
            return Piece("count(*)", is_aggregate=True)
        distinct = "DISTINCT " if self.accept("DISTINCT") else ""
        inner = self.expression()
        self.expect(")")
        if inner.is_aggregate:
            raise CypherRefused("an aggregation within another one needs a WITH between them")
        if name == "collect":
            inner = inner.bounded()
            depth = 0 if inner.is_value else inner.depth + 1
            return Piece(f"collect({distinct}{inner.text})", inner.base, depth, inner.weight, True, True)
        if name != "count":
            inner.need_value(name)
        weight = inner.bounded().weight if name in ("min", "max") else 1
        return Piece(f"{name}({distinct}{inner.text})", weight=weight, is_aggregate=True)
