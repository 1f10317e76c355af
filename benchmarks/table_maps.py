"""How many columns of tables `kg map` proposes as a person would: each folder has tables and what is right, gold.toml.

    python benchmarks/table_maps.py FOLDER... [--show]

Files whose names begin with one word before "_" are proposed together. `--show` lists what is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.extract import schema as schemas
from kg_neo4j.rooms.tables.loading import extended
from kg_neo4j.rooms.tables.maps import MappedTable, TableMap, read_map
from kg_neo4j.rooms.tables.proposing import propose
from kg_neo4j.rooms.tables.reading import read_file


@dataclass(frozen=True)
class Judged:
    """What is right about the map of one table."""

    table: str
    columns: int
    wrong: tuple[str, ...]  # columns, in words
    type: str  # of the rows, that of the first node; empty where rows are relationships alone
    has_type: bool  # the right one


def judged(folder: Path, packages: Path | None = None) -> Iterator[Judged]:
    """Yield what is right about each table of a folder; of those that come inside `packages` where that is given."""
    gold = tomllib.loads((folder / ("packages.toml" if packages else "gold.toml")).read_text(encoding="utf-8"))
    places = {name: packages / each["path"] if packages else folder / name for name, each in gold.items()}
    for _, names in itertools.groupby(sorted(gold), lambda name: name.split("_")[0] if "_" in name else name):
        found = TableMap.model_validate(tomllib.loads(propose({name: read_file(places[name]) for name in names})))
        extended(schemas.load("lean"), read_map(found.model_dump(by_alias=True)))
        for table in found.tables:
            right, roles = gold[table.named], roles_of(table)
            wrong = tuple(
                f"{column}: {' and '.join(roles.get(column, ['nothing']))}, not {' or '.join(accepted)}"
                for column, accepted in right["columns"].items()
                if not {*roles.get(column, ())} & {*accepted}
            )
            own = next(iter(table.nodes.values())).type or ""
            yield Judged(table.named, len(right["columns"]), wrong, own, own in right["row"])


def roles_of(table: MappedTable) -> Mapping[str, list[str]]:
    """Return what the map makes of each column that it names."""
    roles: dict[str, list[str]] = {name: ["ignore"] for name in table.ignore}
    for number, node in enumerate(table.nodes.values()):
        if node.table is not None:
            roles.setdefault(str(node.key), []).append(f"ref:{node.table}")
        elif number:
            roles.setdefault(str(node.name), []).append(f"node:{node.type}")
        else:
            roles.setdefault(str(node.name), []).append("name")
            roles.setdefault(str(node.key or node.name), []).append("key")
    for part in (*table.nodes.values(), *table.relationships):
        for each in part.properties.values():
            roles.setdefault(each.column, []).append(each.kind)
    return roles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--packages", type=Path, metavar="SITE", help="site-packages with the tables of packages.toml")
    parser.add_argument("--show", action="store_true", help="list what is wrong")
    given = parser.parse_args()
    found = [each for folder in given.folders for each in judged(folder, given.packages)]
    for each in found:
        count = f"{each.columns - len(each.wrong):>3} of {each.columns:>3}"
        print(f"{each.table:<32} {count}  {each.type}{'' if each.has_type else ' (wrong)'}")
        for wrong in each.wrong if given.show else ():
            print(f"    {wrong}")
    columns = sum(each.columns for each in found)
    right = columns - sum(len(each.wrong) for each in found)
    types = sum(each.has_type for each in found)
    print(f"{right} of {columns} columns ({100 * right / columns:.1f} %), {types} of {len(found)} types of rows")


if __name__ == "__main__":
    main()
