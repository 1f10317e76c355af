"""Narrative trees with vectors that are paid for: planned without them, made once, also by a run that was stopped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.pipeline.commands.tree import plan_tree, tree
from private_server import PrivateServer
from tree_runs import read, saga, say, tell

GRAPH = "paid"
VECTORS = "MATCH (n:TreeNode) WHERE n.graph = $graph RETURN DISTINCT size(n.embedding) AS dimension"
KINDS = "MATCH (a:Answer) WHERE a.graph = $graph RETURN collect(DISTINCT a.kind) AS kinds"


def embedded(llm: FakeLlm) -> Counter[str]:
    """Return how often each text was embedded; the first call asks for the dimension alone."""
    asked = [each.body["input"] for each in llm.requests if each.path.endswith("/embeddings")]
    return Counter(text for texts in asked for text in texts if text != "dimension")


@pytest.mark.long
def test_vectors_that_are_paid_for_are_made_once(tmp_path: Path, settings: Settings, llm: FakeLlm) -> None:
    llm.rules = say
    with PrivateServer(tmp_path / "home", settings) as server:
        server.start()
        online = Settings(
            **{
                **server.settings.model_dump(),
                "graph": GRAPH,
                "openai_base_url": llm.url,
                "openai_api_key": "k",
                "model": "scripted",
                "embedding_model": "embedder-of-64",
                "model_retries": 0,
                "model_concurrency": 1,
            }
        )
        with server.connect() as database:
            ensure_constraints(database)
            tell(database, GRAPH, "saga", ["\n\n".join(saga()[at : at + 15]) for at in range(0, 90, 15)])
            plan = plan_tree(settings=online)
            assert not embedded(llm)
            assert any("built-in vectors" in line for line in plan.assumptions)
            llm.answer(60)
            for _ in range(40):
                llm.fail(503)
            stopped = tree(settings=online)
            llm.forget()
            assert stopped.unfinished
            assert stopped.changes == 0
            assert "vector" in read(database, KINDS, graph=GRAPH)[0]["kinds"]
            done = tree(settings=online)
            assert done.unfinished == ()
            assert set(embedded(llm).values()) == {1}
            assert [row["dimension"] for row in read(database, VECTORS, graph=GRAPH)] == [64]
            assert "vector" not in read(database, KINDS, graph=GRAPH)[0]["kinds"]
            texts = sum(embedded(llm).values())
            assert tree(settings=online).changes == 0
            assert sum(embedded(llm).values()) == texts
