"""LightRAG: its default stores (files, networkx), chunks, prompts, one gleaning, and its default mode "mix"."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc

from asking import frame
from asking.frame import Job, Said

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
        asked = partial(openai_complete_if_cache, frame.MODEL, prompt, system_prompt=system_prompt)
        return str(await asked(history_messages=history_messages or [], timeout=frame.PATIENCE_S, **server, **options))

    embed = partial(openai_embed.func, model=frame.EMBEDDING_MODEL, **server)
    rag = LightRAG(
        working_dir=job.folder,
        llm_model_func=complete,
        llm_model_name=frame.MODEL,
        default_llm_timeout=round(frame.PATIENCE_S),
        llm_model_max_async=frame.AT_ONCE,
        max_parallel_insert=frame.AT_ONCE,
        embedding_func=EmbeddingFunc(embedding_dim=frame.DIMENSION, max_token_size=8_192, func=embed),
    )
    await rag.initialize_storages()
    texts = [Path(path).read_text(encoding="utf-8") for _, path in job.documents]
    await rag.ainsert(texts, file_paths=[f"{name}.md" for name, _ in job.documents])
    said.loaded_cpu = frame.cpu_seconds()
    graph = await rag.chunk_entity_relation_graph._get_graph()
    nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
    ids = {key for *_, values in (*nodes, *edges) for key in values["source_id"].split(BETWEEN)}
    chunks = await rag.text_chunks.get_by_ids(sorted(ids))
    lengths = {each["_id"]: len(each["content"]) for each in chunks if each}

    def add(values: dict[str, str], *words: str, kind: str | None = None) -> None:
        evidence = min((lengths.get(key, 0) for key in values["source_id"].split(BETWEEN)), default=0)
        description = values["description"].replace(BETWEEN, " ")
        said.add((*words, description), values["file_path"].split(BETWEEN), evidence, kind)

    for name, values in nodes:
        add(values, name, values["entity_type"])
    for source, target, values in edges:
        add(values, source, values["keywords"], target, kind="")
    asked = (rag.aquery(question, QueryParam()) for question in job.questions)
    said.answers += map(str, await asyncio.gather(*asked))
    await rag.finalize_storages()


if __name__ == "__main__":
    frame.serve(run)
