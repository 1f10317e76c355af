"""How a scorecard of answers, a comparison of systems and its plan are shown."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from kg_neo4j._cli.shapes import of_record, plain
from kg_neo4j._cli.terminal import percent, percents, print_estimates, print_facts, print_table, print_text, spent
from kg_neo4j.eval.answers.comparison import Comparison
from kg_neo4j.eval.answers.plan import ComparisonPlan
from kg_neo4j.eval.answers.scorecard import AnswersCard
from kg_neo4j.eval.answers.scores import AnswerScore, SystemScore, case_row
from kg_neo4j.records import Usage


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
    rows = [_score_row("all", card.score)]
    rows += [_score_row(kind, score) for kind, score in card.score.types.items()]
    rows += [_score_row(f"half {number}", half) for number, half in enumerate(card.halves) if half]
    print_table(heads, rows)
    took = f"seconds an answer: p50 {card.score.p50_s:.2f}, p95 {card.score.p95_s:.2f}"
    if card.score.usage.calls:
        took += f"; {spent(card.score.usage)}"
    print_text(took)
    print_text(f"again:  {shlex.join(command)}")


def _score_row(name: str, score: AnswerScore) -> tuple[str, ...]:
    return (
        name,
        str(score.questions),
        *(percent(score.exact), percents(score.exact_interval), percent(score.f1), percents(score.f1_interval)),
        *(percent(score.found), percent(score.exact_of_found)),
        *(percent(score.claim_precision), percent(score.citation_validity)),
    )


PROXY = "proxy: statements are compared by their words, no model judged them"
LISTED = 5  # refused texts and questions that are shown one by one


def comparison_shape(card: Comparison) -> dict[str, Any]:
    """Return the comparison as plain values. Shares are 0 to 1, intervals of 95 %."""
    cases = [{**case_row(case), "judging": plain(case.judging), **plain(case.given.usage)} for case in card.cases]
    scores = {
        name: {score.system: _score_shape(score) for score in scores}
        for name, scores in (("systems", card.scores), ("hard", card.hard))
    }
    return {**plain(card), **scores, "cases": cases}


def show_comparison(card: Comparison, command: Sequence[str]) -> None:
    """Print the table; `command` is what repeats it."""
    questions = len({case.question.id for case in card.cases})
    texts = f" about {card.texts} texts" if card.texts else ""
    facts: dict[str, object] = {
        "measured": f"{questions} questions{texts} of {card.questions} ({card.form})",
        "graph": card.graph,
        "model": card.model or "none: sentences of the sources and paths of the graph",
        "judge": PROXY if card.is_proxy else card.judge,
        "similarity": f"cosine of {card.embedder}",
        "context": f"{card.context_tokens:,} tokens of evidence at most, for every system",
    }
    print_facts(facts)
    _show_scores(card.scores, "All questions" if card.hard else None, is_proxy=card.is_proxy)
    if card.hard:
        _show_scores(card.hard, "Hard questions alone", is_proxy=card.is_proxy)
    judging = sum((score.judging for score in card.scores), Usage())
    answers = sum((score.usage for score in card.scores), Usage())
    asked = {"answers": answers, "judging": judging}
    print_facts({name: spent(usage) for name, usage in asked.items()})
    unjudged = sum(score.unjudged for score in card.scores)
    if unjudged:
        print_text(f"not judged: {unjudged} cases, left out of the means of correctness")
    print_text(f"again:  {shlex.join(command)}")


def spent_now(card: Comparison) -> list[str]:
    """Return what this run paid and what it left out, for standard error: another run pays something else."""
    steps = [f"{step}: {spent(usage)}" for step, usage in card.built.steps.items() if usage.calls]
    lines = [f"in this run: {spent(card.paid)}; {card.taken} answers were given by an earlier one", *steps]
    lines += [f"refused: {each.source}: {each.reason}" for each in card.refused[:LISTED]]
    if len(card.refused) > LISTED:
        lines.append(f"refused: {len(card.refused) - LISTED} more; --json has all")
    return [*lines, *card.notes]


def show_plan_of_comparison(plan: ComparisonPlan) -> None:
    """Print the plan."""
    facts: dict[str, object] = {
        "questions": f"{plan.questions}, texts {plan.texts}, graph {plan.graph}",
        "model": plan.model or "none",
        "judge": plan.judge,
    }
    if plan.load:
        about = "about " if plan.load.usage.calls else ""
        facts["load"] = f"{plan.load.documents} texts, {plan.load.chunks} chunks, {about}{spent(plan.load.usage)}"
    estimated = dict.fromkeys(plan.estimated, "about ")
    facts |= {step: estimated.get(step, "") + spent(usage) for step, usage in plan.building.items()}
    facts |= {f"system {name}": estimated.get(name, "") + spent(usage) for name, usage in plan.systems.items()}
    facts |= {"judging": spent(plan.judging), "answers, judging": spent(plan.usage)}
    if plan.saved:
        facts["saved"] = f"{plan.saved} answers were given by an earlier run"
    print_facts(facts)
    print_estimates(plan.assumptions)


def _show_scores(scores: Sequence[SystemScore], title: str | None, *, is_proxy: bool) -> None:
    correct = "Correct (proxy)" if is_proxy else "Correct"
    heads = ["System", "Cases", correct, "95 %", "Similar", "EM", "F1", "Found", "Claims", "Context", "ms", "USD"]
    rows = [_system_row(score) for score in scores]
    if any(score.ragas_similarity is not None for score in scores):
        heads += ["ragas: correct", "similar"]
        theirs = [(percent(score.ragas_correctness), percent(score.ragas_similarity)) for score in scores]
        rows = [(*row, *more) for row, more in zip(rows, theirs, strict=True)]
    print_table(heads, rows, title)


def _system_row(score: SystemScore) -> tuple[object, ...]:
    return (
        score.system,
        str(score.cases),
        *(percent(score.correctness), percents(score.correctness_interval), percent(score.similarity)),
        *(percent(score.exact), percent(score.f1), percent(score.found), percent(score.claim_precision)),
        f"{score.context_tokens:,.0f}",
        f"{score.ms:,.0f}",
        _usd(score.usage),
    )


def _usd(usage: Usage) -> str:
    if not usage.calls:
        return "0"
    return "?" if usage.usd is None else f"{usage.usd:.4f}"


def _score_shape(score: SystemScore) -> dict[str, Any]:
    shape: dict[str, Any] = plain(score)
    if score.ragas_similarity is None:
        return shape
    return shape | {"ragas": of_record(score, "correctness=ragas_correctness:4 similarity=ragas_similarity:4")}
