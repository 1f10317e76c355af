"""Stage 5: from a question to an answer that cites its sources."""

from kg_neo4j.retrieve.ask import MODES, ask, check, retrieve

__all__ = ["MODES", "ask", "check", "retrieve"]
