"""What a change of a schema means for a graph that was loaded with the version before. Pure."""

from __future__ import annotations

import enum
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.extract.schema import Schema, SchemaColumn


class Effect(enum.StrEnum):
    """What a load with the new version does."""

    REFUSED = "refused"
    ADDED = "loads on; --re-extract reads older documents again"
    FREE = "loads on"


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One change."""

    what: str
    change: str  # "added", "dropped", "changed", "opened" or "closed"
    effect: Effect


def compare(old: Schema, new: Schema) -> tuple[SchemaChange, ...]:
    """Return how `new` differs from `old`, what is refused first.

    The meaning of stored rows rests on columns, their kinds and closed lists of types. A column that is renamed is
    dropped and added.
    """
    unasked = {each.name for own in (old, new) for each in own.unasked_nodes}
    found = [*_columns("nodes", (*old.node_columns, *old.years), (*new.node_columns, *new.years), unasked)]
    unasked = {each.name for own in (old, new) for each in own.unasked}
    found += _columns("relationships", old.relationship_columns, new.relationship_columns, unasked)
    found += _types("node", old.node_types, new.node_types)
    found += _types("relationship", old.relationship_types, new.relationship_types)
    if old.evidence != new.evidence:
        found.append(SchemaChange(f"evidence {old.evidence!r}", "changed", Effect.REFUSED))
    if old.text != new.text and not found:
        found.append(SchemaChange("notes, preferred types, families, order or example", "changed", Effect.FREE))
    return tuple(sorted(found, key=lambda each: [*Effect].index(each.effect)))


def _columns(
    section: str, old: Sequence[SchemaColumn], new: Sequence[SchemaColumn], unasked: Container[str]
) -> Iterable[SchemaChange]:
    before, after = ({each.name: replace(each, note="") for each in columns} for columns in (old, new))
    for name in {**before, **after}:
        what = f"column {name} of {section}"
        if name not in before:
            loads_on = after[name].is_property and not after[name].identity
            effect = Effect.FREE if name in unasked else Effect.ADDED if loads_on else Effect.REFUSED
            yield SchemaChange(what, "added", effect)
        elif name not in after and name in unasked:
            yield SchemaChange(what, "dropped", Effect.FREE)
        elif before[name] != after.get(name):
            yield SchemaChange(what, "changed" if name in after else "dropped", Effect.REFUSED)


def _types(section: str, old: Sequence[str], new: Sequence[str]) -> Iterable[SchemaChange]:
    """Compare lists of allowed types; an empty one allows any."""
    if bool(old) is not bool(new):
        how, effect = ("opened", Effect.ADDED) if old else ("closed", Effect.REFUSED)
        yield SchemaChange(f"list of {section} types", how, effect)
        return
    for name in sorted({*old} ^ {*new}):
        effect = Effect.ADDED if name in new else Effect.REFUSED
        yield SchemaChange(f"{section} type {name}", "added" if name in new else "dropped", effect)
