"""Who names the aspects that clusters show: a model, or its replacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.tasks import TaskAnswer, Unanswered
from kg_neo4j.organise.tree import naming
from kg_neo4j.organise.tree.building import ClusterAspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.naming import NameAspects
from kg_neo4j.organise.tree.questions import Subject
from kg_neo4j.organise.tree.writing import finished
from kg_neo4j.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class TreeNamer:
    """Names the aspects of clusters of one tree."""

    door: Door
    subject: Subject
    aspects: tuple[Aspect, ...]
    leaves: tuple[str, ...]  # texts of all leaves of the tree: what is usual in it
    progress: Progress = SILENT

    @property
    def model(self) -> str:
        """Name of the model; empty where there is none."""
        return self.door.name

    def name(self, texts: Sequence[str]) -> Sequence[ClusterAspects]:
        """Return the aspects of each text. Raises Unfinished."""
        return self.door.do(NameClusters(self, tuple(texts)))


@dataclass(frozen=True, slots=True)
class NameClusters(Job[Sequence[ClusterAspects]]):
    """Names the aspects that texts show; where two answers name no aspect, the stand-in does."""

    kind: ClassVar[str] = "name_clusters"
    by: TreeNamer
    texts: tuple[str, ...]

    def by_model(self, door: Door) -> Sequence[ClusterAspects]:
        """Ask about each text."""
        of = self.by.subject
        shown = [naming.fitting(text, self.by.aspects, of.tokeniser, of.window) for text in self.texts]
        answers = door.ask_all([NameAspects(of, text, self.by.aspects) for text in shown])
        found = finished(answers, len(self.texts), "names of aspects", self.by.progress)
        return [self._named(text, answer, door) for text, answer in zip(self.texts, found, strict=True)]

    def _named(self, text: str, answer: TaskAnswer[tuple[str, ...]], door: Door) -> ClusterAspects:
        if isinstance(answer.error, Unanswered):  # a plan: as many summaries as there may be
            return ClusterAspects(tuple(aspect.name for aspect in self.by.aspects))
        if answer.value is not None:
            return ClusterAspects(answer.value, "", answer.keys)
        [cued] = door.instead(replace(self, texts=(text,)))
        return ClusterAspects(cued.aspects, f"{door.name} named no aspect of the list: found by cues", answer.keys)
