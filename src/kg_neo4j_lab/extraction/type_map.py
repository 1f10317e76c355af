"""What an extractor's types mean among the types of an annotation, from TOML files in the format of types.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j_lab.extraction.gold import GoldSet

BUILT_IN = Path(__file__).with_name("types.toml")
_KEYS = {"other_nodes", "nodes", "relationships"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A relation of the annotation, in the direction of the row or against it."""

    type: str  # id, such as P19
    reversed: bool = False


Claim = tuple[Meaning, ...]  # alternatives: the row is held for whichever the annotation has, else for the first


@dataclass(frozen=True, slots=True)
class TypeMap:
    """Meanings by type; types are in upper snake case."""

    nodes: Mapping[str, str]  # "": left out
    other_nodes: str
    relationships: Mapping[str, tuple[Claim, ...]]

    def node_type(self, kind: str) -> str | None:
        """Return the entity type that a node type means; None where such rows are left out."""
        return self.nodes.get(kind, self.other_nodes) or None

    def claims(self, kind: str) -> tuple[Claim, ...]:
        """Return what a relationship type states; nothing where the annotation knows no such relation."""
        return self.relationships.get(kind, ())


def load(gold: GoldSet, path: str | None = None) -> TypeMap:
    """Return the built-in map for `gold`, with the user's file on top.

    Names of the annotation's own relations come before the built-in lines and after the user's. Raises UsageError
    naming the file and what is wrong with it.
    """
    built_in = _read(BUILT_IN)
    named = {snake(name): kind for kind, name in sorted(gold.relation_names.items())}
    named |= {kind.upper(): kind for kind in gold.relation_types}
    relationships = {**built_in.relationships, **{name: ((Meaning(kind),),) for name, kind in named.items()}}
    nodes = {**built_in.nodes, **{kind: kind for kind in gold.entity_types}}
    if path is None:
        return TypeMap(nodes, built_in.other_nodes, relationships)
    user = _read(Path(path))
    _check(user, gold, path)
    ids = {name: kind for kind, name in gold.relation_names.items()}
    for name, claims in user.relationships.items():
        relationships[name] = tuple(
            tuple(Meaning(ids.get(each.type, each.type), each.reversed) for each in claim) for claim in claims
        )
    other = user.other_nodes if "other_nodes" in _data(Path(path)) else built_in.other_nodes
    return TypeMap({**nodes, **user.nodes}, other, relationships)


def snake(name: str) -> str:
    """Return a name in upper snake case: "place of birth" gives PLACE_OF_BIRTH."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def _check(user: TypeMap, gold: GoldSet, path: str) -> None:
    """Refuse meanings that the annotation does not know: they would count as wrong, every time."""
    known = gold.relation_types | set(gold.relation_names.values())
    meant = {each.type for claims in user.relationships.values() for claim in claims for each in claim}
    if unknown := sorted(meant - known):
        raise UsageError(f"{path}: {gold.path} has no relation {unknown[0]!r}", hint="give its id or its name there")
    kinds = {kind for kind in (*user.nodes.values(), user.other_nodes) if kind}
    if unknown := sorted(kinds - gold.entity_types):
        raise UsageError(f"{path}: {gold.path} has no entity type {unknown[0]!r}", hint=_one_of(gold.entity_types))


def _one_of(names: Iterable[str]) -> str:
    return f"one of {', '.join(sorted(names))}"


def _data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the types in {path}: {error}", hint="a TOML file, see --help") from error


def _read(path: Path) -> TypeMap:
    data = _data(path)
    if unknown := sorted(set(data) - _KEYS):
        raise UsageError(f"{path}: unknown key {unknown[0]!r}", hint=_one_of(_KEYS))
    try:
        return TypeMap(
            nodes={str(name): _text(kind) for name, kind in dict(data.get("nodes", {})).items()},
            other_nodes=_text(data.get("other_nodes", "")),
            relationships={
                str(name): tuple(_claim(text) for text in ([meant] if isinstance(meant, str) else meant))
                for name, meant in dict(data.get("relationships", {})).items()
            },
        )
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path}: {error}", hint='lines such as PERSON = "PER" and MARRIED_TO = ["P26"]') from error


def _claim(text: object) -> Claim:
    parts = [part.strip() for part in _text(text).split("|")]
    if not all(part.removeprefix("^") for part in parts):
        raise ValueError(f"{text!r} names no relation")
    return tuple(Meaning(part.removeprefix("^"), part.startswith("^")) for part in parts)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value
