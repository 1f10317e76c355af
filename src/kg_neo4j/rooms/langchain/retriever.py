"""A retriever of LangChain: the passages of a graph that fit a question, as its Documents."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.knowledge_graph import KnowledgeGraph

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise ImportError("kg_neo4j.langchain needs langchain-core: pip install 'kg-neo4j[langchain]'") from error


class KnowledgeGraphRetriever(BaseRetriever):
    """Return at most `k` passages of a `KnowledgeGraph` for a question, the best first. No chat model is called.

    The metadata of each: source (what was loaded: a path or an address), title, chunk_id, page (of a PDF, else
    None), score, and start, where its text begins in that of the document. `ainvoke` searches in a thread.
    """

    graph: KnowledgeGraph
    k: int = 4

    def __init__(self, graph: KnowledgeGraph | None = None, **others: Any) -> None:
        super().__init__(**{"graph": others.pop("kg", graph), **others})

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        hits = [each for each in self.graph.search(query, limit=self.k) if each.kind == "passage"]
        given = {"ids": [each.id for each in hits], "graph": self.graph.name}
        rows = {row["id"]: row for row in self.graph._open().read(queries.get("langchain/places"), **given)}
        found = []
        for hit in hits:
            place = rows[hit.id]
            page = bisect_right(place["pages"], place["start"]) if place["pages"] else None
            own = {"source": place["source"], "title": hit.name, "chunk_id": hit.id, "page": page, "score": hit.score}
            own |= {"start": place["start"]}
            found.append(Document(page_content=hit.text, metadata=own, id=hit.id))
        return found
