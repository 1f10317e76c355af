"""Stage 5: from a question to an answer that cites its sources."""

from kg_neo4j.retrieve.ask import MODES, ask
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.retrieve.means import Means

__all__ = ["MODES", "AskOptions", "Means", "ask"]
