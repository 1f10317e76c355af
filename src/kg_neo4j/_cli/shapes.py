"""The JSON shapes that other programs rely on: records in, plain values out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kg_neo4j.records import Answer, ExtractReport, LoadPlan, LoadReport, Usage


def usage_shape(usage: Usage) -> dict[str, Any]:
    """Return {calls, tokens: {input, output}, usd}; usd is null where a price is not known."""
    return {
        "calls": usage.calls,
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens},
        "usd": usage.usd if usage.calls else 0.0,
    }


def load_shape(report: LoadReport) -> dict[str, Any]:
    """Return the shape of `kg load --json`."""
    return {
        "graph": report.graph,
        **_extraction_shape(report),
        "nodes": report.nodes,
        "relationships": report.relationships,
        "communities": report.communities,
        "changes": report.changes,
        "unfinished": list(report.unfinished),
    }


def _extraction_shape(report: LoadReport | ExtractReport) -> dict[str, Any]:
    """Return what loading and extracting have in common."""
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "rows": asdict(report.rows),
        **usage_shape(report.usage),
        "seconds": round(report.seconds, 3),
        "rejections": dict(report.rejections),
        "mended": report.mended,
        "steps": {step: usage_shape(usage) for step, usage in report.steps.items()},
        "skipped": [asdict(skipped) for skipped in report.skipped],
        "failed": list(report.failed_chunks),
        "notes": list(report.notes),
    }


def extract_shape(report: ExtractReport) -> dict[str, Any]:
    """Return the shape of `kg extract --json`."""
    return {
        "folder": report.folder,
        "files": report.files,
        **_extraction_shape(report),
    }


def plan_shape(plan: LoadPlan) -> dict[str, Any]:
    """Return the shape of `kg load --dry-run --json`."""
    return {
        "graph": plan.graph,
        "model": plan.model,
        "documents": plan.documents,
        "chunks": plan.chunks,
        "chunks_to_ask": plan.chunks_to_ask,
        **usage_shape(plan.usage),
        "steps": {step: usage_shape(usage) for step, usage in plan.steps.items()},
        "embedding": usage_shape(plan.embedding),
        "concurrency": plan.concurrency,
        "seconds": round(plan.seconds, 3),
        "assumptions": list(plan.assumptions),
        "skipped": [asdict(skipped) for skipped in plan.skipped],
        "notes": list(plan.notes),
    }


def answer_shape(answer: Answer) -> dict[str, Any]:
    """Return the shape of `kg ask --json`."""
    return {
        "question": answer.question,
        "mode": answer.mode,
        "routing": asdict(answer.routing) if answer.routing else None,
        "answer": answer.answer,
        "found": answer.found,
        "short": answer.short,
        "path": [asdict(step) for step in answer.path],
        "claims": [{**asdict(claim), "citations": list(claim.citations)} for claim in answer.claims],
        "citations": [asdict(citation) for citation in answer.citations],
        "paths": [asdict(path) for path in answer.paths],
        "evidence": [asdict(evidence) for evidence in answer.evidence],
        **usage_shape(answer.usage),
        "seconds": round(answer.seconds, 3),
        "retrieval_seconds": round(answer.retrieval_seconds, 3),
        "model_seconds": round(answer.model_seconds, 3),
        "notes": list(answer.notes),
        "query": asdict(answer.query) if answer.query else None,
        "descents": [[asdict(step) for step in steps] for steps in answer.descents],
        "shares": [asdict(share) for share in answer.shares],
    }
