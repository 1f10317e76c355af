"""kg-neo4j: `load` and `ask` with their defaults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import neo4j

from asking import frame
from asking.frame import Job, Said
from kg_neo4j import Settings, ask, load

VALUES = "phrase role location description start_date end_date birth_year death_year".split()
NODES = """
MATCH (e:Entity)-[m:MENTIONED_IN]->(:Chunk)-[:IN_DOCUMENT]->(d:Document)
RETURN e.name AS name, e.type AS type, properties(e) AS said, collect(DISTINCT d.title + ' ' + d.key) AS documents,
       min(m.quote_end - m.quote_start) AS evidence
"""
RELATIONSHIPS = """
MATCH (a:Entity)-[r WHERE r.fact_id IS NOT NULL]->(b:Entity)
MATCH (f:Fact {id: r.fact_id})-[s:STATED_IN]->(:Chunk)-[:IN_DOCUMENT]->(d:Document)
RETURN a.name AS source, type(r) AS type, b.name AS target, properties(f) AS said,
       collect(DISTINCT d.title + ' ' + d.key) AS documents, min(s.quote_end - s.quote_start) AS evidence
"""


def run(job: Job, said: Said) -> None:
    """Load and ask."""
    settings = Settings(
        neo4j_uri=job.uri,
        neo4j_username=job.username,
        neo4j_password=job.password,
        home=Path(job.folder) / "home",
        openai_base_url=job.base_url,
        openai_api_key="none",
        model=frame.MODEL,
        model_window=128_000,
        model_timeout_s=frame.PATIENCE_S,
        embedding_model=frame.EMBEDDING_MODEL,
        model_concurrency=frame.AT_ONCE,
        answer_cache=False,
    )
    load([path for _, path in job.documents], settings=settings)
    said.loaded_cpu = frame.cpu_seconds()
    _add_rows(job, said)
    with ThreadPoolExecutor(frame.AT_ONCE) as pool:
        said.answers += pool.map(lambda question: ask(question, settings=settings).answer, job.questions)


def _add_rows(job: Job, said: Said) -> None:
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    with driver, driver.session() as session:
        for each in session.run(NODES).data():
            said.add((each["name"], each["type"], _said(each["said"])), each["documents"], each["evidence"] or 0)
        for each in session.run(RELATIONSHIPS).data():
            words = (each["source"], each["type"], each["target"], _said(each["said"]))
            said.add(words, each["documents"], each["evidence"] or 0, each["type"])


def _said(values: dict[str, object]) -> str:
    return "; ".join(f"{name}: {values[name]}" for name in VALUES if values.get(name))


if __name__ == "__main__":
    frame.serve(run)
