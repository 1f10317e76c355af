"""The invariant: the graph is a pure function of documents, stored answers and decisions.

Whatever the order of files, the number of calls to `load`, the size of batches, the number of workers, where a run was
stopped, what was loaded twice, unloaded and loaded again, and when a decision was made: the sorted export is the same,
byte for byte, with what is derived from it (communities, PageRank) included.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve
from statements import corpora, read_statements

OPTIONS = LoadOptions(schema="described", chunk_tokens=30, wave=2, gleanings=0, analytics=False)
WHOLE = LoadOptions(schema="described", chunk_tokens=30, wave=2, gleanings=0)
MANY = pytest.param(400, id="long", marks=[pytest.mark.long, pytest.mark.timeout(3600)])


class Stopped(Exception):
    """What a killed process leaves behind: nothing after this point happened."""


@dataclass(frozen=True)
class Way:
    """One way to come to the graph."""

    order: int  # seed of a permutation of the files
    at_once: bool  # all files in one load, or one after the other
    batch_rows: int
    workers: int
    stop_at: int | None  # the write transaction that is not made, or made and not heard of
    after_commit: bool
    again: bool  # load everything twice
    decided: bool  # join entities by rules and by a link, and go on
    reloaded: bool  # unload the first file and load it again


def ways() -> st.SearchStrategy[Way]:
    return st.builds(
        Way,
        order=st.integers(0, 23),
        at_once=st.booleans(),
        batch_rows=st.sampled_from([1, 3, 2_000]),
        workers=st.sampled_from([1, 2, 5]),
        stop_at=st.one_of(st.none(), st.integers(0, 12)),
        after_commit=st.booleans(),
        again=st.booleans(),
        decided=st.booleans(),
        reloaded=st.booleans(),
    )


@pytest.fixture(scope="module")
def reader() -> Iterator[FakeLlm]:
    with FakeLlm(rules=read_statements) as server:
        yield server


def permuted(names: list[str], seed: int) -> list[str]:
    left, found = sorted(names), []
    for size in range(len(names), 0, -1):
        seed, place = divmod(seed, size)
        found.append(left.pop(place))
    return found


class stopping:  # noqa: N801 (reads as a verb)
    """Makes the so-manieth write transaction of a database fail as a kill would, before or after its commit."""

    def __init__(self, number: int | None, *, after_commit: bool) -> None:
        self.number = number
        self.after_commit = after_commit
        self.writes = 0

    def __enter__(self) -> None:
        original = Database.write_transaction

        def write(database: Database, work: object) -> object:
            self.writes += 1
            is_last = self.number is not None and self.writes == self.number + 1
            if is_last and not self.after_commit:
                raise Stopped
            result = original(database, work)  # type: ignore[arg-type]
            if is_last:
                raise Stopped
            return result

        self.patch = mock.patch.object(Database, "write_transaction", write)
        self.patch.__enter__()

    def __exit__(self, *_: object) -> None:
        self.patch.__exit__(None, None, None)


def go(files: list[str], settings: Settings, way: Way) -> None:
    """Load in the way that is asked for; a stopped run is gone on with by the same command."""
    groups = [files] if way.at_once else [[file] for file in files]
    with mock.patch("kg_neo4j.pipeline.run.BATCH_ROWS", way.batch_rows):
        try:
            with stopping(way.stop_at, after_commit=way.after_commit):
                for group in groups:
                    load(group, settings=settings, options=OPTIONS)
        except Stopped:
            pass
        for group in groups * (2 if way.again else 1):
            load(group, settings=settings, options=OPTIONS)
        if way.decided:
            decide(settings, Path(files[0]).parent)
        if way.reloaded:
            unload(Path(files[0]).name, settings=settings)
        load(files, settings=settings, options=WHOLE)


def decide(settings: Settings, folder: Path) -> None:
    """Join what rules join, and two names that nothing but a link joins; names that are not there are no error."""
    links = folder / "links.csv"
    links.write_text("name_1,type_1,name_2,type_2\nAda Marlow,PERSON,Dara,PERSON\n", "utf-8")
    resolve(settings=settings, options=ResolveOptions(must_link=links, analytics=False))


def check(database: Database, settings: Settings, llm: FakeLlm, corpus: dict[str, str], way: Way) -> None:
    graph = f"invariant-{uuid.uuid4().hex[:8]}"
    given_ = {"openai_base_url": llm.url, "model": "reader", "model_retries": 0, "embedding_model": None}
    online = Settings(**{**settings.model_dump(), **given_, "graph": graph})
    with tempfile.TemporaryDirectory() as folder:
        for name, text in corpus.items():
            (Path(folder) / name).write_text(text, "utf-8")
        files = [str(Path(folder) / name) for name in permuted(list(corpus), way.order)]
        try:
            one = online.model_copy(update={"model_concurrency": 1})
            load(sorted(files), settings=one, options=OPTIONS)
            if way.decided:
                decide(one, Path(folder))
            load(sorted(files), settings=one, options=WHOLE)
            wanted = list(lines(database, graph))
            assert any('"Entity"' in line for line in wanted)
            delete_graph(database, graph)
            go(files, online.model_copy(update={"model_concurrency": way.workers}), way)
            assert list(lines(database, graph)) == wanted
        finally:
            delete_graph(database, graph)


@pytest.mark.parametrize("cases", [pytest.param(6, id="quick"), MANY])
def test_every_way_leads_to_the_same_graph(database: Database, settings: Settings, reader: FakeLlm, cases: int) -> None:
    def attempt(corpus: dict[str, str], way: Way) -> None:
        check(database, settings, reader, corpus, way)

    quiet = hypothesis_settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=cases < 100,
        phases=[Phase.generate],  # an example takes seconds; `Phase.shrink` is added by hand
        suppress_health_check=list(HealthCheck),
    )
    quiet(given(corpora(), ways())(attempt))()
