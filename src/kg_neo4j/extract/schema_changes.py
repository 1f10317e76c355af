"""What a change of a schema means for a graph that was loaded with the version before. Pure."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.extract.schema import Schema, SchemaColumn


class Effect(enum.StrEnum):
    """What a load with the new version does."""

    FREE = "loads on"
    ADDED = "loads on; --re-extract reads older documents again"
    REFUSED = "refused"


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
    found = [*_columns("nodes", (*old.nodes, *old.years), (*new.nodes, *new.years))]
    found += _columns("relationships", old.relationship_columns, new.relationship_columns)
    found += _types("node", old.node_types, new.node_types)
    found += _types("relationship", old.relationship_types, new.relationship_types)
    if old.evidence != new.evidence:
        found.append(SchemaChange(f"evidence {old.evidence!r}", "changed", Effect.REFUSED))
    free = (
        ("preferred types", old.preferred_node_types != new.preferred_node_types),
        ("preferred types", old.preferred_relationship_types != new.preferred_relationship_types),
        ("example", (old.example_text, old.example_answer) != (new.example_text, new.example_answer)),
        ("name, version or description", _named(old) != _named(new)),
    )
    found += [SchemaChange(what, "changed", Effect.FREE) for what in dict(free) if (what, True) in free]
    return tuple(sorted(found, key=lambda each: [*Effect].index(each.effect), reverse=True))


def _named(schema: Schema) -> tuple[str, int, str]:
    return schema.name, schema.version, schema.description


def _columns(section: str, old: Sequence[SchemaColumn], new: Sequence[SchemaColumn]) -> Iterable[SchemaChange]:
    before, after = {each.name: each for each in old}, {each.name: each for each in new}
    for name in [*before, *(name for name in after if name not in before)]:
        what, was, now = f"column {name} of {section}", before.get(name), after.get(name)
        if was is None and now is not None:
            loads_on = now.is_property and not now.identity
            yield SchemaChange(what, "added", Effect.ADDED if loads_on else Effect.REFUSED)
        elif now is None:
            yield SchemaChange(what, "dropped", Effect.REFUSED)
        elif was != now and was is not None:
            is_note = replace(was, note="") == replace(now, note="")
            yield SchemaChange(
                f"note of {what}" if is_note else what, "changed", Effect.FREE if is_note else Effect.REFUSED
            )
    shared = [[name for name in names if name in before and name in after] for names in (before, after)]
    if shared[0] != shared[1]:
        yield SchemaChange(f"order of the columns of {section}", "changed", Effect.FREE)


def _types(section: str, old: Sequence[str], new: Sequence[str]) -> Iterable[SchemaChange]:
    """Compare lists of allowed types; an empty one allows any."""
    if bool(old) is not bool(new):
        how, effect = ("opened", Effect.ADDED) if old else ("closed", Effect.REFUSED)
        yield SchemaChange(f"list of {section} types", how, effect)
        return
    for name in sorted({*old} ^ {*new}):
        is_new = name in new
        effect = Effect.ADDED if is_new else Effect.REFUSED
        yield SchemaChange(f"{section} type {name}", "added" if is_new else "dropped", effect)
