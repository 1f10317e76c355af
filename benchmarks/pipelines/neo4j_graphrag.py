"""neo4j-graphrag: SimpleKGPipeline with its default writer and resolver, no schema, one passage a chunk.

Five calls are in flight by default and the pipeline offers no option for it: `at_once` puts another number into its
extractor and its embedder.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import neo4j
from neo4j_graphrag.components.text_splitters.base import TextSplitter
from neo4j_graphrag.components.types import TextChunk
from neo4j_graphrag.embeddings import OpenAIEmbeddings
from neo4j_graphrag.experimental.pipeline.config.template_pipeline import simple_kg_builder
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.llm import OpenAILLM
from passages import BREAK

from pipelines.frame import Job, serve


class Passages(TextSplitter):
    """One chunk a passage."""

    def iter_chunks(self, text: str) -> Iterator[TextChunk]:
        for index, passage in enumerate(text.split(BREAK)):
            yield TextChunk(text=passage, index=index)


def prepare(job: Job) -> Callable[[], dict[str, object]]:
    """Return the run of the pipeline."""
    for name in ("LLMEntityRelationExtractor", "TextChunkEmbedder"):
        component = getattr(simple_kg_builder, name)
        setattr(simple_kg_builder, name, functools.partial(component, max_concurrency=job.at_once))
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    server = {"base_url": job.base_url, "api_key": "none"}
    pipeline = SimpleKGPipeline(
        llm=OpenAILLM("scripted", model_params={"temperature": 0}, **server),
        driver=driver,
        embedder=OpenAIEmbeddings("scripted-embedding", **server),
        schema="FREE",
        from_file=False,
        text_splitter=Passages(),
        on_error="RAISE",
    )
    text = Path(job.file).read_text(encoding="utf-8")

    def run() -> dict[str, object]:
        asyncio.run(pipeline.run_async(text=text))
        found = {}
        queries = {
            "chunks": "MATCH (n:Chunk) RETURN count(n)",
            "nodes": "MATCH (n:__Entity__) RETURN count(n)",
            "relationships": "MATCH (:__Entity__)-[r]->(:__Entity__) RETURN count(r)",
        }
        with driver.session() as session:
            for name, query in queries.items():
                found[name] = session.run(query).single(strict=True)[0]
        return found

    return run


if __name__ == "__main__":
    serve(prepare)
