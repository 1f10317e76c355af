"""The second guard of a query that a model wrote: the server's own plan of it, read before it runs. Pure.

It knows nothing of the first guard and trusts nothing of it: the plan must be one of reading, of operators and
functions of an allow-list, and every node that it finds must be compared with the graph's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.retrieve.cypher.values import AGGREGATES, FUNCTIONS

MOST_STEPS = 400

_DATA = data_files.beside(__file__)
OPERATORS = _DATA.word_set("operators")
_SCANS = _DATA.word_set("scans")
_ALL_NODES = "AllNodesScan"  # of a small database the planner reads every node, and compares them after that
_KNOWN = frozenset(AGGREGATES) | frozenset(FUNCTIONS) | _DATA.word_set("functions")

_SCANNED = re.compile(r"(?:^|, )(?:UNIQUE |(?:RANGE|TEXT|POINT) INDEX )?`?(\w+)`?:")
_ENDS = re.compile(r"\((?:`?(\w+)`?)\)(?=\s*(?:-|<-|\(\(|\(\.\.\.\)|$))|(?<=[->])\(`?(\w+)`?\)|\}\s*\(`?(\w+)`?\)")
_HELD = re.compile(r"(?:cache\[)?`?(\w+)`?\.graph\]? = \$graph")
_HELD_INDEX = re.compile(r"`?(\w+)`?:\w+\(graph\) WHERE graph = \$graph\b")
_RENAMED = re.compile(r" AS `?(\w+)`?(?:, |$)")
_CALL = re.compile(r"(?<![:\w.`])([A-Za-z_][\w.]*)\(")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One operator of a plan. `details` says what it works on, as the server words it."""

    operator: str
    details: str = ""


def read_plan(plan: Mapping[str, Any]) -> tuple[PlanStep, ...]:
    """Return the operators of a plan as the driver gives it; CypherRefused where there are too many."""
    steps: list[PlanStep] = []
    left = [plan]
    while left:
        each = left.pop()
        left += each.get("children", [])
        details = each.get("args", {}).get("Details")
        steps.append(PlanStep(str(each["operatorType"]).partition("@")[0], str(details or "")))
        if len(steps) > MOST_STEPS:
            raise CypherRefused(f"the plan of the query has more than {MOST_STEPS} steps")
    return tuple(steps)


def check_plan(query_type: str | None, steps: Sequence[PlanStep]) -> None:
    """Raise CypherRefused unless a query that has this plan reads, reads only what it may, and of one graph alone.

    `query_type` is the server's: "r" for reading.
    """
    if query_type != "r":
        raise CypherRefused("the server says that the query does not only read")
    if not steps:
        raise CypherRefused("the server gives no plan for the query")
    for step in steps:
        if "{.*" in step.details:
            raise CypherRefused("its plan reads all properties of something")
        if step.operator not in OPERATORS:
            raise CypherRefused(f"its plan has the operator {step.operator}, which is not allowed")
        for name in _CALL.findall(step.details):
            if name.lower() not in _KNOWN:
                raise CypherRefused(f"its plan calls {name}, which is not allowed")
    if free := sorted(_found(steps) - _held(steps) - _renamed(steps)):
        raise CypherRefused(f"its plan finds nodes that are not held to the graph: {', '.join(free[:5])}")


def _found(steps: Sequence[PlanStep]) -> set[str]:
    """Return the names of all nodes that a plan finds."""
    names: set[str] = set()
    for step in steps:
        if step.operator == _ALL_NODES:
            names.add(step.details.strip("`"))
        elif step.operator in _SCANS:
            names |= set(_SCANNED.findall(step.details))
        elif any(each in step.operator for each in ("Expand", "Path", "Repeat", "Scan")):
            names |= {name for found in _ENDS.findall(step.details) for name in found if name}
    return names


def _held(steps: Sequence[PlanStep]) -> set[str]:
    """Return the names of the nodes that must have the graph's name for a row to pass: not one side of an OR."""
    held: set[str] = set()
    for step in steps:
        held |= set(_HELD_INDEX.findall(step.details)) if step.operator in _SCANS else set()
        said = step.details.partition(" WHERE ")[2] if "Expand" in step.operator else step.details
        for part in _conditions(said.partition("inlined predicates:")[2] or said):
            held |= {match[1]} if (match := _HELD.fullmatch(part)) else set()
    return held


def _conditions(text: str) -> Iterator[str]:
    """Yield the conditions that AND joins or that stand in lines of their own; brackets around several are opened."""
    depth, start = 0, 0
    parts: list[str] = []
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and (char == "\n" or text.startswith(" AND ", place)):
            parts.append(text[start:place])
            start = place + (1 if char == "\n" else 5)
    parts.append(text[start:])
    for part in map(str.strip, parts):
        inner = part[1:-1] if _is_bracketed(part) else part
        if len(parts) > 1 or inner != part:
            yield from _conditions(inner)
        else:
            yield part


def _is_bracketed(text: str) -> bool:
    """Tell whether the bracket that opens a condition closes at its end."""
    depths = list(accumulate((char == "(") - (char == ")") for char in text))
    return text.startswith("(") and 0 in depths and depths.index(0) == len(text) - 1


def _renamed(steps: Sequence[PlanStep]) -> set[str]:
    """Return the names that stand for what was found before: of WITH and UNWIND."""
    makers = ("Unwind", "Projection", "EagerAggregation", "OrderedAggregation", "Distinct", "OrderedDistinct")
    scanned = {name for step in steps if step.operator in _SCANS for name in _SCANNED.findall(step.details)}
    return {name for step in steps if step.operator in makers for name in _RENAMED.findall(step.details)} - scanned
