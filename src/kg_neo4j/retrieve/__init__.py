"""Stage 5: from a question to an answer that cites its sources."""

from kg_neo4j.retrieve.ask import MODES, ask, retrieve

__all__ = ["MODES", "ask", "retrieve"]
