"""A table of people and one of the firms they work for, of any size: made by a seeded generator."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

TOWNS = "Oslo Bergen Halden Moss Narvik Skien Tromso Vardo Molde Hamar".split()
GIVEN = "Ada Ben Cleo Dan Eva Finn Gro Hal Ida Jon Kari Lars Mia Nils Olga Per Rosa Siv Tor Una".split()
STEMS = "Al Bre Dor El Fal Gul Hel Is Kol Lin Mo Nor Os Ram Sol Tang Ul Vest Wal Ys".split()
ENDS = "berg dal ek fjell gren hav holm kvist lund mark ness ost rud sand strom tve vik voll as by".split()
PEOPLE_A_FIRM = 20
MAP = """
[[tables]]
file = "people.csv"
unique = ["id"]
nodes.person.type = "PERSON"
nodes.person.name = "name"
nodes.person.key = "id"
nodes.person.properties.start_date = { column = "born", kind = "date" }
nodes.firm = { table = "firms.csv", key = "firm" }
nodes.town = { type = "PLACE", name = "town" }
[[tables.relationships]]
from = "person"
type = "WORKED_FOR"
to = "firm"
properties.start_date = { column = "since", kind = "date" }
[[tables.relationships]]
from = "person"
type = "LIVED_IN"
to = "town"

[[tables]]
file = "firms.csv"
unique = ["id"]
nodes.firm = { type = "ORGANIZATION", name = "name", key = "id" }
"""


@dataclass(frozen=True)
class Person:
    """A row of the table of people."""

    id: str
    name: str
    born: str
    firm: str
    since: str
    town: str


def firms(rows: int) -> Iterator[tuple[str, str]]:
    """Yield the firms for so many people: id and name, each name once."""
    chosen = random.Random(1)
    for number in range(max(1, rows // PEOPLE_A_FIRM)):
        yield f"F{number}", f"{chosen.choice(STEMS)}{chosen.choice(ENDS)} Works {number}"


def people(rows: int) -> Iterator[Person]:
    """Yield so many people; each name is there once, because of its number."""
    chosen, count = random.Random(2), max(1, rows // PEOPLE_A_FIRM)
    for number in range(rows):
        name = f"{chosen.choice(GIVEN)} {chosen.choice(STEMS)}{chosen.choice(ENDS)}{chosen.choice(ENDS)} {number}"
        born = date(1950, 1, 1) + timedelta(days=chosen.randrange(18_000))
        firm, since = f"F{chosen.randrange(count)}", str(chosen.randint(1990, 2025))
        yield Person(f"P{number}", name, born.isoformat(), firm, since, chosen.choice(TOWNS))


def write(folder: Path, rows: int) -> Path:
    """Write both tables and their map, and return the path of the map."""
    for name, head, body in (
        ("firms.csv", ("id", "name"), firms(rows)),
        ("people.csv", tuple(Person.__annotations__), (vars(each).values() for each in people(rows))),
    ):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(head)
            writer.writerows(body)
    (folder / "map.toml").write_text(MAP, encoding="utf-8")
    return folder / "map.toml"
