"""Leiden of one rival over a file of pairs; started by leiden.py in the rivals' environment.

    python partitions.py RIVAL PAIRS NODES TARGET

PAIRS holds 32-bit integers, two a pair; TARGET receives a line of JSON: seconds, CPU seconds, and the community of each
node. Building the rival's own graph is not timed.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path

SEED = 42
Pairs = list[tuple[int, int]]
Times = tuple[float, float]  # seconds, CPU seconds


def now() -> Times:
    """Return both clocks."""
    return time.perf_counter(), time.process_time()


def since(started: Times) -> Times:
    """Return what has passed."""
    return time.perf_counter() - started[0], time.process_time() - started[1]


def graspologic(pairs: Pairs, nodes: int) -> tuple[Times, list[int]]:
    """Hierarchical Leiden with the sizes that GraphRAG gives it; its coarsest level."""
    import graspologic_native

    edges = [(str(one), str(other), 1.0) for one, other in pairs]
    started = now()
    clusters = graspologic_native.hierarchical_leiden(
        edges=edges,
        starting_communities=None,
        resolution=1.0,
        randomness=0.001,
        iterations=1,
        use_modularity=True,
        max_cluster_size=10_000,
        seed=SEED,
    )
    seconds = since(started)
    labels = list(range(-nodes, 0))
    for each in clusters:
        if each.level == 0:
            labels[int(each.node)] = each.cluster
    return seconds, labels


def leidenalg(pairs: Pairs, nodes: int) -> tuple[Times, list[int]]:
    """Leiden of its authors, by modularity."""
    import igraph
    import leidenalg as library

    graph = igraph.Graph(n=nodes, edges=pairs)
    started = now()
    found = library.find_partition(graph, library.ModularityVertexPartition, seed=SEED)
    return since(started), list(found.membership)


def igraph(pairs: Pairs, nodes: int) -> tuple[Times, list[int]]:
    """Leiden of igraph's C core, by modularity, two iterations as it has them by itself."""
    import random

    import igraph as library

    random.seed(SEED)
    graph = library.Graph(n=nodes, edges=pairs)
    started = now()
    found = graph.community_leiden(objective_function="modularity", n_iterations=2)
    return since(started), list(found.membership)


RIVALS: dict[str, Callable[[Pairs, int], tuple[Times, list[int]]]] = {
    "graspologic-native": graspologic,
    "leidenalg": leidenalg,
    "igraph": igraph,
}


def main() -> None:
    """Run one rival."""
    rival, pairs_file, nodes, target = sys.argv[1:]
    flat = array("i")
    flat.frombytes(Path(pairs_file).read_bytes())
    (seconds, cpu), labels = RIVALS[rival](list(zip(flat[::2], flat[1::2], strict=True)), int(nodes))
    Path(target).write_text(json.dumps({"seconds": seconds, "cpu": cpu, "labels": labels}))


if __name__ == "__main__":
    main()
