"""Expressions of a query that a model wrote: read, understood and written anew. Pure.

What is not understood is refused. Text literals become parameters; properties and operators are those of an allow-list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kg_neo4j.retrieve.cypher.calls import Calls
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.retrieve.cypher.values import LONGEST_LOOP, NODE, RELATIONSHIP, Piece, join, turns, weigh

DEEPEST = 30  # brackets within brackets


@dataclass(slots=True)
class Expressions(Calls):
    """Reads expressions."""

    def expression(self) -> Piece:
        """Read an expression."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.lost(f"more than {DEEPEST} brackets within each other")
        found = self._joined(("OR",), lambda: self._joined(("AND",), self._not))
        self.depth -= 1
        return found

    def _joined(self, words: tuple[str, ...], part: Callable[[], Piece]) -> Piece:
        left = part()
        while self.token.word in words:
            word = self.token.word
            self.place += 1
            right = part()
            left = replace(join(f"{left.text} {word} {right.text}", left, right), weight=1)
        return left

    def _not(self) -> Piece:
        if self.accept("NOT"):
            found = self._not()
            return replace(join(f"NOT {found.text}", found), weight=1)
        return self._comparison()

    def _comparison(self) -> Piece:
        left = self._sum()
        while True:
            sign = self._sign()
            if sign is None:
                return left
            if sign.startswith("IS "):
                left = Piece(f"{left.text} {sign}", is_aggregate=left.is_aggregate)
                continue
            right = self._sum()
            if sign == "IN" and self.turns * turns(right) > LONGEST_LOOP:
                raise CypherRefused("IN within a loop over a list may take too long: UNWIND a list, and use WHERE")
            if sign not in ("=", "<>", "IN"):
                left.need_value(sign), right.need_value(sign)
            aggregate = left.is_aggregate or right.is_aggregate
            left = Piece(f"{left.text} {sign} {right.text}", is_aggregate=aggregate)

    def _sign(self) -> str | None:
        for words in (
            ("IS", "NOT", "NULL"),
            ("IS", "NULL"),
            ("STARTS", "WITH"),
            ("ENDS", "WITH"),
            ("CONTAINS",),
            ("IN",),
        ):
            if self.accept(*words):
                return " ".join(words)
        if self.token.kind == "mark" and self.token.value in ("=", "<>", "<=", ">=", "<", ">"):
            self.place += 1
            return self.tokens[self.place - 1].value
        return None

    def _sum(self) -> Piece:
        return self._counted(("+", "-"), lambda: self._counted(("*", "/", "%"), self._signed))

    def _counted(self, signs: tuple[str, ...], part: Callable[[], Piece]) -> Piece:
        left = part()
        while self.token.kind == "mark" and self.token.value in signs:
            sign = self.token.value
            self.place += 1
            right = part()
            text = f"{left.text} {sign} {right.text}"
            if sign == "+" and not (left.is_value and right.is_value) and left.base == right.base:
                left = replace(
                    left,
                    text=text,
                    weight=weigh(left.weight + right.weight),
                    is_gathered=left.is_gathered or right.is_gathered,
                    is_aggregate=left.is_aggregate or right.is_aggregate,
                )
                continue
            left.need_value(sign), right.need_value(sign)
            gathered = left.is_gathered or right.is_gathered
            weight = weigh(left.weight + right.weight)
            left = Piece(
                text, weight=weight, is_gathered=gathered, is_aggregate=left.is_aggregate or right.is_aggregate
            )
        return left

    def _signed(self) -> Piece:
        if self.accept("-"):
            found = self._signed().need_value("-")
            return replace(found, text=f"-{found.text}")
        self.accept("+")
        return self._postfix(self._atom())

    def _postfix(self, found: Piece) -> Piece:
        while True:
            if self.accept("."):
                found = self._property(found)
            elif self.token.value == "[" and self.token.kind == "mark":
                found = self._element(found)
            elif self.token.value == ":" and found.base == NODE and found.depth == 0:
                found = Piece(f"{found.text}{self.labels_of(found.text)}")
            else:
                return found

    def _property(self, found: Piece) -> Piece:
        if self.token.kind != "name":
            raise self.lost("the name of a property was expected")
        name = self.token.value
        if found.depth or found.base not in (NODE, RELATIONSHIP, "value"):
            raise self.lost(f"a {found.base} or a list has no property")
        if not found.is_value:
            self.check_property(name)
        self.place += 1
        return Piece(
            f"{found.text}.{name}", weight=1 if not found.is_value else found.weight, is_aggregate=found.is_aggregate
        )

    def _element(self, found: Piece) -> Piece:
        if not found.is_value and not found.depth:
            raise self.lost(f"a {found.base} has no elements")
        self.expect("[")
        if self.accept(".."):
            text, is_slice = f"..{self._index()}", True
        else:
            text, is_slice = self._index(), False
            if self.accept(".."):
                text, is_slice = text + "..", True
                if self.token.value != "]":
                    text += self._index()
        self.expect("]")
        made = f"{found.text}[{text}]"
        if is_slice:
            return replace(found, text=made)
        return replace(found, text=made, depth=max(0, found.depth - 1), is_gathered=False)

    def _index(self) -> str:
        minus = "-" if self.accept("-") else ""
        if self.token.kind != "number" or "." in self.token.value:
            raise self.lost("a list is asked for its elements by whole numbers")
        self.place += 1
        return minus + self.tokens[self.place - 1].value

    # -- atoms

    def _atom(self) -> Piece:
        token = self.token
        if token.kind == "number":
            self.place += 1
            return Piece(token.value)
        if token.kind == "text":
            self.place += 1
            return Piece(self.literal(token.value))
        if token.kind == "parameter":
            self.place += 1
            value = self.given.get(token.value)
            return Piece(self.parameter(token.value), weight=max(1, len(value)) if isinstance(value, list) else 1)
        if token.kind == "mark":
            return self._bracketed()
        if token.word in ("TRUE", "FALSE", "NULL"):
            self.place += 1
            return Piece(token.word.lower())
        if token.word == "CASE":
            return self.read_case()
        if token.word in ("EXISTS", "COUNT", "COLLECT") and self.ahead().value == "{":
            self.place += 2
            return self.subquery(token.word)
        if self.ahead().value == "(" and token.kind == "name":
            return self.read_call()
        return self._variable()

    def _variable(self) -> Piece:
        name = self.name("a value")
        if name not in self.scope:
            raise CypherRefused(f"{name} is not defined here")
        found = self.scope[name]
        if self.token.value == "{" and self.token.kind == "mark":
            return self._projection(name, found)
        return replace(found, text=name)

    def _projection(self, name: str, found: Piece) -> Piece:
        """Read `n {.name, .type}`: properties by name alone."""
        if found.depth or found.base not in (NODE, RELATIONSHIP):
            raise self.lost("only a node or a relationship has properties to choose from")
        self.expect("{")
        chosen: list[str] = []
        while not chosen or self.accept(","):
            self.expect(".")
            chosen.append(self.name("the name of a property"))
            self.check_property(chosen[-1])
        self.expect("}")
        return Piece(f"{name} {{{', '.join('.' + each for each in chosen)}}}", weight=len(chosen))

    def _bracketed(self) -> Piece:
        if self.token.value == "(":
            if self.is_pattern():
                return self.pattern_predicate()
            self.expect("(")
            found = self.expression()
            self.expect(")")
            return replace(found, text=f"({found.text})")
        if self.token.value == "[":
            return self.read_list()
        if self.token.value == "{":
            return self.read_map()
        raise self.lost("a value was expected")
