"""How fast are our communities, beside plain GDS calls and Leiden outside a database?

    python benchmarks/leiden.py [--nodes 100000] [--pairs 500000] [--made flat|nested] [--rounds 3]
                                [--no-refresh] [--json]

One graph with planted groups, all in one run, one after the other in each round:

- kg-neo4j: what `kg load` does for communities: entities and pairs read and hashed, a projection that does not depend
  on the order of loading, all levels of Leiden, levels made to nest, Community nodes with their parents and an
  IN_COMMUNITY for every entity, in one transaction.
- plain GDS: a native projection, the same Leiden with all levels, written as a property by GDS.
- refresh: our whole analytics, with centralities and structure; once, for information (not with --no-refresh).
- graspologic-native, leidenalg, igraph: in an environment of their own (out/bench, made at the first start; where it
  cannot be made they are left out, and that is said). Only the partition is timed: no database, nothing written.

Groups are flat (50 nodes, all alike; modularity 0.64) or nested (60 within 1,200; 0.80). Nodes have numbers as long as
real ones. CPU is that of the server and of this process, in all threads, or of the rival's. Modularity is computed by
one function for all, of the coarsest level. A second table says where our time goes, phase by phase. Wanted: ours at
most 6 x plain GDS, faster than leidenalg, modularity within 1 % of the best. Believe ratios, not seconds; missing them
is no error (exit code 0).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import environments  # noqa: E402 - after the path is set
import neo4j  # noqa: E402
import partitions  # noqa: E402
import server  # noqa: E402

from kg_neo4j.graph.constraints import ensure_constraints  # noqa: E402
from kg_neo4j.graph.database import Database, DatabaseAddress, batches  # noqa: E402
from kg_neo4j.organise import analytics, communities, stored_analytics  # noqa: E402
from kg_neo4j.organise.projection import project  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402

GRAPH, SEED = "bench", 42
GROUPS = {"flat": (50, 50, 0.657), "nested": (60, 1_200, 0.65)}  # nodes of a group, of a group of groups; share inside
OURS, PLAIN, REFRESH, LEIDENALG = "kg-neo4j", "plain GDS", "refresh", "leidenalg"
CPU = ", CPU"
AT_MOST_PLAIN, WITHIN = 6.0, 0.01
BATCH = 10_000
Pairs = list[tuple[int, int]]
Phases = dict[str, list[tuple[float, float, float]]]  # name -> seconds, CPU seconds here and of the server, each round
T = TypeVar("T")


def made_pairs(nodes: int, pairs: int, made: str) -> Pairs:
    """Return distinct pairs, smaller node first; most of them within groups, some within groups of groups."""
    draw = random.Random(SEED)
    group, wide, inside = GROUPS[made]
    found: set[tuple[int, int]] = set()
    while len(found) < pairs:
        one = draw.randrange(nodes)
        near = draw.random()
        reach = group if near < inside else wide if wide > group and near < (1 + inside) / 2 else nodes
        other = min(nodes - 1, one // reach * reach + draw.randrange(reach))
        if one != other:
            found.add((min(one, other), max(one, other)))
    return sorted(found)


def modularity(pairs: Pairs, labels: Sequence[int]) -> float:
    """Newman's modularity of a partition; every pair weighs the same."""
    inside = sum(labels[one] == labels[other] for one, other in pairs)
    degrees: Counter[int] = Counter()
    for pair in pairs:
        degrees.update(labels[each] for each in pair)
    return inside / len(pairs) - sum((each / (2 * len(pairs))) ** 2 for each in degrees.values())


def number_of(node: int) -> int:
    """Return a number of 52 bits, as `Entity.num` is."""
    return int(hashlib.sha256(b"%d" % node).hexdigest()[:13], 16)


def fill(driver: neo4j.Driver, nodes: int, pairs: Pairs) -> None:
    """Write entities and relationships in an order drawn by chance, as many documents would give them."""
    order = list(range(nodes))
    random.Random(SEED).shuffle(order)
    shuffled = random.Random(SEED).sample(pairs, len(pairs))
    create = (
        "UNWIND $rows AS row "
        "CREATE (:KgEntity:Entity {id: 'e' + row[0], graph: $graph, num: row[1], name: 'E' + row[0], type: 'THING'})"
    )
    relate = (
        "UNWIND $rows AS row MATCH (a:KgEntity {num: row[0]}) MATCH (b:KgEntity {num: row[1]}) "
        "CREATE (a)-[:KNOWS {evidence_count: 1}]->(b)"
    )
    nums = [number_of(node) for node in range(nodes)]
    numbered = [[node, nums[node]] for node in order], [[nums[one], nums[other]] for one, other in shuffled]
    for query, rows in zip((create, relate), numbered, strict=True):
        for some in batches(rows, BATCH):
            driver.execute_query(query, rows=some, graph=GRAPH)
    driver.execute_query("CALL db.awaitIndexes(600)")


def ours(database: Database, clock: Clock) -> dict[int, int]:
    """Compute and write communities as `kg load` does; return the community of each number."""
    found = clock.phase("read", lambda: analytics.read_graph(database, GRAPH, "bench"))
    with contextlib.ExitStack() as stack:
        projecting = project(database, GRAPH, found.pairs)
        projection = clock.phase("project", lambda: stack.enter_context(projecting))
        cells = clock.phase("leiden", lambda: projection.leiden(SEED))
        clock.phase("drop", stack.close)
    levels = clock.phase("hierarchy", lambda: communities.hierarchy(GRAPH, cells))

    def compared() -> stored_analytics.Changes:
        result = stored_analytics.Result(levels, communities.numbers(levels, ()), {})
        return stored_analytics.differences(result, found.communities, {}, found.places)

    changes = clock.phase("differences", compared)
    state = {
        "fingerprint": found.fingerprint,
        "communities": len(levels[0]),
        "levels": len(levels),
        "singletons": True,
    }
    clock.phase(
        "write",
        lambda: database.write_transaction(
            lambda transaction: stored_analytics.write(transaction, GRAPH, changes, found.nodes, state)
        ),
    )
    return {num: label for label, community in enumerate(levels[0]) for num in community.members}


def plain(driver: neo4j.Driver) -> None:
    """Run what the manual of GDS shows."""
    driver.execute_query(
        "CALL gds.graph.project('plain', 'Entity', {KNOWS: {orientation: 'UNDIRECTED'}}, {readConcurrency: 1})"
    )
    driver.execute_query(
        "CALL gds.leiden.write('plain', {writeProperty: 'plain', includeIntermediateCommunities: true, "
        "randomSeed: $seed, concurrency: 1})",
        seed=SEED,
    )
    driver.execute_query("CALL gds.graph.drop('plain')")


def clear(driver: neo4j.Driver) -> None:
    """Take away what a round wrote."""
    for query in (
        "MATCH ()-[r:IN_COMMUNITY|CHILD_OF]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 20000 ROWS",
        "MATCH (n:Community|GraphState) CALL (n) { DELETE n } IN TRANSACTIONS OF 20000 ROWS",
        "MATCH (n:Entity) CALL (n) { REMOVE n.plain } IN TRANSACTIONS OF 20000 ROWS",
    ):
        with driver.session() as session:
            session.run(query).consume()


class Clock:
    """Measures seconds and, of the server and this process together, CPU seconds."""

    def __init__(self, running: server.PrivateServer) -> None:
        self._running = running
        self.cpu_s = 0.0
        self.phases: dict[str, tuple[float, float, float]] = {}  # seconds, CPU seconds here and of the server

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), self._running.cpu_seconds()

    def timed(self, work: Callable[[], object]) -> float:
        """Return the seconds that `work` takes; `cpu_s` is the CPU time."""
        self.phase("all", work)
        seconds, *cpu = self.phases.pop("all")
        self.cpu_s = sum(cpu)
        return seconds

    def phase(self, name: str, work: Callable[[], T]) -> T:
        """Return what `work` returns, and note what it takes."""
        before = self._now()
        result = work()
        seconds, here, there = (after - each for after, each in zip(self._now(), before, strict=True))
        self.phases[name] = (seconds, here, there)
        return result


class Rivals:
    """Leiden outside a database, in processes of their own."""

    def __init__(self, cache: Path, pairs: Pairs, nodes: int) -> None:
        self.python: Path | None = None
        self._pairs, self._target, self._nodes = cache / "leiden-pairs.bin", cache / "leiden-answer.json", nodes
        try:
            self.python = environments.python_of("leiden", cache)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"without graspologic-native, leidenalg and igraph: not installed here ({error})", file=sys.stderr)
        self._pairs.write_bytes(array("i", [each for pair in pairs for each in pair]).tobytes())

    def run(self, rival: str) -> tuple[float, float, list[int]] | None:
        """Return seconds, CPU seconds and labels; None, and a word about it, where the rival does not run."""
        if self.python is None:
            return None
        given = [self.python, HERE / "partitions.py", rival, self._pairs, str(self._nodes), self._target]
        ran = subprocess.run(given, check=False, capture_output=True, text=True)
        if ran.returncode:
            print(f"without {rival}: {ran.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        found = json.loads(self._target.read_text())
        return found["seconds"], found["cpu"], found["labels"]


def measure(
    cache: Path, nodes: int, pairs: Pairs, rounds: int, *, refresh: bool
) -> tuple[dict[str, list[float]], dict[str, float], Phases]:
    """Return the seconds of each round and the modularity, by name, and what our phases take."""
    seconds: dict[str, list[float]] = {}
    quality: dict[str, float] = {}
    phases: Phases = {}
    rivals = Rivals(cache, pairs, nodes)
    with server.running(cache, Silent()) as running:
        address = DatabaseAddress(running.uri, server.USERNAME, running.password)
        with Database(address) as database:
            driver = database.driver
            ensure_constraints(database)
            fill(driver, nodes, pairs)
            for number in range(rounds + 1):  # the first warms the server up
                clear(driver)
                labels: dict[int, int] = {}
                clock = Clock(running)
                found = {PLAIN: clock.timed(lambda: plain(driver))}
                found[PLAIN + CPU] = clock.cpu_s
                found[OURS] = clock.timed(lambda into=labels, clock=clock: into.update(ours(database, clock)))
                found[OURS + CPU] = clock.cpu_s
                quality[OURS] = modularity(pairs, [labels[number_of(node)] for node in range(nodes)])
                rows = driver.execute_query("MATCH (e:Entity) RETURN e.num AS num, e.plain[-1] AS label").records
                theirs = {row["num"]: row["label"] for row in rows}
                quality[PLAIN] = modularity(pairs, [theirs[number_of(node)] for node in range(nodes)])
                for rival in partitions.RIVALS:
                    if answer := rivals.run(rival):
                        found[rival], found[rival + CPU], its_labels = answer
                        quality[rival] = modularity(pairs, its_labels)
                if number:
                    for name, value in found.items():
                        seconds.setdefault(name, []).append(value)
                    for name, taken in clock.phases.items():
                        phases.setdefault(name, []).append(taken)
            clear(driver)
            if refresh:
                seconds[REFRESH] = [clock.timed(lambda: analytics.refresh(database, GRAPH))]
    return seconds, quality, phases


def shown(seconds: dict[str, list[float]], quality: dict[str, float], phases: Phases) -> dict[str, Any]:
    """Return everything as plain values: medians, ratios of rounds, what is wanted."""
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    ratios = {
        name: [mine / other for mine, other in zip(seconds[OURS + CPU * name.endswith(CPU)], each, strict=False)]
        for name, each in seconds.items()
        if name not in (OURS, OURS + CPU, REFRESH)
    }
    best = max(quality.values())
    wanted = {f"at most {AT_MOST_PLAIN:g} x plain GDS": statistics.median(ratios[PLAIN]) <= AT_MOST_PLAIN}
    if LEIDENALG in ratios:
        wanted["faster than leidenalg"] = statistics.median(ratios[LEIDENALG]) < 1
    wanted[f"modularity within {WITHIN:.0%} of the best"] = quality[OURS] >= best * (1 - WITHIN)
    known = {"seconds": seconds, "medians": medians, "ratios": ratios, "modularity": quality, "wanted": wanted}
    middle = {name: [statistics.median(each) for each in zip(*taken, strict=True)] for name, taken in phases.items()}
    return {**known, "phases": middle}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=500_000)
    parser.add_argument("--made", choices=list(GROUPS), default="flat")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--refresh", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench")
    options = parser.parse_args()
    load_before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    pairs = made_pairs(options.nodes, options.pairs, options.made)
    measured = measure(options.cache, options.nodes, pairs, options.rounds, refresh=options.refresh)
    result = {"load": load_before, **shown(*measured)}
    if options.json:
        print(json.dumps(result))
        return
    print(f"{options.nodes:,} nodes, {len(pairs):,} pairs, {options.made}; {os.cpu_count()} cores, load {load_before}")
    print(f"{'':<20} {'median s':>9} {'min':>7} {'max':>7} {'ours / it':>10} {'modularity':>11}")
    for name, each in result["seconds"].items():
        ratio = f"{statistics.median(result['ratios'][name]):.2f}" if name in result["ratios"] else "-"
        quality = f"{result['modularity'][name]:.4f}" if name in result["modularity"] else "-"
        print(
            f"{name:<20} {statistics.median(each):>9.2f} {min(each):>7.2f} {max(each):>7.2f} {ratio:>10} {quality:>11}"
        )
    print(f"{'our phases, medians':<20} {'s':>9} {'CPU here':>9} {'CPU of the server':>18}")
    for name, (taken, here, there) in result["phases"].items():
        print(f"{name:<20} {taken:>9.2f} {here:>9.2f} {there:>18.2f}")
    for what, met in result["wanted"].items():
        print(f"{what}: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
