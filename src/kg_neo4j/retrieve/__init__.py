"""Stage 5: from a question to an answer that cites its sources."""

from kg_neo4j.retrieve.ask import MODES, ask, check, retrieve
from kg_neo4j.retrieve.assisting import Assistance
from kg_neo4j.retrieve.reply import Checks

__all__ = ["MODES", "Assistance", "Checks", "ask", "check", "retrieve"]
