"""A manifest gives any range of its lines the identity that the whole has."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.records import Document, SkippedSource
from kg_neo4j_scale import manifest
from kg_neo4j_scale.manifest import Entry


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.txt").write_text("Anna Weber met Karl Braun.", "utf-8")
    (folder / "a.md").write_text("# Żółw\n\nJan Kowal lives in Gdańsk.", "utf-8")
    (folder / "sub" / "c.txt").write_text("Ines Bram works in Turin.", "utf-8")
    (folder / ".hidden.txt").write_text("No.", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def entries(*sources: Path | str, root: str | None = None) -> list[Entry]:
    return [each for each in manifest.entries([str(each) for each in sources], root=root) if isinstance(each, Entry)]


def written(target: Path, found: list[Entry]) -> str:
    target.write_text("".join(f"{entry.line}\n" for entry in found), "utf-8")
    return str(target)


def read_all(path: str) -> list[Document | SkippedSource]:
    with Sandbox() as sandbox:
        return [manifest.document(entry, graph="g", sandbox=sandbox) for entry in manifest.read(path)]


def test_it_lists_key_address_size_and_hash_of_each_document(docs: Path) -> None:
    first = json.loads(entries(docs)[0].line)
    data = (docs / "a.md").read_bytes()
    assert first == {
        "key": "a.md",
        "address": str(docs / "a.md"),
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert [entry.key for entry in entries(docs)] == ["a.md", "b.txt", "sub/c.txt"]
    assert [entry.key for entry in entries(docs, root=str(docs.parent))] == [
        "docs/a.md",
        "docs/b.txt",
        "docs/sub/c.txt",
    ]
    left_out = [each for each in manifest.entries([str(docs)]) if isinstance(each, SkippedSource)]
    assert [(Path(each.source).name, each.reason.split(";")[0][:10]) for each in left_out] == [
        (".hidden.txt", "hidden"),
        ("picture.png", "no reader "),
    ]


def test_any_line_alone_gives_the_document_that_the_folder_gives(docs: Path, tmp_path: Path) -> None:
    whole = {each.key: each for each in files.read([str(docs)], graph="g") if isinstance(each, Document)}
    for number, entry in enumerate(entries(docs)):
        (found,) = read_all(written(tmp_path / f"{number}.jsonl", [entry]))
        assert isinstance(found, Document)
        same = whole[entry.key]
        assert (found.id, found.key, found.text, found.title, found.language, found.origin) == (
            *(same.id, same.key, same.text, same.title, same.language),
            same.origin,
        )


def test_a_file_that_changed_or_went_is_skipped_with_its_reason(docs: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "work.jsonl", entries(docs))
    (docs / "a.md").write_text("Something else.", "utf-8")
    (docs / "b.txt").unlink()
    changed, gone, kept = read_all(path)
    assert isinstance(changed, SkippedSource)
    assert isinstance(gone, SkippedSource)
    assert isinstance(kept, Document)
    assert changed.reason == "changed since the manifest was written (write the manifest again)"
    assert gone.reason == "no such file or directory"


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "3",
        "{}",
        '{"key": "a", "address": "/a", "size": -1, "sha256": "0"}',
        '{"key": "a", "address": "/a", "size": true, "sha256": "0"}',
        '{"key": "", "address": "/a", "size": 1, "sha256": "0"}',
        '{"key": "a", "address": 4, "size": 1, "sha256": "0"}',
        "",
    ],
)
def test_a_line_that_is_no_entry_is_refused_with_its_number(docs: Path, tmp_path: Path, line: str) -> None:
    path = tmp_path / "work.jsonl"
    path.write_text(f"{entries(docs)[0].line}\n{line}\n", "utf-8")
    with pytest.raises(UsageError, match="line 2 is not an entry"):
        list(manifest.read(str(path)))


def test_a_key_that_comes_twice_is_refused_with_both_lines(docs: Path, tmp_path: Path) -> None:
    found = entries(docs)
    with pytest.raises(UsageError, match=r"lines 1 and 3 both have the key 'a\.md'"):
        list(manifest.read(written(tmp_path / "work.jsonl", [found[0], found[1], found[0]])))
    with pytest.raises(SourceNotFound, match="no such manifest"):
        list(manifest.read(str(tmp_path / "absent.jsonl")))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as a manifest"):
        list(manifest.read(str(tmp_path / "binary")))


def test_a_store_whose_client_is_not_installed_names_the_extra() -> None:
    with pytest.raises(UsageError) as refused:
        manifest.entries(["s3://bucket/folder"])
    assert refused.value.hint == "pip install 'kg-neo4j[remote]'"


def test_root_and_alias_are_refused_for_urls(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="for files of this machine"):
        manifest.entries(["s3://bucket/folder"], root=str(tmp_path))
