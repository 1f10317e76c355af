"""What an answer cites, as a graph: the query that draws it in Neo4j Browser. Pure."""

from __future__ import annotations

import re
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import literal, with_literals
from kg_neo4j.records import Answer

QUERY = "retrieve/cited_subgraph"
_ID = re.compile(r"[0-9a-f]{32}")


def parameters(answer: Answer, graph: str) -> dict[str, Any]:
    """Return the parameters of the query that gives the cited subgraph; ids are our own hashes, or ValueError."""
    cited = [{"chunk": each.chunk_id, "start": each.start, "end": each.end} for each in answer.citations]
    entities = list(dict.fromkeys(each.id for each in answer.paths if each.kind == "entity"))
    for each in (*entities, *(place["chunk"] for place in cited)):
        if not _ID.fullmatch(str(each)):
            raise ValueError(f"not one of our ids: {each!r}")
    return {"graph": graph, "cited": cited, "entities": entities}


def browser_text(answer: Answer, graph: str) -> str:
    """Return the query as one statement for pasting into Neo4j Browser."""
    values = parameters(answer, graph)
    cited = ", ".join(f"{{chunk: '{p['chunk']}', start: {p['start']}, end: {p['end']}}}" for p in values["cited"])
    entities = ", ".join(f"'{each}'" for each in values["entities"])
    literals = {"graph": literal(graph), "cited": f"[{cited}]", "entities": f"[{entities}]"}
    return with_literals(queries.get(QUERY), literals)
