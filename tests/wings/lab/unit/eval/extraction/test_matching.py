"""Every measure on one passage and one answer, with the numbers worked out by hand; then what holds for any passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotated import ENTITIES, LABELS, passage, row, write
from kg_neo4j_lab.extraction import gold as gold_files
from kg_neo4j_lab.extraction import type_map
from kg_neo4j_lab.extraction.gold import GoldPassage
from kg_neo4j_lab.extraction.judging import given as as_found
from kg_neo4j_lab.extraction.matching import (
    Duplicates,
    RelationMatch,
    align,
    compare_clusters,
    compare_entities,
    compare_mentions,
    compare_relations,
    occurrences,
)
from kg_neo4j_lab.extraction.scores import Counts, PassageCounts, Score, score, shares
from kg_neo4j_lab.extraction.type_map import Meaning, TypeMap
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation

GOLD = passage()


def stated(source: int, kind: str, target: int, evidence: Place | None = None) -> ScoredRelation:
    return ScoredRelation(source, kind, target, 1.0, evidence)


def found_entities() -> list[EntityMentions]:
    named = {"Ada Byron": "PER", "London": "LOC", "William King": "PER", "Paris": "ORG", "Byron": "PER"}
    places = occurrences([*named, "Waterloo"], GOLD.text)
    kinds = [*named.items(), ("Waterloo", "MISC")]
    return [EntityMentions(name, kind, found) for (name, kind), found in zip(kinds, places, strict=True)]


FOUND = found_entities()
ADA, LONDON, KING, PARIS, BYRON, WATERLOO = range(6)


def place(words: str) -> tuple[int, int]:
    start = GOLD.text.index(words)
    return start, start + len(words)


RELATIONS = (
    stated(ADA, "BORN_IN", LONDON, place("Ada Byron was born in London")),
    stated(ADA, "MARRIED_TO", KING, place("Ada Byron was born")),
    stated(BYRON, "LIVED_IN", PARIS, place("Byron lived in Paris")),
    stated(ADA, "ADMIRED", KING, place("married William King")),
    stated(ADA, "BORN_IN", WATERLOO),
)


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> TypeMap:
    return type_map.load(gold_files.read(write(tmp_path_factory.mktemp("gold"))))


def total(counts: PassageCounts) -> Counts:
    return sum(counts.values(), Counts())


def test_mentions() -> None:
    """Found 5 of 6: Paris as an ORG, 1835 not; "Byron" within "Ada Byron" is no mention of its own."""
    strict, span = compare_mentions(GOLD, FOUND)
    assert strict == {
        "PER": Counts(3, 3, 3, 3),
        "LOC": Counts(1, 1, 1, 2),
        "TIME": Counts(0, 0, 0, 1),
        "ORG": Counts(0, 1, 0, 0),
    }
    assert span == {"": Counts(5, 5, 5, 6)}
    found: Score = score([strict])
    assert found.shares.f1 == pytest.approx(8 / 11)
    assert (found.macro.precision, found.macro.recall) == (pytest.approx(2 / 3), pytest.approx(0.5))
    assert found.macro.f1 == pytest.approx((1 + 2 / 3) / 3)


def test_entities_are_matched_one_to_one_and_a_second_one_is_a_duplicate() -> None:
    counts, duplicates = compare_entities(GOLD, FOUND)
    assert counts == {
        "PER": Counts(2, 3, 2, 2),
        "LOC": Counts(1, 1, 1, 2),
        "TIME": Counts(0, 0, 0, 1),
        "ORG": Counts(0, 1, 0, 0),
        "MISC": Counts(0, 1, 0, 0),
    }
    assert duplicates == Duplicates(matched=4, surplus=1)
    assert duplicates.rate == 0.25
    assert Duplicates().rate == 0.0


def test_an_entity_goes_to_the_one_with_which_it_shares_most_mentions() -> None:
    mixed = EntityMentions("mixed", "PER", (*FOUND[KING].mentions, *FOUND[ADA].mentions, *FOUND[BYRON].mentions))
    assert align(GOLD, [mixed], typed=True) == [0]
    turned = gold_files.passage(row(entities=(*ENTITIES[1:], ENTITIES[0]), labels=()))
    assert align(turned, [mixed], typed=True) == [4]
    assert align(GOLD, FOUND, typed=True) == [0, 1, 2, None, 0, None]
    assert align(GOLD, FOUND, typed=False) == [0, 1, 2, 4, 0, None]


def test_who_is_who() -> None:
    """Five single mentions; the annotation has Ada's two together, and 1835: similarity 2/3 + 1 + 1 + 1."""
    counts = compare_clusters(GOLD, FOUND)
    assert counts["all.b_cubed"] == Counts(5, 5, 4, 6)
    assert counts["all.ceaf_e"] == Counts(pytest.approx(11 / 3), 5, pytest.approx(11 / 3), 5)
    assert counts["shared.b_cubed"] == Counts(5, 5, 4, 5)
    assert counts["shared.ceaf_e"] == Counts(pytest.approx(11 / 3), 5, pytest.approx(11 / 3), 4)


def match(types: TypeMap, *relations: ScoredRelation, typed: bool = True) -> RelationMatch:
    return compare_relations(GOLD, FOUND, relations, types, align(GOLD, FOUND, typed=typed), only_aligned=not typed)


def test_relations_end_to_end(types: TypeMap) -> None:
    """Five claims: two right; the marriage turned round, the residence in an ORG and the birth in Waterloo wrong."""
    found = match(types, *RELATIONS)
    assert found.document == {
        "P19": Counts(1, 2, 1, 1),
        "P26": Counts(1, 2, 1, 1),
        "P551": Counts(0, 1, 0, 1),
    }
    assert total(found.within_sentence) == Counts(1, 2, 1, 2)
    assert (found.right, found.with_evidence, found.in_evidence) == (2, 2, 1)


def test_relations_between_gold_entities(types: TypeMap) -> None:
    """By place alone Paris is Paris; Waterloo is nothing that was annotated, so its relation is left out."""
    found = match(types, *RELATIONS, typed=False)
    assert total(found.document) == Counts(3, 4, 3, 3)
    assert total(found.within_sentence) == Counts(2, 2, 2, 2)


def test_evidence_decides_for_ends_without_a_place(types: TypeMap) -> None:
    nowhere = stated(ADA, "BORN_IN", WATERLOO)
    inside = stated(ADA, "BORN_IN", WATERLOO, place("born in London"))
    across = stated(ADA, "BORN_IN", WATERLOO, place("London. She"))
    near = [total(match(types, each).within_sentence).found for each in (nowhere, inside, across)]
    assert near == [0, 1, 0]


def test_a_claim_is_held_for_the_alternative_that_the_annotation_has() -> None:
    two = (Meaning("P40"), Meaning("P26", reversed=True)), (Meaning("P40"), Meaning("P22"))
    types = TypeMap({}, "MISC", {"OF": two})
    found = compare_relations(GOLD, FOUND, [stated(KING, "OF", ADA)], types, align(GOLD, FOUND, typed=True))
    assert found.document["P26"] == Counts(1, 1, 1, 1)
    assert found.document["P40"] == Counts(0, 1, 0, 0)
    assert "P22" not in found.document


def test_a_relation_of_an_entity_with_itself_is_none(types: TypeMap) -> None:
    found = match(types, stated(ADA, "BORN_IN", BYRON))
    assert total(found.document).found == 0


def test_said_twice_counts_once_and_keeps_its_evidence(types: TypeMap) -> None:
    again = stated(BYRON, "PLACE_OF_BIRTH", LONDON, place("Ada Byron was born"))
    once = stated(ADA, "BORN_IN", LONDON)
    for both in ((once, again), (again, once)):
        found = match(types, *both)
        assert total(found.document) == Counts(1, 1, 1, 3)
        assert (found.with_evidence, found.in_evidence) == (1, 1)


@st.composite
def passages(draw: st.DrawFn) -> GoldPassage:
    """Passages of distinct one-word mentions, put together and related at random."""
    sentences = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    words = [(at, token) for at, length in enumerate(sentences) for token in range(length)]
    owner = draw(st.lists(st.integers(0, 4), min_size=len(words), max_size=len(words)))
    kinds = draw(st.lists(st.sampled_from(["PER", "LOC"]), min_size=5, max_size=5))
    mentions = {
        each: tuple((*word, word[1] + 1, kinds[each]) for word, of in zip(words, owner, strict=True) if of == each)
        for each in sorted(set(owner))
    }
    ends = st.integers(0, len(mentions) - 1)
    labels = draw(st.lists(st.tuples(ends, st.sampled_from(["P19", "P26"]), ends, st.just(())), max_size=6))
    texts = tuple(" ".join(f"w{at}x{token}" for token in range(length)) for at, length in enumerate(sentences))
    kept = tuple(each for each in labels if each[0] != each[2])
    return gold_files.passage(row("any", texts, tuple(mentions.values()), kept))


ITSELF = TypeMap({}, "MISC", {kind: ((Meaning(kind),),) for kind in ("P19", "P26")})


def measures(gold: GoldPassage, found: list[EntityMentions], relations: list[ScoredRelation]) -> dict[str, Counts]:
    strict, span = compare_mentions(gold, found)
    entities, _ = compare_entities(gold, found)
    compared = compare_relations(gold, found, relations, ITSELF, align(gold, found, typed=True))
    named = {"strict": strict, "span": span, "entities": entities, "near": compared.within_sentence}
    sums = {name: total(counts) for name, counts in {**named, "document": compared.document}.items()}
    return {**sums, **compare_clusters(gold, found)}


@given(passages())
def test_a_perfect_prediction_scores_one_in_every_measure(gold: GoldPassage) -> None:
    relations = [stated(each.source, each.type, each.target) for each in gold.relations]
    for name, counts in measures(gold, as_found(gold), relations).items():
        assert counts.found == counts.gold, name
        if counts.gold:
            assert shares(counts).f1 == pytest.approx(1.0), name


@given(passages())
def test_an_empty_prediction_scores_nothing(gold: GoldPassage) -> None:
    for name, counts in measures(gold, [], []).items():
        assert (counts.right, counts.found, counts.covered) == (0, 0, 0), name
        assert shares(counts).f1 == 0.0


@given(passages(), st.data())
def test_the_order_of_what_is_found_never_matters(gold: GoldPassage, data: st.DataObject) -> None:
    found = as_found(gold)
    order = data.draw(st.permutations(range(len(found))))
    turned = [found[each] for each in order]
    back = {old: new for new, old in enumerate(order)}
    relations = [stated(each.source, each.type, each.target) for each in gold.relations]
    moved = [stated(back[each.source], each.type, back[each.target]) for each in relations]
    one, other = measures(gold, found, relations), measures(gold, turned, moved)
    assert {name: shares(counts).f1 for name, counts in one.items()} == pytest.approx(
        {name: shares(counts).f1 for name, counts in other.items()}
    )


def test_labels_that_cross_sentences_are_not_within_one() -> None:
    assert len(LABELS) == 3
    assert total(compare_relations(GOLD, [], [], ITSELF, []).within_sentence).gold == 2
