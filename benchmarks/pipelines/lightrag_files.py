"""LightRAG: its default stores (files, networkx), split at the passages; no database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lightrag import LightRAG
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc
from passages import BREAK

from pipelines.frame import Job, serve


def prepare(job: Job) -> Callable[[], dict[str, object]]:
    """Return the insertion."""
    server = {"base_url": job.base_url, "api_key": "none"}

    async def complete(
        prompt: str, system_prompt: str | None = None, history_messages: list[object] | None = None, **options: object
    ) -> str:
        said = await openai_complete_if_cache(
            "scripted",
            prompt,
            system_prompt=system_prompt,
            history_messages=history_messages or [],
            **server,
            **options,
        )
        return str(said)

    embed = partial(openai_embed.func, model="scripted-embedding", **server)
    rag = LightRAG(
        working_dir=job.folder,
        llm_model_func=complete,
        llm_model_name="scripted",
        llm_model_max_async=job.at_once,
        embedding_func_max_async=job.at_once,
        entity_extract_max_gleaning=job.gleanings,
        chunk_token_size=2_000,
        embedding_func=EmbeddingFunc(embedding_dim=job.dimension, max_token_size=8_192, func=embed),
    )
    text = Path(job.file).read_text(encoding="utf-8")

    async def insert() -> dict[str, object]:
        await rag.initialize_storages()
        await rag.ainsert(text, split_by_character=BREAK, split_by_character_only=True)
        graph = await rag.chunk_entity_relation_graph._get_graph()
        chunks = await rag.chunks_vdb.client_storage
        found = {"chunks": len(chunks["data"]), "nodes": len(graph.nodes), "relationships": len(graph.edges)}
        await rag.finalize_storages()
        return found

    return lambda: asyncio.run(insert())


if __name__ == "__main__":
    serve(prepare)
