"""How a scorecard of answers is shown, and its shape for other programs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from kg_neo4j._cli.terminal import percent, percents, print_facts, print_table, print_text, spent
from kg_neo4j.eval.answers.scorecard import AnswersCard
from kg_neo4j.eval.answers.scores import AnswerScore


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
    took = f"seconds an answer: p50 {card.score.p50_s:.2f}, p95 {card.score.p95_s:.2f}"
    if card.score.usage.calls:
        took += f"; {spent(card.score.usage)}"
    print_text(took)
    print_text(f"again:  {shlex.join(command)}")


def _row(name: str, score: AnswerScore) -> tuple[str, ...]:
    return (
        name,
        str(score.questions),
        *(percent(score.exact), percents(score.exact_interval), percent(score.f1), percents(score.f1_interval)),
        *(percent(score.found), percent(score.exact_of_found)),
        *(percent(score.claim_precision), percent(score.citation_validity)),
    )
