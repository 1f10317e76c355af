"""A study of narrative trees as tables: correctness and similarity by system, and one table for each ablation. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j.eval.answers.system_scores import SystemScore
from kg_neo4j.eval.narrative.grid import CHUNK_LENGTH, CONTEXT, DETAIL_NODES, SINGLE, SUMMARY_LENGTH, TOP_KS, WITHOUT
from kg_neo4j.eval.narrative.study import NarrativeStudy, WayScore
from kg_neo4j.graph.report_format import Cell, Report

TITLES = {
    TOP_KS: ("top_k", "Nodes that are read"),
    CONTEXT: ("Tokens of context", "Tokens of context"),
    SINGLE: ("Aspect", "Summaries of one aspect alone, with the leaves"),
    WITHOUT: ("Without", "All aspects but one"),
    DETAIL_NODES: ("Details", "Detail nodes of each leaf"),
    CHUNK_LENGTH: ("Tokens of a chunk", "Length of chunks"),
    SUMMARY_LENGTH: ("Tokens of a summary", "Length of summaries"),
}
CORRECTNESS, SIMILARITY = "correctness", "similarity"


def tables(study: NarrativeStudy) -> tuple[Report, ...]:
    """Return W4's two tables of results, then one for each ablation, in the order in which they were asked for."""
    systems = [each for each in study.results if not each.way.ablation]
    found = [_results(study, systems, CORRECTNESS), _results(study, systems, SIMILARITY)] if systems else []
    for ablation in dict.fromkeys(each.way.ablation for each in study.results if each.way.ablation):
        found.append(_ablation(study, ablation))
    return tuple(found)


def _results(study: NarrativeStudy, systems: Sequence[WayScore], measure: str) -> Report:
    kinds = sorted({kind for each in systems for kind in each.types})
    columns = ["System", "All", "95 % from", "to", *kinds, "Found", "Evidence", "Tokens read"]
    rows = []
    for each in systems:
        interval = each.score.correctness_interval if measure == CORRECTNESS else each.score.similarity_interval
        cells: list[Cell] = [each.way.name, _of(each.score, measure), *_both(interval)]
        cells += [_of(each.types[kind], measure) if kind in each.types else None for kind in kinds]
        rows.append((*cells, _percent(each.score.found), _percent(each.evidence), round(each.score.context_tokens)))
    title = "Answer similarity by system, %"
    if measure == CORRECTNESS:
        proxy = " (lexical proxy)" if study.is_proxy else f" (judged by {study.judge})"
        title = f"Answer correctness by system, %{proxy}"
    return Report(measure, title, tuple(columns), tuple(rows))


def _ablation(study: NarrativeStudy, ablation: str) -> Report:
    column, title = TITLES[ablation]
    proxy = " (proxy)" if study.is_proxy else ""
    columns = (column, f"Correctness{proxy}", "Similarity", "Evidence", "Beneath", "Found", "Tokens read")
    rows = [
        (
            int(each.way.value) if each.way.value.isdigit() else each.way.value.replace("_", " "),
            *(_of(each.score, CORRECTNESS), _of(each.score, SIMILARITY)),
            *(_percent(each.evidence), _percent(each.beneath), _percent(each.score.found)),
            round(each.score.context_tokens),
        )
        for each in study.results
        if each.way.ablation == ablation
    ]
    return Report(ablation, f"{title}: the tree, %", columns, tuple(rows))


def _of(score: SystemScore, measure: str) -> float | None:
    return _percent(score.correctness if measure == CORRECTNESS else score.similarity)


def _both(interval: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (_percent(interval[0]), _percent(interval[1]))


def _percent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 1)
