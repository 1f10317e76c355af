"""Who says which aspects clusters show: a model, or cues in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.door import Door
from kg_neo4j._models.tasks import Answer, Unanswered
from kg_neo4j.organise.tree import naming
from kg_neo4j.organise.tree.building import Named
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.naming import NameAspects
from kg_neo4j.organise.tree.questions import Subject
from kg_neo4j.organise.tree.writing import finished
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

    door: Door
    subject: Subject
    cues: CueNamer
    progress: Progress = SILENT

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.door.name

    def name(self, texts: Sequence[str]) -> Sequence[Named]:
        """Return the aspects of each text. Raises Unfinished."""
        aspects, of = self.cues.aspects, self.subject
        shown = [naming.fitting(text, aspects, of.tokeniser, of.window) for text in texts]
        answers = self.door.ask_all([NameAspects(of, text, aspects) for text in shown])
        found = finished(answers, len(texts), "names of aspects", self.progress)
        return [self._named(text, answer) for text, answer in zip(texts, found, strict=True)]

    def _named(self, text: str, answer: Answer[tuple[str, ...]]) -> Named:
        if isinstance(answer.error, Unanswered):  # a plan: as many summaries as there may be
            return Named(tuple(aspect.name for aspect in self.cues.aspects))
        if answer.value is not None:
            return Named(answer.value, "", answer.keys)
        [cued] = self.cues.name([text])
        return Named(cued.aspects, f"{self.model} named no aspect of the list: found by cues", answer.keys)
