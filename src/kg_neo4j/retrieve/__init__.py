"""Stage 5: from a question to an answer that cites its sources."""

from kg_neo4j.retrieve.ask import MODES, ask, check, retrieve
from kg_neo4j.retrieve.means import Means

__all__ = ["MODES", "Means", "ask", "check", "retrieve"]
