"""A local store that is written again, so that nothing is left in its files of what was deleted.

Neo4j marks deleted records as free and keeps their bytes, and a dump copies the files as they are. So a second server
gets every node and relationship, of other programs, too. Its files take the place of the old ones.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from kg_neo4j.display import Readable
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.local_server import has_store, local_neo4j, local_store
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings

STAGE = "compact"
DRAFT = "compacting"  # the home of the second server, in KG_HOME
ROWS = 1_000  # written in one transaction
INDEXES_S = 86_400  # that indexes may take


@dataclass(frozen=True, slots=True)
class CompactReport(Readable):
    """What a store held before and after it was written again."""

    nodes: int
    relationships: int
    bytes_before: int
    bytes: int
    seconds: float


@dataclass(slots=True)
class _Content:
    """Counts of what was read, and a sum of hashes that does not depend on its order."""

    nodes: int = 0
    relationships: int = 0
    digest: int = 0

    def add(self, *parts: object) -> None:
        said = hashlib.sha256("\0".join(map(repr, parts)).encode("utf-8", "surrogatepass")).digest()
        self.digest = (self.digest + int.from_bytes(said[:16], "big")) % (1 << 128)

    def node(self, id: int, row: Mapping[str, Any]) -> None:
        self.nodes += 1
        self.add(id, sorted(row["labels"]), sorted(row["properties"].items()))

    def relationship(self, start: int, end: int, row: Mapping[str, Any]) -> None:
        self.relationships += 1
        self.add(start, end, row["type"], sorted(row["properties"].items()))


def size(settings: Settings) -> int:
    """Return the bytes of the store and its logs. Raises UsageError where there is no store of ours."""
    if settings.neo4j_uri:
        raise UsageError(
            "NEO4J_URI names a server that kg-neo4j does not manage",
            hint="its administrator knows: `neo4j-admin database copy` (Enterprise), or a new database from an export",
        )
    if not has_store(settings):
        raise UsageError(f"there is no store in {settings.home}: nothing to compact", hint="`kg load` makes one")
    with local_neo4j(settings) as local:
        return _bytes(Path(local.status().home, "data"))


def compact(*, settings: Settings, progress: Progress = SILENT) -> CompactReport:
    """Write the whole local store again, and let the new files take the place of the old ones.

    The old store stays until the new one has the same content and has opened. Raises UsageError where NEO4J_URI names
    a server, where there is no store, where another program is connected, or where the store changed meanwhile;
    DiskFull; LocalDatabaseError.
    """
    started, before = time.monotonic(), size(settings)
    home = settings.home.absolute() / DRAFT
    draft = settings.model_copy(update={"home": home, "db_bolt_port": 0, "db_http_port": 0})
    _discard(draft)
    try:
        with connect(settings, progress, as_it_is=True) as old:
            _refuse_others(old)
            log = _log(old)
            with local_neo4j(draft) as local:
                server = local.start(progress)
            address = DatabaseAddress(server.uri, server.username, server.password, home=server.home)
            with Database(address) as new:
                progress.start(STAGE)
                written = _copied(old, new, progress)
                progress.finish(STAGE)
                if _content(new) != written:
                    raise KgError("the new store differs from the old one, which stays", hint="run it again")
            _refuse_others(old)
            if _log(old) != log:
                raise UsageError("another program wrote to the store meanwhile; it stays as it is", hint="run it again")
        with local_neo4j(draft) as local:
            local.stop()
        with local_store(settings) as store:
            store.adopt(server.home, progress)
    finally:
        _discard(draft)
    seconds = time.monotonic() - started
    return CompactReport(written.nodes, written.relationships, before, size(settings), seconds)


def _discard(draft: Settings) -> None:
    """Remove the second server and its files, also those of a run that was killed."""
    if draft.home.is_dir():
        with local_neo4j(draft) as local:
            local.stop(force=True)
        shutil.rmtree(draft.home)


def _refuse_others(database: Database) -> None:
    """Raise UsageError where another process has a connection."""
    own = {each.laddr.port for each in psutil.Process().net_connections("tcp")}
    rows = database.read(queries.get("erasure/connections"))
    if others := [row for row in rows if int(row["address"].rpartition(":")[2]) not in own]:
        programs = ", ".join(sorted({row["program"] for row in others}))
        raise UsageError(
            f"another program is connected to the database: {programs}",
            hint="end `kg serve`, Neo4j Browser and programs that use the graph, then run it again",
        )


def _log(database: Database) -> list[tuple[str, int]]:
    """Return the files of the transaction log with their sizes: every write adds to them."""
    folder = Path(str(database.address.home), "data", "transactions", "neo4j")
    return sorted((each.name, each.stat().st_size) for each in folder.glob("neostore.transaction.*"))


def _copied(old: Database, new: Database, progress: Progress) -> _Content:
    """Write everything of `old` to the empty `new`, and return what it is, with the ids of the new store."""
    ids, content = array("q"), _Content()
    nodes, relationships = (old.stream(queries.get(f"erasure/{each}")) for each in ("nodes", "relationships"))
    while rows := [*islice(nodes, ROWS)]:
        for found in new.write(queries.get("erasure/copy_nodes"), rows=rows):
            ids.extend([-1] * (found["old"] + 1 - len(ids)))
            ids[found["old"]] = found["new"]
        for row in rows:
            content.node(ids[row["id"]], row)
        progress.advance(STAGE, len(rows))
    while rows := [*islice(relationships, ROWS)]:
        moved = [{**row, "start": ids[row["start"]], "end": ids[row["end"]]} for row in rows]
        new.write(queries.get("erasure/copy_relationships"), rows=moved)
        for row in moved:
            content.relationship(row["start"], row["end"], row)
        progress.advance(STAGE, len(rows))
    for each in ("constraints", "indexes"):
        for row in old.read(queries.get(f"erasure/{each}")):
            new.schema(replace(queries.get(f"erasure/{each}"), text=row["statement"]))
    new.schema(queries.get("erasure/await_indexes"), seconds=INDEXES_S)
    return content


def _content(database: Database) -> _Content:
    content = _Content()
    for row in database.stream(queries.get("erasure/nodes")):
        content.node(row["id"], row)
    for row in database.stream(queries.get("erasure/relationships")):
        content.relationship(row["start"], row["end"], row)
    return content


def _bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
