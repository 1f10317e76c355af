"""Studies in tests: a scripted model with a price, a cache and graphs of their own, and questions on a story."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j_lab import chunk_length
from kg_neo4j_lab.narrative import building

ROOT = Path(__file__).resolve().parents[1]
ARTICLE = str(ROOT / "examples" / "alexander_von_humboldt.md")
STORY = str(ROOT / "examples" / "the_lamp_at_skarnes.md")
_GRAPHS = Query(
    *("test/graphs", "", "", "read", (), (), "", ""),
    "MATCH (n) WHERE n.graph STARTS WITH $prefix RETURN DISTINCT n.graph AS name ORDER BY name",
)


@contextmanager
def studying(
    settings: Settings, database: Database, llm: FakeLlm, folder: Path, *, concurrency: int = 1
) -> Iterator[Settings]:
    """Yield settings of the scripted model and the built-in embedder; what studies leave is deleted afterwards."""
    graph = f"studied-{uuid.uuid4().hex[:12]}"
    (folder / "prices.toml").write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
    changes = {
        "graph": graph,
        "openai_base_url": llm.url,
        "openai_api_key": "k",
        "model": "scripted",
        "embedding_model": None,
        "model_retries": 0,
        "model_concurrency": concurrency,
        "prices": folder / "prices.toml",
        "cache": folder / "cache",
        "answer_cache": False,
    }
    with mock.patch.object(building, "PREFIX", f"{graph}-"), mock.patch.object(chunk_length, "PREFIX", f"{graph}-"):
        yield Settings(**{**settings.model_dump(), **changes})
    for name in (graph, *left(database, graph)):
        delete_graph(database, name)


def without_model(settings: Settings) -> Settings:
    return settings.model_copy(update={"openai_api_key": None, "openai_base_url": None, "model": None})


def left(database: Database, graph: str) -> list[str]:
    """Return the graphs that studies have beside the graph of their settings."""
    return [row["name"] for row in database.read(_GRAPHS, prefix=f"{graph}-")]


def story_questions(folder: Path) -> str:
    """Write four questions on the story, of three types, with the words that answer them."""
    rows = map(json.loads, (ROOT / "tests/data/narrative_questions.jsonl").read_text("utf-8").splitlines())
    chosen = [row for row in rows if row["document"] == Path(STORY).name]
    place = folder / "questions.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in (*chosen[:2], chosen[4], chosen[-1])), "utf-8")
    return str(place)
