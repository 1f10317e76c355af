"""The relation model that comes with the package: which of 95 relations a text states between its entities.

It knows English, and the relations of Wikidata that Re-DocRED annotates. docs/models.md says what it was trained on and
how good it is. Loaded from checked files of plain arrays and JSON; NumPy alone at run time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kg_neo4j._models import trained
from kg_neo4j._models.relation_features import TYPES, TextFeatures, describe
from kg_neo4j._models.relation_network import RelationNetwork

if TYPE_CHECKING:
    from spacy.tokens import Doc

FOLDER = Path(__file__).with_name("data") / "en_relations"
LOCK = Path(__file__).with_name("data") / "en_relations.lock"
FAR = 99  # sentences: all pairs of a passage

Place = tuple[int, int]  # code points, half open


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A relation between two entities, given by their indexes."""

    source: int
    type: str  # upper snake case
    target: int
    probability: float
    sentence: int  # index of the sentence that says so
    distance: int  # sentences between the nearest mentions of both


@dataclass(frozen=True, slots=True)
class RelationModel:
    """Networks whose log odds are averaged, and what turns these into probabilities."""

    networks: tuple[RelationNetwork, ...]
    types: tuple[str, ...]  # names of the relations
    threshold: float  # probability from which a relation is believed; chosen on the validation split
    scale: npt.NDArray[np.float32]  # (relations,): log odds times scale plus shift are calibrated
    shift: npt.NDArray[np.float32]
    allowed: npt.NDArray[np.bool_]  # (types of source, types of target, relations): seen in training

    def judge(
        self,
        doc: Doc,
        sentences: Sequence[Place],
        entities: Sequence[tuple[str, Sequence[Place]]],
        *,
        reach: int = FAR,
        least: float = 0.01,
    ) -> list[JudgedPair]:
        """Return the relations between `entities` (type, places) of `doc` of at least the probability `least`.

        `doc` comes from `trained.parse`. Pairs further than `reach` sentences apart are not looked at.
        """
        if len(entities) < 2 or not len(doc) or not sentences:
            return []
        features = describe(doc, sentences, entities, reach=reach)
        chances = self.probabilities(features)
        rows, kinds = np.nonzero(chances >= least)
        first_link = np.searchsorted(features.links[:, 0], np.arange(len(features.pairs)))
        starts = [start for start, _ in sentences]
        found = []
        for row, kind in zip(rows.tolist(), kinds.tolist(), strict=True):
            source, target, distance = features.pairs[row].tolist()
            place = doc[int(features.ends[first_link[row]].max())].idx
            sentence = max(int(np.searchsorted(starts, place, "right")) - 1, 0)
            chance = round(float(chances[row, kind]), 4)
            found.append(JudgedPair(source, self.types[kind], target, chance, sentence, distance))
        return found

    def probabilities(self, features: TextFeatures) -> npt.NDArray[np.float32]:
        """Return the probability of every relation, shape (pairs, relations)."""
        scores = np.mean([network.score(features) for network in self.networks], axis=0)
        chances: npt.NDArray[np.float32] = 1 / (1 + np.exp(-(scores * self.scale + self.shift)))
        sources, targets, _ = features.pairs.T
        chances *= self.allowed[features.types[sources], features.types[targets]]
        return chances


@cache
def load(folder: Path = FOLDER, lock: Path = LOCK) -> RelationModel:
    """Return the model after its files were checked. Raises ModelDamaged."""
    trained.verify(folder, lock)
    said = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
    relations = said["relations"]
    allowed = np.zeros((len(TYPES), len(TYPES), len(relations)), bool)
    for number, relation in enumerate(relations):
        for source, target in relation["between"]:
            allowed[TYPES.index(source), TYPES.index(target), number] = True
    return RelationModel(
        networks=tuple(RelationNetwork.read(folder / name) for name in said["networks"]),
        types=tuple(relation["type"] for relation in relations),
        threshold=float(said["threshold"]),
        scale=np.array([relation["scale"] for relation in relations], np.float32),
        shift=np.array([relation["shift"] for relation in relations], np.float32),
        allowed=allowed,
    )
