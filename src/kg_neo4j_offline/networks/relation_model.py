"""The relation model that comes with the package: which of 95 relations a text states between its entities.

It knows English, and the relations of Wikidata that Re-DocRED annotates. docs/models.md says what it was trained on and
how good it is. Loaded from checked files of plain arrays and JSON; NumPy alone at run time.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.networks import trained
from kg_neo4j_offline.networks.relation_features import TYPES, PieceVocabulary, TextFeatures, Window, describe, windows
from kg_neo4j_offline.networks.relation_network import RelationNetwork, RelationReader
from kg_neo4j_offline.networks.trained import one_thread

if TYPE_CHECKING:
    from spacy.tokens import Doc

FOLDER = Path(__file__).parents[1] / "data" / "en_relations"
LOCK = Path(__file__).parents[1] / "data" / "en_relations.lock"
FAR = 99  # sentences: all pairs of a passage

_BESIDE = 6  # words beside a passage that tell of what is in it
_LONGEST = 300  # words of a sentence that begins or ends outside

Place = tuple[int, int]  # code points, half open
Floats = npt.NDArray[np.float32]


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
    """A reader and networks whose log odds are averaged, and what turns these into probabilities."""

    reader: RelationReader
    vocabulary: PieceVocabulary  # of the reader
    networks: tuple[RelationNetwork, ...]
    share: float  # of the reader in the average; the networks have the rest
    types: tuple[str, ...]  # names of the relations
    threshold: float  # probability from which a relation is believed; chosen on the validation split
    scale: float  # log odds times scale plus shift are calibrated
    shift: float
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
        own = _tokens(doc, sentences)
        features = describe(doc, sentences, entities, reach=reach, stretch=_around(doc, own, entities))
        chances = self.probabilities(features, windows(doc, features, self.vocabulary, own))
        rows, kinds = np.nonzero(chances >= least)
        first_link = np.searchsorted(features.links[:, 0], np.arange(len(features.pairs)))
        starts = [start for start, _ in sentences]
        found = []
        for row, kind in zip(rows.tolist(), kinds.tolist(), strict=True):
            source, target, distance = features.pairs[row].tolist()
            place = doc[features.begin + int(features.ends[first_link[row]].max())].idx
            sentence = max(int(np.searchsorted(starts, place, "right")) - 1, 0)
            chance = round(float(chances[row, kind]), 4)
            found.append(JudgedPair(source, self.types[kind], target, chance, sentence, distance))
        return found

    def probabilities(self, features: TextFeatures, read: Sequence[Window]) -> Floats:
        """Return the probability of every relation, shape (pairs, relations)."""
        chances: Floats = 1 / (
            1 + np.exp(-(self.scores(features, read) * np.float32(self.scale) + np.float32(self.shift)))
        )
        sources, targets, _ = features.pairs.T
        chances *= self.allowed[features.types[sources], features.types[targets]]
        return chances

    def scores(self, features: TextFeatures, read: Sequence[Window]) -> Floats:
        """Return the log odds before calibration, shape (pairs, relations)."""
        if not len(features.pairs):
            return np.zeros((0, len(self.types)), np.float32)
        with one_thread():
            found = self.reader.score(features, read)
            if self.networks:
                others = np.mean([network.score(features) for network in self.networks], axis=0, dtype=np.float32)
                found = found * np.float32(self.share) + others * np.float32(1 - self.share)
        return found


def _tokens(doc: Doc, sentences: Sequence[Place]) -> tuple[int, int]:
    """Return the first token of some sentences that follow each other, and the one after the last."""
    return _token_at(doc, sentences[0][0]), bisect_left(range(len(doc)), sentences[-1][1], key=lambda i: doc[i].idx)


def _token_at(doc: Doc, place: int) -> int:
    return max(bisect_right(range(len(doc)), place, key=lambda number: doc[number].idx) - 1, 0)


def _around(doc: Doc, own: tuple[int, int], entities: Sequence[tuple[str, Sequence[Place]]]) -> tuple[int, int]:
    """Return the tokens of some sentences and entities, and beside them the words and trees that describe these."""
    places = [place for _, mentions in entities for place in mentions]
    first = min(own[0], _token_at(doc, min(start for start, _ in places)))
    last = max(own[1] - 1, _token_at(doc, max(max(end - 1, start) for start, end in places)))
    begin, end = max(first - _BESIDE, 0), min(last + _BESIDE, len(doc) - 1)
    return max(doc[begin].sent.start, first - _LONGEST, 0), min(doc[end].sent.end, last + _LONGEST)


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
        reader=RelationReader.read(folder / "reader.npz"),
        vocabulary=PieceVocabulary((folder / "pieces.txt").read_text(encoding="utf-8").splitlines()),
        share=float(said["share"]),
        networks=tuple(RelationNetwork.read(folder / name) for name in said["networks"]),
        types=tuple(relation["type"] for relation in relations),
        threshold=float(said["threshold"]),
        scale=float(said["scale"]),
        shift=float(said["shift"]),
        allowed=allowed,
    )
