"""From measurements to the table, the ratios that are wanted, and JSON. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

GRAPHRAG = ("graphrag", "graphrag-5000")
GRAPHRAG_BARE = ("graphrag-bare", "graphrag-bare-5000")


@dataclass(frozen=True)
class Measurement:
    """One run of one writer."""

    run: str
    round: int
    seconds: float
    client_cpu: float  # seconds
    server_cpu: float  # seconds


@dataclass(frozen=True)
class Summary:
    """All runs of one writer in one setting."""

    run: str
    rounds: int
    median_s: float
    min_s: float
    max_s: float
    rows_per_s: int  # nodes and relationships of the extraction result, by the median
    times_ours: float | None  # median / median of our first load
    client_cpu_s: float  # median
    server_cpu_s: float  # median


@dataclass(frozen=True)
class Ratio:
    """One figure that is wanted: the time of a run of ours, divided by that of a peer's better setting."""

    name: str
    ours: str
    peer: str | None  # the setting that was better; None where the peer has not run
    ratio: float | None  # of the medians
    low: float | None  # of single rounds
    high: float | None
    cpu_ratio: float | None  # of the medians of what writer and server used together
    wanted: float
    met: bool | None


# name, our run, the peer's settings, at most
WANTED = (
    ("first load / neo4j-graphrag", "ours", GRAPHRAG, 0.8),
    ("first load / langchain-neo4j", "ours", ("langchain",), 0.5),
    ("load again / neo4j-graphrag's first", "ours-again", GRAPHRAG, 0.3),
    ("first load / neo4j-graphrag without chunks", "ours", GRAPHRAG_BARE, 0.8),
    ("first load / langchain-neo4j without chunks", "ours", ("langchain-bare",), 0.5),
    ("load again / neo4j-graphrag's first without chunks", "ours-again", GRAPHRAG_BARE, 0.3),
)


def summarise(measurements: Sequence[Measurement], rows: int) -> list[Summary]:
    """Return one summary for each run that was measured, in the order of first measurement."""
    by_run = _by_run(measurements)
    ours = statistics.median(each.seconds for each in by_run["ours"]) if "ours" in by_run else None
    summaries = []
    for run, found in by_run.items():
        seconds = [each.seconds for each in found]
        median = statistics.median(seconds)
        summaries.append(
            Summary(
                run,
                len(found),
                median,
                min(seconds),
                max(seconds),
                round(rows / median),
                median / ours if ours else None,
                statistics.median(each.client_cpu for each in found),
                statistics.median(each.server_cpu for each in found),
            )
        )
    return summaries


def ratios(measurements: Sequence[Measurement]) -> list[Ratio]:
    """Return the wanted figures; the range is that of single rounds, each compared within itself."""
    by_run = _by_run(measurements)
    medians = {run: statistics.median(each.seconds for each in found) for run, found in by_run.items()}
    cpu = {run: statistics.median(each.client_cpu + each.server_cpu for each in found) for run, found in by_run.items()}
    found = []
    for name, ours, peers, wanted in WANTED:
        ran = [peer for peer in peers if peer in medians]
        if ours not in medians or not ran:
            found.append(Ratio(name, ours, None, None, None, None, None, wanted, None))
            continue
        best = min(ran, key=lambda peer: medians[peer])
        theirs = {each.round: each.seconds for each in by_run[best]}
        single = [each.seconds / theirs[each.round] for each in by_run[ours] if each.round in theirs]
        ratio, cpu_ratio = medians[ours] / medians[best], cpu[ours] / cpu[best]
        found.append(Ratio(name, ours, best, ratio, min(single), max(single), cpu_ratio, wanted, ratio <= wanted))
    return found


def table(measurements: Sequence[Measurement], rows: int, titles: dict[str, str]) -> str:
    """Return everything as text for people."""
    head = f"{'writer':<50} {'median s':>9} {'min':>6} {'max':>6} {'rows/s':>8} {'x ours':>7}"
    lines = [f"{head} {'CPU client':>11} {'server':>7}"]
    for each in summarise(measurements, rows):
        times = f"{each.times_ours:.2f}" if each.times_ours is not None else "-"
        lines.append(
            f"{titles[each.run]:<50} {each.median_s:>9.2f} {each.min_s:>6.2f} {each.max_s:>6.2f} "
            f"{each.rows_per_s:>8,} {times:>7} {each.client_cpu_s:>11.2f} {each.server_cpu_s:>7.2f}"
        )
    lines += ["", f"{'ours / peer (its better setting)':<52} {'ratio':>6} {'rounds':>13} {'CPU':>6} {'wanted':>8}"]
    for wanted in ratios(measurements):
        if wanted.ratio is None:
            continue
        span = f"{wanted.low:.2f} to {wanted.high:.2f}"
        verdict = "met" if wanted.met else "missed"
        lines.append(
            f"{wanted.name:<52} {wanted.ratio:>6.2f} {span:>13} {wanted.cpu_ratio:>6.2f} "
            f"{f'<= {wanted.wanted}':>8}  {verdict}"
        )
    return "\n".join(lines)


def as_json(measurements: Sequence[Measurement], rows: int) -> dict[str, object]:
    """Return everything as plain values."""
    return {
        "rows": rows,
        "writers": [asdict(each) for each in summarise(measurements, rows)],
        "wanted": [asdict(each) for each in ratios(measurements)],
        "measurements": [asdict(each) for each in measurements],
    }


def _by_run(measurements: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    by_run: dict[str, list[Measurement]] = {}
    for each in measurements:
        by_run.setdefault(each.run, []).append(each)
    return by_run
