"""What type checkers and editors read: `__init__.py` imports these names when they are first asked for."""

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
from kg_neo4j.rooms.notebooks.awaiting import AsyncKnowledgeGraph
from kg_neo4j.settings import Settings

__all__ = [
    "AbstractSummariser",
    "Answer",
    "ArchiveReport",
    "AsyncKnowledgeGraph",
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

__version__: str
