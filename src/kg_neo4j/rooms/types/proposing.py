"""Rare types under common ones: proposed by a model in one call, else by a table of synonyms."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j import data_files, factory
from kg_neo4j._models.door import MODEL
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.errors import BadModelAnswer
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.resolution.bearers import OTHER, kind_of
from kg_neo4j.graph.resolution.decisions import ON_TYPES
from kg_neo4j.graph.resolution.showing import all_decisions
from kg_neo4j.graph.type_decisions import ANYTHING, PHRASE
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.resolve import graph_schema
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage
from kg_neo4j.rooms.types.deciding import NODE, RELATIONSHIP, ListedType, TypeChange, can_be_type, listed
from kg_neo4j.settings import Settings

KEPT = 40  # types of relationships that remain
RARE = 2  # nodes: a type with no more may be shown under the general type of its family
SHARE, FEW = 0.15, 5  # of all relationships, and at least so many: a type takes in no more than makes it so large
HEADER = ["kind", "type", "becomes", "turned", "reason"]
_REASON_CHARACTERS = 200

_DATA = data_files.beside(__file__)
_LEFT_OUT = _DATA.word_set("left_out")
_SYNONYMS = {
    (name := each.removeprefix("~")): (becomes, name != each)
    for becomes, names in _DATA.table("relationships").items()
    for each in (becomes, *names.split())
}


@dataclass(frozen=True, slots=True)
class ProposedTypes:
    """What is proposed, by whom, and what asking cost."""

    changes: tuple[TypeChange, ...]
    proposed_by: str  # the model's name, or "synonyms"
    usage: Usage


def propose_types(*, settings: Settings, budget_usd: float | None = None, progress: Progress = SILENT) -> ProposedTypes:
    """Return which rare types may be shown under common ones; nothing is stored.

    A model is asked once, or a second time where its answer cannot be used; without one a table of synonyms decides.
    What somebody took back is not proposed again. Raises UsageError for a graph without documents, and ModelError.
    """
    with connect(settings, progress) as database:
        schema = graph_schema(database, settings.graph)
        types = listed(database, settings.graph, schema)
        decided = [each.decision for each in all_decisions(database, settings.graph) if each.decision.kind in ON_TYPES]
    door = factory.door(settings, budget=budget_of(budget_usd))
    usage, proposed_by = Usage(), "synonyms"
    if door.method == MODEL:
        answer = door.ask(GroupTypes(types, _has_phrase(schema)))
        if answer.value is None:
            raise BadModelAnswer(f"the model's answer cannot be used: {answer.problem}")
        found, usage, proposed_by = answer.value, answer.usage, door.name
    else:
        found = by_synonyms(types, schema)
    known = {(each.left_key, each.right_key) for each in decided if each.revoked}
    taken = {each.left_key for each in decided if not each.revoked}
    changes = tuple(each for each in found if (each.type, each.becomes) not in known and each.type not in taken)
    return ProposedTypes(changes, proposed_by, usage)


def by_synonyms(types: Sequence[ListedType], schema: Schema, kept: int = KEPT) -> list[TypeChange]:
    """Return what the table of synonyms and the families of nodes make of types; others that are rare say anything.

    The most frequent types stay, `kept` of relationships, and those that are too many for `RELATED_TO`. None becomes
    that where relationships have no column for the words of a type.
    """
    found = list(_general(types, schema))
    of_relationships = [each for each in types if each.kind == RELATIONSHIP]
    sizes = Counter({each.type: each.count for each in of_relationships})
    most = max(SHARE * sizes.total(), FEW)
    for each in of_relationships:
        becomes, turned = _synonym(each.type)
        if each.preferred or becomes == each.type:
            continue
        if becomes and sizes[becomes] + each.count <= most:
            sizes[becomes] += sizes.pop(each.type)
            found.append(TypeChange(RELATIONSHIP, each.type, becomes, turned, "a synonym"))
    if not _has_phrase(schema):
        return found
    changed = {each.type for each in found if each.kind == RELATIONSHIP}
    kept_whole = {each.type for each in of_relationships if sizes[each.type] == each.count} - changed
    spare = [each for each in of_relationships if each.type in kept_whole and not each.preferred]
    for each in sorted(spare, key=lambda each: (each.count, each.type)):
        if len(sizes) <= kept or sizes[ANYTHING] + each.count > most:
            break
        sizes[ANYTHING] += sizes.pop(each.type)
        found.append(TypeChange(RELATIONSHIP, each.type, ANYTHING, reason="rare; its words are kept as phrase"))
    return found


def _general(types: Sequence[ListedType], schema: Schema) -> Iterator[TypeChange]:
    """Yield rare types of nodes whose family has the name of a type that is not rare; that is what they become."""
    sizes = {each.type: each.count for each in types if each.kind == NODE}
    for each in types:
        family = kind_of(each.type, dict(schema.families)).family
        is_rare = each.kind == NODE and each.count <= RARE < sizes.get(family, 0) and not each.preferred
        if is_rare and family not in (OTHER, each.type):
            yield TypeChange(NODE, each.type, family, reason=f"a kind of {family}")


def _synonym(name: str) -> tuple[str, bool]:
    """Return what a type of relationships is by the table, and whether its rows are turned round; empty: unknown."""
    parts = name.split("_")
    while len(parts) > 1 and parts[0] in _LEFT_OUT:
        parts = parts[1:]
    for form in (name, "_".join(parts)):
        if form in _SYNONYMS:
            return _SYNONYMS[form]
    if parts[-1] == "BY" and (found := _SYNONYMS.get("_".join(parts[:-1]))):
        return found[0], not found[1]
    return "", False


def _has_phrase(schema: Schema) -> bool:
    return any(column.name == PHRASE for column in schema.relationship_properties)


# ----------------------------------------------------------------------------------------------------- a model


@dataclass(frozen=True, slots=True)
class GroupTypes(Prompted[list[TypeChange]]):
    """Asks which types are shown under which."""

    kind: ClassVar[str] = "group_types"
    prompt_name: ClassVar[str] = "types/group_types"
    rounds: ClassVar[int] = 2
    types: Sequence[ListedType]
    phrased: bool

    def values(self) -> Mapping[str, str]:
        """Return the types, one in each line."""
        lines = []
        for each in self.types:
            ends = f" ({each.source} to {each.target})" if each.source else ""
            preferred = ", preferred" if each.preferred else ""
            lines.append(f"{each.kind} {each.type}: {each.count}{preferred}; {_line(each.example)}{ends}")
        text = "\n".join(lines)
        anything = f"A rare relationship that fits none becomes {ANYTHING}: its words are kept." if self.phrased else ""
        return {"keep": str(KEPT), "anything": anything, "types": text}

    def accept(self, said: Completion) -> list[TypeChange] | Complaint[list[TypeChange]]:
        """Return the rows that can be used; an answer without the header row cannot."""
        rows = [row for line in said.text.splitlines() if (row := _cells(line))]
        if HEADER not in rows:
            return Complaint(f"there is no row {','.join(HEADER)}")
        found = self._usable(rows[rows.index(HEADER) + 1 :])
        return [each for each in found.values() if (each.kind, each.becomes) not in found]

    def _usable(self, rows: Sequence[Sequence[str]]) -> dict[tuple[str, str], TypeChange]:
        known = {(each.kind, each.type): each for each in self.types}
        most = max(SHARE * sum(each.count for each in self.types if each.kind == RELATIONSHIP), FEW)
        sizes = Counter({of: each.count for of, each in known.items()})
        found: dict[tuple[str, str], TypeChange] = {}
        for row in rows:
            if len(row) != len(HEADER) or row[3] not in ("yes", "no"):
                continue
            kind, name, becomes, turned, reason = row
            old, new = (kind, name), (kind, becomes)
            can_be = old in known and not known[old].preferred and old not in found and name != becomes
            if not can_be or not can_be_type(becomes) or (kind == NODE and turned == "yes"):
                continue
            if kind == RELATIONSHIP and new in known and sizes[new] + sizes[old] > most:
                continue
            sizes[new] += sizes.pop(old)
            found[old] = TypeChange(kind, name, becomes, turned == "yes", _line(reason)[:_REASON_CHARACTERS])
        return found


def _cells(line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line]), [])]
    except csv.Error:  # NUL, or a field beyond the reader's limit
        return []


def _line(text: str) -> str:
    return " ".join(text.split())[:_REASON_CHARACTERS]
