"""How the scorecards of extraction, retrieval and answers are shown: as tables for a person, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j import data_files
from kg_neo4j._cli.shapes import of_record, plain, put
from kg_neo4j._cli.terminal import print_estimates, print_facts, print_table, print_text, spent
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import Usage

if TYPE_CHECKING:
    from kg_neo4j_lab.answers.comparison import Comparison
    from kg_neo4j_lab.answers.plan import ComparisonPlan
    from kg_neo4j_lab.answers.scorecard import AnswersCard
    from kg_neo4j_lab.answers.scores import AnswerScore, SystemScore
    from kg_neo4j_lab.extraction.scorecard import Scorecard
    from kg_neo4j_lab.extraction.scores import Counts, Score, Shares
    from kg_neo4j_lab.retrieval.scorecard import RetrievalCard
    from kg_neo4j_lab.retrieval.scores import RecallDifference, RetrievalScore

RELATION_TYPES = 12  # in the table; the JSON has all
LISTED = 5  # refused texts and questions that are shown one by one
PROXY = "proxy: statements are compared by their words, no model judged them"
NO_MODEL = "none: sentences of the sources and paths of the graph"
_DATA = data_files.beside(__file__)
MEASURES, BY_NAME = _DATA.table("measures"), _DATA.table("by_name")


def _percent(share: float | None) -> str:
    """Return a share of 0 to 1 in percent; nothing for None."""
    return "" if share is None else f"{100 * share:.1f}"


def _percents(edges: tuple[float, float] | None) -> str:
    """Return an interval in percent."""
    return "-".join(map(_percent, edges or ()))


def extraction_shape(card: Scorecard) -> dict[str, Any]:
    """Return the shape of `kg eval extraction --json`."""
    shape = of_record(card, "gold gold_sha256=sha256 split extractor config_hash gives_mentions documents words")
    for name, score in card.scores.items():
        put(shape, name.split("."), _score_shape(score, card.relation_names if name.startswith("relations.") else {}))
    for measure, (threshold, score) in card.judged.best_threshold.items():
        found = {"threshold": threshold, **_score_shape(score, card.relation_names)}
        put(shape, ["relations", "gold_entities", measure, "at_best_threshold"], found)
    return shape | of_record(
        card,
        "basis=judged.basis duplicates=judged.duplicates rows rejections evidence=judged.evidence "
        "unscored.relationships=unscored unscored.nodes=judged.left_out without_place=judged.without_place "
        "right_facts=judged.right_facts *usage usd_per_right_fact seconds:3 words_per_s:1 failed notes",
    )


def _score_shape(score: Score, names: Mapping[str, str]) -> dict[str, Any]:
    shape: dict[str, Any] = plain(score)
    if set(score.types) <= {""}:
        return shape
    shape["macro"] = of_record(score, "*macro:4 interval=macro_interval:4")
    shape["types"] = {
        kind: {**({"name": names[kind]} if kind in names else {}), **plain(shares, 4), **plain(counts, 4)}
        for kind, (shares, counts) in score.types.items()
    }
    return shape


def show_extraction(card: Scorecard) -> None:
    """Print the scorecard of extraction."""
    extractor = f"{card.extractor} ({card.config_hash[:8]})"
    print_facts(
        {
            "measured": f"{extractor} on {card.gold}, split {card.split}: {card.documents} passages",
            "mentions": card.judged.basis["mentions"],
            "gold entities": card.judged.basis["gold_entities"],
        }
    )
    rows = [_measure_row(title, card.scores[name]) for name, title in MEASURES.items() if name in card.scores]
    for measure, (threshold, score) in card.judged.best_threshold.items():
        rows.append(_measure_row(f"  {measure.removeprefix('within_')}, from probability {threshold:.2f}", score))
    heads = ["Measure", "P", "R", "F1", "F1, 95 %", "Macro"]
    print_table(heads, rows)
    if card.gives_mentions:
        named = [_measure_row(title, card.scores[name]) for name, title in BY_NAME.items()]
        print_table(heads, named, "By the names of node rows alone: compare extractors by these")
    _show_types("Mentions by type, place and type", card.scores["mentions.strict"], {}, None)
    relations = card.scores["relations.end_to_end.document"]
    _show_types("Relations by type, end to end, document", relations, card.relation_names, RELATION_TYPES)
    print_facts(_extraction_facts(card))


def _extraction_facts(card: Scorecard) -> dict[str, object]:
    judged, usage = card.judged, card.usage
    evidence, again = judged.evidence, judged.duplicates
    unscored = ", ".join(f"{name} {rows}" for name, rows in list(card.unscored.items())[:6]) or "all types known"
    price = "price not known" if card.usd_per_right_fact is None else f"{card.usd_per_right_fact:.5f} USD each"
    return {
        "rows": f"{card.rows.read} read, {card.rows.accepted} accepted, {card.rows.rejected} rejected",
        "evidence": f"{evidence.found} of {evidence.rows} rows have words that are in the text",
        "evidence right": f"{evidence.in_gold_sentence} of {evidence.stated} right relations quote a gold sentence",
        "duplicates": f"{again.surplus} of {again.matched} matched entities ({again.rate:.1%})",
        "without a place": f"{judged.without_place} entities whose name the text does not have",
        "not scored": f"{sum(card.unscored.values())} relations ({unscored}), {judged.left_out} node rows",
        "calls": f"{usage.calls}, {usage.input_tokens} + {usage.output_tokens} tokens",
        "right facts": f"{judged.right_facts}, {price}" if judged.right_facts else "none",
        "speed": f"{card.words} words in {card.seconds:.1f} s, {card.words_per_s:,.0f} words/s",
    }


def _measure_row(title: str, score: Score) -> tuple[str, ...]:
    edges = "-".join(f"{edge:.3f}".removeprefix("0")[:4] for edge in score.interval.f1)
    return title, *_three(score.shares), edges, f"{score.macro.f1:.3f}" if set(score.types) - {""} else ""


def _show_types(title: str, score: Score, names: Mapping[str, str], most: int | None) -> None:
    listed = list(score.types.items())[:most]
    rows = [(names.get(kind, kind), *_three(shares), *_whole(counts)) for kind, (shares, counts) in listed]
    rows.append(("all", *_three(score.shares), *_whole(score.counts)))
    print_table(["Type", "P", "R", "F1", "Right", "Found", "Gold"], rows, title)
    if left := len(score.types) - len(listed):
        print_text(f"and {left} types more; --json has all")


def _three(shares: Shares) -> tuple[str, str, str]:
    return f"{shares.precision:.3f}", f"{shares.recall:.3f}", f"{shares.f1:.3f}"


def _whole(counts: Counts) -> tuple[int, int, int]:
    return round(counts.right), round(counts.found), round(counts.gold)


def read_saved(path: str) -> Mapping[str, Mapping[str, float]]:
    """Return the recall of every question, way by way, from a file that `kg eval retrieval --json` wrote."""
    if not Path(path).is_file():
        raise SourceNotFound(f"no file {path!r}")
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))["by_question"]
        return {str(way): {str(key): float(value) for key, value in values.items()} for way, values in saved.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableSource(f"{path}: not what `kg eval retrieval --json` writes") from error


def against(card: RetrievalCard, saved: Mapping[str, Mapping[str, float]]) -> dict[str, RecallDifference]:
    """Return, for every way that both runs have, how much more recall this one has on the same questions."""
    from kg_neo4j_lab.retrieval.scores import compare

    found = {}
    for way, values in card.by_question.items():
        if way in saved:
            if set(saved[way]) != set(values):
                raise UsageError("the runs asked other questions, so they cannot be compared")
            found[way] = compare(list(values.values()), [saved[way][key] for key in values])
    return found


def show_retrieval(card: RetrievalCard, differences: Mapping[str, RecallDifference]) -> None:
    """Print the scorecard of retrieval; `differences` are those to a saved run."""
    from kg_neo4j_lab.retrieval.scorecard import COMPARED, FLAT, WHOLE

    print_facts(
        {
            "measured": f"{card.asked} questions of {card.questions} over {card.passages} passages of {card.corpus}",
            "graph": f"{card.graph}: {card.load.nodes} entities, {card.load.relationships} relationships; it stays",
            "vectors": card.embedder,
        }
    )
    depths = list(next(iter(card.scores.values())).recall)
    at = COMPARED if COMPARED in depths else depths[-1]
    whole = WHOLE if WHOLE in depths else depths[-1]
    heads = [*(f"R@{depth}" for depth in depths), f"R@{at}, 95 %", f"All@{whole}", "95 %", "MRR", "p50 ms", "p95 ms"]
    print_table(["", *heads], [_way_row(way, score, at, whole) for way, score in card.scores.items()])
    for mode, each in card.differences.items():
        print_text(f"{mode}: {_points(each)} points of recall@{COMPARED} beyond {card.best_flat}")
    for way, each in differences.items():
        print_text(f"{way}: {_points(each)} points against the saved run")
    if kinds := sorted({kind for score in card.scores.values() for kind in score.types}):
        ways = [way for way in card.scores if way not in FLAT or way == card.best_flat]
        by_type = [(kind, *(_percent(card.scores[way].types[kind][at]) for way in ways)) for kind in kinds]
        print_table(["Type of question", *ways], by_type, f"Recall@{at} by type")


def _way_row(way: str, score: RetrievalScore, at: int, whole: int) -> tuple[str, ...]:
    times = (f"{score.p50_ms:.1f}", f"{score.p95_ms:.1f}")
    found = (_percents(score.interval[at]), _percent(score.all_gold[whole]), _percents(score.all_gold_interval[whole]))
    return way, *map(_percent, score.recall.values()), *found, f"{score.mrr:.3f}", *times


def _points(difference: RecallDifference) -> str:
    return f"{difference.points:+.1f} ({difference.low:+.1f} to {difference.high:+.1f})"


def show_answers(card: AnswersCard) -> None:
    """Print the scorecard of one mode."""
    facts: dict[str, object] = {
        "measured": f"{card.score.questions} questions of {card.questions}",
        "graph": f"{card.graph}, mode {card.mode}",
        "model": card.model or NO_MODEL,
    }
    if card.taken:
        facts["saved"] = f"{card.taken} answers were given by an earlier run"
    print_facts(facts)
    heads = ["", "Questions", "Exact match", "95 %", "F1", "95 %", "Found", "Exact of found", "Claims supported"]
    halves = [(f"half {number}", half) for number, half in enumerate(card.halves) if half]
    scores = [("all", card.score), *card.score.types.items(), *halves]
    print_table([*heads, "Citations valid"], [_answer_row(name, score) for name, score in scores])
    took = f"seconds an answer: p50 {card.score.p50_s:.2f}, p95 {card.score.p95_s:.2f}"
    print_text(f"{took}; {spent(card.score.usage)}" if card.score.usage.calls else took)


def _answer_row(name: str, score: AnswerScore) -> tuple[str, ...]:
    right = (_percent(score.exact), _percents(score.exact_interval), _percent(score.f1), _percents(score.f1_interval))
    shares = (score.found, score.exact_of_found, score.claim_precision, score.citation_validity)
    return name, str(score.questions), *right, *map(_percent, shares)


def comparison_shape(card: Comparison) -> dict[str, Any]:
    """Return the comparison as plain values. Shares are 0 to 1, intervals of 95 %."""
    from kg_neo4j_lab.answers.scores import case_row

    cases = [{**case_row(case), "judging": plain(case.judging), **plain(case.given.usage)} for case in card.cases]
    scores = {
        name: {score.system: _system_shape(score) for score in scores}
        for name, scores in (("systems", card.scores), ("hard", card.hard))
    }
    types = {kind: {score.system: _system_shape(score) for score in each} for kind, each in card.types.items()}
    return {**plain(card), **scores, "types": types, "cases": cases}


def _system_shape(score: SystemScore) -> dict[str, Any]:
    shape: dict[str, Any] = plain(score)
    if score.ragas_similarity is None:
        return shape
    return shape | {"ragas": of_record(score, "correctness=ragas_correctness:4 similarity=ragas_similarity:4")}


def show_comparison(card: Comparison) -> None:
    """Print the tables of a comparison of systems."""
    questions = len({case.question.id for case in card.cases})
    texts = f" about {card.texts} texts" if card.texts else ""
    print_facts(
        {
            "measured": f"{questions} questions{texts} of {card.questions} ({card.form})",
            "graph": card.graph,
            "model": card.model or NO_MODEL,
            "judge": PROXY if card.is_proxy else card.judge,
            "similarity": f"cosine of {card.embedder}",
            "context": f"{card.context_tokens:,} tokens of evidence at most, for every system",
        }
    )
    _show_systems(card.scores, "All questions" if card.hard else None, is_proxy=card.is_proxy)
    if card.hard:
        _show_systems(card.hard, "Hard questions alone", is_proxy=card.is_proxy)
    for kind, scores in card.types.items():
        _show_systems(scores, kind, is_proxy=card.is_proxy)
    for each in card.differences:
        low, high = each.interval
        verdict = "" if each.is_decided else ", undecided"
        gained = f"{each.points:+.1f} ({low:+.1f} to {high:+.1f}){verdict}"
        print_text(f"{each.system} against {each.other}, {each.measure}: {gained}")
    answers = sum((score.usage for score in card.scores), Usage())
    judging = sum((score.judging for score in card.scores), Usage())
    print_facts({"answers": spent(answers), "judging": spent(judging)})
    if unjudged := sum(score.unjudged for score in card.scores):
        print_text(f"not judged: {unjudged} cases, left out of the means of correctness")


def _show_systems(scores: Sequence[SystemScore], title: str | None, *, is_proxy: bool) -> None:
    correct = "Correct (proxy)" if is_proxy else "Correct"
    heads = [
        "System",
        "Cases",
        correct,
        "95 %",
        "Similar",
        "EM",
        "F1",
        "ROUGE-L",
        "Found",
        "Claims",
        "Context",
        "ms",
        "USD",
    ]
    rows = [_system_row(score) for score in scores]
    if any(score.ragas_similarity is not None for score in scores):
        heads += ["ragas: correct", "similar"]
        theirs = [(_percent(score.ragas_correctness), _percent(score.ragas_similarity)) for score in scores]
        rows = [(*row, *more) for row, more in zip(rows, theirs, strict=True)]
    if any(score.accuracy is not None for score in scores):
        heads += ["Option right", "95 %"]
        chosen = [(_percent(score.accuracy), _percents(score.accuracy_interval)) for score in scores]
        rows = [(*row, *more) for row, more in zip(rows, chosen, strict=True)]
    print_table(heads, rows, title)


def _system_row(score: SystemScore) -> tuple[str, ...]:
    correct = (_percent(score.correctness), _percents(score.correctness_interval))
    shares = map(_percent, (score.similarity, score.exact, score.f1, score.rouge_l, score.found, score.claim_precision))
    usage = score.usage
    usd = "0" if not usage.calls else "?" if usage.usd is None else f"{usage.usd:.4f}"
    return score.system, str(score.cases), *correct, *shares, f"{score.context_tokens:,.0f}", f"{score.ms:,.0f}", usd


def spent_now(card: Comparison) -> list[str]:
    """Return what this run paid and what it left out, for standard error: another run pays something else."""
    steps = [f"{step}: {spent(usage)}" for step, usage in card.built.steps.items() if usage.calls]
    lines = [f"in this run: {spent(card.paid)}; {card.taken} answers were given by an earlier one", *steps]
    lines += [f"refused: {each.source}: {each.reason}" for each in card.refused[:LISTED]]
    if len(card.refused) > LISTED:
        lines.append(f"refused: {len(card.refused) - LISTED} more; --json has all")
    return [*lines, *card.notes]


def show_plan_of_comparison(plan: ComparisonPlan) -> None:
    """Print what a comparison would ask."""
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
