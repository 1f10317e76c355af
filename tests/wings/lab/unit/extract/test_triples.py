"""Triples of another extractor, as answers that go through the same validation as any model's."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest

from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.rows import read
from kg_neo4j.extract.validation import ValidRows, validate
from kg_neo4j.records import Chunk, Document, RejectionReason
from kg_neo4j_lab.triples import TripleExtractor, Triples, read_triples

TEXT = "Otto Lind built the mill in Askeby. The mill burnt down in 1911. Nobody built it again."
SAID = {
    "text": TEXT,
    "extracted_entities": ["Otto Lind", "Askeby"],
    "extracted_triples": [["Otto Lind", "built", "mill"], ["mill", "burnt down in", "1911"], ["Otto Lind", "Askeby"]],
}


def task(text: str = TEXT, start: int = 0, end: int = len(TEXT)) -> ChunkTask:
    document = Document(
        id="d", graph="g", kind="file", key="k", title="Askeby", source="s", text=TEXT, sha256=text_hash(TEXT)
    )
    return ChunkTask(document, Chunk("c", "d", "g", 0, text, 10, start, end))


def rows_of(answer: str, text: str = TEXT) -> ValidRows:
    schema = schemas.load("described")
    return validate(read(answer, schema, finish_reason="stop"), schema, text)


def extractor() -> TripleExtractor:
    triples = tuple(tuple(each) for each in SAID["extracted_triples"])
    return TripleExtractor(schemas.load("described"), {text_hash(TEXT): Triples(("Otto Lind", "Askeby"), triples)})


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_a_file_is_read_packed_or_not(tmp_path: Path, pack: object) -> None:
    file = tmp_path / "triples"
    file.write_bytes(pack(json.dumps({"docs": [SAID]}).encode()))  # type: ignore[operator]
    known = read_triples(str(file))
    assert list(known) == [text_hash(TEXT)]
    assert known[text_hash(TEXT)].triples[1] == ("mill", "burnt down in", "1911")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"docs": [1]}', b'{"docs": [{"text": "x"}]}', b"\x1f\x8bnot gzip", b"\xff\xfe"]
)
def test_a_file_of_another_form_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "triples.json"
    file.write_bytes(content)
    with pytest.raises(UnreadableSource, match="holds no triples"):
        read_triples(str(file))
    with pytest.raises(SourceNotFound):
        read_triples(str(tmp_path / "none"))


def test_triples_become_rows_with_the_sentence_that_states_them() -> None:
    answer = extractor().answer(task(), TEXT)
    found = rows_of(answer.text)
    assert [(node.name, node.type) for node in found.nodes] == [
        *(("Otto Lind", "OTHER"), ("Askeby", "OTHER"), ("mill", "OTHER"), ("1911", "OTHER"))
    ]
    assert [(each.type, each.evidence) for each in found.relationships] == [
        ("BUILT", "Otto Lind built the mill in Askeby."),
        ("BURNT_DOWN_IN", "The mill burnt down in 1911."),
    ]


def test_a_triple_of_two_parts_is_refused_and_counted() -> None:
    answer = extractor().answer(task(), TEXT)
    found = rows_of(answer.text)
    assert [each.reason for each in found.rejections] == [RejectionReason.EMPTY_FIELD]


def test_a_chunk_among_several_gives_what_it_names() -> None:
    part = TEXT[36:64]
    answer = extractor().answer(task(part, 36, 64), part)
    found = rows_of(answer.text, part)
    assert [node.name for node in found.nodes] == ["mill", "1911"]
    assert [each.type for each in found.relationships] == ["BURNT_DOWN_IN"]


def test_a_passage_that_is_not_in_the_file_gives_nothing() -> None:
    empty = TripleExtractor(schemas.load("described"), {})
    found = rows_of(empty.answer(task(), TEXT).text)
    assert (found.nodes, found.relationships, found.rejections) == ((), (), ())


def test_other_triples_are_another_configuration() -> None:
    one = extractor()
    assert one.config_hash == extractor().config_hash != TripleExtractor(schemas.load("described"), {}).config_hash
    assert pickle.loads(pickle.dumps(one)).config_hash == one.config_hash
