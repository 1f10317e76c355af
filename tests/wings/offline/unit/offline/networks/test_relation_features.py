"""What the relation model sees of a text: mentions as tokens, pairs, the words between, the path through the tree."""

from __future__ import annotations

import numpy as np
import pytest

from kg_neo4j_offline.networks import trained
from kg_neo4j_offline.networks.relation_features import BETWEEN, LINK, LINKS, TYPES, describe

TEXT = "Ada Brandt was born in Oslo. She left. Brandt married Otto Lind in Bergen. Ada Brandt died in Oslo."


def places(name: str, text: str = TEXT) -> list[tuple[int, int]]:
    return [(start, start + len(name)) for start in range(len(text)) if text.startswith(name, start)]


ENTITIES = [
    ("PER", sorted([*places("Ada Brandt"), (places("Brandt married")[0][0], places("Brandt married")[0][0] + 6)])),
    ("LOC", places("Oslo")),
    ("PER", places("Otto Lind")),
    ("LOC", places("Bergen")),
]


def read(entities=ENTITIES, text: str = TEXT, reach: int = 99):
    doc = trained.parse(text)
    sentences = [(each.start_char, each.end_char) for each in doc.sents]
    return doc, describe(doc, sentences, entities, reach=reach)


def words(doc, first: int, after: int) -> str:
    return doc[int(first) : int(after)].text


def links_of(features, source: int, target: int) -> list[dict[str, int]]:
    rows = [row for row, pair in enumerate(features.pairs.tolist()) if pair[:2] == [source, target]]
    return [dict(zip(LINK, link, strict=True)) for link in features.links.tolist() if link[0] in rows]


def test_mentions_are_the_tokens_that_their_characters_touch():
    doc, features = read()
    assert [words(doc, *span[1:]) for span in features.spans if span[0] == 0] == ["Ada Brandt", "Brandt", "Ada Brandt"]
    assert [words(doc, first, last + 1) for first, last in features.heads] == [
        "Ada Brandt",
        "Oslo",
        "Otto Lind",
        "Bergen",
    ]


def test_every_ordered_pair_comes_once_with_its_distance_in_sentences():
    _, features = read()
    pairs = {(source, target): distance for source, target, distance in features.pairs.tolist()}
    assert len(pairs) == len(features.pairs) == 12
    assert pairs[0, 1] == pairs[1, 0] == 0
    assert pairs[1, 2] == 1  # Oslo of the last sentence, Otto Lind of the one before
    assert (0, 0) not in pairs


def test_pairs_out_of_reach_are_left_out():
    _, features = read(reach=0)
    assert {tuple(pair[:2]) for pair in features.pairs.tolist()} == {
        (0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0), (2, 3), (3, 2),
    }  # fmt: skip


def test_a_pair_has_all_its_links_of_one_sentence_and_else_the_nearest():
    _, features = read()
    assert len(links_of(features, 0, 1)) == 2
    assert len(links_of(features, 1, 2)) == 1
    many = "Oslo and Bergen. " * 6
    _, features = read([("LOC", places("Oslo", many)), ("LOC", places("Bergen", many))], many)
    assert len(links_of(features, 0, 1)) == LINKS


def test_links_name_the_words_between_and_the_word_where_the_path_turns():
    doc, features = read()
    link = links_of(features, 0, 2)[0]
    assert words(doc, link["begin"], link["middle"]) == "married"
    assert (link["is_first"], doc[link["last"]].text, doc[link["top"]].text) == (1, "married", "married")
    assert (doc[link["left"]].text, doc[link["right"]].text) == (".", "in")
    back = links_of(features, 2, 0)[0]
    assert (back["is_first"], back["begin"], back["middle"]) == (0, link["begin"], link["middle"])
    assert links_of(features, 1, 2)[0]["top"] == -1


def test_at_most_so_many_words_between_are_read():
    text = "Oslo is " + "very " * 60 + "far from Bergen."
    _, features = read([("LOC", places("Oslo", text)), ("LOC", places("Bergen", text))], text)
    link = links_of(features, 0, 1)[0]
    assert link["middle"] - link["begin"] == BETWEEN
    assert link["last"] > link["middle"]


def test_trees_run_from_the_root_to_the_word_itself():
    doc, features = read()
    for token in doc:
        chain = [int(each) for each in features.up[token.i] if each >= 0]
        assert chain == [each.i for each in reversed(list(token.ancestors))] + [token.i]


def test_words_inside_mentions_count_as_their_type_alone():
    doc, features = read()
    first, last = (features.words[token.i] for token in doc if token.text in ("Otto", "Bergen"))
    ada = features.words[0]
    assert ada == first != last
    assert TYPES[features.marks[0] - 1] == "PER"


@pytest.mark.parametrize("entities", [[], ENTITIES[:1]])
def test_a_text_of_one_entity_has_no_pairs(entities):
    _, features = read(entities)
    assert features.pairs.shape == (0, 3)
    assert features.links.shape == (0, len(LINK))


def test_overlapping_mentions_and_places_inside_a_word_do_no_harm():
    text = "New York City Council met in Yorkshire."
    given = [("ORG", [(0, 21)]), ("LOC", [(0, 13)]), ("LOC", [(29, 33)])]
    _, features = read(given, text)
    assert len(features.pairs) == 6
    assert np.isfinite(features.vectors).all()


def test_a_stretch_has_the_features_that_it_has_in_the_whole_text():
    before = "It was cold in May. Nobody came. "
    doc = trained.parse(before + TEXT + " It rained.")
    moved = [(kind, [(a + len(before), b + len(before)) for a, b in mentions]) for kind, mentions in ENTITIES]
    sentences = [(each.start_char, each.end_char) for each in doc.sents if len(before) <= each.start_char]
    begin = next(token.i for token in doc if token.idx == len(before))
    whole = describe(doc, sentences, moved, reach=9)
    part = describe(doc, sentences, moved, reach=9, stretch=(begin, len(doc)))
    shift = np.array([0, begin, begin])
    assert part.begin == begin
    assert np.array_equal(whole.spans, part.spans + shift)
    assert np.array_equal(whole.pairs, part.pairs)
    assert np.array_equal(whole.ends, part.ends + begin)
    assert np.array_equal(whole.vectors[begin:], part.vectors)
    assert np.array_equal(whole.words[begin:], part.words)
    assert np.array_equal(whole.up[begin:], np.where(part.up >= 0, part.up + begin, -1))
    assert np.allclose(whole.about, part.about)
