"""What one client reads from a server: run with that client's Python, the address as JSON on standard input.

python client.py graphrag_schema < server.json
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any


def graphrag_schema(given: dict[str, Any]) -> str:
    from neo4j import GraphDatabase
    from neo4j_graphrag.schema import get_schema

    with GraphDatabase.driver(given["uri"], auth=(given["username"], given["password"])) as driver:
        return get_schema(driver)


def graphrag_search(given: dict[str, Any]) -> list[str]:
    from neo4j import GraphDatabase
    from neo4j_graphrag.retrievers import VectorRetriever

    with GraphDatabase.driver(given["uri"], auth=(given["username"], given["password"])) as driver:
        retriever = VectorRetriever(driver, given["index"], return_properties=["text"])
        found = retriever.search(query_vector=given["vector"], top_k=5, filters={"graph": given["graph"]})
        return [ast.literal_eval(item.content)["text"] for item in found.items]


def langchain_schema(given: dict[str, Any]) -> str:
    from langchain_neo4j import Neo4jGraph

    graph = Neo4jGraph(given["uri"], given["username"], given["password"], refresh_schema=False)
    graph.refresh_schema()
    return graph.schema


def langchain_search(given: dict[str, Any]) -> list[str]:
    from langchain_core.embeddings import Embeddings
    from langchain_neo4j import Neo4jVector

    class Ours(Embeddings):
        """kg_neo4j.embed, which runs in another environment here."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [given["vector"] for _ in texts]

        def embed_query(self, text: str) -> list[float]:
            return given["vector"]

    store = Neo4jVector.from_existing_index(
        Ours(),
        url=given["uri"],
        username=given["username"],
        password=given["password"],
        index_name=given["index"],
        text_node_property="text",
    )
    found = store.similarity_search(given["question"], k=5, filter={"graph": given["graph"]})
    return [document.page_content for document in found]


def llama_schema(given: dict[str, Any]) -> str:
    from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

    store = Neo4jPropertyGraphStore(
        given["username"], given["password"], given["uri"], refresh_schema=False, create_indexes=False
    )
    store.refresh_schema()
    return store.get_schema_str()


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](json.load(sys.stdin))))
