"""The reader of annotated passages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotated import passage, row, write
from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j_lab.extraction import gold


def test_a_passage_is_read_with_places_in_its_running_text() -> None:
    found = passage()
    assert found.text == "Ada Byron was born in London. She married William King in 1835. Byron lived in Paris."
    words = [[found.text[each.start : each.end] for each in entity.mentions] for entity in found.entities]
    assert words == [["Ada Byron", "Byron"], ["London"], ["William King"], ["1835"], ["Paris"]]
    assert [(entity.name, entity.type) for entity in found.entities[:2]] == [("Ada Byron", "PER"), ("London", "LOC")]
    assert [each.sentence for each in found.entities[0].mentions] == [0, 2]
    assert found.relations[0] == gold.GoldRelation(0, "P19", 1, (0,))


def test_repeated_mentions_and_labels_count_once_and_the_type_of_most_mentions_is_the_entity_s() -> None:
    mentions = ((0, 0, 2, "PER"), (0, 0, 2, "PER"), (2, 0, 1, "ORG"), (0, 0, 1, "PER"))
    found = gold.passage(row(entities=(mentions, ((0, 5, 6, "LOC"),)), labels=((0, "P19", 1, ()), (0, "P19", 1, (0,)))))
    assert len(found.entities[0].mentions) == 3
    assert found.entities[0].type == "PER"
    assert found.relations == (gold.GoldRelation(0, "P19", 1),)


def test_a_file_is_read_with_the_names_beside_it(tmp_path: Path) -> None:
    found = gold.read(write(tmp_path, row(), row("Grace")))
    assert [each.title for each in found.passages] == ["Ada", "Grace"]
    assert found.relation_names["P40"] == "child"
    assert found.relation_types == {"P19", "P26", "P40", "P551"}
    assert found.entity_types == {"PER", "LOC", "TIME"}


def test_names_are_not_needed(tmp_path: Path) -> None:
    found = gold.read(write(tmp_path, names=None))
    assert found.relation_names == {}
    assert found.relation_types == {"P19", "P26", "P551"}


def changed(**changes: Any) -> dict[str, Any]:
    return {**row(), **changes}


@pytest.mark.parametrize(
    "broken",
    [
        {"title": "no sentences"},
        changed(vertexSet=[[{"name": "x", "sent_id": 9, "pos": [0, 1], "type": "PER"}]]),
        changed(vertexSet=[[{"name": "x", "sent_id": 0, "pos": [1, 1], "type": "PER"}]]),
        changed(vertexSet=[[{"name": "x", "sent_id": 0, "pos": [0, 99], "type": "PER"}]]),
        changed(vertexSet=[[]]),
        changed(labels=[{"h": 0, "t": 9, "r": "P19"}]),
        changed(labels=[{"h": -1, "t": 0, "r": "P19"}]),
        "no object",
    ],
)
def test_a_passage_that_is_none_is_named(tmp_path: Path, broken: Any) -> None:
    with pytest.raises(UnreadableSource, match="passage 2"):
        gold.read(write(tmp_path, row(), broken))


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"nothing\.json"):
        gold.read(tmp_path / "nothing.json")
    for text in ("{", json.dumps({"title": "one"})):
        (tmp_path / "bad.json").write_text(text, "utf-8")
        with pytest.raises(UnreadableSource, match=r"bad\.json"):
            gold.read(tmp_path / "bad.json")


def test_re_docred_is_read_whole(shared_data: Path) -> None:
    found = gold.read(shared_data / "redocred" / "dev_revised.json")
    assert len(found.passages) == 500
    assert sum(len(each.entities) for each in found.passages) == 9_684
    assert sum(len(each.relations) for each in found.passages) == 17_284
    assert found.entity_types == {"LOC", "ORG", "PER", "TIME", "NUM", "MISC"}
    for each in found.passages:
        assert "  " not in each.text
        assert all(each.sentences[one.sentence][0] <= one.start for entity in each.entities for one in entity.mentions)
