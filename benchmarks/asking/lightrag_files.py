"""LightRAG: its default stores (files, networkx), chunks, prompts, one gleaning, and its default mode "mix"."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc

from asking.frame import (
    AT_ONCE,
    DIMENSION,
    EMBEDDING_MODEL,
    MODEL,
    PATIENCE_S,
    Job,
    Row,
    Said,
    cpu_seconds,
    in_words,
    names,
    serve,
)

BETWEEN = "<SEP>"  # of its lists


def run(job: Job, said: Said) -> None:
    """Load and ask."""
    asyncio.run(_run(job, said))


async def _run(job: Job, said: Said) -> None:
    server = {"base_url": job.base_url, "api_key": "none"}

    async def complete(
        prompt: str, system_prompt: str | None = None, history_messages: list[object] | None = None, **options: object
    ) -> str:
        options.pop("timeout", None)
        before = history_messages or []
        asked = partial(openai_complete_if_cache, MODEL, prompt, system_prompt=system_prompt, history_messages=before)
        return str(await asked(timeout=PATIENCE_S, **server, **options))

    embed = partial(openai_embed.func, model=EMBEDDING_MODEL, **server)
    rag = LightRAG(
        working_dir=job.folder,
        llm_model_func=complete,
        llm_model_name=MODEL,
        default_llm_timeout=round(PATIENCE_S),
        llm_model_max_async=AT_ONCE,
        max_parallel_insert=AT_ONCE,
        embedding_func=EmbeddingFunc(embedding_dim=DIMENSION, max_token_size=8_192, func=embed),
    )
    await rag.initialize_storages()
    texts = [Path(path).read_text(encoding="utf-8") for _, path in job.documents]
    await rag.ainsert(texts, file_paths=[f"{name}.md" for name, _ in job.documents])
    said.loaded_cpu = cpu_seconds()
    graph = await rag.chunk_entity_relation_graph._get_graph()
    chunks = await rag.text_chunks.get_by_ids(sorted(_chunks_of(graph)))
    lengths = {each["_id"]: len(each["content"]) for each in chunks if each}
    for name, values in graph.nodes(data=True):
        said.rows.append(_row(job, lengths, values, in_words(name, values["entity_type"], _said(values))))
    for source, target, values in graph.edges(data=True):
        words = in_words(source, values["keywords"], target, _said(values))
        said.rows.append(_row(job, lengths, values, words, is_relationship=True))
    asked = (rag.aquery(question, QueryParam()) for question in job.questions)
    said.answers += map(str, await asyncio.gather(*asked))
    await rag.finalize_storages()


def _chunks_of(graph: object) -> set[str]:
    elements = [*graph.nodes(data=True), *graph.edges(data=True)]  # type: ignore[attr-defined]
    return {key for each in elements for key in each[-1]["source_id"].split(BETWEEN)}


def _said(values: dict[str, str]) -> str:
    return values["description"].replace(BETWEEN, " ")


def _row(
    job: Job, lengths: dict[str, int], values: dict[str, str], words: str, *, is_relationship: bool = False
) -> Row:
    evidence = min((lengths.get(key, 0) for key in values["source_id"].split(BETWEEN)), default=0)
    documents = names(values["file_path"].split(BETWEEN), job.documents)
    return Row(documents, words, is_relationship=is_relationship, evidence=evidence)


if __name__ == "__main__":
    serve(run)
