"""A store and an archive of an older version are opened, asked and exported: nothing changes. A load rebuilds them.

`tests/data/stores` has what version 0.1.0 wrote of two texts of `examples/`, loaded as `notes/`, with a merge, reports
and trees: the store (`kg db backup`), its export, and an archive in the first format. They are never made again. Its
extraction rules were others, so this version refuses to mix them and names `--rebuild`.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, ask, import_graph, load
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.export import export
from kg_neo4j.pipeline.commands.archive import restore
from private_server import PrivateServer

pytestmark = pytest.mark.long

STORES = Path(__file__).resolve().parents[1] / "data" / "stores"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GRAPH = "upgraded"


@pytest.fixture(scope="module", params=["store", "archive"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """The old graph in a new home, from the store or from the archive."""
    with PrivateServer(tmp_path_factory.mktemp("home"), Settings()) as private:
        private.settings = private.settings.model_copy(update={"graph": GRAPH, "answer_cache": False})
        if request.param == "store":
            restore(STORES / "kg-0.1.0-neo4j-5.26.dump", settings=private.settings)
        else:
            import_graph(str(STORES / "archive-1.jsonl.gz"), settings=private.settings)
        private.start()
        yield private


@pytest.fixture(scope="module")
def expected() -> str:
    """The old export without the empty texts and lists that version 0.1.0 stored: an absent property means empty."""
    return "".join(
        map(without_empties, gzip.decompress((STORES / "kg-0.1.0.export.jsonl.gz").read_bytes()).splitlines())
    )


def without_empties(line: bytes) -> str:
    record = json.loads(line)
    record["properties"] = {name: value for name, value in record["properties"].items() if value not in ("", [])}
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def exported(private: PrivateServer) -> str:
    written = io.StringIO()
    with private.connect() as database:
        export(database, GRAPH, written)
    return written.getvalue()


def test_it_is_read_as_it_was_written(opened: PrivateServer, expected: str) -> None:
    assert exported(opened) == expected
    answer = ask("Who was Agathe?", settings=opened.settings)
    assert answer.found
    assert "The bell was called Agathe." in answer.answer


def test_the_same_commands_refuse_other_rules_and_rebuild_the_graph(
    opened: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("the_bell_of_orlen.md", "the_lamp_at_skarnes.md"):
        shutil.copy(EXAMPLES / name, tmp_path / "notes" / name)
    monkeypatch.chdir(tmp_path)
    before = exported(opened)
    with pytest.raises(UsageError) as refused:
        load(["notes"], settings=opened.settings)
    assert "--rebuild" in str(refused.value.hint)
    assert exported(opened) == before
    report = load(["notes"], settings=opened.settings, options=LoadOptions(rebuild=True))
    assert (report.documents, report.skipped) == (2, ())
    again = load(["notes"], settings=opened.settings)
    assert (again.documents, again.changes, again.rows.read) == (2, 0, 0)
    assert ask("Who was Agathe?", settings=opened.settings).found
