"""A classifier of relations is given the annotated entities, and scored at two thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from annotated import passage, row
from kg_neo4j_lab.extraction import gold as gold_files
from kg_neo4j_lab.extraction.judging import at_best_threshold, classify
from kg_neo4j_lab.extraction.scores import Counts
from kg_neo4j_lab.extraction.type_map import Meaning, TypeMap
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation

TYPES = TypeMap({}, "MISC", {kind: ((Meaning(kind),),) for kind in ("P19", "P26", "P551")})


@dataclass
class Sure:
    """Finds the two relations within sentences, one of them hardly, and one wrong thing with middling confidence."""

    name: str = "sure-1"
    threshold: float = 0.5

    def relate(
        self, text: str, sentences: Sequence[Place], entities: Sequence[EntityMentions]
    ) -> tuple[ScoredRelation, ...]:
        assert next(text[start:end] for start, end in sentences).endswith("London.")
        assert entities[0] == EntityMentions("Ada Byron", "PER", ((0, 9), (64, 69)))
        return (
            ScoredRelation(0, "P19", 1, 0.9, (0, 29)),
            ScoredRelation(0, "P551", 4, 0.3),
            ScoredRelation(2, "P19", 3, 0.6),
            ScoredRelation(0, "NONSENSE", 4, 0.9),
        )


def test_what_is_less_likely_than_the_threshold_is_not_believed() -> None:
    classified = classify(Sure(), [passage()])
    (found,) = classified.match(TYPES, 0.5)
    assert sum(found.document.values(), Counts()) == Counts(1, 2, 1, 3)
    (all_of_it,) = classified.match(TYPES, 0.3)
    assert sum(all_of_it.document.values(), Counts()) == Counts(2, 3, 2, 3)
    assert sum(all_of_it.within_sentence.values(), Counts()) == Counts(2, 3, 2, 2)


def test_the_best_threshold_is_that_of_the_validation_passages() -> None:
    """There the residence is annotated nowhere, so that only the surest relation pays."""
    other = gold_files.passage(row("Grace", labels=((0, "P19", 1, ()),)))
    validation, scored = classify(Sure(), [other]), classify(Sure(), [passage()])
    best = at_best_threshold(validation, scored, TYPES)
    assert best["document"][0] == best["within_sentence"][0] == pytest.approx(0.9)
    assert best["document"][1].counts == Counts(1, 1, 1, 3)
    assert best["within_sentence"][1].counts == Counts(1, 1, 1, 2)
    assert at_best_threshold(scored, scored, TYPES)["document"][0] == pytest.approx(0.3)
