"""Files of links: what a person says is one, or is not. CSV with the columns name_1, type_1, name_2, type_2."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.bearers import Mentioned, grouped
from kg_neo4j.graph.resolution.proposals import Proposal, ProposalVerdict

HEADER = ["name_1", "type_1", "name_2", "type_2"]


@dataclass(frozen=True, slots=True)
class Links:
    """What a file says of the names that the graph knows."""

    proposals: tuple[Proposal, ...]
    unknown: tuple[str, ...]  # names that no mention bears, with their lines


def read_links(path: Path, verdict: ProposalVerdict, mentioned: Iterable[Mentioned]) -> Links:
    """Return the pairs of a file: every bearer of the one name with every bearer of the other.

    An empty type means any. Raises UsageError where the file cannot be read, with its line.
    """
    known = grouped(mentioned, lambda each: normalise(each.name))
    proposals: dict[frozenset[str], Proposal] = {}
    unknown: list[str] = []
    for line, row in _rows(path):
        place = f"{path.name}, line {line}"
        sides = []
        for name, node_type in ((row[0], row[1]), (row[2], row[3])):
            bearers = [each for each in known[normalise(name)] if node_type in ("", each.type)]
            sides.append(bearers)
            if not bearers:
                unknown.append(f"{place}: {name}" + (f" ({node_type})" if node_type else ""))
        for left, right in itertools.product(*sides):
            if left.key != right.key:
                found = Proposal(left, right, verdict, "file", 1.0, place)
                proposals.setdefault(frozenset((left.key, right.key)), found)
    return Links(tuple(proposals.values()), tuple(unknown))


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            rows = [(reader.line_num, [field.strip() for field in row]) for row in reader if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"cannot read the links in {path}: {error}") from error
    if not rows or rows[0][1] != HEADER:
        raise UsageError(f"{path} does not begin with the header row {','.join(HEADER)}")
    for line, row in rows[1:]:
        if len(row) != len(HEADER) or not row[0] or not row[2]:
            raise UsageError(f"{path}, line {line}: a link has two names and two types, which may be empty")
    return rows[1:]
