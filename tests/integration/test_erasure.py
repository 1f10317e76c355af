"""A document that is purged leaves no trace in our files and in the graph. tests/wings/local compacts a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from erased_graph import OTHER, SECRET, Place
from kg_neo4j import Settings
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.pipeline.commands.archive import export_archive
from kg_neo4j.pipeline.commands.resolve import decisions
from kg_neo4j.rooms.erasure.compacting import compact
from kg_neo4j.rooms.erasure.purging import purge
from kg_runner import Kg


@pytest.fixture
def place(offline: Settings, tmp_path: Path) -> Place:
    (tmp_path / "out").mkdir()
    return Place(offline.model_copy(update={"home": tmp_path / "home", "cache": tmp_path / "cache"}), tmp_path)


def test_a_purged_document_leaves_no_trace(place: Place) -> None:
    without = place.begin()
    place.fill()
    assert place.marks(place.folder / "out", place.folder / "home", place.folder / "cache")

    report = purge("secret.txt", settings=place.settings)

    assert place.marks(place.folder / "out", place.folder / "home", place.folder / "cache") == set()
    left = {path.relative_to(place.folder).as_posix() for path in place.folder.rglob("*") if path.is_file()}
    kept = {
        f"home/uploads/{place.uploads}/other.txt",
        "home/scans/cd/cdef/1.json",
        "out/before.jsonl",
        "texts/secret.txt",
    }
    assert kept <= left
    assert "Who is Ada?" in (place.settings.home / "questions/main.jsonl").read_text()
    export_archive(place.folder / "out" / "after.gz", settings=place.settings)
    assert place.marks(place.folder / "out") == set()
    pairs = [{each.left, each.right} for each in decisions(settings=place.settings) if not each.derived]
    assert pairs == [{"Ada Reed (PERSON)", "Jonas Holt (PERSON)"}]
    said = "\n".join(report.notes)
    for what in (
        "archive of",
        "export of",
        "table of",
        "picture of",
        "upload that waits",
        "copy of a store",
        "2 saved",
    ):
        assert what in said
    assert "not removed: the server of NEO4J_URI is not ours" in said
    place.derive()
    assert place.export("after.jsonl") == without
    with pytest.raises(SourceNotFound, match=r"no document 'secret\.txt'"):
        purge("secret.txt", settings=place.settings)


def test_purging_asks_first_and_a_no_changes_nothing(place: Place, kg: Kg) -> None:
    place.load("secret.txt", SECRET)
    before = place.export("all.jsonl")
    home = {"KG_HOME": str(place.settings.home), "KG_CACHE": str(place.settings.cache)}
    code, _, said = kg("unload", "--purge", "secret.txt", **home)
    assert code == 2
    assert "is deleted: export of" in said
    assert "the same command with --yes" in said
    assert place.export("again.jsonl") == before == (place.folder / "out/all.jsonl").read_bytes()
    code, out, said = kg("unload", "--purge", "secret.txt", "--yes", **home)
    assert code == 0
    assert out.startswith("removed 1 document")
    assert "all.jsonl" in said
    assert not list((place.folder / "out").iterdir())


def test_a_purge_that_was_stopped_is_repeated(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.load("other.txt", OTHER)
    without = place.export("before.jsonl")
    place.load("secret.txt", SECRET)
    place.export("all.jsonl")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr("kg_neo4j.pipeline.commands.load.stored_documents.delete_document", stop)
        with pytest.raises(KeyboardInterrupt):
            purge("secret.txt", settings=place.settings)
    purge("secret.txt", settings=place.settings)
    assert place.marks(place.folder / "out", place.folder / "home") == set()
    assert place.export("after.jsonl") == without


def test_only_a_store_of_ours_is_compacted(place: Place, kg: Kg) -> None:
    with pytest.raises(UsageError, match="does not manage"):
        compact(settings=place.settings)
    code, _, said = kg("db", "compact", "--yes")
    assert code == 2
    assert "does not manage" in said
