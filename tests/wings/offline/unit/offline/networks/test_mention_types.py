"""The type network: what it is told about a mention, and that all mentions of a string get one type."""

from __future__ import annotations

import numpy as np
import pytest

from kg_neo4j_offline.networks.mention_types import (
    BUCKETS,
    HASHES,
    TYPES,
    MentionSpan,
    TypeNetwork,
    describe,
    settle_types,
)
from kg_neo4j_offline.networks.trained import FOLDER, load


@pytest.fixture(scope="module")
def network() -> TypeNetwork:
    return TypeNetwork.read(FOLDER / "types.npz")


def doc(text: str):
    return load().nlp.make_doc(text)


def spans(text: str, name: str, *kinds: str) -> list[MentionSpan]:
    starts = [start for start in range(len(text)) if text.startswith(name, start)]
    return [MentionSpan(start, start + len(name), kind) for start, kind in zip(starts, kinds, strict=True)]


def test_mentions_of_one_string_get_one_type(network):
    text = "Kiel lies by the sea. He was born in Kiel, a town in Germany. Kiel has a harbour."
    settled = settle_types(doc(text), spans(text, "Kiel", "PER", "LOC", "ORG"), network)
    assert {span.type for span in settled} == {"LOC"}


def test_dates_and_numbers_stay(network):
    found = [MentionSpan(3, 7, "TIME"), MentionSpan(12, 15, "NUM")]
    assert settle_types(doc("In 1901 he, six times."), found, network) == tuple(found)


def test_nothing_gives_nothing(network):
    assert settle_types(doc(""), [], network) == ()


def test_probabilities_sum_to_one(network):
    features, hashes = describe(doc("Ada Lind met Otto."), [(0, 2), (3, 4)])
    chances = np.exp(network.log_probabilities(features, hashes))
    assert chances.shape == (2, len(TYPES))
    assert chances.sum(1) == pytest.approx(1.0, abs=1e-5)


def test_every_mention_has_as_many_features_and_hashes(network):
    text = doc("Ada Lind met the Royal Society in Oslo.")
    features, hashes = describe(text, [(0, 1), (0, 2), (4, 6), (len(text) - 2, len(text))])
    assert features.shape == (4, len(network.hidden) - HASHES * network.hashed.shape[2])
    assert hashes.shape == (4, HASHES)
    assert 0 <= hashes.min() <= hashes.max() < BUCKETS


def test_features_tell_the_context_of_a_mention():
    born, runs = (describe(doc(text), [(0, 1)])[0] for text in ("Vardal was born.", "Vardal flows north."))
    assert not np.allclose(born, runs)
