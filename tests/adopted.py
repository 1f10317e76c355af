"""Two graphs that a company might already have in its Neo4j, to which texts are linked: movies, and firms.

`write` puts one into a database as its owner would have: with labels, keys and types of their own, and nothing of ours.
"""

from __future__ import annotations

import csv
import datetime
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neo4j.spatial import WGS84Point

from kg_neo4j.graph.database import Database, batches
from recorded_answers import RecordedAnswers
from report_runs import cypher

FOLDER = Path(__file__).parent / "data" / "adopt"
COUNTS = {"Firm": 2_900, "Person": 1_500, "Product": 500, "City": 100}
TRAPS = {
    "siblings": 180,
    "short": 40,
    "equal firms": 12,
    "equal persons": 30,
    "product as firm": 15,
    "firm as person": 20,
}

_NODES = cypher("UNWIND $rows AS row CREATE (n:$($label)) SET n = row RETURN elementId(n) AS id")
_LINKS = cypher(
    "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row.start MATCH (b) WHERE elementId(b) = row.end "
    "CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties"
)
_DELETE = cypher("MATCH (n:$($label)) WHERE n[$key] IN $keys DETACH DELETE n")

Row = dict[str, Any]


@dataclass(frozen=True)
class Link:
    """A relationship between two nodes, each given as label and key."""

    start: tuple[str, str]
    type: str
    end: tuple[str, str]
    properties: Row


@dataclass(frozen=True)
class Adopted:
    """A graph of somebody else: the property that is the key of each label, nodes by label, relationships."""

    keys: Mapping[str, str]
    nodes: Mapping[str, Sequence[Row]]
    links: Sequence[Link]

    def node(self, label: str, key: str) -> Row:
        """Return the properties of a node; raises StopIteration where there is none."""
        return next(row for row in self.nodes[label] if row[self.keys[label]] == key)


def write(database: Database, graph: Adopted) -> None:
    """Write a graph into a database that has none of its nodes: constraints first, then nodes and relationships."""
    for label, key in graph.keys.items():  # names of our own files: Cypher has no parameters here
        named = constraint(label, key)
        database.schema(cypher(f"CREATE CONSTRAINT {named} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{key} IS UNIQUE"))
    ids: dict[tuple[str, str], str] = {}
    for label, rows in graph.nodes.items():
        for part in batches(rows, 1_000):
            made = database.write(_NODES, rows=part, label=label)
            ids |= {(label, row[graph.keys[label]]): each["id"] for row, each in zip(part, made, strict=True)}
    written = [
        {"start": ids[link.start], "type": link.type, "end": ids[link.end], "properties": link.properties}
        for link in graph.links
    ]
    for part in batches(written, 2_000):
        database.write(_LINKS, rows=part)


def constraint(label: str, key: str) -> str:
    """Return the name of the constraint that makes a key of theirs unique."""
    return f"their_{label}_{key}".lower()


def remove(database: Database, graph: Adopted) -> None:
    """Delete what `write` made, and nothing else."""
    for label, rows in graph.nodes.items():
        key = graph.keys[label]
        for part in batches([row[key] for row in rows], 1_000):
            database.write(_DELETE, label=label, key=key, keys=part)
        database.schema(cypher(f"DROP CONSTRAINT {constraint(label, key)} IF EXISTS"))


def movies() -> Adopted:
    """Return films and those who made and reviewed them, in the shape of Neo4j's example."""
    read = tomllib.loads((FOLDER / "movies.toml").read_text(encoding="utf-8"))
    films = [
        {"title": title, "released": int(released), "tagline": tagline}
        for title, released, tagline in _rows(read["films"])
    ]
    persons = [
        {"name": name} | ({"born": int(born)} if born else {}) for name, born in _rows(read["persons"])
    ]  # as in the example, a year may be missing
    links = [
        Link(("Person", name), kind, ("Movie", title), {"roles": roles.split("; ")} if roles else {})
        for title, kind, name, roles in _rows(read["credits"])
    ]
    links += [
        Link(("Person", name), "REVIEWED", ("Movie", title), {"summary": summary, "rating": int(rating)})
        for name, title, rating, summary in _rows(read["reviews"])
    ]
    links += [Link(("Person", one), "FOLLOWS", ("Person", other), {}) for one, other in _rows(read["follows"])]
    return Adopted({"Movie": "title", "Person": "name"}, {"Movie": films, "Person": persons}, links)


def firms() -> Adopted:
    """Return 5,000 firms, persons, products and cities with their relationships: the same at each call."""
    return _Firms().made()


def links() -> list[Row]:
    """Return what the documents name: `document`, `name` as written, `label`, `key` (empty: not there)."""
    with (FOLDER / "links.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def questions(file: str = "questions.toml") -> list[Row]:
    """Return questions, with the `answer` that is right, and the `documents`, `rows` and `links` that it needs."""
    asked: list[Row] = tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))["questions"]
    return asked


def documents() -> dict[str, str]:
    """Return the texts of the documents by the names of their files."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((FOLDER / "texts").glob("*.md"))}


def reader() -> RecordedAnswers:
    """Return a chat model that reads the documents, and answers the questions, as a large model did."""
    return RecordedAnswers({kind: FOLDER.parent / f"recorded/adopt.{kind}.jsonl" for kind in ("extraction", "answers")})


def graph_of(document: str) -> str:
    """Return which graph a document is about, by the name of its file: "movies" or "firms"."""
    return document.partition("_")[0]


def _rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


class _Firms:
    """Makes the graph of firms: what is fixed in firms.toml, then names by chance, with traps among them."""

    def __init__(self) -> None:
        self.fixed = tomllib.loads((FOLDER / "firms.toml").read_text(encoding="utf-8"))
        self.chance = random.Random(self.fixed["seed"])
        words = self.fixed["countries"].items()
        self.words = {country: {kind: text.split(", ") for kind, text in each.items()} for country, each in words}
        self.cities = {city: country for country, each in self.words.items() for city in each["cities"]}

    def made(self) -> Adopted:
        keys = {"Firm": "firm_id", "Person": "person_id", "Product": "sku", "City": "name"}
        persons = self._persons()
        firms = self._firms(persons)
        products, makers = self._products(firms)
        cities = [{"name": city, "country": country} for city, country in self.cities.items()]
        nodes = {"Firm": firms, "Person": persons, "Product": products, "City": cities}
        for rows in nodes.values():
            for place, row in enumerate(rows):
                if place % 10 == 3:
                    row.update(self._further(place // 10))
        based = [Link(("Firm", row["firm_id"]), "BASED_IN", ("City", row["city"]), {}) for row in firms]
        return Adopted(keys, nodes, [*based, *makers, *self._fixed_links(), *self._chance_links(firms, persons)])

    def _one(self, of: Sequence[Any]) -> Any:
        return of[int(self.chance.random() * len(of))]  # the same in every version of Python, as random() is

    def _between(self, least: int, most: int) -> int:
        return least + int(self.chance.random() * (most - least + 1))

    def _free(self, letter: str, label: str, taken: Sequence[Row]) -> Iterator[str]:
        used = {next(iter(row.values())) for row in taken}
        names = (f"{letter}{number:05}" for number in range(1, COUNTS[label] + 1))
        return (name for name in names if name not in used)

    def _stem(self, country: str) -> str:
        words = self.words[country]
        return f"{self._one(words['heads'])}{self._one(words['tails'])}"

    def _persons(self) -> list[Row]:
        fixed = [
            {"person_id": key, "full_name": name, "born": int(born)} for key, name, born in _rows(self.fixed["persons"])
        ]
        rows = list[Row]()
        for key in self._free("P", "Person", fixed):
            country = self._one([*self.cities.values()])
            name = f"{self._one(self.words[country]['first'])} {self._stem(country).capitalize()}"
            rows.append({"person_id": key, "full_name": name, "born": self._between(1938, 2002)})
        for place in range(TRAPS["equal persons"]):  # two of one name, born in other years
            one, other = rows[place * 40], rows[place * 40 + 20]
            other["full_name"], other["born"] = one["full_name"], one["born"] - 27
        return sorted([*fixed, *rows], key=lambda row: str(row["person_id"]))

    def _firms(self, persons: Sequence[Row]) -> list[Row]:
        fixed = [
            {"firm_id": key, "name": name, "city": city, "founded": int(founded), "staff": int(staff)}
            for key, name, city, founded, staff in _rows(self.fixed["firms"])
        ]
        rows, names = list[Row](), {row["name"] for row in fixed}
        for key in self._free("F", "Firm", fixed):
            name = ""
            while not name or name in names:
                city = self._one([*self.cities])
                words = self.words[self.cities[city]]
                name = f"{self._stem(self.cities[city])} {self._one(words['trades'])} {self._one(words['forms'])}"
            names.add(name)
            size = int(3 * 10 ** (self.chance.random() * 2.8))
            founded = self._between(1880, 2024)
            rows.append({"firm_id": key, "name": name, "city": city, "founded": founded, "staff": size})
        self._trap(rows, persons)
        return sorted([*fixed, *rows], key=lambda row: str(row["firm_id"]))

    def _trap(self, rows: list[Row], persons: Sequence[Row]) -> None:
        """Change names of firms so that they differ in little, or in nothing."""
        places = iter(range(0, len(rows) - 1, 7))
        for place in (next(places) for _ in range(TRAPS["siblings"])):  # the same but for the legal form
            one, other = rows[place], rows[place + 1]
            bare, form = self._parts(one)
            further = [each for each in self.words[self.cities[one["city"]]]["forms"] if each != form]
            other["name"] = f"{bare} {further[0]}" if further and place % 2 else f"{bare} Holding {form}"
            other["city"] = one["city"]
        for place in (next(places) for _ in range(TRAPS["short"])):  # abbreviations
            bare, form = self._parts(rows[place])
            first, _, trade = bare.partition(" ")
            rows[place]["name"] = f"{first[0]}{first[2]}{trade[0]}".upper() + f" {trade} {form}"
        for place in (next(places) for _ in range(TRAPS["equal firms"])):  # one name, two cities
            rows[place + 1]["name"] = rows[place]["name"]
        for place in (next(places) for _ in range(TRAPS["firm as person"])):
            rows[place]["name"] = f"{self._one(persons)['full_name']} {self._parts(rows[place])[1]}"

    def _parts(self, row: Row) -> tuple[str, str]:
        """Return the name of a firm that was made by chance without its legal form, and the form."""
        forms = sorted(self.words[self.cities[row["city"]]]["forms"], key=len, reverse=True)
        form = next(each for each in forms if row["name"].endswith(f" {each}"))
        return row["name"].removesuffix(f" {form}"), form

    def _products(self, firms: Sequence[Row]) -> tuple[list[Row], list[Link]]:
        fixed = _rows(self.fixed["products"])
        rows = [{"sku": sku, "name": name} for sku, name, _ in fixed]
        makers = [maker for _, _, maker in fixed]
        chosen = self._others(firms)
        for number in range(COUNTS["Product"] - len(fixed)):
            maker = self._one(chosen)
            first = maker["name"].split()[0]
            other = self._one(chosen)["name"].split(" ")[0]
            name = other if number < TRAPS["product as firm"] else f"{first} {self._between(1, 99) * 10}"
            rows.append({"sku": f"GX-{number + 1:04}", "name": name})
            makers.append(maker["firm_id"])
        made = zip(rows, makers, strict=True)
        return rows, [Link(("Firm", maker), "MAKES", ("Product", row["sku"]), {}) for row, maker in made]

    def _others(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows that are not fixed: what is fixed has only the relationships that are written down."""
        fixed = {key for kind in ("firms", "persons") for key, *_ in _rows(self.fixed[kind])}
        return [row for row in rows if next(iter(row.values())) not in fixed]

    def _fixed_links(self) -> Iterator[Link]:
        label = {"F": "Firm", "P": "Person"}
        for owner, owned, share, since in _rows(self.fixed["owns"]):
            how = {"share": int(share), "since": int(since)}
            yield Link((label[owner[0]], owner), "OWNS", ("Firm", owned), how)
        for kind in ("supplies", "manages"):
            for one, other, since in _rows(self.fixed[kind]):
                yield Link((label[one[0]], one), kind.upper(), ("Firm", other), {"since": int(since)})

    def _chance_links(self, firms: Sequence[Row], persons: Sequence[Row]) -> Iterator[Link]:
        firms, persons = self._others(firms), self._others(persons)
        seen = set[tuple[str, str, str]]()

        def link(one: tuple[str, str], kind: str, other: Row, **how: int) -> Iterator[Link]:
            named = (one[1], kind, other["firm_id"])
            if one[1] != other["firm_id"] and named not in seen:
                seen.add(named)
                least = max(other["founded"], 1960)
                since = {"since": self._between(least, 2025)}
                yield Link(one, kind, ("Firm", other["firm_id"]), how | since)

        for firm in firms:
            yield from link(("Person", self._one(persons)["person_id"]), "MANAGES", firm)
        for _ in range(800):
            yield from link(
                ("Firm", self._one(firms)["firm_id"]), "OWNS", self._one(firms), share=self._between(5, 100)
            )
        for _ in range(400):
            owner = ("Person", self._one(persons)["person_id"])
            yield from link(owner, "OWNS", self._one(firms), share=self._between(5, 100))
        for _ in range(3_500):
            yield from link(("Firm", self._one(firms)["firm_id"]), "SUPPLIES", self._one(firms))

    def _further(self, place: int) -> Row:
        """Return properties that not every node has: text, an array, a date, a point, a number, a truth value."""
        day = datetime.date(2020, 1, 1) + datetime.timedelta(days=place * 5)
        point = WGS84Point((round(4 + place % 90 / 7, 3), round(43 + place % 70 / 3, 3)))
        kinds: list[Row] = [
            {"notes": f"Checked by hand, sheet {place}. Call before noon."},
            {"tags": ["archive", f"box {place % 12}"]},
            {"audited": day},
            {"location": point},
            {"active": place % 4 != 0},
            {"score": round(place % 50 / 7, 2), "audited": day, "ratings": [place % 5, 3, 4]},
        ]
        return kinds[place % len(kinds)]
