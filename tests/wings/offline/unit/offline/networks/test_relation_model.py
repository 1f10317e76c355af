"""The packaged relation model: whole, small, plain arrays, the same every time, and right about plain statements."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from kg_neo4j.errors import ModelDamaged
from kg_neo4j_offline.networks import relation_model, trained
from kg_neo4j_offline.networks.relation_features import TYPES, describe, windows
from kg_neo4j_offline.networks.relation_model import FOLDER, LOCK, _tokens, load

TEXT = (
    "Ada Brandt (born 3 May 1871 in Bergen) was a Norwegian chemist. She studied at the University of Oslo. "
    "Brandt married Otto Lind in 1895. Their son Nils Lind wrote the novel The Long Winter."
)
NAMES = {
    "Ada Brandt": "PER",
    "3 May 1871": "TIME",
    "Bergen": "LOC",
    "Norwegian": "LOC",
    "University of Oslo": "ORG",
    "Otto Lind": "PER",
    "Nils Lind": "PER",
    "The Long Winter": "MISC",
}


def sentences_of(text: str) -> list[tuple[int, int]]:
    return [(each.start_char, each.end_char) for each in trained.parse(text).sents]


def entities_of(text: str) -> list[tuple[str, list[tuple[int, int]]]]:
    found = [(kind, [(text.index(name), text.index(name) + len(name))]) for name, kind in NAMES.items()]
    found[0][1].append((text.index("Brandt married"), text.index("Brandt married") + 6))
    return found


def judged(least: float = 0.3) -> set[tuple[str, str, str]]:
    names = list(NAMES)
    found = load().judge(trained.parse(TEXT), sentences_of(TEXT), entities_of(TEXT), least=least)
    return {(names[each.source], each.type, names[each.target]) for each in found}


def test_it_reads_plain_statements():
    assert judged() >= {
        ("Ada Brandt", "DATE_OF_BIRTH", "3 May 1871"),
        ("Ada Brandt", "PLACE_OF_BIRTH", "Bergen"),
        ("Ada Brandt", "COUNTRY_OF_CITIZENSHIP", "Norwegian"),
    }


def test_the_sentence_that_says_so_comes_with_it():
    found = load().judge(trained.parse(TEXT), sentences_of(TEXT), entities_of(TEXT), least=0.3)
    born = next(each for each in found if each.type == "PLACE_OF_BIRTH")
    assert (born.sentence, born.distance) == (0, 0)


def test_the_same_text_gives_the_same_probabilities():
    runs = [load().judge(trained.parse(TEXT), sentences_of(TEXT), entities_of(TEXT)) for _ in range(2)]
    assert runs[0] == runs[1]
    assert all(0.01 <= each.probability <= 1 for each in runs[0])


def test_no_relation_goes_where_training_saw_none():
    model = load()
    birth = model.types.index("PLACE_OF_BIRTH")
    assert model.allowed[TYPES.index("PER"), TYPES.index("LOC"), birth]
    assert not model.allowed[TYPES.index("LOC"), TYPES.index("PER"), birth]
    names, kinds = list(NAMES), list(NAMES.values())
    for source, kind, target in judged(least=0.01):
        ends = TYPES.index(kinds[names.index(source)]), TYPES.index(kinds[names.index(target)])
        assert model.allowed[(*ends, model.types.index(kind))]


def test_nothing_is_related_in_a_text_without_pairs():
    doc = trained.parse("Ada left.")
    assert load().judge(doc, [(0, 9)], []) == []
    assert load().judge(doc, [(0, 9)], [("PER", [(0, 3)])]) == []
    assert load().judge(trained.parse(""), [], [("PER", [(0, 0)]), ("PER", [(0, 0)])]) == []


def test_the_second_stage_hears_what_the_first_says_of_other_pairs():
    features = describe(trained.parse(TEXT), sentences_of(TEXT), entities_of(TEXT), reach=9)
    network = load().networks[0]
    assert not np.allclose(network.score(features), network.score_alone(features))


def test_the_reader_reads_only_the_sentences_that_are_asked_about():
    before, after = "It rained in Oslo for three weeks. ", " Nobody knew the way to Rome."
    doc = trained.parse(before + TEXT + after)
    moved = [(kind, [(a + len(before), b + len(before)) for a, b in places]) for kind, places in entities_of(TEXT)]
    borders = [(a + len(before), b + len(before)) for a, b in sentences_of(TEXT)]
    whole = windows(doc, describe(doc, borders, moved, reach=9), load().vocabulary)
    found = load().judge(doc, borders, moved, least=0.3)
    names = list(NAMES)
    assert ("Ada Brandt", "PLACE_OF_BIRTH", "Bergen") in {(names[x.source], x.type, names[x.target]) for x in found}
    first, after_last = _tokens(doc, borders)
    read = windows(doc, describe(doc, borders, moved, reach=9), load().vocabulary, (first, after_last))
    plain = trained.parse(TEXT)
    alone = windows(plain, describe(plain, sentences_of(TEXT), entities_of(TEXT), reach=9), load().vocabulary)
    assert len(read[0].pieces) == len(alone[0].pieces) < len(whole[0].pieces)
    assert np.array_equal(read[0].pieces, alone[0].pieces)
    assert np.array_equal(read[0].spans, alone[0].spans)


def test_it_is_small_and_free_of_pickle():
    files = list(FOLDER.iterdir())
    assert sum(file.stat().st_size for file in files) < 12_500_000
    for file in files:
        if file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as arrays:
                assert all(arrays[name].dtype in (np.int8, np.float16) for name in arrays.files)
    assert {file.suffix for file in files} == {".npz", ".json", ".txt"}


def test_a_changed_byte_is_refused(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(FOLDER, folder)
    said = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
    (folder / "relations.json").write_text(json.dumps({**said, "threshold": 0.1}), encoding="utf-8")
    with pytest.raises(ModelDamaged, match=r"relations\.json"):
        relation_model.load(folder, LOCK)


def test_types_are_upper_snake_names_of_95_relations():
    types = load().types
    assert len(set(types)) == len(types) == 96  # one of them has no example
    assert all(each == each.upper() and each.replace("_", "").isalnum() for each in types)
    assert 0.2 <= load().threshold <= 0.8


def test_a_passage_of_a_long_text_is_judged_by_its_own_words_alone(monkeypatch):
    """Ten times the text around it: the same answer, and not one more word or pair that is looked at."""
    seen: list[tuple[int, int]] = []

    def count(*args, **options):
        features = describe(*args, **options)
        seen.append((len(features.vectors), len(features.pairs)))
        return features

    monkeypatch.setattr(relation_model, "describe", count)
    found = []
    for times in (20, 200):
        before, after = "It rained in Oslo for weeks. " * times, " Nobody knew the way to Rome." * times
        moved = [(kind, [(a + len(before), b + len(before)) for a, b in places]) for kind, places in entities_of(TEXT)]
        borders = [(a + len(before), b + len(before)) for a, b in sentences_of(TEXT)]
        judged = load().judge(trained.parse(before + TEXT + after), borders, moved, least=0.3)
        found.append({(each.source, each.type, each.target, each.sentence) for each in judged})
    assert seen[0] == seen[1]
    assert found[0] == found[1]
