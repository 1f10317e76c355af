"""How a comparison of systems and its plan are shown, and their shapes for other programs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kg_neo4j._cli.shapes import plan_shape, usage_shape
from kg_neo4j._cli.terminal import print_facts, print_table, print_text
from kg_neo4j.eval.answers.cases import Case, case_row
from kg_neo4j.eval.answers.comparison import Comparison
from kg_neo4j.eval.answers.plan import ComparisonPlan
from kg_neo4j.eval.answers.system_scores import SystemScore
from kg_neo4j.records import Usage

PROXY = "proxy: statements are compared by their words, no model judged them"
LISTED = 5  # refused texts and questions that are shown one by one


def comparison_shape(card: Comparison) -> dict[str, Any]:
    """Return the comparison as plain values. Shares are 0 to 1, intervals of 95 %."""
    return {
        "questions": card.questions,
        "format": card.form,
        "graph": card.graph,
        "texts": card.texts,
        "model": card.model,
        "judge": {"name": card.judge, "proxy": card.is_proxy},
        "embedder": card.embedder,
        "context_tokens": card.context_tokens,
        "systems": {score.system: _score_shape(score) for score in card.scores},
        "hard": {score.system: _score_shape(score) for score in card.hard},
        "cases": [_case_shape(case) for case in card.cases],
        "taken": card.taken,
        "building": {step: usage_shape(usage) for step, usage in card.built.steps.items()},
        "paid": usage_shape(card.paid),
        "refused": [asdict(each) for each in card.refused],
        "notes": list(card.notes),
    }


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
    spent: dict[str, Usage] = {"answers": answers, "judging": judging}
    print_facts({name: _said(usage) for name, usage in spent.items()})
    unjudged = sum(score.unjudged for score in card.scores)
    if unjudged:
        print_text(f"not judged: {unjudged} cases, left out of the means of correctness")
    print_text(f"again:  {shlex.join(command)}")


def spent_now(card: Comparison) -> list[str]:
    """Return what this run paid and what it left out, for standard error: another run pays something else."""
    steps = [f"{step}: {_said(usage)}" for step, usage in card.built.steps.items() if usage.calls]
    lines = [f"in this run: {_said(card.paid)}; {card.taken} answers were given by an earlier one", *steps]
    lines += [f"refused: {each.source}: {each.reason}" for each in card.refused[:LISTED]]
    if len(card.refused) > LISTED:
        lines.append(f"refused: {len(card.refused) - LISTED} more; --json has all")
    return [*lines, *card.notes]


def plan_of_comparison_shape(plan: ComparisonPlan) -> dict[str, Any]:
    """Return the plan as plain values."""
    return {
        "questions": plan.questions,
        "texts": plan.texts,
        "graph": plan.graph,
        "model": plan.model,
        "judge": plan.judge,
        "load": plan_shape(plan.load) if plan.load else None,
        "building": {step: usage_shape(usage) for step, usage in plan.building.items()},
        "systems": {name: usage_shape(usage) for name, usage in plan.systems.items()},
        "judging": usage_shape(plan.judging),
        **usage_shape(plan.usage),
        "saved": plan.saved,
        "assumptions": list(plan.assumptions),
    }


def show_plan_of_comparison(plan: ComparisonPlan) -> None:
    """Print the plan."""
    facts: dict[str, object] = {
        "questions": f"{plan.questions}, texts {plan.texts}, graph {plan.graph}",
        "model": plan.model or "none",
        "judge": plan.judge,
    }
    if plan.load:
        facts["load"] = f"{plan.load.documents} texts, {plan.load.chunks} chunks, {_said(plan.load.usage)}"
    facts |= {step: _said(usage) for step, usage in plan.building.items()}
    facts |= {f"system {name}": _said(usage) for name, usage in plan.systems.items()}
    facts |= {"judging": _said(plan.judging), "answers, judging": _said(plan.usage)}
    if plan.saved:
        facts["saved"] = f"{plan.saved} answers were given by an earlier run"
    print_facts(facts)
    for each in plan.assumptions:
        print_text(f"estimated: {each}")


def _show_scores(scores: Sequence[SystemScore], title: str | None, *, is_proxy: bool) -> None:
    correct = "Correct (proxy)" if is_proxy else "Correct"
    heads = ["System", "Cases", correct, "95 %", "Similar", "EM", "F1", "Found", "Claims", "Context", "ms", "USD"]
    rows = [_row(score) for score in scores]
    if any(score.ragas_similarity is not None for score in scores):
        heads += ["ragas: correct", "similar"]
        theirs = [(_share(score.ragas_correctness), _share(score.ragas_similarity)) for score in scores]
        rows = [(*row, *more) for row, more in zip(rows, theirs, strict=True)]
    print_table(heads, rows, title)


def _row(score: SystemScore) -> tuple[object, ...]:
    edges = score.correctness_interval
    return (
        score.system,
        str(score.cases),
        _share(score.correctness),
        f"{100 * edges[0]:.1f}-{100 * edges[1]:.1f}" if edges else "",
        _share(score.similarity),
        _share(score.exact),
        _share(score.f1),
        _share(score.found),
        _share(score.claim_precision),
        f"{score.context_tokens:,.0f}",
        f"{score.ms:,.0f}",
        _usd(score.usage),
    )


def _share(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _usd(usage: Usage) -> str:
    if not usage.calls:
        return "0"
    return "?" if usage.usd is None else f"{usage.usd:.4f}"


def _said(usage: Usage) -> str:
    if not usage.calls:
        return "no calls"
    price = "price not known" if usage.usd is None else f"{usage.usd:.4f} USD"
    return f"{usage.calls} calls, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {price}"


def _score_shape(score: SystemScore) -> dict[str, Any]:
    return {
        "cases": score.cases,
        "unjudged": score.unjudged,
        "correctness": _rounded(score.correctness),
        "correctness_interval": _edges(score.correctness_interval),
        "similarity": _rounded(score.similarity),
        "similarity_interval": _edges(score.similarity_interval),
        "exact_match": _rounded(score.exact),
        "f1": _rounded(score.f1),
        "found": _rounded(score.found),
        "claim_precision": _rounded(score.claim_precision),
        "context_tokens": round(score.context_tokens, 1),
        "ms_p50": round(score.ms, 1),
        **usage_shape(score.usage),
        "judging": usage_shape(score.judging),
        **(
            {}
            if score.ragas_similarity is None
            else {
                "ragas": {
                    "correctness": _rounded(score.ragas_correctness),
                    "similarity": _rounded(score.ragas_similarity),
                }
            }
        ),
    }


def _case_shape(case: Case) -> Mapping[str, Any]:
    return {**case_row(case), "judging": usage_shape(case.judging), **usage_shape(case.given.usage)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _edges(edges: tuple[float, float] | None) -> list[float] | None:
    return None if edges is None else [round(edge, 4) for edge in edges]
