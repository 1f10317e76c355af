"""Who says which aspects clusters show: a model, asked once more where its answer names none, or cues in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import ContentFiltered, ContextTooLong
from kg_neo4j.organise.tree import naming
from kg_neo4j.organise.tree.answers import ASPECTS, StoredChat, Unanswered
from kg_neo4j.organise.tree.building import Named
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.writing import Crewed, OpenQuestion
from kg_neo4j.progress import SILENT, Progress


@dataclass(slots=True)
class CueNamer:
    """Names aspects by words of the text; needs nobody."""

    aspects: Sequence[Aspect]
    typical: Mapping[str, float]  # `naming.typical_densities` of all leaves

    @property
    def model(self) -> str:
        """No model."""
        return ""

    def name(self, texts: Sequence[str]) -> Sequence[Named]:
        """Return the aspects of each text."""
        return [Named(names) for names in naming.cued_clusters(texts, self.aspects, self.typical)]


@dataclass(slots=True)
class ModelNamer:
    """Asks a model, and takes the cues where two answers name no aspect."""

    chat: StoredChat
    cues: CueNamer
    tokeniser: Tokeniser
    concurrency: int
    progress: Progress = SILENT
    open: dict[str, OpenQuestion] = field(default_factory=dict)  # of a plan: what nobody has answered

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.chat.name

    def name(self, texts: Sequence[str]) -> Sequence[Named]:
        """Return the aspects of each text. Raises Unfinished."""
        crewed: Crewed[str, Named] = Crewed(self._named, self.concurrency if self.chat.asks else 1, self.progress)
        return crewed.all(texts, "names of aspects")

    def _named(self, text: str) -> Named:
        aspects = self.cues.aspects
        shown = naming.fitting(text, aspects, self.tokeniser, self.chat.window)
        complaint = ""
        with self.chat.answers.noting() as used:
            for _ in range(naming.ROUNDS):
                try:
                    system, user = naming.naming_messages(shown, aspects, complaint)
                    said = self.chat.complete(system, user, max_tokens=naming.ANSWER_TOKENS, temperature=0.0)
                except (ContentFiltered, ContextTooLong):
                    break
                except Unanswered as question:  # a plan: as many summaries as there may be
                    self.open[question.key] = OpenQuestion(ASPECTS, "", 0, question.tokens)
                    return Named(tuple(aspect.name for aspect in aspects), "", tuple(used))
                found = naming.read_names(said.text, aspects)
                if found.names:
                    return Named(found.names, "", tuple(used))
                complaint = naming.complaint(found, aspects)
        [cued] = self.cues.name([text])
        return Named(cued.aspects, f"{self.model} named no aspect of the list: found by cues", tuple(used))
