"""Forty corrections through ten reloads: kept, or said to have lost their sentence. With a real Neo4j."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.archive import export_archive, import_graph
from kg_neo4j.pipeline.commands.load import load, unload
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.rooms.corrections.deciding import Corrections
from kg_neo4j.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3_000)]

OPTIONS = LoadOptions(gleanings=0)
NODES = "sentences,node_id,node_type,name,start_date,end_date,role,location,description\n"
RELATIONSHIPS = "\nsentences,node_id_1,relationship_type,node_id_2,start_date,end_date,phrase\n"
FIRST = "Ada Bea Cora Dan Eve Finn Gus Hana Ida Jon".split()
LAST = "Ashby Birch Cole Drew Ellis".split()
FIRMS = [f"{name} {kind}" for name in ("Harbour", "Northern", "Old Town") for kind in ("Mill", "Works", "Press")]
VERBS = {"founded": "FOUNDED", "sold": "SOLD", "left": "LEFT"}
DOCUMENTS, SENTENCES = 8, 8


@dataclass(frozen=True)
class Row:
    document: int
    place: int  # of the sentence, from 1
    person: str
    verb: str
    firm: str

    @property
    def sentence(self) -> str:
        return f"{self.person} {self.verb} {self.firm}."

    @property
    def fact(self) -> tuple[str, str, str]:
        return self.person, VERBS[self.verb], self.firm


def rows() -> list[Row]:
    """Return 64 sentences with one fact each; every fact is there once."""
    people = [f"{first} {last}" for last in LAST for first in FIRST]
    pairs = [(person, FIRMS[number % len(FIRMS)]) for number, person in enumerate(people)]
    pairs += [(person, FIRMS[(number + 4) % len(FIRMS)]) for number, person in enumerate(people[:14])]
    random.Random(7).shuffle(pairs)
    verbs = sorted(VERBS)
    return [
        Row(number // SENTENCES, number % SENTENCES + 1, person, verbs[number % len(verbs)], firm)
        for number, (person, firm) in enumerate(pairs)
    ]


ROWS = rows()


def text_of(document: int, *, without: int = 0) -> str:
    """Return a document; `without` is the place of a sentence that was written in another way."""
    own = [each for each in ROWS if each.document == document]
    return " ".join(f"It is not known who ran {each.firm}." if each.place == without else each.sentence for each in own)


def answer(user: str, person_type: str, left_out: int) -> str:
    """Return what a model says: one of them calls people otherwise, and leaves out every so manieth row."""
    nodes, facts = [], []
    there = [each for each in ROWS if each.sentence in user]
    for number, each in enumerate(there):
        if left_out and number % left_out == left_out - 1:
            continue
        place = next(line.split(" ", 1)[0] for line in user.splitlines() if each.sentence in line)
        nodes += [
            f"{place},p{number},{person_type},{each.person},,,,,",
            f"{place},f{number},ORGANIZATION,{each.firm},,,,,",
        ]
        facts.append(f"{place},p{number},{VERBS[each.verb]},f{number},,,")
    return NODES + "".join(f"{each}\n" for each in nodes) + RELATIONSHIPS + "".join(f"{each}\n" for each in facts)


@pytest.fixture
def models() -> Iterator[list[FakeLlm]]:
    """Two models: the second one knows no persons but writers, and overlooks every fourth sentence."""
    first = FakeLlm(rules=lambda _, user: answer(user, "PERSON", 0))
    second = FakeLlm(rules=lambda _, user: answer(user, "WRITER", 4))
    with first, second:
        yield [first, second]


@pytest.fixture
def here(settings: Settings, graph: str, tmp_path: Path, models: list[FakeLlm]) -> Settings:
    for number in range(DOCUMENTS):
        (tmp_path / f"{number}.txt").write_text(text_of(number))
    return settings.model_copy(update={"graph": graph, "openai_base_url": models[0].url, "model": "first"})


def put(here: Settings, folder: Path, *documents: int, **options: Any) -> list[str]:
    notes: list[str] = []
    for number in documents or range(DOCUMENTS):
        notes += load([str(folder / f"{number}.txt")], settings=here, options=replace(OPTIONS, **options)).notes
    return notes


def correct(corrections: Corrections, order: list[int]) -> None:
    """Make forty corrections of different facts and people in some order."""
    for number in order:
        row = ROWS[number]
        if number < 16:
            corrections.wrong(*row.fact, because=f"reason {number}")
        elif number < 26:
            corrections.edit(*row.fact, type="VISITED", because=f"reason {number}")
        elif number < 34:
            values = {"start_date": str(1800 + number)}
            corrections.add(row.person, "ADVISED", FIRMS[number % 9], because=f"reason {number}", values=values)
        else:
            corrections.edit_node(row.person, {"name": f"{row.person} the Elder"}, because=f"reason {number}")


def drawn(kg: KnowledgeGraph) -> set[tuple[str, str, str]]:
    found = kg.query("MATCH (a:KgEntity {graph: $graph})-[r]->(b:KgEntity) RETURN a.name, type(r) AS t, b.name")
    return {(source.removesuffix(" the Elder"), kind, target) for source, kind, target in found.itertuples(index=False)}


def check(kg: KnowledgeGraph, gone: set[int] = frozenset()) -> None:
    """Check every correction: what it says holds, and it says so where its sentence has gone."""
    there, states = drawn(kg), {each.reason: each for each in kg.corrections.all() if not each.revoked}
    names = set(kg.to_pandas().entities["name"])
    assert len(states) == 40
    for number in range(40):
        row, state = ROWS[number], states[f"reason {number}"].state
        if number < 26:
            assert row.fact not in there, number
            assert (state == "its sentence has gone") == (number in gone), (number, state)
        if 16 <= number < 26:
            assert (row.person, "VISITED", row.firm) in there, number
        if 26 <= number < 34:
            assert (row.person, "ADVISED", FIRMS[number % 9]) in there, number
        if number >= 34:
            assert row.person not in names, number


def test_forty_corrections_through_ten_reloads(
    here: Settings, settings: Settings, tmp_path: Path, database: Database, models: list[FakeLlm]
) -> None:
    def exported() -> str:  # the answers of both models are kept
        kept = (each for each in lines(database, here.graph) if '["Answer"]' not in each and '"ANSWERS"' not in each)
        return "\n".join(kept)

    put(here, tmp_path)
    before = exported()
    plain = settings.model_copy(update={"graph": here.graph})
    corrections, order = Corrections(plain), list(range(40))
    other = here.model_copy(update={"openai_base_url": models[1].url, "model": "second"})
    document = ROWS[3].document
    with KnowledgeGraph(settings=plain) as kg:
        assert len(drawn(kg)) == len(ROWS)
        correct(corrections, order)
        check(kg)
        shown = exported()
        put(here, tmp_path)  # 1: the same
        assert exported() == shown
        put(other, tmp_path, rebuild=True)  # 2: another model
        check(kg)
        put(here, tmp_path, rebuild=True)  # 3: the first one again
        assert exported() == shown
        rebuild(settings=here)  # 4: a rebuild
        assert exported() == shown
        (tmp_path / f"{document}.txt").write_text(text_of(document, without=ROWS[3].place))
        notes = put(here, tmp_path, document)  # 5: an edited document
        assert [each for each in notes if "its sentence has gone" in each and ROWS[3].person in each], notes
        check(kg, {3})
        (tmp_path / f"{document}.txt").write_text(text_of(document))
        put(here, tmp_path, document)  # 6: as it was
        assert exported() == shown
        unload(f"{document}.txt", settings=here)  # 7: a document goes
        check(kg, {number for number in range(26) if ROWS[number].document == document})
        put(here, tmp_path, document)  # 8: and comes back
        assert exported() == shown
        for number in range(DOCUMENTS):
            unload(f"{number}.txt", settings=here)
        put(here, tmp_path, *reversed(range(DOCUMENTS)))  # 9: all in another order
        assert exported() == shown
        export_archive(tmp_path / "graph.jsonl.gz", settings=here)
        delete_graph(database, here.graph)
        import_graph(tmp_path / "graph.jsonl.gz", settings=here)  # 10: out of an archive
        assert exported() == shown
        random.Random(1).shuffle(order)
        for each in corrections.all():
            corrections.undo(each.id)
        assert exported() == before
        correct(corrections, order)  # in another order
        assert exported() == shown
