"""Killed at any step, a command that is repeated gives the same graph, and asks again at most what was in flight.

Rows 47 and 55 of the test plan: real kill -9 of a process that runs `kg`, at a chosen step: after an answer, before it
is read, before and after each commit, before the marker, while settling, while communities and vectors are written,
while an edited document is brought up to date, while a document is unloaded, while a graph is rebuilt.

Mutants seen to turn this red: the marker written in a transaction of its own, after the evidence; marks cleared in a
transaction before the fold; the document deleted before what it supported is settled; answers not put into the cache
before the chunk is recorded (six calls made again); the tokens of an answer in the export. One that stays green: the
state of analytics written before the communities, because a load looks whether every entity has its place.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from crash_points import ANSWERED, COMMIT, COMMITTED, READ, CrashPoints, Step
from fake_llm import FakeLlm
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines

IN_FLIGHT = 2  # KG_MODEL_CONCURRENCY of the runs

TEXTS = {
    "a.txt": (
        "Anna Weber met Karl Braun in Vienna. Karl Braun taught Anna Weber.",
        "Anna Weber wrote to Marie Curie in Paris. Marie Curie answered Anna Weber.",
        "Karl Braun left Vienna for Paris. Paris welcomed Karl Braun.",
    ),
    "b.txt": (
        "Marie Curie worked in Paris with Pierre Curie. Pierre Curie knew Karl Braun.",
        "Vienna honoured Pierre Curie and Marie Curie.",
    ),
    "c.txt": ("Pierre Curie wrote to Karl Braun from Paris.",),  # recorded together with b.txt
}
EDITED = {
    "a.txt": ("Anna Weber met Karl Braun in Graz. Karl Braun taught Anna Weber.", *TEXTS["a.txt"][1:]),
    "c.txt": ("Pierre Curie wrote to Karl Braun from Vienna.",),
}

# Six kills where a loss would show: of what was recorded, settled, derived, and of what analytics wrote.
LOAD_FEW = (
    *(READ, f"{COMMIT}write/finish_chunks", "write/settle_entities"),
    *(f"{COMMITTED}write/vector_store_fact", "analytics/write_graph_state"),
)
UNLOAD_FEW = ("write/settle_entities",)
# All kills of that kind.
LOAD = (
    *(ANSWERED, READ, "write/merge_chunks", f"{COMMIT}write/finish_chunks"),
    *("write/settle_entities", f"{COMMITTED}write/settle_entities"),
    *(f"{COMMITTED}write/vector_store_fact", "analytics/write_graph_state"),
)
EDIT = (f"{COMMITTED}write/withdraw_evidence", "write/link_chunks")
UNLOAD = (f"{COMMITTED}write/delete_chunks", "write/settle_entities")
REBUILD = (f"{COMMITTED}write/withdraw_evidence",)


@dataclass
class Bench:
    """What a kill needs: the runner, a model in another process, the graph, and where the texts are."""

    runner: CrashPoints
    llm: FakeLlm
    database: Database
    graph: str
    folder: Path
    environment: dict[str, str]

    def go(self, *arguments: str, kill_at: Step | None = None) -> tuple[bool, tuple[Step, ...]]:
        run = self.runner.run(arguments, self.environment, kill_at=kill_at)
        done = run.exit_code == 0 or (arguments[0] == "unload" and "no document" in run.output)
        assert run.killed or done, run.output
        return run.killed, run.steps

    def load(self, kill_at: Step | None = None) -> tuple[bool, tuple[Step, ...]]:
        return self.go("load", str(self.folder), "--chunk-tokens", "24", "--wave", "2", kill_at=kill_at)

    def unload(self, kill_at: Step | None = None) -> tuple[bool, tuple[Step, ...]]:
        return self.go("unload", str(self.folder / "a.txt"), kill_at=kill_at)

    def rebuild(self, kill_at: Step | None = None) -> tuple[bool, tuple[Step, ...]]:
        return self.go("rebuild", kill_at=kill_at)

    def write(self, texts: Mapping[str, Sequence[str]]) -> None:
        for name, paragraphs in texts.items():
            (self.folder / name).write_text("\n\n".join(paragraphs), "utf-8")

    def empty(self) -> None:
        """Begin anew: no graph, no kept answers, the first texts."""
        delete_graph(self.database, self.graph)
        for file in Path(self.environment["KG_CACHE"]).glob("*"):
            file.unlink()
        self.write(TEXTS)

    def dump(self) -> str:
        left = self.database.read(UNFINISHED, graph=self.graph)[0]["nodes"]
        return "\n".join([*lines(self.database, self.graph), f"{left} nodes without a vector or with a mark"])


def query(text: str) -> queries.Query:
    return queries.Query("test", "", "", "read", (), (), "", "", text)


UNFINISHED = query(
    "MATCH (n:Entity|Fact|Chunk) WHERE n.graph = $graph AND (n.embedding IS NULL OR n:Unsettled) "
    "RETURN count(n) AS nodes"
)


@pytest.fixture
def bench(
    runner: CrashPoints, database: Database, graph: str, environment: Mapping[str, str], tmp_path: Path
) -> Iterator[Bench]:
    folder = tmp_path / "texts"
    folder.mkdir()
    with FakeLlm() as llm:
        given = {"OPENAI_BASE_URL": llm.url, "KG_MODEL": "scripted", "KG_MODEL_CONCURRENCY": str(IN_FLIGHT)}
        yield Bench(runner, llm, database, graph, folder, {**environment, **given})


@dataclass(frozen=True)
class Scenario:
    """A command, and the state in which it finds the graph."""

    before: Callable[[Bench], None]
    command: Callable[[Bench, Step | None], tuple[bool, tuple[Step, ...]]]
    musts: tuple[str, ...]


def nothing(_: Bench) -> None:
    pass


def loaded(bench: Bench) -> None:
    bench.load()


def edited(bench: Bench) -> None:
    bench.load()
    bench.write(EDITED)


SCENARIOS = {
    "load": Scenario(nothing, Bench.load, LOAD),
    "edit": Scenario(edited, Bench.load, EDIT),
    "unload": Scenario(loaded, Bench.unload, UNLOAD),
    "rebuild": Scenario(loaded, Bench.rebuild, REBUILD),
}


def chosen(steps: Sequence[Step], musts: Sequence[str]) -> list[Step]:
    """Return the last step of each name."""
    last = {step.name: step for step in steps}
    assert set(musts) <= set(last), set(musts) - set(last)
    return [last[name] for name in musts]


def kill_all(bench: Bench, scenario: Scenario, names: Sequence[str] | None = None) -> tuple[int, int]:
    """Kill the command at the last step of each name, or at every step; return kills and calls made again."""
    bench.empty()
    scenario.before(bench)
    before = bench.llm.calls
    _, steps = scenario.command(bench, None)
    needed = bench.llm.calls - before
    wanted = bench.dump()
    assert '"Document"' in wanted
    assert wanted.endswith("\n0 nodes without a vector or with a mark")
    places = steps if names is None else chosen(steps, names)
    kills = again = 0
    for place in places:
        bench.empty()
        scenario.before(bench)
        before = bench.llm.calls
        killed, _ = scenario.command(bench, place)
        kills += killed
        if killed:
            scenario.command(bench, None)
        assert bench.dump() == wanted, f"killed at {place}"
        repeated = bench.llm.calls - before - needed
        assert 0 <= repeated <= IN_FLIGHT, f"killed at {place}: {repeated} calls made again"
        again += repeated
    return kills, again


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        pytest.param("load", LOAD_FEW, id="load"),
        pytest.param("unload", UNLOAD_FEW, id="unload"),
        *(
            pytest.param(name, scenario.musts, id=f"{name}, more steps", marks=pytest.mark.slow)
            for name, scenario in SCENARIOS.items()
        ),
    ],
)
def test_killed_at_any_step_and_repeated_gives_the_same_graph(
    bench: Bench, name: str, steps: Sequence[str], record_property: Callable[[str, object], None]
) -> None:
    started = time.monotonic()
    kills, again = kill_all(bench, SCENARIOS[name], steps)
    assert kills >= max(1, len(steps) - 1)  # threads may leave a step out in one run
    record_property("figures", f"{name}: {kills} kills, {again} calls made again, {time.monotonic() - started:.0f} s")


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.timeout(7200)
def test_killed_at_every_step_and_repeated_gives_the_same_graph(
    bench: Bench, name: str, record_property: Callable[[str, object], None]
) -> None:
    started = time.monotonic()
    total: Counter[str] = Counter()
    for _ in range(2):
        kills, again = kill_all(bench, SCENARIOS[name])
        total.update(kills=kills, again=again)
    figures = f"{name}: {total['kills']} kills, {total['again']} calls made again, {time.monotonic() - started:.0f} s"
    record_property("figures", figures)
