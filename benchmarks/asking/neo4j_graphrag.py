"""neo4j-graphrag: SimpleKGPipeline with its default chunks, prompt and schema, then VectorCypherRetriever and GraphRAG.

The package asks its user for the query of that retriever: ours takes the entities of a chunk and their relationships.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import neo4j
from neo4j_graphrag.embeddings import OpenAIEmbeddings
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.indexes import create_vector_index
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers import VectorCypherRetriever

from asking import frame
from asking.frame import Job, Said

VECTORS = "chunk_vectors"
NAME = "coalesce({0}.name, {0}.title, [key IN keys({0}) WHERE NOT key STARTS WITH '_' | toString({0}[key])][0])"
AROUND = f"""
OPTIONAL MATCH (node)<-[:FROM_CHUNK]-(e:__Entity__)
OPTIONAL MATCH (e)-[r:!FROM_CHUNK]-(other:__Entity__)
WITH DISTINCT node, score, startNode(r) AS first, r, endNode(r) AS second
WITH node, score, {NAME.format("first")} + ' ' + type(r) + ' ' + {NAME.format("second")} AS fact ORDER BY fact
WITH node, score, collect(DISTINCT fact) AS facts
RETURN node.text AS text, facts, score ORDER BY score DESC
"""
PLACES = """
COLLECT { MATCH (%s)-[:FROM_CHUNK]->(c:Chunk)-[:FROM_DOCUMENT]->(d:Document) RETURN DISTINCT d.path } AS documents,
reduce(least = 0, size IN COLLECT { MATCH (%s)-[:FROM_CHUNK]->(c:Chunk) RETURN size(c.text) } |
       CASE WHEN least = 0 OR size < least THEN size ELSE least END) AS evidence
"""
NODES = f"""
MATCH (e:__Entity__)
RETURN labels(e) AS labels, {NAME.format("e")} AS name, properties(e) AS said, {PLACES % ("e", "e")}
"""
RELATIONSHIPS = f"""
MATCH (e:__Entity__)-[r]->(o:__Entity__)
RETURN {NAME.format("e")} AS source, type(r) AS type, {NAME.format("o")} AS target, properties(r) AS said,
       {PLACES % ("e", "e")}
"""


def run(job: Job, said: Said) -> None:
    """Load and ask."""
    server = {"base_url": job.base_url, "api_key": "none", "timeout": frame.PATIENCE_S}
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    llm = OpenAILLM(frame.MODEL, model_params={"temperature": 0}, **server)
    embedder = OpenAIEmbeddings(frame.EMBEDDING_MODEL, **server)
    pipeline = SimpleKGPipeline(llm=llm, driver=driver, embedder=embedder, from_file=False, on_error="RAISE")
    for name, path in job.documents:
        text = Path(path).read_text(encoding="utf-8")
        asyncio.run(pipeline.run_async(text=text, file_path=f"{name}.md"))
    create_vector_index(driver, VECTORS, "Chunk", "embedding", frame.DIMENSION, "cosine")
    said.loaded_cpu = frame.cpu_seconds()
    with driver.session() as session:
        session.run("CALL db.awaitIndexes()").consume()
        for each in session.run(NODES).data():
            kind = " ".join(label for label in each["labels"] if not label.startswith("__"))
            said.add((each["name"], kind, _said(each["said"])), each["documents"], each["evidence"])
        for each in session.run(RELATIONSHIPS).data():
            words = (each["source"], each["type"], each["target"], _said(each["said"]))
            said.add(words, each["documents"], each["evidence"], each["type"])
    rag = GraphRAG(VectorCypherRetriever(driver, VECTORS, AROUND, embedder), llm)
    with ThreadPoolExecutor(frame.AT_ONCE) as pool:
        said.answers += pool.map(lambda question: rag.search(question).answer, job.questions)


def _said(values: dict[str, object]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in values.items() if not name.startswith("__"))


if __name__ == "__main__":
    frame.serve(run)
