"""kg-neo4j: `kg load` as a library call, from an empty database to the finished graph.

Includes everything that a load does: constraints and indexes, evidence, vectors of chunks, entities and facts,
summaries, communities and centralities. The cache of answers is off.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path

from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j._models import tokens
from kg_neo4j.progress import Silent
from pipelines.frame import Job, cpu_seconds, serve

IMPORTED = (
    *("graphdatascience", "neo4j", "numpy", "openai", "openai.resources.chat", "openai.resources.embeddings"),
    *("pandas", "tenacity"),
)


class Stages(Silent):
    """Notes when each stage was over: seconds and CPU seconds since the beginning."""

    def __init__(self) -> None:
        self._clock, self._cpu = time.perf_counter(), cpu_seconds()
        self.over: dict[str, tuple[float, float]] = {}

    def start(self, stage: str, total: int | None = None) -> None:
        """Note what came before the first stage."""
        self.over or self._note("connect")

    def finish(self, stage: str) -> None:
        """Note the stage."""
        self._note(stage)

    def _note(self, stage: str) -> None:
        self.over[stage] = (time.perf_counter() - self._clock, cpu_seconds() - self._cpu)


def prepare(job: Job) -> Callable[[], dict[str, object]]:
    """Import what a load imports, and return the load."""
    for name in IMPORTED:
        importlib.import_module(name)
    tokens.load()
    values = {
        "neo4j_uri": job.uri,
        "neo4j_username": job.username,
        "neo4j_password": job.password,
        "graph": "bench",
        "home": Path(job.folder) / "home",
        "openai_base_url": job.base_url,
        "openai_api_key": "none",
        "model": "scripted",
        "model_window": 32_000,
        "embedding_model": "scripted-embedding",
        "model_concurrency": job.at_once,
        "answer_cache": False,
    }
    settings = Settings(**values)
    options = LoadOptions(chunk_tokens=1000, gleanings=job.gleanings)  # one passage a chunk

    def run() -> dict[str, object]:
        stages = Stages()
        report = load([job.file], settings=settings, options=options, progress=stages)
        if report.failed_chunks or report.rows.rejected:
            raise SystemExit(f"failed: {report.failed_chunks[:3]} {report.rejections}")
        counts = {"chunks": report.chunks, "nodes": report.nodes, "relationships": report.relationships}
        return {**counts, "stages": stages.over}

    return run


if __name__ == "__main__":
    serve(prepare)
