"""The parser of queries that a model wrote: read word by word, understood and written again, or refused. Pure.

Expressions: text literals become parameters; properties, operators and functions are those of an allow-list, and
whatever could grow without end (`reduce`, `range`, `replace`, ...) is not on it.

Patterns: every node is held to one graph. A node pattern gets `graph: $graph` and, where it names no label, the labels
that queries may read. Between the ends of `-[*1..3]-` stand nodes, too: it becomes steps whose nodes are held to the
graph as well, and are entities unless a type says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from kg_neo4j import data_files
from kg_neo4j.graph.queries import OWN
from kg_neo4j.records import CellParameter
from kg_neo4j.retrieve.cypher.schema import STRUCTURE, VISIBLE, GraphSchema
from kg_neo4j.retrieve.cypher.tokens import LONGEST_TEXT, CypherRefused, Token
from kg_neo4j.retrieve.cypher.values import (
    AGGREGATES,
    FUNCTIONS,
    HEAVIEST,
    LONGEST_LOOP,
    NODE,
    PATH,
    RELATIONSHIP,
    STORED,
    VALUE,
    Function,
    QueryPiece,
    join,
    shown,
    turns,
    weigh,
)

RESERVED = data_files.beside(__file__).word_set("reserved")
Scope = dict[str, QueryPiece]
MOST_ROWS = 1_001  # that leave the server: one more than are counted
MOST_CLAUSES = 16
MOST_COLUMNS = 12
CITED = 12  # ids of each kind that a row of an aggregation cites
IDS = "_ids"  # column of the ids that a row rests on: {facts, nodes}
DEEPEST = 30  # brackets within brackets
FURTHEST = 6  # steps of a path
MOST_NODES = 6  # that patterns of a query find; at eight, planning takes many seconds and the server's memory
ANY_LABEL = "|".join(OWN + label for label in VISIBLE)
ONLY_NODES, ONLY_FACTS = "_only_nodes", "_only_facts"  # parameters: ids that filters leave


def _held(name: str) -> str:
    """Return the condition that holds a node to what filters leave."""
    return f" WHERE {name}.id IN ${ONLY_NODES}"


def _further(held: str, condition: str) -> str:
    """Return a condition of the query, after the one that holds its pattern, if there is one."""
    return f" AND ({condition})" if held else f" WHERE {condition}"


@dataclass(slots=True)
class Parser:
    """The words of a query, where they are being read, and the names that are known there."""

    tokens: list[Token]
    schema: GraphSchema
    given: Mapping[str, CellParameter]
    scope: Scope = field(default_factory=dict)
    parameters: dict[str, CellParameter] = field(default_factory=dict)  # that the query as it is written anew takes
    place: int = 0
    depth: int = 0
    turns: int = 1  # of the loops within which an expression is read
    nodes: int = 0  # node patterns so far
    unnamed: int = 0  # relationships that were given a name
    is_naming: bool = False  # whether relationships without a name get one, so that rows can cite them
    added: Scope = field(default_factory=dict)  # names that the pattern being read gives
    clauses: list[str] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)  # names and kinds of lists of ids from before a WITH

    # -- words

    @property
    def token(self) -> Token:
        """The word that is read next."""
        return self.tokens[self.place]

    def ahead(self, count: int = 1) -> Token:
        """Return a later word."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Step over the next word and return it."""
        self.place += 1
        return self.tokens[self.place - 1]

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
        return self.take().value

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

    def _parts(self, end: str) -> Iterator[None]:
        """Yield where each of the parts begins that stand between commas; step over the mark `end` after them."""
        while self.token.value != end or self.token.kind != "mark":
            yield
            if not self.accept(","):
                break
        self.expect(end)

    def _keys(self, what: str, check: Callable[[str], object] = str) -> Iterator[str]:
        """Yield the keys of a map that `check` lets pass, each where its value begins."""
        for _ in self._parts("}"):
            key = self.name(what)
            check(key)
            self.expect(":")
            yield key

    @contextmanager
    def _walking(self, name: str, over: QueryPiece) -> Iterator[None]:
        """Have `name` stand for an element of a list within the block; CypherRefused for too many turns of loops."""
        before = self.scope, self.turns
        self.scope = {**self.scope, name: QueryPiece("", over.base, max(0, over.depth - 1), over.weight)}
        self.turns *= turns(over)
        if self.turns > LONGEST_LOOP:
            raise CypherRefused("loops within loops over lists may take too long: UNWIND a list, and use WHERE")
        yield
        self.scope, self.turns = before

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

    # -- lists, maps, CASE

    def read_list(self) -> QueryPiece:
        """Read a list, or one that is made of another one."""
        if self.ahead().kind == "name" and self.ahead(2).word == "IN" and self.ahead(1).word not in RESERVED:
            return self._comprehension()
        self.expect("[")
        items = [self.expression().bounded() for _ in self._parts("]")]
        text = f"[{', '.join(item.text for item in items)}]"
        bases = {(item.base, item.depth) for item in items}
        if len(bases) == 1 and not items[0].is_value:
            return replace(join(text, *items), base=items[0].base, depth=items[0].depth + 1)
        for item in items:
            item.need_value("a list")
        return join(text, *items)

    def _comprehension(self) -> QueryPiece:
        self.expect("[")
        name, over = self._walked()
        if over.is_gathered:
            raise CypherRefused("a gathered list is not made into another one: choose before collect, or UNWIND it")
        text = f"{name} IN {over.text}"
        with self._walking(name, over):
            if self.accept("WHERE"):
                text += f" WHERE {self.expression().text}"
            if self.accept("|"):
                each = self.expression().bounded()
                weight = weigh(turns(over) * each.weight)
                made = QueryPiece(f"[{text} | {each.text}]", each.base, 0 if each.is_value else each.depth + 1, weight)
            else:
                made = replace(over, text=f"[{text}]")
        self.expect("]")
        return replace(made, is_aggregate=over.is_aggregate)

    def _walked(self) -> tuple[str, QueryPiece]:
        name = self.name("a name")
        self.expect("IN")
        over = self.expression()
        if not over.is_value and not over.depth:
            raise self.lost(f"a {over.base} is no list")
        return name, over

    def read_map(self) -> QueryPiece:
        """Read a map of values."""
        self.expect("{")
        items = {key: self.expression().bounded().need_value("a map") for key in self._keys("a key")}
        return join(f"{{{', '.join(f'{key}: {each.text}' for key, each in items.items())}}}", *items.values())

    def read_case(self) -> QueryPiece:
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

    def read_call(self) -> QueryPiece:
        """Read a call of a function, an aggregation or a condition over a list."""
        word, said = self.token.word, self.token.value
        lower = said.lower()
        self.place += 2
        if word in ("ALL", "ANY", "NONE", "SINGLE"):
            name, over = self._walked()
            with self._walking(name, over):
                self.expect("WHERE")
                text = f"{lower}({name} IN {over.text} WHERE {self.expression().text})"
            self.expect(")")
            return QueryPiece(text, is_aggregate=over.is_aggregate)
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

    def _called(self, function: Function, arguments: list[QueryPiece]) -> QueryPiece:
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
        if function.name == "labels":
            text = f"[_l IN labels({first.text}) WHERE NOT _l STARTS WITH {self.literal(OWN)}]"
        if function.name == "split":  # every letter may become an element
            text = f"split(left({first.text}, {LONGEST_TEXT}), {arguments[1].text})[..{STORED}]"
        weight = 1 if function.is_small else weigh(function.grows * sum(each.weight for each in arguments))
        base, depth, is_gathered = function.gives, 1, False
        if function.gives == "element":
            base, depth, weight = first.base, max(0, first.depth - 1), first.weight
        elif function.gives == "same":
            base, depth, is_gathered = first.base, first.depth, any(each.is_gathered for each in arguments)
        elif function.gives == VALUE or function.name.endswith("Node"):
            depth = 0
        return QueryPiece(text, base, depth, weight, is_gathered, any(each.is_aggregate for each in arguments))

    def _aggregate(self, name: str) -> QueryPiece:
        if name == "count" and self.accept("*", ")"):
            return QueryPiece("count(*)", is_aggregate=True)
        distinct = "DISTINCT " if self.accept("DISTINCT") else ""
        inner = self.expression()
        self.expect(")")
        if inner.is_aggregate:
            raise CypherRefused("an aggregation within another one needs a WITH between them")
        if name == "collect":
            inner = inner.bounded()
            depth = 0 if inner.is_value else inner.depth + 1
            return QueryPiece(f"collect({distinct}{inner.text})", inner.base, depth, inner.weight, True, True)
        if name != "count":
            inner.need_value(name)
        weight = inner.bounded().weight if name in ("min", "max") else 1
        return QueryPiece(f"{name}({distinct}{inner.text})", weight=weight, is_aggregate=True)

    # -- expressions

    def expression(self) -> QueryPiece:
        """Read an expression."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.lost(f"more than {DEEPEST} brackets within each other")
        found = self._joined(("OR",), lambda: self._joined(("AND",), self._not))
        self.depth -= 1
        return found

    def _joined(self, words: tuple[str, ...], part: Callable[[], QueryPiece]) -> QueryPiece:
        left = part()
        while self.token.word in words:
            word = self.take().word
            right = part()
            left = replace(join(f"{left.text} {word} {right.text}", left, right), weight=1)
        return left

    def _not(self) -> QueryPiece:
        if self.accept("NOT"):
            found = self._not()
            return replace(join(f"NOT {found.text}", found), weight=1)
        return self._comparison()

    def _comparison(self) -> QueryPiece:
        left = self._sum()
        while True:
            sign = self._sign()
            if sign is None:
                return left
            if sign.startswith("IS "):
                left = QueryPiece(f"{left.text} {sign}", is_aggregate=left.is_aggregate)
                continue
            right = self._sum()
            if sign == "IN" and self.turns * turns(right) > LONGEST_LOOP:
                raise CypherRefused("IN within a loop over a list may take too long: UNWIND a list, and use WHERE")
            if sign not in ("=", "<>", "IN"):
                left.need_value(sign), right.need_value(sign)
            left = QueryPiece(f"{left.text} {sign} {right.text}", is_aggregate=left.is_aggregate or right.is_aggregate)

    def _sign(self) -> str | None:
        for words in ("IS NOT NULL", "IS NULL", "STARTS WITH", "ENDS WITH", "CONTAINS", "IN"):
            if self.accept(*words.split()):
                return words
        is_sign = self.token.kind == "mark" and self.token.value in ("=", "<>", "<=", ">=", "<", ">")
        return self.take().value if is_sign else None

    def _sum(self) -> QueryPiece:
        return self._counted(("+", "-"), lambda: self._counted(("*", "/", "%"), self._signed))

    def _counted(self, signs: tuple[str, ...], part: Callable[[], QueryPiece]) -> QueryPiece:
        left = part()
        while self.token.kind == "mark" and self.token.value in signs:
            sign = self.take().value
            right = part()
            are_lists = sign == "+" and not (left.is_value and right.is_value) and left.base == right.base
            if not are_lists:
                left.need_value(sign), right.need_value(sign)
            left = replace(
                left if are_lists else QueryPiece(""),
                text=f"{left.text} {sign} {right.text}",
                weight=weigh(left.weight + right.weight),
                is_gathered=left.is_gathered or right.is_gathered,
                is_aggregate=left.is_aggregate or right.is_aggregate,
            )
        return left

    def _signed(self) -> QueryPiece:
        if self.accept("-"):
            found = self._signed().need_value("-")
            return replace(found, text=f"-{found.text}")
        self.accept("+")
        return self._postfix(self._atom())

    def _postfix(self, found: QueryPiece) -> QueryPiece:
        while True:
            if self.accept("."):
                found = self._property(found)
            elif self.token.value == "[" and self.token.kind == "mark":
                found = self._element(found)
            elif found.base == NODE and found.depth == 0 and self.accept(":"):
                labels, rows = self.labels_of("_n")
                found = QueryPiece(
                    f"any(_n IN [{found.text}] WHERE _n{labels} AND {rows})" if rows else f"{found.text}{labels}"
                )
            else:
                return found

    def _property(self, found: QueryPiece) -> QueryPiece:
        if self.token.kind != "name":
            raise self.lost("the name of a property was expected")
        name = self.token.value
        if found.depth or found.base not in (NODE, RELATIONSHIP, "value"):
            raise self.lost(f"a {found.base} or a list has no property")
        if not found.is_value:
            self.check_property(name)
        self.place += 1
        return QueryPiece(
            f"{found.text}.{name}", weight=1 if not found.is_value else found.weight, is_aggregate=found.is_aggregate
        )

    def _element(self, found: QueryPiece) -> QueryPiece:
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
        return minus + self._whole("a list is asked for its elements by whole numbers")

    def _whole(self, wanted: str, most: int = 15) -> str:
        """Read a whole number of at most `most` digits."""
        if self.token.kind != "number" or "." in self.token.value or len(self.token.value) > most:
            raise self.lost(wanted)
        return self.take().value

    # -- atoms

    def _atom(self) -> QueryPiece:
        token = self.token
        if token.kind == "number":
            return QueryPiece(self.take().value)
        if token.kind == "text":
            return QueryPiece(self.literal(self.take().value))
        if token.kind == "parameter":
            value = self.given.get(self.take().value)
            return QueryPiece(self.parameter(token.value), weight=max(1, len(value)) if isinstance(value, list) else 1)
        if token.kind == "mark":
            return self._bracketed()
        if token.word in ("TRUE", "FALSE", "NULL"):
            return QueryPiece(self.take().word.lower())
        if token.word == "CASE":
            return self.read_case()
        if token.word in ("EXISTS", "COUNT", "COLLECT") and self.ahead().value == "{":
            self.place += 2
            return self.subquery(token.word)
        if self.ahead().value == "(" and token.kind == "name":
            return self.read_call()
        return self._variable()

    def _variable(self) -> QueryPiece:
        name = self.name("a value")
        if name not in self.scope:
            raise CypherRefused(f"{name} is not defined here")
        found = self.scope[name]
        if self.token.value == "{" and self.token.kind == "mark":
            return self._projection(name, found)
        return replace(found, text=name)

    def _projection(self, name: str, found: QueryPiece) -> QueryPiece:
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
        return QueryPiece(f"{name} {{{', '.join('.' + each for each in chosen)}}}", weight=len(chosen))

    def _bracketed(self) -> QueryPiece:
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

    # -- paths

    def path(self) -> str:
        """Read a path; its new names are in `added` afterwards, as names of `scope` are in scope."""
        return self._walk()[0]

    def _walk(self) -> tuple[str, list[bool]]:
        """Return a path as it will run, and for each of its relationships whether it stands for several steps."""
        text, several = self._node(), []
        while self.token.kind == "mark" and self.token.value in ("-", "<"):
            link, steps = self._link()
            text += link + self._node()
            several.append(steps is not None)
        return text, several

    def shortest(self) -> str:
        """Read the brackets of shortestPath: two nodes with one relationship of several steps."""
        self.expect("(")
        text, several = self._walk()
        self.expect(")")
        if several != [True]:
            raise CypherRefused(f"a shortest path is written as (a)-[*1..{FURTHEST}]-(b)")
        return text

    def _node(self) -> str:
        self.expect("(")
        name = self.name("a variable") if self.token.kind == "name" and self.token.word != "WHERE" else ""
        known = self._is_known(name) if name else False
        self.nodes += not known
        if self.nodes > MOST_NODES:
            raise CypherRefused(f"a query has at most {MOST_NODES} node patterns")
        called = self._handle(name)
        labels, rows = "" if known else f":{ANY_LABEL}", ""
        if self.accept(":"):
            labels, rows = self.labels_of(called)
        properties = [*self._properties(), *([] if known else ["graph: $graph"])]
        if name and not known:
            self.added[name] = QueryPiece(name, NODE)
        held = _held(called) if self.schema.is_filtered and not known else f" WHERE {rows}" if rows else ""
        text = called + labels + (f" {{{', '.join(properties)}}}" if properties else "") + held
        if self.accept("WHERE"):
            text += _further(held, self._inner_condition())
        self.expect(")")
        return f"({text})"

    def _is_known(self, name: str) -> bool:
        """Tell whether `name` stands for a node already; CypherRefused where it stands for something else."""
        found = self.scope.get(name) or self.added.get(name)
        if found is not None and (found.base != NODE or found.depth):
            raise CypherRefused(f"{name} is no {NODE}")
        return found is not None

    def _inner_condition(self) -> str:
        before = self.scope
        self.scope = {**before, **self.added}
        text = self.expression().text
        self.scope = before
        return text

    def _properties(self) -> list[str]:
        """Read `{name: $x}`."""
        found: list[str] = []
        for name in self._keys("the name of a property", self.check_property) if self.accept("{") else ():
            found.append(f"{name}: {self.expression().need_value('a property').text}")
        return found

    # -- labels and types

    def labels_of(self, name: str) -> tuple[str, str]:
        """Read the labels of a node after the colon and return them with one: each is of the graph.

        A label of another graph becomes a condition, which is returned, too: the entity `name` has a row of it.
        """
        place, text = self.place, self._choice("label")
        while self.accept(":"):
            text = f"({text})&({self._choice('label')})"
        read = [token.value for token in self.tokens[place : self.place]]
        others = [each for each in self.schema.adopted if each in read]
        if others and (len(others) > 1 or {"|", "!"}.intersection(read)):
            raise CypherRefused(f"{others[0]} is a label of another graph: it stands without | and !, as in (n:Label)")
        if others:
            self.parameters[rows := f"_{len(self.parameters) + 1}"] = [*self.schema.adopted[others[0]]]
            known = f"any(_s IN ${rows} WHERE _k STARTS WITH _s)"
            return f":{text}", f"any(_k IN coalesce({name}.table_key, []) WHERE {known})"
        return f":({ANY_LABEL})&({text})" if "!" in text else f":{text}", ""

    def _choice(self, what: str) -> str:
        """Read names joined by | and &, some with !."""
        text = self._one_of(what)
        while self.token.kind == "mark" and self.token.value in ("|", "&"):
            sign = self.take().value
            if sign == "|":
                self.accept(":")
            text += sign + self._one_of(what)
        return text

    def _one_of(self, what: str) -> str:
        if self.accept("!"):
            return "!" + self._one_of(what)
        if self.accept("("):
            text = self._choice(what)
            self.expect(")")
            return f"({text})"
        if self.token.kind != "name":
            raise self.lost(f"a {what} was expected")
        name = self.token.value
        names = [*self.schema.adopted, *self.schema.labels] if what == "label" else [*self.schema.relationships]
        if name not in names:
            raise CypherRefused(f"this graph has no {what} {name[:64]}; it has {', '.join(names[:60])}")
        self.place += 1
        name = "Entity" if what == "label" and name in self.schema.adopted else name
        return OWN + name if what == "label" and name in VISIBLE else name

    # -- relationships

    def _link(self) -> tuple[str, tuple[int, int] | None]:
        """Read a relationship pattern; return it as it will run, and its steps: None for exactly one."""
        left = "<-" if self.accept("<", "-") else "-"
        if left == "-":
            self.expect("-")
        steps, between = None, f"{OWN}Entity"  # labels of the nodes between several steps
        if self.accept("["):
            place = self.place
            inside, steps = self._inside()
            if {token.value for token in self.tokens[place : self.place]} & set(STRUCTURE):
                between = ANY_LABEL
            self.expect("]")
        else:
            name = self._relationship("")
            inside = name + self._facts_left(name)
        self.expect("-")
        one = f"{left}[{inside}]{'->' if left == '-' and self.accept('>') else '-'}"
        if steps is None:
            return one, None
        names = ("_a", "_b") if self.schema.is_filtered else ("", "")
        ends = [f"({name}:{between} {{graph: $graph}}{_held(name) if name else ''})" for name in names]
        return f" ({ends[0]}{one}{ends[1]}){{{steps[0]},{steps[1]}}} ", steps

    def _inside(self) -> tuple[str, tuple[int, int] | None]:
        name = self.name("a variable") if self.token.kind == "name" and self.token.word != "WHERE" else ""
        if name and (name in self.scope or name in self.added):
            raise CypherRefused(f"the relationship {name} has a name that is taken")
        types = ":" + self._choice("relationship type") if self.accept(":") else ""
        steps = self._steps()
        properties = self._properties()
        name = self._relationship(name, 0 if steps is None else 1)
        held = self._facts_left(name)
        text = name + types + (f" {{{', '.join(properties)}}}" if properties else "") + held
        if self.accept("WHERE"):
            if steps is not None:
                raise CypherRefused("a path of several steps takes its condition after the pattern")
            text += _further(held, self._inner_condition())
        return text, steps

    def _handle(self, name: str) -> str:
        """Return a name for a pattern whose condition needs one: under filters, or with another graph adopted."""
        return name or (self._new_name("_n") if self.schema.is_filtered or self.schema.adopted else "")

    def _new_name(self, prefix: str) -> str:
        self.unnamed += 1
        return f"{prefix}{self.unnamed}"

    def _facts_left(self, name: str) -> str:
        """Return the condition that holds a relationship to what filters leave; empty where nothing is filtered."""
        if not self.schema.is_filtered:
            return ""
        structure = ", ".join(f"'{each}'" for each in STRUCTURE)
        return f" WHERE (type({name}) IN [{structure}] OR {name}.fact_id IN ${ONLY_FACTS})"

    def _relationship(self, name: str, depth: int = 0) -> str:
        """Return the name of a relationship, which the pattern gives; a new one where rows have to cite it."""
        name = name or (self._new_name("_r") if self.is_naming else "")
        if name:
            self.added[name] = QueryPiece(name, RELATIONSHIP, depth, FURTHEST if depth else 1)
        return self._handle(name)

    def _steps(self) -> tuple[int, int] | None:
        """Read `*1..3`."""
        if not self.accept("*"):
            return None
        least, most = 1, None
        if self.token.kind == "number":
            least = most = int(self._whole("a small whole number was expected", 3))
        if self.accept(".."):
            most = int(self._whole("a small whole number was expected", 3)) if self.token.kind == "number" else None
        if most is None or most > FURTHEST or least > most:
            raise CypherRefused(f"a path of several steps needs bounds within 0 and {FURTHEST}, as in [*1..3]")
        return least, most

    # -- subqueries

    def pattern_predicate(self) -> QueryPiece:
        """Read a pattern that stands as a condition; it is written as EXISTS { ... }."""
        with self._within():
            return QueryPiece(f"EXISTS {{ {self.path()} }}")

    def subquery(self, kind: str) -> QueryPiece:
        """Read the inside of EXISTS, COUNT or COLLECT and the closing brace: MATCH ... WHERE ... RETURN ..."""
        parts: list[str] = []
        returned = None
        with self._within():
            while self.token.word == "MATCH" or (not parts and self.token.kind == "mark"):
                self.accept("MATCH")
                paths = [self.path()]
                while self.accept(","):
                    paths.append(self.path())
                parts.append(f"MATCH {', '.join(paths)}")
                self.scope = {**self.scope, **self.added}
                self.added = {}
                if self.accept("WHERE"):
                    parts.append(f"WHERE {self.expression().text}")
            if self.accept("RETURN"):
                distinct = "DISTINCT " if self.accept("DISTINCT") else ""
                returned = self.expression().bounded()
                alias = self.name("a name") if self.accept("AS") else f"_c{self.place}"
                parts.append(f"RETURN {distinct}{returned.text} AS {alias}")
            self.expect("}")
        text = f"{kind} {{ {' '.join(parts)} }}"
        if kind != "COLLECT":
            return QueryPiece(text)
        if returned is None:
            raise CypherRefused("COLLECT { ... } needs a RETURN")
        return QueryPiece(
            text, returned.base, 0 if returned.is_value else returned.depth + 1, returned.weight, is_gathered=True
        )

    @contextmanager
    def _within(self) -> Iterator[None]:
        """Forget after the block the names that its patterns give."""
        before = (self.scope, self.added, self.is_naming)
        self.scope, self.added, self.is_naming = {**self.scope, **self.added}, {}, False
        yield
        self.scope, self.added, self.is_naming = before

    # -- clauses

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
                if name in self.scope or name in self.added:
                    raise CypherRefused(f"the path {name} has a name that is taken")
                self.added[name] = QueryPiece(name, PATH, weight=1)
        self.is_naming = False
        if selected and word != "MATCH":
            raise CypherRefused("a shortest path needs a MATCH of its own")
        self.clauses += [f"{word} {text}" for text in ([", ".join(plain)] if plain else []) + selected]
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
        name = self.name("a name")
        if name in self.scope:
            raise CypherRefused(f"the name {name} is taken")
        self.scope = {**self.scope, name: QueryPiece(name, over.base, max(0, over.depth - 1), over.weight)}
        self.clauses.append(" ".join(("UNWIND", over.text, "AS", name)))

    # -- WITH and RETURN

    def _with(self) -> None:
        distinct = self.accept("DISTINCT")
        if not distinct and self.accept("*"):
            self.clauses.append("WITH *")
            items: dict[str, QueryPiece] = {}
            after = dict(self.scope)
        else:
            items = self._items(is_last=False)
            ids = self._ids(items, distinct=distinct)
            columns = [_named(piece.text, name) for name, piece in items.items()]
            word = "WITH DISTINCT " if distinct and not ids else "WITH "
            self.clauses.append(word + ", ".join([*columns, *(_named(text, name) for name, text, _ in ids)]))
            after = {name: replace(piece, text=name, is_aggregate=False) for name, piece in items.items()}
            after |= {name: piece for name, _, piece in ids}
        self.scope = {**self.scope, **after}
        self.clauses[-1] += self._ordered([*items], is_last=False)
        self.scope = after
        self._where()

    def _items(self, *, is_last: bool) -> dict[str, QueryPiece]:
        """Read the columns of a WITH or RETURN: what each is made of, by its name."""
        items: dict[str, QueryPiece] = {}
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
            while name in items:
                name = f"{name}_{len(items) + 1}"
            items[name] = found
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
            text += f" SKIP {int(self._whole('a whole number was expected'))}"
        if self.accept("LIMIT"):
            bound = int(self._whole("a whole number was expected"))
            text += f" LIMIT {min(bound, MOST_ROWS) if is_last else bound}"
        elif is_last:
            text += f" LIMIT {MOST_ROWS}"
        return text

    def _return(self) -> tuple[str, ...]:
        distinct = self.accept("DISTINCT")
        items = self._items(is_last=True)
        given: Scope = {}
        for name, piece in items.items():
            own = name  # a column that is not what it was must not hide what it was made of
            while not piece.is_value and (own in items or own in given):
                own += "_"
            given[own] = shown(piece, is_filtered=self.schema.is_filtered)
        if sum(piece.weight for piece in given.values()) > HEAVIEST:
            raise CypherRefused("a row would hold too much: return fewer or smaller columns")
        columns = [_named(piece.text, name) for name, piece in given.items()]
        self.clauses.append("RETURN " + ", ".join([*columns, f"{self._rests_on(items, distinct=distinct)} AS {IDS}"]))
        self.scope = {**self.scope, **{name: replace(piece, text=name) for name, piece in given.items()}}
        self.clauses[-1] += self._ordered([*given], is_last=True)
        return tuple(items)

    # -- what a row rests on

    def _ids(self, items: Mapping[str, QueryPiece], *, distinct: bool) -> list[tuple[str, str, QueryPiece]]:
        """Return what a WITH hands on beside its items: (name, text, what it is).

        Without an aggregation the nodes and relationships themselves are handed on; with one, some of their ids.
        """
        handed: list[tuple[str, str, QueryPiece]] = []
        kept = {piece.text for piece in items.values()}
        for name, piece in self.scope.items():
            if name.startswith("_"):
                handed.append((name, name, piece))
            elif piece.base in (NODE, RELATIONSHIP) and not piece.depth and name not in kept:
                handed.append((f"_{name}_{len(self.clauses)}", name, piece))
        if not distinct and not any(piece.is_aggregate for piece in items.values()):
            return handed
        grouped = {piece.text for piece in items.values() if not piece.is_aggregate}
        ids: list[tuple[str, str, QueryPiece]] = []
        for kind, texts in self._found(grouped).items():
            if texts:
                name = f"_{kind}{len(self.clauses)}"
                ids.append((name, self._gathered(texts), QueryPiece(name, weight=CITED * len(texts))))
                self.kept.append((name, kind))
        return [each for each in ids if each[0] not in items]

    def _rests_on(self, items: Mapping[str, QueryPiece], *, distinct: bool) -> str:
        """Return the column of ids: of facts and of nodes. An aggregation of them leaves its groups as they are."""
        gathers = distinct or any(piece.is_aggregate for piece in items.values())
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
        return " + ".join(
            f"collect(DISTINCT {text[1:-1]})[..{CITED}]"
            if text.startswith("[")
            else f"coalesce(head(collect({text})), [])"
            for text in texts
        )


def _named(text: str, name: str) -> str:
    return name if text == name else f"{text} AS {name}"
