"""The heading of a chunk: the title of its document and its section, which are searched and embedded with its text.

A chunk of an earlier version has none. Its vector, made from the text alone, stays valid until `kg load --re-embed`.
"""

from __future__ import annotations

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

SEPARATOR = " > "  # as in the path of a section
_AT_A_TIME = 10_000  # chunks in one transaction


def heading_of(title: str, section: str) -> str:
    """Return the heading of a chunk; write/add_headings.cypher has the same rule.

    A section that begins with the title stands alone. `_` becomes a space: in a title that is a file name, the
    full-text index would take "the_long_winter" for one word.
    """
    named = section == title or section.startswith(title + SEPARATOR)
    path = [section] if named else [title, section]
    return SEPARATOR.join(part for part in path if part).replace("_", " ")


def embedded_text(heading: str | None, text: str) -> str:
    """Return what is embedded of a chunk; write/vector_texts_chunk.cypher has the same rule."""
    return f"{heading}\n{text}" if heading else text


def add_headings(database: Database) -> int:
    """Give the chunks of all graphs that have no heading theirs, and return how many. Vectors stay as they are."""
    added = 0
    query = queries.get("write/add_headings")
    while count := int(database.write(query, limit=_AT_A_TIME)[0]["added"]):
        added += count
    return added
