"""LangChain: a graph as one of its retrievers."""
