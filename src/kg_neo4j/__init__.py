"""Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it.

    from kg_neo4j import KnowledgeGraph

    with KnowledgeGraph("notes") as kg:
        kg.load("notes/")
        print(kg.ask("Who was Khadija?").answer)

Importing the package reads no environment, opens no socket and sets no log level.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kg_neo4j._models.protocols import ChatModel, Completion, EmbeddingModel
    from kg_neo4j.acquire.interface import Source, SourceText
    from kg_neo4j.errors import KgError, NoSuchGraph
    from kg_neo4j.extract.interface import Extractor
    from kg_neo4j.knowledge_graph import GraphFrames, KnowledgeGraph
    from kg_neo4j.organise.tree.interface import TreeBuildOptions
    from kg_neo4j.organise.tree.summarisers import AbstractSummariser
    from kg_neo4j.pipeline.commands.archive import ArchiveReport, ImportReport, export_archive, import_graph
    from kg_neo4j.pipeline.commands.ask import ask, embed
    from kg_neo4j.pipeline.commands.load import load, unload
    from kg_neo4j.pipeline.commands.report import report
    from kg_neo4j.pipeline.commands.tree import tree
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.records import Answer, Citation, Filters, LoadReport, ModelAnswer, Usage
    from kg_neo4j.retrieve.interface import Found, FoundChunk, Retriever, Search
    from kg_neo4j.settings import Settings

__all__ = [
    "AbstractSummariser",
    "Answer",
    "ArchiveReport",
    "ChatModel",
    "Citation",
    "Completion",
    "EmbeddingModel",
    "Extractor",
    "Filters",
    "Found",
    "FoundChunk",
    "GraphFrames",
    "ImportReport",
    "KgError",
    "KnowledgeGraph",
    "LoadOptions",
    "LoadReport",
    "ModelAnswer",
    "NoSuchGraph",
    "Retriever",
    "Search",
    "Settings",
    "Source",
    "SourceText",
    "TreeBuildOptions",
    "Usage",
    "ask",
    "embed",
    "export_archive",
    "import_graph",
    "load",
    "report",
    "tree",
    "unload",
]

__version__ = "0.1.0"

_HOMES = {
    "_models.protocols": "ChatModel Completion EmbeddingModel",
    "acquire.interface": "Source SourceText",
    "errors": "KgError NoSuchGraph",
    "extract.interface": "Extractor",
    "knowledge_graph": "GraphFrames KnowledgeGraph",
    "organise.tree.summarisers": "AbstractSummariser",
    "pipeline.commands.archive": "ArchiveReport ImportReport export_archive import_graph",
    "pipeline.commands.ask": "ask embed",
    "pipeline.commands.load": "load unload",
    "pipeline.commands.report": "report",
    "organise.tree.interface": "TreeBuildOptions",
    "pipeline.commands.tree": "tree",
    "pipeline.options": "LoadOptions",
    "records": "Answer Citation Filters LoadReport ModelAnswer Usage",
    "retrieve.interface": "Found FoundChunk Retriever Search",
    "settings": "Settings",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import kg_neo4j` stays cheap."""
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"kg_neo4j.{home}"), name)
    raise AttributeError(f"module 'kg_neo4j' has no attribute {name!r}")
