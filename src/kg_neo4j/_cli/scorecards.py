"""How a scorecard is shown: the JSON shape, and the tables for a person."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kg_neo4j import data_files
from kg_neo4j._cli.shapes import of_record, plain, put
from kg_neo4j._cli.terminal import print_facts, print_table, print_text

if TYPE_CHECKING:
    from kg_neo4j.eval.extraction.scorecard import Scorecard
    from kg_neo4j.eval.extraction.scores import Counts, Score, Shares

RELATION_TYPES = 12  # in the table; the JSON has all
_DATA = data_files.beside(__file__)
MEASURES, BY_NAME = _DATA.table("measures"), _DATA.table("by_name")


def scorecard_shape(card: Scorecard) -> dict[str, Any]:
    """Return the shape of `kg eval extraction --json`."""
    shape = of_record(card, "gold gold_sha256=sha256 split extractor config_hash gives_mentions documents words")
    for name, score in card.scores.items():
        put(shape, name.split("."), _score_shape(score, card.relation_names if name.startswith("relations.") else {}))
    for measure, (threshold, score) in card.judged.best_threshold.items():
        found = {"threshold": threshold, **_score_shape(score, card.relation_names)}
        put(shape, ["relations", "gold_entities", measure, "at_best_threshold"], found)
    return shape | of_record(
        card,
        "basis=judged.basis duplicates=judged.duplicates rows rejections evidence unscored.relationships=unscored "
        "unscored.nodes=judged.left_out without_place=judged.without_place right_facts=judged.right_facts *usage "
        "usd_per_right_fact seconds:3 words_per_s:1 failed notes",
    )


def show_scorecard(card: Scorecard, command: Sequence[str]) -> None:
    """Print the scorecard; `command` is what repeats it."""
    extractor = f"{card.extractor} ({card.config_hash[:8]})"
    print_facts(
        {
            "measured": f"{extractor} on {card.gold}, split {card.split}: {card.documents} passages",
            "mentions": card.judged.basis["mentions"],
            "gold entities": card.judged.basis["gold_entities"],
        }
    )
    rows = [_row(title, card.scores[name]) for name, title in MEASURES.items() if name in card.scores]
    for measure, (threshold, score) in card.judged.best_threshold.items():
        rows.append(_row(f"  {measure.removeprefix('within_')}, from probability {threshold:.2f}", score))
    print_table(["Measure", "P", "R", "F1", "F1, 95 %", "Macro"], rows)
    if card.gives_mentions:
        named = [_row(title, card.scores[name]) for name, title in BY_NAME.items()]
        title = "By the names of node rows alone: compare extractors by these"
        print_table(["Measure", "P", "R", "F1", "F1, 95 %", "Macro"], named, title)
    _show_types("Mentions by type, place and type", card.scores["mentions.strict"], {}, None)
    relations = card.scores["relations.end_to_end.document"]
    _show_types("Relations by type, end to end, document", relations, card.relation_names, RELATION_TYPES)
    print_facts(_facts(card))
    print_text(f"again:  {shlex.join(command)}")


def _facts(card: Scorecard) -> dict[str, object]:
    evidence, usage, judged = card.evidence, card.usage, card.judged
    again = judged.duplicates
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


def _row(title: str, score: Score) -> tuple[str, ...]:
    macro = f"{score.macro.f1:.3f}" if set(score.types) - {""} else ""
    return (
        title,
        *_three(score.shares),
        "-".join(f"{edge:.3f}".removeprefix("0")[:4] for edge in score.interval.f1),
        macro,
    )


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
