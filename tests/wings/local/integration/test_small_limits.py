"""A server whose owner lets transactions take little memory and little time: the same graph comes to stand there.

A real server, with `db.memory.transaction.max` and `db.transaction.timeout` set. Each step that writes much is run on
it and on the tests' own server, and the exports are compared.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from kg_neo4j import Settings, load, unload
from kg_neo4j.graph import importing
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands import archive
from kg_neo4j.progress import SILENT
from private_server import PrivateServer

GRAPH = "limits"
FIRST = "Adrian Berta Conrad Dora Emil Frieda Gustav Helene Ignaz Johanna Karl Lotte Moritz Nora Oskar Paula".split()
LAST = "Abt Beck Clar Dorn Ebel Falk Gern Hahn Ibel Jung Kern Lohr Mohr Nagl Ott Pohl Quell Rabe Senn Thal".split()
TOWNS = "Vienna Graz Linz Prague Berlin Dresden Paris London Rome Madrid".split()


def many_sentences(number: int) -> str:
    """Return paragraphs about some hundred people, each of whom met others."""
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    most = len(people)
    some = (
        f"{people[n * 7 % most]} met {people[(n * 11 + 3) % most]} in {TOWNS[n % 10]} in {1700 + n % 200}."
        for n in range(number)
    )
    return "\n\n".join(some)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Settings]:
    """Settings of a server with small limits."""
    with PrivateServer(tmp_path_factory.mktemp("kg-limits"), settings) as server:
        limits = {"db__memory__transaction__max": "10m", "db__transaction__timeout": "20s"}
        found = server.start(**limits).aside(GRAPH)
        yield found.model_copy(update={"openai_base_url": None, "openai_api_key": None})


@contextlib.contextmanager
def counted() -> Iterator[list[int]]:
    """Yield a list that gets the number of items of each part of a write, tried or done."""
    sizes: list[int] = []
    write_parts = Database.write_parts

    def noted(self: Database, items: Sequence[Any], work: Callable[..., Any]) -> list[Any]:
        sizes.append(len(items))
        return write_parts(self, items, work)

    with mock.patch.object(Database, "write_parts", noted):
        yield sizes


def dump(database: Database) -> str:
    return "\n".join(lines(database, GRAPH))


@pytest.mark.long
def test_a_load_an_archive_and_an_unload_give_the_graph_that_they_give_elsewhere(
    small: Settings, settings: Settings, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "many.txt").write_text(many_sentences(800), "utf-8")
    (tmp_path / "few.txt").write_text(many_sentences(40), "utf-8")
    sources = [str(tmp_path / "many.txt"), str(tmp_path / "few.txt")]
    free = settings.model_copy(update={"graph": GRAPH, "openai_base_url": None, "openai_api_key": None})
    tried: dict[str | None, int] = {}
    run = "kg_neo4j.pipeline.run"
    with mock.patch(f"{run}.BATCH_ROWS", 100_000), mock.patch(f"{run}.BATCH_S", 1e9):  # more than there is room for
        for where in (free, small):
            with counted() as parts:
                load(sources, settings=where)
            tried[where.neo4j_uri] = len(parts)
        assert tried[small.neo4j_uri] > tried[free.neo4j_uri], tried  # batches were halved
    with connect(small, SILENT) as limited:
        assert dump(limited) == dump(database)
        archived = tmp_path / "graph.jsonl.gz"
        archive.export_archive(archived, settings=free)
        delete_graph(limited, GRAPH)
        assert dump(limited) == ""
    with mock.patch.multiple(importing, LINES_A_WRITE=10**6, BYTES_A_WRITE=10**9), counted() as parts:
        archive.import_graph(archived, settings=small)
    assert len(parts) > 1  # an import is halved, too
    for where in (free, small):
        unload("few.txt", settings=where)
    with connect(small, SILENT) as limited:
        assert dump(limited) == dump(database)
    delete_graph(database, GRAPH)
