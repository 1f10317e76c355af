"""The relation model inside the offline extractor: the work that a long text is, counted."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.networks.relation_network import RelationNetwork
from offline_reading import answer, read

STORY = "Ada Brandt was born in Oslo. She married Otto Lind in Bergen. Otto Lind worked in Rome for the Acme Company. "
CHAIN = "Ada Brandt met Otto Lind in Oslo and Nils Berg left Rome with Eva Dahl and "


def pairs_judged(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    counts = [0]
    score = RelationNetwork.score

    def count(self, features):
        counts[0] += len(features.pairs)
        return score(self, features)

    with monkeypatch.context() as patch:
        patch.setattr(RelationNetwork, "score", count)
        answer(text)
    return counts[0]


@pytest.mark.parametrize("words", [STORY, CHAIN], ids=["sentences", "one sentence without an end"])
def test_five_times_the_text_is_about_five_times_the_pairs(words, monkeypatch):
    numbered = [
        words.replace("Lind", f"Lind{'son' * (n % 7)}").replace("Ada", f"Ad{'ela' * (n % 5)}") for n in range(200)
    ]
    short, long = (pairs_judged("".join(numbered[:count]), monkeypatch) for count in (40, 200))
    assert 0 < long <= 6 * short


def test_the_end_of_a_sentence_without_an_end_is_read_as_its_beginning():
    text = CHAIN * 30 + "Ada Brandt was born in Oslo."
    assert ("Ada Brandt", "BORN_IN", "Oslo") in read(text).facts
