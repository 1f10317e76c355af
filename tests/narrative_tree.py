"""A small narrative tree in the data model of docs/tree.md, written by a query of the tests' own.

Leaves are six chunks of one paragraph each, or six passages over three longer chunks; summaries are of two levels in
two aspects, and every leaf has a detail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import film_graph
from corpus import document, record_document
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import vectors
from kg_neo4j.organise.tree.leaves import fingerprint
from kg_neo4j.records import Answer, Chunk, Filters
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.interface import AskOptions, Found, Scope, Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.choice import TreeChoice
from kg_neo4j.retrieve.tree.search import retrieve

CONFIGURATION = LoadConfiguration("c0", "described", "s0", "approximate-1")
PARAGRAPHS = (
    "Mara kept the lighthouse at Holm for nine years. Every evening she climbed the steps with a can of oil.",
    "In October the mail boat brought a letter from her brother Jonas. He had sold their father's house in Brennick.",
    "Mara read the letter twice and put it under the lamp. That night she let the flame burn low for the first time.",
    "A schooner struck the rocks before midnight. Four men reached the shore, and one of them was Jonas.",
    "He had come to ask her pardon. The money from the house was sewn into his coat, and the sea had taken the coat.",
    "Since then the lamp at Holm has never burned low. Mara says that a light is a promise one makes to strangers.",
)
SUMMARIES = (  # id, aspect, level, text, members
    (
        "t0",
        "theme",
        1,
        "A light is a promise made to strangers; neglect of it harms our own.",
        ("l2", "l3", "l5"),
    ),
    (
        "c0",
        "character",
        1,
        "Mara is a dutiful keeper careless once, in anger at her brother.",
        ("l0", "l2"),
    ),
    ("c1", "character", 1, "Jonas is a brother who sold the house and came to be forgiven.", ("l1", "l4")),
    ("c2", "character", 2, "Two siblings, one dutiful and one in need of pardon.", ("c0", "c1")),
)
_CHUNKS = Query(
    *("test/chunks", "", "", "read", (), (), "", ""),
    "MATCH (c:Chunk) WHERE c.graph = $graph RETURN c.id AS id, c.text AS text",
)
_WRITE = Query(
    *("test/write_tree", "", "", "write", (), (), "", ""),
    """
    MATCH (d:Document {id: $document})
    MERGE (t:KgTree:Tree {id: $tree}) SET t.graph = $graph, t.name = $name, t.document_id = $document, t.levels = 2,
          t.fingerprint = $fingerprint, t.complete = $complete
    MERGE (t)-[:TREE_OF]->(d)
    WITH t
    CALL (t) { UNWIND $passages AS row
      MERGE (n:KgTreeNode:TreeNode {id: row.id}) SET n:Leaf, n += row.values, n.graph = $graph, n.tree = t.id
      MERGE (t)-[:HAS_LEAF]->(n)
      WITH n, row UNWIND row.overlaps AS part MATCH (c:Chunk {id: part[0]})
      MERGE (n)-[:OVERLAPS {start: part[1], end: part[2]}]->(c) }
    CALL (t) { UNWIND $chunks AS id MATCH (c:Chunk {id: id}) MERGE (t)-[:HAS_LEAF]->(c) }
    CALL (t) { UNWIND $summaries AS row
      MERGE (n:KgTreeNode:TreeNode {id: row.id}) SET n:Summary, n += row.values, n.graph = $graph, n.tree = t.id
      MERGE (n)-[:IN_TREE]->(t)
      WITH n, row UNWIND row.members AS id
      CALL (id) { MATCH (m:Chunk {id: id}) RETURN m UNION MATCH (m:TreeNode {id: id}) RETURN m }
      MERGE (n)-[:SUMMARISES {probability: 1.0}]->(m) }
    CALL (t) { UNWIND $details AS row
      MERGE (n:KgTreeNode:TreeNode {id: row.id}) SET n:Detail, n += row.values, n.graph = $graph, n.tree = t.id
      MERGE (n)-[:IN_TREE]->(t)
      WITH n, row
      CALL (row) { MATCH (m:Chunk {id: row.leaf}) RETURN m UNION MATCH (m:TreeNode {id: row.leaf}) RETURN m }
      MERGE (n)-[:DETAILS]->(m) }
    """,
)


def write(
    database: Database,
    graph: str,
    model: EmbeddingModel,
    tokeniser: Tokeniser,
    *,
    name: str = "narrative",
    title: str = "Holm",
    passages: bool = False,
    complete: bool = True,
) -> Mapping[str, str]:
    """Load the story and write its tree; return the nodes' ids by what they are called above, leaves as l0, l1, ..."""
    paragraphs = ["\n\n".join(PARAGRAPHS[at : at + 2]) for at in (0, 2, 4)] if passages else list(PARAGRAPHS)
    loaded, chunks = document(graph, title, paragraphs)
    with Lease(database, graph) as lease:
        record_document(database, lease, loaded, chunks, CONFIGURATION)
    vectors.prepare(database, model)
    vectors.embed(database, graph, model, tokeniser)
    leaves = _passages(chunks) if passages else []
    ids = {f"l{n}": each["id"] for n, each in enumerate(leaves)} or {f"l{n}": c.id for n, c in enumerate(chunks)}
    ids |= {each[0]: _id(graph, name, title, each[0]) for each in SUMMARIES}
    ids |= {f"d{n}": _id(graph, name, title, f"d{n}") for n in range(len(PARAGRAPHS))}
    ids["tree"] = _id(graph, name, title, "tree")
    texts = [each["values"]["text"] for each in leaves] + [each[3] for each in SUMMARIES]
    texts += [_short(text) for text in PARAGRAPHS]
    made = iter(model.embed(texts).tolist())
    for each in leaves:
        each["values"]["embedding"] = next(made)
    summaries = [_summary(each, ids, next(made)) for each in SUMMARIES]
    details = [_detail(n, ids, next(made)) for n in range(len(PARAGRAPHS))]
    database.write(
        _WRITE,
        graph=graph,
        document=loaded.id,
        tree=ids["tree"],
        name=name,
        complete=complete,
        fingerprint=fingerprint([(each.id, each.start, each.end) for each in chunks]),
        chunks=[] if passages else [each.id for each in chunks],
        passages=leaves,
        summaries=summaries,
        details=details,
    )
    return ids


def found_by(
    database: Database,
    graph: str,
    question: str,
    choice: TreeChoice | None = None,
    scope: Scope | None = None,
) -> Found:
    """Return what the mode tree finds."""
    search = Search(graph, read(question), scope=scope, options=options_of(choice), mode="tree")
    search, _ = prepare(database, search, film_graph.MODEL, film_graph.TOKENISER)
    return retrieve(database, search)


def options_of(choice: TreeChoice | None = None) -> AskOptions:
    """Return the options of a question to trees."""
    return AskOptions("tree", max_context_tokens=6000, tree=choice or TreeChoice())


def ask(
    database: Database,
    graph: str,
    question: str,
    filters: Filters | None = None,
    choice: TreeChoice | None = None,
    **how: Any,
) -> Answer:
    """Return the answer of the mode tree."""
    return film_graph.answer(database, graph, question, "tree", filters, tree=choice or TreeChoice(), **how)


def texts(database: Database, graph: str) -> dict[str, str]:
    """Return the texts of chunks, by id."""
    return {row["id"]: row["text"] for row in database.read(_CHUNKS, graph=graph)}


def _short(text: str) -> str:
    return f"in short: {' '.join(text.split()[:7]).lower()}"


def _id(*parts: str) -> str:
    from kg_neo4j.acquire.identity import hash_id

    return hash_id("test tree", *parts)


def _passages(chunks: Sequence[Chunk]) -> list[dict[str, Any]]:
    """One passage for each paragraph, but the third, which reaches from one chunk into the next."""
    rows = []
    for number, text in enumerate(PARAGRAPHS):
        chunk = chunks[number // 2]
        start = chunk.text.index(text)
        parts = [[chunk.id, start, start + len(text)]]
        if number == 3:
            parts.append([chunks[2].id, 0, len("He had come to ask her pardon.")])
        values = {"text": text if number != 3 else f"{text}\n\nHe had come to ask her pardon.", "index": number}
        rows.append({"id": _id(chunk.id, str(number)), "values": values, "overlaps": parts})
    return rows


def _summary(row: tuple[str, str, int, str, Sequence[str]], ids: Mapping[str, str], vector: Any) -> dict[str, Any]:
    key, aspect, level, text, members = row
    values = {"aspect": aspect, "level": level, "number": int(key[1:]) % 2, "text": text, "embedding": vector}
    return {"id": ids[key], "values": values, "members": [ids[each] for each in members]}


def _detail(number: int, ids: Mapping[str, str], vector: Any) -> dict[str, Any]:
    values = {"number": 0, "text": _short(PARAGRAPHS[number]), "embedding": vector}
    return {"id": ids[f"d{number}"], "values": values, "leaf": ids[f"l{number}"]}
