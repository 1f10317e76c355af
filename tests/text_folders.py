"""Folders of texts that tests load, the ways to name a file in one of them, and what a graph has of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.export import lines

DOCS = {
    "a.txt": "Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna.",
    "b.txt": "Marie Curie worked in Paris. Anna Weber wrote to Marie Curie in 1903.",
    "sub/c.txt": "Karl Braun was born in Graz in 1870. Pierre Curie lived in Paris.",
}
SOURCES = {  # of the file docs/a.txt in the project: from which folder, by which source
    "alone": (".", "docs/a.txt"),
    "through its folder": (".", "docs/"),
    "through the folder above": (".", "."),
    "by its absolute path": ("/", "{project}/docs/a.txt"),
    "from another folder": ("docs/sub", "./../../docs/a.txt"),
    "through a link to its folder": ("..", "link"),
}


def written(folder: Path, texts: Mapping[str, str] = DOCS) -> Path:
    """Write files, each named by its path below `folder`, and return the folder."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def project_in(folder: Path) -> Path:
    """Write the files docs/a.txt and docs/sub/b.txt of a project, and a link to docs beside it; return the project."""
    written(folder / "project" / "docs", {"a.txt": DOCS["a.txt"], "sub/b.txt": DOCS["b.txt"]})
    (folder / "link").symlink_to(folder / "project" / "docs")
    return folder / "project"


def dump(database: Database, graph: str) -> str:
    """Return the export of a graph."""
    return "\n".join(lines(database, graph))


def keys(database: Database, graph: str) -> list[str]:
    """Return the keys of the documents of a graph, sorted."""
    return [document.key for document in list_documents(database, graph)]
