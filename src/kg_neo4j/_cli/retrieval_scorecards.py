"""How a scorecard of retrieval is shown, and its shape for other programs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from kg_neo4j._cli.terminal import print_facts, print_table, print_text
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.eval.retrieval.scorecard import COMPARED, FLAT, RetrievalCard
from kg_neo4j.eval.retrieval.scores import RecallDifference, RetrievalScore, compare


def read_saved(path: str) -> Mapping[str, Mapping[str, float]]:
    """Return the recall of every question, way by way, from a file that `--json` wrote."""
    if not Path(path).is_file():
        raise SourceNotFound(f"no file {path!r}")
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))["by_question"]
        return {str(way): {str(key): float(value) for key, value in values.items()} for way, values in saved.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableSource(f"{path}: not what `kg eval retrieval --json` writes") from error


def against(card: RetrievalCard, saved: Mapping[str, Mapping[str, float]]) -> dict[str, RecallDifference]:
    """Return, for every way that both runs have, how much more recall this one has on the same questions."""
    found = {}
    for way, values in card.by_question.items():
        if way in saved:
            if set(saved[way]) != set(values):
                raise UsageError("the runs asked other questions, so they cannot be compared")
            found[way] = compare(list(values.values()), [saved[way][key] for key in values])
    return found


def show_retrieval(card: RetrievalCard, command: Sequence[str], differences: Mapping[str, RecallDifference]) -> None:
    """Print the scorecard; `command` is what repeats it, `differences` those to a saved run."""
    print_facts(
        {
            "measured": f"{card.asked} questions of {card.questions} over {card.passages} passages of {card.corpus}",
            "graph": f"{card.graph}: {card.load.nodes} entities, {card.load.relationships} relationships; it stays",
            "vectors": card.embedder,
        }
    )
    depths = list(next(iter(card.scores.values())).recall)
    at = _compared(depths)
    heads = ["", *(f"R@{depth}" for depth in depths), f"R@{at}, 95 %", f"All@{at}", "MRR", "p50 ms", "p95 ms"]
    rows = [_row(way, score, depths) for way, score in card.scores.items()]
    print_table(heads, rows)
    for mode, each in card.differences.items():
        print_text(f"{mode}: {_said(each)} points of recall@{COMPARED} beyond {card.best_flat}")
    for way, each in differences.items():
        print_text(f"{way}: {_said(each)} points against the saved run")
    kinds = sorted({kind for score in card.scores.values() for kind in score.types})
    if kinds:
        ways = [way for way in card.scores if way not in FLAT or way == card.best_flat]
        by_type = [(kind, *(f"{100 * card.scores[way].types[kind][at]:.1f}" for way in ways)) for kind in kinds]
        print_table(["Type of question", *ways], by_type, f"Recall@{at} by type")
    print_text(f"again:  {shlex.join(command)}")


def _compared(depths: Sequence[int]) -> int:
    return COMPARED if COMPARED in depths else depths[-1]


def _row(way: str, score: RetrievalScore, depths: Sequence[int]) -> tuple[str, ...]:
    at = _compared(depths)
    low, high = score.interval[at]
    return (
        way,
        *(f"{100 * score.recall[depth]:.1f}" for depth in depths),
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{100 * score.all_gold[at]:.1f}",
        f"{score.mrr:.3f}",
        f"{score.p50_ms:.1f}",
        f"{score.p95_ms:.1f}",
    )


def _said(difference: RecallDifference) -> str:
    return f"{difference.points:+.1f} ({difference.low:+.1f} to {difference.high:+.1f})"
