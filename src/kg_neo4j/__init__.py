"""Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it.

    from kg_neo4j import KnowledgeGraph

    with KnowledgeGraph("notes") as kg:
        kg.load("notes/")
        print(kg.ask("Who was Khadija?").answer)

Importing the package reads no environment, opens no socket and sets no log level.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {  # __init__.pyi has the same for type checkers and editors
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
    "rooms.notebooks.awaiting": "AsyncKnowledgeGraph",
    "settings": "Settings",
}
__all__ = sorted(" ".join(_HOMES.values()).split())  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import kg_neo4j` stays cheap."""
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"kg_neo4j.{home}"), name)
    hint = "" if name.startswith("_") else import_module("kg_neo4j.display").instead(name, __all__, "kg_neo4j")
    raise AttributeError(f"module 'kg_neo4j' has no attribute {name!r}; {hint}")


def __dir__() -> list[str]:
    """Return the public names, so that completion has them, and no module that happens to be imported."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
