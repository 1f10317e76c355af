"""The JSON shapes that other programs rely on: records in, plain values out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from kg_neo4j.records import Usage

_EXTRACTED = "documents chunks rows *usage seconds:3 rejections mended steps skipped failed=failed_chunks notes"

# Record -> its JSON. A record that is not listed is given field by field. `name=path` gives a value another name, dots
# lead through records on the right and make objects on the left; `*path` puts the values of a record among the others;
# `:n` rounds to n digits.
SHAPES = {
    "Answer": "question mode routing answer found short path claims citations paths evidence *usage seconds:3 "
    "retrieval_seconds:3 model_seconds:3 notes query descents shares",
    "AnswerScore": "asked=questions exact_match=exact:4 exact_match_interval=exact_interval:4 f1:4 f1_interval:4 "
    "found:4 exact_match_of_found=exact_of_found:4 claim_precision:4 claim_precision_interval:4 citation_validity:4 "
    "seconds_p50=p50_s:3 seconds_p95=p95_s:3 *usage",
    "AnswersCard": "questions graph mode model *score types=score.types halves taken answers=given notes",
    "BuiltTree": "id document=title leaves leaf_kind=are_passages summaries details methods absent flagged written "
    "changes",
    "Cell": "*variant nodes relationships nodes_sd=spread.0 relationships_sd=spread.1 runs",
    "ChunkLengthStudy": "model variants=cells ratios tuning kept notes",
    "CommunityReport": "id level number size title summary rating rating_explanation findings method flags domain",
    "CommunityReportsPlan": "graph model communities current composed *usage assumptions",
    "CommunityReportsReport": "graph communities by_model composed flagged changes domain *usage seconds:3 unfinished "
    "notes",
    "Comparison": "questions format=form graph texts model judge.name=judge judge.proxy=is_proxy embedder "
    "context_tokens systems=scores hard cases taken building=built.steps paid refused notes",
    "ComparisonPlan": "questions texts graph model judge load building systems judging *usage saved estimated "
    "assumptions",
    "Duplicates": "matched surplus rate:4",
    "EvidenceCounts": "rows quoted found stated in_gold_sentence share:4",
    "ExtractReport": f"folder files {_EXTRACTED}",
    "Finding": "summary explanation references.Entities=entities references.Relationships=relationships",
    "LoadPlan": "graph model documents chunks chunks_to_ask *usage steps embedding concurrency seconds:3 assumptions "
    "skipped notes",
    "LoadReport": f"graph {_EXTRACTED} nodes relationships communities changes unfinished",
    "Mentioned": "name type key mentions=count",
    "NarrativeStudy": "questions graph model judge proxy=is_proxy embedder results building paid taken kept notes",
    "NarrativePlan": "questions ways graph is_exact building answers judging",
    "Proposal": "verdict left right rule score reason",
    "ResolveReport": "run proposals decisions skipped unknown nodes_before nodes=graph.nodes "
    "relationships=graph.relationships changes=graph.changes *graph.usage seconds=graph.seconds:3 notes=graph.notes",
    "RetrievalCard": "questions=asked passages corpus_file=corpus questions_file=questions graph embedder "
    "nodes=load.nodes relationships=load.relationships modes=scores best_flat differences:2 compared_at by_question "
    "notes",
    "RetrievalScore": "recall:4 interval:4 all_gold:4 mrr:4 ms_p50=p50_ms:2 ms_p95=p95_ms:2 types:4",
    "Score": "*shares:4 interval:4 *counts:4",
    "StoredDecision": "id=decision.id run=decision.run kind=decision.kind left.name=left left.key=decision.left_key "
    "right.name=right right.key=decision.right_key rule=decision.rule score=decision.score reason=decision.reason "
    "revoked=decision.revoked",
    "SystemScore": "cases unjudged correctness:4 correctness_interval:4 similarity:4 similarity_interval:4 "
    "exact_match=exact:4 f1:4 found:4 claim_precision:4 context_tokens:1 ms_p50=ms:1 *usage judging",
    "TreePlan": "graph name model aspect_model documents leaves summaries details steps=calls *usage assumptions",
    "TreeReport": "graph name trees leaves summaries details changes *usage seconds:3 unfinished notes",
    "Tuned": "entity_types=node_types relationship_types example=example_text method model sampled chunks *usage notes",
    "TunePlan": "model sampled chunks *usage",
    "VariantRun": "repeat chunks failed_chunks *shape *usage cached_answers=cached",
    "WayScore": "name=way.name ablation=way.ablation value=way.value correctness=score.correctness "
    "correctness_interval=score.correctness_interval similarity=score.similarity "
    "similarity_interval=score.similarity_interval evidence evidence_beneath=beneath found=score.found "
    "context_tokens=score.context_tokens types",
}


def plain(value: Any, digits: int | None = None) -> Any:
    """Return a record, or what holds records, as plain values; floats rounded to `digits`. Keys of pairs are nested."""
    if isinstance(value, Usage):  # nothing is paid where nothing is asked; null where a price is not known
        tokens = {"input": value.input_tokens, "output": value.output_tokens}
        return {"calls": value.calls, "tokens": tokens, "usd": value.usd if value.calls else 0.0}
    if is_dataclass(value) and not isinstance(value, type):
        return of_record(
            value, SHAPES.get(type(value).__name__) or " ".join(each.name for each in fields(value)), digits
        )
    if isinstance(value, Mapping):
        shape: dict[Any, Any] = {}
        for key, each in value.items():
            put(shape, [str(part) for part in key] if isinstance(key, tuple) else [key], plain(each, digits))
        return shape
    if isinstance(value, list | tuple):
        return [plain(each, digits) for each in value]
    if isinstance(value, float) and digits is not None:
        return round(value, digits)
    return str(value) if isinstance(value, Path) else value


def of_record(record: Any, terms: str, digits: int | None = None) -> dict[str, Any]:
    """Return what `terms` say of a record, in their order; see `SHAPES`."""
    shape: dict[str, Any] = {}
    for term in terms.split():
        name, _, path = term.partition("=")
        path, _, rounded = (path or name).partition(":")
        value: Any = record
        for part in path.lstrip("*").split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        value = plain(value, int(rounded) if rounded else digits)
        if path.startswith("*"):
            shape.update(value)
        else:
            put(shape, name.partition(":")[0].split("."), value)
    return shape


def put(shape: dict[Any, Any], keys: list[Any], value: Any) -> None:
    """Put `value` under nested keys; an object goes beside what is there already."""
    for key in keys[:-1]:
        shape = shape.setdefault(key, {})
    if isinstance(value, dict) and isinstance(shape.get(keys[-1]), dict):
        shape[keys[-1]].update(value)
    else:
        shape[keys[-1]] = value
