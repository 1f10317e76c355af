"""A map, or a schema file, proposed for a graph that is in the database: from its labels, rules and a sample of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, ValueRefused, normalise_type
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Reader
from kg_neo4j.graph.queries import BASE_LABELS, OWN
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.rooms.adopt.reading import FROM, TO
from kg_neo4j.rooms.tables.columns import LISTS, SeenTable, found, see, words_of
from kg_neo4j.rooms.tables.proposing import MapMaker, kinds_of
from kg_neo4j.rooms.tables.reading import Table, TableRow, cell_of
from kg_neo4j.settings import Settings

if TYPE_CHECKING:
    from kg_neo4j.rooms.ontology.reading import Ontology

SAMPLE, LOOKED_AT = 2_000, 100_000  # nodes or relationships of each kind whose values are seen; whose ends are
_OURS = frozenset(OWN + each for each in (*BASE_LABELS, "Lease", "GraphState"))
_HEAD = f"""# A proposed map of the graph that is in the database. Correct it, and try it: `kg adopt --map FILE
# --dry-run`. Values were seen in at most {SAMPLE:,} of each. docs/how-to/existing-graph.md describes all keys."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A type of relationships from one label to another, with the properties that occur."""

    type: str
    source: str
    target: str
    properties: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class ForeignGraph:
    """What the database has that is not ours: labels with their properties, and what leads from which to which."""

    labels: Mapping[str, tuple[str, ...]]
    keys: Mapping[str, str]  # of labels, by a constraint
    ties: Sequence[Tie]
    left_out: Sequence[str]  # in words


def foreign_graph(reader: Reader) -> ForeignGraph:
    """Read what other graphs the database has. Raises UsageError where there is none."""
    together: dict[frozenset[str], list[str]] = {}
    for row in reader.read(queries.get("adopt/properties")):
        if _OURS.isdisjoint(row["labels"]):
            together.setdefault(frozenset(row["labels"]), []).extend([row["property"]] if row["property"] else [])
    known = {label: {each for each in together if label in each} for label in sorted(frozenset().union(*together))}
    if not known:
        raise UsageError("the database has no graph but ours", hint="check NEO4J_URI and NEO4J_DATABASE")
    within = {one: next((other for other in known if known[one] < known[other]), "") for one in known}
    within |= {b: a for a in known for b in known if a < b and known[a] == known[b] and not within[a]}
    labels = {
        label: tuple(dict.fromkeys(name for each in sorted(known[label], key=sorted) for name in together[each]))
        for label in known
        if not within[label]
    }
    keys: dict[str, str] = {}
    for row in reader.read(queries.get("adopt/keys_of_labels")):
        if row["property"] in labels.get(row["label"], ()):
            keys.setdefault(row["label"], row["property"])
    ties: dict[tuple[str, str, str], Tie] = {}
    for source in labels:
        for row in reader.read(queries.get("adopt/types"), label=source, limit=LOOKED_AT):
            for target in sorted(set(row["labels"]) & labels.keys()):
                place = (row["type"], source, target)
                before = ties.get(place, Tie(*place, (), 0))
                more = tuple(dict.fromkeys([*before.properties, *sorted(row["properties"])]))
                ties[place] = replace(before, properties=more, count=before.count + row["count"])
    said = [f"{one}: all its nodes have the label {other}, too" for one, other in within.items() if other]
    return ForeignGraph(labels, keys, [ties[each] for each in sorted(ties)], said)


def schema_of(settings: Settings, base: Schema, name: str, progress: Progress = SILENT) -> tuple[Ontology, str]:
    """Return the types of the graph that is in the database, and the text of a schema file that prefers them."""
    from kg_neo4j.rooms.ontology.reading import Ontology, as_schema

    with connect(settings, progress, as_it_is=True) as database:
        there = foreign_graph(database)
    types = {label: normalised(label) for label in there.labels}
    families = {types[label]: found(words_of(label)[-1:], LISTS["rows"]) for label in types}
    ends: dict[str, list[str]] = {}
    for each in there.ties:
        known = ends.setdefault(normalised(each.type, is_relationship=True), [])
        known.append(f"{types[each.source]} to {types[each.target]}")
    nodes = tuple((each, "") for each in dict.fromkeys(types.values()))
    drawn = tuple((each, said[0] if len(said) == 1 else "") for each, said in ends.items())
    larger = tuple((each, family) for each, family in families.items() if family and family != each)
    ontology = Ontology(nodes, drawn, larger, tuple(there.left_out))
    return ontology, as_schema(ontology, base, name)


def propose_map(settings: Settings, progress: Progress = SILENT) -> str:
    """Return the text of a map of the graph that is in the database. Raises UsageError where there is none."""
    with connect(settings, progress, as_it_is=True) as database:
        return propose(database, foreign_graph(database))


def propose(reader: Reader, there: ForeignGraph) -> str:
    """Return the map that labels, constraints and values suggest; comments say what was seen and left out."""
    seen: dict[str, SeenTable] = {}
    left_out = [*there.left_out]
    for label, properties in there.labels.items():
        rows = reader.read(queries.get("adopt/nodes"), label=label, properties=[*properties], limit=SAMPLE)
        table = _table(properties, [row["cells"] for row in rows])
        own = _keyed(see(label, None, table), label, there.keys.get(label)) if properties else None
        if own is None:
            left_out.append(f"{label}: no property tells all its nodes apart, so that none can be its key")
        else:
            seen[label] = own
    kinds = kinds_of()
    drawn = [each for each in there.ties if each.source in seen and each.target in seen]
    left_out += [
        f"{each.type}: an end of it, {each.source} or {each.target}, is" for each in there.ties if each not in drawn
    ]
    lines = [_HEAD, *(f"# Left out: {each}" for each in left_out)]
    for label, own in seen.items():
        lines += _named(MapMaker(own, seen, kinds).lines(), label, f"label = {_toml(label)}")
    types = [each.type for each in drawn]
    for each in drawn:
        name = each.type if types.count(each.type) == 1 else f"{each.type} {each.source} {each.target}"
        more = f"\nname = {_toml(name)}" * (name != each.type)
        proposed = _TieProposal(_tied(reader, each, seen, name), kinds, each, seen)
        lines += _named(proposed.lines(), name, f"relationship = {_toml(each.type)}{more}")
    return "\n".join(lines) + "\n"


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    cells = (tuple(map(cell_of, row)) for row in rows)
    return Table(tuple(columns), tuple(TableRow(line, row) for line, row in enumerate(cells, 1)), 0)


def _keyed(own: SeenTable, label: str, constrained: str | None) -> SeenTable | None:
    """Return a label with its key: by a constraint, else by its values; None where none is."""
    key = next((each for each in own.columns if each.name == constrained), own.meant)
    key = key or next((each for each in own.columns if each.is_unique and each.kind == "text"), None)
    if key is None:
        return None
    is_known = own.type != "OBJECT" or bool(found(own.stem[-1:], LISTS["rows"]))
    kind = own.type if is_known else normalised(label)
    return replace(own, key=key, meant=key, label=own.label if own.label is not key else None, type=kind)


def normalised(name: str, *, is_relationship: bool = False) -> str:
    """Return a label or a type of relationships as a type of ours."""
    try:
        return normalise_type(name, reserved=RESERVED_RELATIONSHIP_TYPES)
    except ValueRefused:
        return "RELATED_TO" if is_relationship else "OBJECT"


def _tied(reader: Reader, tie: Tie, seen: Mapping[str, SeenTable], name: str) -> SeenTable:
    """Return what the columns of relationships are; those of their ends come first."""
    keys = [str(each.meant and each.meant.name) for each in (seen[tie.source], seen[tie.target])]
    how = {"label": tie.source, "type": tie.type, "other": tie.target, "key": keys[0], "other_key": keys[1]}
    found = reader.read(queries.get("adopt/relationships"), properties=[*tie.properties], limit=SAMPLE, **how)
    columns = [FROM + keys[0], TO + keys[1], *tie.properties]
    own = see(name, None, _table(columns, [row["cells"] for row in found]))
    return replace(own, key=None, label=None, meant=None, type="")


class _TieProposal(MapMaker):
    """The map of one type of relationships: its ends are rows of other tables, its own columns are its properties."""

    def __init__(
        self, own: SeenTable, kinds: Mapping[bool, dict[str, str]], tie: Tie, seen: Mapping[str, SeenTable]
    ) -> None:
        self.own, self.kinds, self.ignored = own, kinds, []
        ends = zip(("from", "to"), (tie.source, tie.target), own.columns, strict=False)
        self.nodes = {end: {"table": label, "key": column.name} for end, label, column in ends}
        self.relationships = [{"from": "from", "type": normalised(tie.type, is_relationship=True), "to": "to"}]
        for column in own.columns[2:]:
            self._add(self.relationships[0], column)


def _named(lines: Iterator[str], name: str, said: str) -> Iterator[str]:
    """Yield the lines of a map of a file as those of a label or of a type; what is ignored is not even read."""
    for line in lines:
        if not line.startswith("ignore = "):
            yield said if line == f"file = {_toml(name)}" else line


def _toml(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
