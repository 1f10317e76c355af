"""What type checkers and editors read of `langchain.py`."""

from kg_neo4j.rooms.langchain.retriever import KnowledgeGraphRetriever as KnowledgeGraphRetriever
