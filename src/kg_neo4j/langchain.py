"""The retriever of LangChain: `from kg_neo4j.langchain import KnowledgeGraphRetriever`. Needs the extra `langchain`."""

from pkgutil import resolve_name

KnowledgeGraphRetriever = resolve_name("kg_neo4j.rooms.langchain.retriever:KnowledgeGraphRetriever")
