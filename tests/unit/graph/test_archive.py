"""Archives as files: exact values, and a typed error for everything that kg-neo4j would not have written."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j.errors import BadArchive
from kg_neo4j.graph import archive
from kg_neo4j.graph.archive_records import Header, NodeLine, encoded
from kg_neo4j.graph.constraints import VectorSpace

HEADER = Header("g", True, VectorSpace("m", 2), {"fingerprint": "f", "communities": 1, "levels": 1})
DOCUMENT = {
    **dict.fromkeys(("kind", "key", "title", "sha256", "schema", "config_hash", "tokeniser"), "x"),
    "id": "d",
    "graph": "g",
}
CHUNK = {
    "id": "c",
    "graph": "g",
    "document_id": "d",
    "text": "Ada.",
    "index": 0,
    "start": 0,
    "end": 4,
    "token_count": 2,
}
ENTITY = {
    "id": "e",
    "graph": "g",
    "name": "Ada",
    "type": "PERSON",
    "num": 7,
    "embedding": {"f64": "AAAAAAAA8D8AAAAAAAAAAA=="},
}
Line = Mapping[str, Any]


def node(labels: Sequence[str], properties: Line, **changes: Any) -> Line:
    return {"kind": "node", "labels": list(labels), "properties": {**properties, **changes}}


def link(type_: str, start: str, end: str, **properties: Any) -> Line:
    return {"kind": "relationship", "type": type_, "start": start, "end": end, "properties": properties}


def entity(*labels: str, **changes: Any) -> Line:
    return node(labels or ("Entity", "PERSON"), ENTITY, **changes)


GOOD = (
    node(["Document"], DOCUMENT),
    node(["Chunk"], CHUNK),
    entity(),
    link("IN_DOCUMENT", "c", "d"),
    link("MENTIONED_IN", "e", "c", row=2, key="k", quote="Ada"),
    link("KNOWS", "e", "e", fact_id="f"),
)


def pack(lines: Sequence[Line | bytes], first: bytes | None = None) -> bytes:
    """Return an archive whose counts and checksum are right."""
    raw = [first or archive.first_line(HEADER)]
    raw += [each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in lines]
    kinds = [each["kind"] for each in lines if not isinstance(each, bytes)]
    counts = (kinds.count("node"), kinds.count("relationship"))
    return b"".join([*raw, archive.last_line(*counts, hashlib.sha256(b"".join(raw)).hexdigest())])


def write(folder: Path, data: bytes, *, compressed: bool = True) -> Path:
    path = folder / "graph.jsonl.gz"
    path.write_bytes(gzip.compress(data) if compressed else data)
    return path


def refused(folder: Path, data: bytes, *, compressed: bool = True) -> str:
    with pytest.raises(BadArchive) as error:
        archive.check(write(folder, data, compressed=compressed))
    assert len(str(error.value)) < 1_000
    return str(error.value).replace(str(folder), "")


@pytest.mark.parametrize("compressed", [True, False])
def test_a_good_archive_is_read_twice_and_is_the_same(tmp_path: Path, compressed: bool) -> None:
    checked = archive.check(write(tmp_path, pack(GOOD), compressed=compressed))
    assert (checked.header, checked.nodes, checked.relationships) == (HEADER, 3, 3)
    found = list(archive.read(checked))
    assert [type(each).__name__ for each in found] == ["NodeLine"] * 3 + ["RelationshipLine"] * 3
    assert isinstance(found[2], NodeLine)
    assert (found[2].base, found[2].labels, found[2].properties["embedding"]) == (
        "Entity",
        ("Entity", "PERSON"),
        [1, 0],
    )


@pytest.mark.parametrize(
    "value",
    [
        *(0.1, -0.0, 5e-324, 1.7976931348623157e308, 2**63 - 1, -(2**63), True, "Ż\u2028\n\0", ["a"], [1, 2]),
        *([0.1, 0.5], [0.5, 0.25], [True], [math.inf, -0.0], [1e39], [3.4028235677973366e38]),
    ],
    ids=repr,
)
def test_a_value_comes_back_exactly(tmp_path: Path, value: Any) -> None:
    lines = (node(["Document"], DOCUMENT, own=encoded(value)),)
    (found,) = archive.read(archive.check(write(tmp_path, pack(lines))))
    assert repr(found.properties["own"]) == repr(value)


@pytest.mark.parametrize("value", ["", []], ids=repr)
def test_an_empty_value_is_absent(tmp_path: Path, value: Any) -> None:
    (found,) = archive.read(archive.check(write(tmp_path, pack((node(["Document"], DOCUMENT, own=value),)))))
    assert found.properties == node(["Document"], DOCUMENT)["properties"]
    with pytest.raises(BadArchive, match="without title"):
        archive.check(write(tmp_path, pack((node(["Document"], DOCUMENT, title=""),))))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan, 1.0]], ids=repr)
def test_a_number_that_json_lacks_comes_back(tmp_path: Path, value: Any) -> None:
    lines = (node(["Document"], DOCUMENT, own=encoded(value)),)
    (found,) = archive.read(archive.check(write(tmp_path, pack(lines))))
    assert repr(found.properties["own"]) == repr(value)


def test_vectors_take_four_bytes_a_number_where_that_is_exact() -> None:
    assert encoded([0.5] * 3) == {"f32": "AAAAPwAAAD8AAAA/"}
    assert set(encoded([0.1])) == {"f64"}


HOSTILE: dict[str, tuple[Sequence[Line | bytes], str]] = {
    "an unknown label": ([node(["Secret"], DOCUMENT)], "not the labels of a node"),
    "two structural labels": ([node(["Document", "Chunk"], DOCUMENT)], "not the labels of a node"),
    "a label twice": ([entity("Entity", "PERSON", "PERSON")], "not the labels of a node"),
    "a lease": ([node(["Lease"], {"graph": "g"})], "not the labels of a node"),
    "backticks in a label": ([entity("Entity", "P`) DETACH DELETE (n")], "not a label that kg-neo4j writes"),
    "a label of another kind": ([node(["Document", "PERSON"], DOCUMENT)], "not a label that kg-neo4j writes"),
    "labels that are no list": ([{**GOOD[0], "labels": "Document"}], "line 2: labels"),
    "a label that is no text": ([{**GOOD[0], "labels": [["Document"]]}], "line 2: labels"),
    "backticks in a type": ([*GOOD[:3], link("A`]->() DELETE", "e", "e")], "not a type of relationship"),
    "a type that is no text": ([*GOOD[:3], {**GOOD[5], "type": ["KNOWS"]}], "not a type of relationship"),
    "a type between other ends": ([*GOOD[:3], link("IN_DOCUMENT", "e", "d")], "no IN_DOCUMENT leads from Entity"),
    "a fact between others": ([*GOOD[:3], link("KNOWS", "c", "d")], "no KNOWS leads from Chunk to Document"),
    "an end that is not there": ([*GOOD[:3], link("IN_DOCUMENT", "c", "x")], "an end is not there: 'x'"),
    "an end that is no text": ([*GOOD[:3], {**GOOD[3], "end": {"a": 1}}], "line 5: end"),
    "an id twice": ([GOOD[0], GOOD[0]], "line 3: the id 'd' is there twice"),
    "an id twice, of two labels": ([GOOD[0], node(["Chunk"], CHUNK, id="d")], "the id 'd' is there twice"),
    "no id": ([node(["Document"], DOCUMENT, id=None)], "not a value of a property"),
    "an empty id": ([node(["Document"], DOCUMENT, id="")], "id: not a text"),
    "an endless id": ([node(["Document"], DOCUMENT, id="x" * 8_000)], "id: not a text"),
    "another graph": ([node(["Document"], DOCUMENT, graph="main")], "a node of graph 'main', not of 'g'"),
    "a node after relationships": ([*GOOD, node(["Document"], DOCUMENT, id="d2")], "a node comes after"),
    "a text for a number": ([GOOD[0], node(["Chunk"], CHUNK, index="0")], "index: not an integer"),
    "true for a number": ([GOOD[0], node(["Chunk"], CHUNK, index=True)], "index: not an integer"),
    "a list for a text": ([GOOD[0], node(["Chunk"], CHUNK, text=["Ada."])], "text: not text"),
    "a text for a list": ([node(["Document"], DOCUMENT, links="x")], "links: not a list of texts"),
    "texts for integers": ([node(["Document"], DOCUMENT, pages=["0"])], "pages: not a list of integers"),
    "a needed property missing": ([node(["Chunk"], {"id": "c", "graph": "g"})], "Chunk without document_id, text"),
    "an integer beyond 64 bits": ([node(["Document"], DOCUMENT, revision=2**63 + 1)], "revision: an integer beyond 64"),
    "one beyond them in a list": ([node(["Document"], DOCUMENT, own=[-(2**63) - 1])], "own: an integer beyond 64"),
    "an object": ([node(["Document"], DOCUMENT, own={"a": 1})], "own: not a value of a property"),
    "a list of lists": ([node(["Document"], DOCUMENT, own=[[1]])], "own: not a value of a property"),
    "a list of two kinds": ([node(["Document"], DOCUMENT, own=[1, "a"])], "own: a list of different kinds"),
    "a null": ([node(["Document"], DOCUMENT, own=None)], "own: not a value of a property"),
    "a number that is none": ([node(["Document"], DOCUMENT, own={"float": "one"})], "own: not a number"),
    "a number of another kind": ([node(["Document"], DOCUMENT, own={"float": [1]})], "own: not a value"),
    "broken base64": ([entity(embedding={"f32": "%%%"})], "line 2: "),
    "half a number": ([entity(embedding={"f64": "AAAA"})], "line 2: "),
    "a vector of another length": ([entity(embedding={"f32": "AAAAPw=="})], "embedding: not a vector of 2"),
    "a vector that is text": ([entity(embedding="x")], "embedding: not a vector of 2"),
    "a backtick in a key": ([node(["Document"], DOCUMENT, **{"a`b": 1})], "not a property key"),
    "an empty key": ([node(["Document"], DOCUMENT, **{"": 1})], "not a property key"),
    "an endless key": ([node(["Document"], DOCUMENT, **{"k" * 101: 1})], "not a property key"),
    "properties that are no object": ([{**GOOD[0], "properties": []}], "properties: not an object"),
    "a line of another kind": ([*GOOD, {"kind": "schema"}], "neither a node nor a relationship"),
    "a second first line": ([archive.first_line(HEADER)], "neither a node nor a relationship"),
    "no JSON": ([b"MATCH (n) DETACH DELETE n\n"], "line 2: "),
    "a JSON list": ([b"[]\n"], "line 2: not a JSON object"),
    "an empty line": ([b"\n"], "line 2: "),
    "NaN as a word": ([b'{"kind":"node","x":NaN}\n'], "NaN is not JSON"),
    "a float beyond floats": (
        [json.dumps(node(["Document"], DOCUMENT, own=1)).replace("1}", "1e999}").encode() + b"\n"],
        "own: not a value",
    ),
    "a deep nest": ([b"[" * 200_000 + b"]" * 200_000 + b"\n"], "line 2: "),
    "bytes that are no UTF-8": ([b'{"kind":"\xff"}\n'], "line 2: "),
    "half a character": ([node(["Document"], DOCUMENT, own="\ud800")], "surrogates"),
    "half a character in an id": ([node(["Document"], DOCUMENT, id="\udfff")], "surrogates"),
    "an integer of a million digits": ([b'{"kind":' + b"9" * 1_000_000 + b"}\n"], "line 2: "),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_line_that_kg_neo4j_would_not_have_written_is_refused(tmp_path: Path, name: str) -> None:
    lines, message = HOSTILE[name]
    assert message in refused(tmp_path, pack(lines))


def first(**changes: Any) -> bytes:
    return json.dumps({**json.loads(archive.first_line(HEADER)), **changes}).encode() + b"\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "made by a newer kg-neo4j: format 2, this one reads 1"),
        ({"version": "1"}, "not a version"),
        ({"version": True}, "not a version"),
        ({"version": 0}, "not a version"),
        ({"format": "another"}, "neither an archive nor an export"),
        ({"graph": ""}, "graph: not a text"),
        ({"graph": 1}, "graph: not a text"),
        ({"graph": "g" * 201}, "graph: not a text"),
        ({"vectors": "m"}, "vectors: not a model and a dimension"),
        ({"vectors": {"model": "m", "dimension": 0}}, "vectors: 0 dimensions"),
        ({"vectors": {"model": "m", "dimension": 2**63}}, "dimensions; at most 4096"),
        ({"vectors": {"model": ["m"], "dimension": 2}}, "vectors: model"),
        ({"state": []}, "properties: not an object"),
        ({"state": {"version": "x"}}, "state: unknown keys ['version']"),
        ({"state": {"levels": "x"}}, "levels: not an integer"),
    ],
    ids=str,
)
def test_a_first_line_that_cannot_be_read_is_refused(tmp_path: Path, changes: Line, message: str) -> None:
    assert message in refused(tmp_path, pack(GOOD, first(**changes)))


@pytest.mark.parametrize("compressed", [True, False])
def test_a_text_is_neither_an_archive_nor_an_export(tmp_path: Path, compressed: bool) -> None:
    for text in (b"Call me Ishmael.\nSome years ago", b"{}\n", b'{"kind": "node"}\n', b"Ishmael", b"\x00" * 99):
        message = refused(tmp_path, text, compressed=compressed)
        assert "neither an archive nor an export of kg-neo4j" in message, text
    assert "is empty" in refused(tmp_path, b"", compressed=compressed)


def test_an_archive_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, pack(GOOD))
    whole = path.read_bytes()
    for length in range(3, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(BadArchive):
            archive.check(path)
    for lines in range(1, len(GOOD) + 2):
        message = refused(tmp_path, b"".join(pack(GOOD).splitlines(keepends=True)[:lines]))
        assert "its last line is missing" in message


def test_an_archive_changed_anywhere_is_refused(tmp_path: Path) -> None:
    data = pack(GOOD)
    assert "the checksum differs" in refused(tmp_path, data.replace(b'"Ada."', b'"Eve."'))
    assert "the checksum differs" in refused(tmp_path, data.replace(b'"graph":"g"', b'"graph": "g"', 1))
    lines = data.splitlines(keepends=True)
    assert "it says (3, 3), and (3, 2)" in refused(tmp_path, b"".join([*lines[:-2], lines[-1]]))
    assert "more after the last line" in refused(tmp_path, data + lines[-1])
    path = write(tmp_path, data)
    whole = path.read_bytes()
    for place in range(10, len(whole), 5):  # before that, gzip has fields that mean nothing
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BadArchive):
            archive.check(path)


def test_a_file_that_changes_between_the_two_readings_is_refused(tmp_path: Path) -> None:
    checked = archive.check(write(tmp_path, pack(GOOD)))
    write(tmp_path, pack(GOOD[:5]))
    with pytest.raises(BadArchive, match="was changed while it was read"):
        list(archive.read(checked))


def test_a_bomb_takes_no_more_memory_than_a_line_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_LINE", 1 << 20)
    bomb = archive.first_line(HEADER) + b'{"kind":"node","x":"' + b" " * (200 << 20)
    packed = gzip.compress(bomb, 9)
    assert len(packed) < 300_000
    path = tmp_path / "bomb.gz"
    path.write_bytes(packed)
    del bomb
    tracemalloc.start()
    with pytest.raises(BadArchive, match="line 2: longer than 1,048,576 bytes"):
        archive.check(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.gz"):
        with pytest.raises(BadArchive, match=r"is a folder|No such file"):
            archive.check(path)
