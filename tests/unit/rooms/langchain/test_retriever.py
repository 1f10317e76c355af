"""The retriever of LangChain is one of its own; without the package, the error names the extra."""

from __future__ import annotations

import subprocess
import sys

from langchain_core.retrievers import BaseRetriever

from kg_neo4j import KnowledgeGraph
from kg_neo4j.langchain import KnowledgeGraphRetriever


def test_it_is_a_retriever_of_langchain() -> None:
    kg = KnowledgeGraph("notes")
    for made in (KnowledgeGraphRetriever(kg, k=2), KnowledgeGraphRetriever(graph=kg, k=2)):
        assert isinstance(made, BaseRetriever)
        assert (made.graph, made.k) == (kg, 2)


def test_without_the_package_the_error_names_the_extra() -> None:
    program = "import sys\nsys.modules['langchain_core'] = None\nimport kg_neo4j.langchain"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "ImportError: kg_neo4j.langchain needs langchain-core: pip install 'kg-neo4j[langchain]'" in ran.stderr
