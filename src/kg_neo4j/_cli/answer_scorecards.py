"""How a scorecard of answers is shown, and its shape for other programs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from kg_neo4j._cli.shapes import usage_shape
from kg_neo4j._cli.terminal import print_facts, print_table, print_text
from kg_neo4j.eval.answers.scorecard import AnswersCard
from kg_neo4j.eval.answers.scores import AnswerScore, GivenAnswer


def answers_shape(card: AnswersCard) -> dict[str, Any]:
    """Return the scorecard as plain values. Shares are 0 to 1, intervals of 95 %."""
    return {
        "questions": card.questions,
        "graph": card.graph,
        "mode": card.mode,
        "model": card.model,
        **_score_shape(card.score),
        "types": {kind: _score_shape(score) for kind, score in card.score.types.items()},
        "halves": [_score_shape(half) if half else None for half in card.halves],
        "taken": card.taken,
        "answers": [_given_shape(each) for each in card.given],
        "notes": list(card.notes),
    }


def show_answers(card: AnswersCard, command: Sequence[str]) -> None:
    """Print the scorecard; `command` is what repeats it."""
    facts: dict[str, object] = {
        "measured": f"{card.score.questions} questions of {card.questions}",
        "graph": f"{card.graph}, mode {card.mode}",
        "model": card.model or "none: sentences of the sources and paths of the graph",
    }
    if card.taken:
        facts["saved"] = f"{card.taken} answers were given by an earlier run"
    print_facts(facts)
    heads = ["", "Questions", "Exact match", "95 %", "F1", "95 %", "Found", "Exact of found", "Claims supported"]
    heads += ["Citations valid"]
    rows = [_row("all", card.score)]
    rows += [_row(kind, score) for kind, score in card.score.types.items()]
    rows += [_row(f"half {number}", half) for number, half in enumerate(card.halves) if half]
    print_table(heads, rows)
    usage = card.score.usage
    took = f"seconds an answer: p50 {card.score.p50_s:.2f}, p95 {card.score.p95_s:.2f}"
    if usage.calls:
        price = "price not known" if usage.usd is None else f"{usage.usd:.4f} USD"
        took += f"; {usage.calls} calls, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {price}"
    print_text(took)
    print_text(f"again:  {shlex.join(command)}")


def _row(name: str, score: AnswerScore) -> tuple[str, ...]:
    return (
        name,
        str(score.questions),
        f"{100 * score.exact:.1f}",
        _edges(score.exact_interval),
        f"{100 * score.f1:.1f}",
        _edges(score.f1_interval),
        f"{100 * score.found:.1f}",
        _share(score.exact_of_found),
        _share(score.claim_precision),
        _share(score.citation_validity),
    )


def _edges(edges: tuple[float, float]) -> str:
    return f"{100 * edges[0]:.1f}-{100 * edges[1]:.1f}"


def _share(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _score_shape(score: AnswerScore) -> dict[str, Any]:
    return {
        "asked": score.questions,
        "exact_match": round(score.exact, 4),
        "exact_match_interval": _rounded(score.exact_interval),
        "f1": round(score.f1, 4),
        "f1_interval": _rounded(score.f1_interval),
        "found": round(score.found, 4),
        "exact_match_of_found": None if score.exact_of_found is None else round(score.exact_of_found, 4),
        "claim_precision": None if score.claim_precision is None else round(score.claim_precision, 4),
        "claim_precision_interval": _rounded(score.claim_precision_interval),
        "citation_validity": None if score.citation_validity is None else round(score.citation_validity, 4),
        "seconds_p50": round(score.p50_s, 3),
        "seconds_p95": round(score.p95_s, 3),
        **usage_shape(score.usage),
    }


def _rounded(edges: tuple[float, float] | None) -> list[float] | None:
    return None if edges is None else [round(edge, 4) for edge in edges]


def _given_shape(given: GivenAnswer) -> dict[str, Any]:
    return {**asdict(given), "usage": usage_shape(given.usage), "notes": list(given.notes)}
