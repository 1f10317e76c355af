"""nano-graphrag: its default stores (files, networkx), one passage a chunk, Leiden and a report for each community.

The reports are part of every insertion; they cost it further calls, which are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from nano_graphrag import GraphRAG
from nano_graphrag._utils import wrap_embedding_func_with_attrs
from openai import AsyncOpenAI
from passages import BREAK

from pipelines.frame import Job, serve


def prepare(job: Job) -> Callable[[], dict[str, object]]:
    """Return the insertion."""
    client = AsyncOpenAI(base_url=job.base_url, api_key="none")

    async def complete(
        prompt: str, system_prompt: str | None = None, history_messages: list[object] | None = None, **options: object
    ) -> str:
        options.pop("hashing_kv", None)
        messages = [{"role": "system", "content": system_prompt}] if system_prompt else []
        messages += [*(history_messages or []), {"role": "user", "content": prompt}]
        answer = await client.chat.completions.create(model="scripted", messages=messages, **options)
        return str(answer.choices[0].message.content)

    @wrap_embedding_func_with_attrs(embedding_dim=job.dimension, max_token_size=8_192)
    async def embed(texts: list[str]) -> np.ndarray:
        answer = await client.embeddings.create(model="scripted-embedding", input=texts, encoding_format="float")
        return np.array([each.embedding for each in answer.data])

    def passages(
        tokens: list[list[int]], doc_keys: list[str], tiktoken_model: Any, **_: int
    ) -> list[dict[str, object]]:
        return [
            {
                "tokens": len(tiktoken_model.encode(part)),
                "content": part,
                "chunk_order_index": place,
                "full_doc_id": key,
            }
            for each, key in zip(tokens, doc_keys, strict=True)
            for place, part in enumerate(tiktoken_model.decode(each).split(BREAK))
        ]

    rag = GraphRAG(
        working_dir=job.folder,
        chunk_func=passages,
        entity_extract_max_gleaning=job.gleanings,
        best_model_func=complete,
        cheap_model_func=complete,
        best_model_max_async=job.at_once,
        cheap_model_max_async=job.at_once,
        embedding_func=embed,
        embedding_func_max_async=job.at_once,
        enable_llm_cache=False,
    )
    text = Path(job.file).read_text(encoding="utf-8")

    def run() -> dict[str, object]:
        rag.insert(text)
        graph = rag.chunk_entity_relation_graph._graph
        return {"chunks": len(rag.text_chunks._data), "nodes": len(graph.nodes), "relationships": len(graph.edges)}

    return run


if __name__ == "__main__":
    serve(prepare)
