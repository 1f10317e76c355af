"""Patterns of a query that a model wrote: every node of them is held to one graph. Pure.

A node pattern gets `graph: $graph` and, where it names no label, the labels that queries may read. Between the ends of
`-[*1..3]-` stand nodes, too: it is written anew as steps whose nodes are held to the graph as well, and are entities
unless a type says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kg_neo4j.retrieve.cypher.cursor import Scope
from kg_neo4j.retrieve.cypher.expressions import Expressions
from kg_neo4j.retrieve.cypher.schema import STRUCTURE, VISIBLE
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.retrieve.cypher.values import NODE, PATH, RELATIONSHIP, Piece

FURTHEST = 6  # steps of a path
MOST_NODES = 6  # that patterns of a query find; at eight, planning takes many seconds and the server's memory
ANY_LABEL = "|".join(VISIBLE)
ONLY_NODES, ONLY_FACTS = "_only_nodes", "_only_facts"  # parameters: ids that filters leave


def _held(name: str) -> str:
    """Return the condition that holds a node to what filters leave."""
    return f" WHERE {name}.id IN ${ONLY_NODES}"


def _further(held: str, condition: str) -> str:
    """Return a condition of the query, after the one that holds its pattern, if there is one."""
    return f" AND ({condition})" if held else f" WHERE {condition}"


@dataclass(frozen=True, slots=True)
class Link:
    """A relationship pattern: the brackets with what stands in them, and how many steps it stands for."""

    left: str  # "-" or "<-"
    inside: str
    right: str  # "-" or "->"
    steps: tuple[int, int] | None = None  # None: exactly one
    between: str = "Entity"  # labels of the nodes between several steps
    is_filtered: bool = False  # what is between several steps is held to what filters leave

    @property
    def text(self) -> str:
        """The pattern as it will run."""
        one = f"{self.left}[{self.inside}]{self.right}" if self.inside else f"{self.left}[]{self.right}"
        if self.steps is None:
            return one
        ends = [f"({name}:{self.between} {{graph: $graph}}{_held(name)})" for name in ("_a", "_b")]
        if not self.is_filtered:
            ends = [f"(:{self.between} {{graph: $graph}})"] * 2
        return f" ({ends[0]}{one}{ends[1]}){{{self.steps[0]},{self.steps[1]}}} "


@dataclass(slots=True)
class Patterns(Expressions):
    """Reads patterns, and the subqueries that hold some."""

    nodes: int = 0  # node patterns so far
    unnamed: int = 0  # relationships that were given a name
    is_naming: bool = False  # whether relationships without a name get one, so that rows can cite them
    added: Scope = field(default_factory=dict)  # names that the pattern being read gives

    # -- paths

    def path(self) -> str:
        """Read a path; its new names are in `added` afterwards, as names of `scope` are in scope."""
        text, _ = self._walk()
        return text

    def _walk(self) -> tuple[str, list[Link]]:
        text, links = self._node(), []
        while self.token.kind == "mark" and self.token.value in ("-", "<"):
            links.append(self._link())
            text += links[-1].text + self._node()
        return text, links

    def shortest(self) -> str:
        """Read what stands in the brackets of shortestPath: two nodes with one relationship of several steps."""
        self.expect("(")
        text, links = self._walk()
        self.expect(")")
        if len(links) != 1 or links[0].steps is None:
            raise CypherRefused(f"a shortest path is written as (a)-[*1..{FURTHEST}]-(b)")
        return text

    def _node(self) -> str:
        self.expect("(")
        name = ""
        if self.token.kind == "name" and self.token.word != "WHERE":
            name = self.name("a variable")
        known = self._known(name, NODE) if name else False
        self.nodes += not known
        if self.nodes > MOST_NODES:
            raise CypherRefused(f"a query has at most {MOST_NODES} node patterns")
        if self.token.value == ":" and self.token.kind == "mark":
            self.place += 1
            labels = self.labels_of(name)
        else:
            labels = "" if known else f":{ANY_LABEL}"
        properties = self._properties()
        if not known:
            properties = [*properties, "graph: $graph"]
        if name and not known:
            self.added[name] = Piece(name, NODE)
        called = self._handle(name)
        held = _held(called) if self.schema.is_filtered and not known else ""
        text = called + labels + (f" {{{', '.join(properties)}}}" if properties else "") + held
        if self.accept("WHERE"):
            text += _further(held, self._inner_condition())
        self.expect(")")
        return f"({text})"

    def _known(self, name: str, base: str) -> bool:
        """Tell whether `name` stands for a node already; CypherRefused where it stands for something else."""
        found = self.scope.get(name) or self.added.get(name)
        if found is None:
            return False
        if found.base != base or found.depth:
            raise CypherRefused(f"{name} is no {base}")
        return True

    def _inner_condition(self) -> str:
        before = self.scope
        self.scope = {**before, **self.added}
        text = self.expression().text
        self.scope = before
        return text

    def _properties(self) -> list[str]:
        """Read `{name: $x}`."""
        if not self.accept("{"):
            return []
        found: list[str] = []
        while self.token.value != "}" or self.token.kind != "mark":
            name = self.name("the name of a property")
            self.check_property(name)
            self.expect(":")
            found.append(f"{name}: {self.expression().need_value('a property').text}")
            if not self.accept(","):
                break
        self.expect("}")
        return found

    # -- labels and types

    def labels_of(self, variable: str) -> str:
        """Read the labels of a node after the colon and return them with one: each is of the graph."""
        text, is_negated = self._choice(self.schema.labels, "label")
        while self.accept(":"):
            more, negated = self._choice(self.schema.labels, "label")
            text, is_negated = f"({text})&({more})", is_negated or negated
        return f":({ANY_LABEL})&({text})" if is_negated else f":{text}"

    def _choice(self, known: object, what: str) -> tuple[str, bool]:
        """Read names joined by | and &, some with !; tell whether one is negated."""
        text, is_negated = self._one_of(known, what)
        while self.token.kind == "mark" and self.token.value in ("|", "&"):
            sign = self.token.value
            self.place += 1
            if sign == "|":
                self.accept(":")
            more, negated = self._one_of(known, what)
            text, is_negated = text + sign + more, is_negated or negated
        return text, is_negated

    def _one_of(self, known: object, what: str) -> tuple[str, bool]:
        if self.accept("!"):
            return "!" + self._one_of(known, what)[0], True
        if self.accept("("):
            text, negated = self._choice(known, what)
            self.expect(")")
            return f"({text})", negated
        if self.token.kind != "name":
            raise self.lost(f"a {what} was expected")
        name = self.token.value
        names = self.schema.labels if what == "label" else self.schema.relationships
        if name not in names:
            raise CypherRefused(f"this graph has no {what} {name[:64]}; it has {', '.join(list(names)[:60])}")
        self.place += 1
        return name, False

    # -- relationships

    def _link(self) -> Link:
        left = "<-" if self.accept("<", "-") else "-"
        if left == "-":
            self.expect("-")
        inside, steps, between = "", None, "Entity"
        if self.accept("["):
            place = self.place
            inside, steps = self._inside()
            said = {token.value for token in self.tokens[place : self.place]}
            between = ANY_LABEL if said & set(STRUCTURE) else "Entity"
            self.expect("]")
        else:
            name = self._unnamed() if self.is_naming else self._handle("")
            inside = name + self._facts_left(name)
        self.expect("-")
        right = "->" if left == "-" and self.accept(">") else "-"
        return Link(left, inside, right, steps, between, self.schema.is_filtered)

    def _inside(self) -> tuple[str, tuple[int, int] | None]:
        name = self.name("a variable") if self.token.kind == "name" and self.token.word != "WHERE" else ""
        if name and (name in self.scope or name in self.added):
            raise CypherRefused(f"the relationship {name} has a name that is taken")
        types = ""
        if self.accept(":"):
            types = ":" + self._choice(self.schema.relationships, "relationship type")[0]
        steps = self._steps()
        properties = self._properties()
        if not name and self.is_naming:
            name = self._unnamed(depth=0 if steps is None else 1)
        elif name:
            self.added[name] = Piece(name, RELATIONSHIP, 0 if steps is None else 1, 1 if steps is None else FURTHEST)
        name = self._handle(name)
        held = self._facts_left(name)
        text = name + types + (f" {{{', '.join(properties)}}}" if properties else "") + held
        if self.token.word == "WHERE":
            if steps is not None:
                raise CypherRefused("a path of several steps takes its condition after the pattern")
            self.expect("WHERE")
            text += _further(held, self._inner_condition())
        return text, steps

    def _handle(self, name: str) -> str:
        """Return a name for a pattern whose condition needs one; only under filters."""
        if name or not self.schema.is_filtered:
            return name
        self.unnamed += 1
        return f"_n{self.unnamed}"

    def _facts_left(self, name: str) -> str:
        """Return the condition that holds a relationship to what filters leave; empty where nothing is filtered."""
        if not self.schema.is_filtered:
            return ""
        structure = ", ".join(f"'{each}'" for each in STRUCTURE)
        return f" WHERE (type({name}) IN [{structure}] OR {name}.fact_id IN ${ONLY_FACTS})"

    def _unnamed(self, depth: int = 0) -> str:
        self.unnamed += 1
        name = f"_r{self.unnamed}"
        self.added[name] = Piece(name, RELATIONSHIP, depth, FURTHEST if depth else 1)
        return name

    def _steps(self) -> tuple[int, int] | None:
        """Read `*1..3`."""
        if not self.accept("*"):
            return None
        least, most = 1, None
        if self.token.kind == "number":
            least = most = self._whole()
        if self.accept(".."):
            most = self._whole() if self.token.kind == "number" else None
        if most is None or most > FURTHEST or least > most:
            raise CypherRefused(f"a path of several steps needs bounds within 0 and {FURTHEST}, as in [*1..3]")
        return least, most

    def _whole(self) -> int:
        if "." in self.token.value or len(self.token.value) > 3:
            raise self.lost("a small whole number was expected")
        self.place += 1
        return int(self.tokens[self.place - 1].value)

    # -- subqueries

    def pattern_predicate(self) -> Piece:
        """Read a pattern that stands as a condition; it is written as EXISTS { ... }."""
        saved = self._enter()
        text = self.path()
        self._leave(saved)
        return Piece(f"EXISTS {{ {text} }}")

    def subquery(self, kind: str) -> Piece:
        """Read the inside of EXISTS, COUNT or COLLECT and the closing brace: MATCH ... WHERE ... RETURN ..."""
        saved = self._enter()
        parts: list[str] = []
        returned = None
        while self.token.word == "MATCH" or (not parts and self.token.kind == "mark"):
            self.accept("MATCH")
            parts.append(f"MATCH {self._patterns()}")
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
        self._leave(saved)
        text = f"{kind} {{ {' '.join(parts)} }}"
        if kind != "COLLECT":
            return Piece(text)
        if returned is None:
            raise CypherRefused("COLLECT { ... } needs a RETURN")
        return Piece(
            text, returned.base, 0 if returned.is_value else returned.depth + 1, returned.weight, is_gathered=True
        )

    def _patterns(self) -> str:
        texts = [self.path()]
        while self.accept(","):
            texts.append(self.path())
        return ", ".join(texts)

    def _enter(self) -> tuple[Scope, Scope, bool]:
        saved = (self.scope, self.added, self.is_naming)
        self.scope, self.added, self.is_naming = {**self.scope, **self.added}, {}, False
        return saved

    def _leave(self, saved: tuple[Scope, Scope, bool]) -> None:
        self.scope, self.added, self.is_naming = saved

    def named_path(self, name: str) -> Piece:
        """Return the path that a pattern is given the name of."""
        if name in self.scope or name in self.added:
            raise CypherRefused(f"the path {name} has a name that is taken")
        self.added[name] = Piece(name, PATH, weight=1)
        return replace(self.added[name])
