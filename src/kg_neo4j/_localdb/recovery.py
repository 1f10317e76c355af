"""A store whose transaction log cannot be read to its end, after a full disk or a power cut, is opened again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kg_neo4j._localdb import admin, configuration, disk, launch, login, server, state
from kg_neo4j._localdb.server import Server
from kg_neo4j._localdb.state import Home
from kg_neo4j.errors import DatabaseOffline, StillStarting, StoreInconsistent, UsageError
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings

STAGE = "recover"


@dataclass(frozen=True, slots=True)
class Recovery:
    """A store that was opened again."""

    server: Server
    copy: Path  # of the data as they were before


def recover(settings: Settings, progress: Progress) -> Recovery:
    """Copy the store, open it without the unreadable end of its log, check it, and start the server as usual.

    Neo4j drops what follows the last log entry that it can read: transactions whose commit was never confirmed.
    Raises UsageError where there is nothing to recover, DiskFull where the copy does not fit, DatabaseOffline where
    the store does not open even so, and StoreInconsistent where Neo4j's own check finds errors.
    """
    home = state.home_of(settings)
    if not has_data(home):
        raise UsageError(f"there is no store in {home.root}: nothing to recover", hint="`kg db start` makes one")
    parts = server.parts_of(settings, progress)
    home.prepare()
    with server.locked(settings, home, progress):
        _refuse_healthy(home)
        server.end(home)
        launch.refuse_strangers(home)
        launch.finish_restoring(home)
        progress.start(STAGE, total=4)
        try:
            copy = _copy(home)
            progress.note(f"the data are copied to {copy}")
            progress.advance(STAGE)
            try:
                server.start_new(settings, home, parts, progress, configuration.RECOVERY)
            except DatabaseOffline as error:
                raise DatabaseOffline(
                    f"{error}; leaving out the end of the log did not help; the data as they were are in {copy}",
                    hint="`kg db restore FILE`, from a backup",
                ) from error
            except StillStarting as error:
                server.end(home, force=True)
                raise StillStarting(
                    f"the recovery took longer than {settings.db_start_timeout_s:.0f} s and was stopped; the data as "
                    f"they were are in {copy}",
                    hint="KG_DB_START_TIMEOUT_S=3600 kg db start --recover",
                ) from error
            server.end(home)  # writes a checkpoint: the next start needs no recovery
            progress.advance(STAGE)
            tools = admin.Admin(home, parts, launch.memory_of(settings), home.data)
            if found := tools.check(home.root / "logs"):
                raise StoreInconsistent(
                    f"Neo4j's check of the recovered store in {home.root} found errors: {found}",
                    hint=f"restore a backup with `kg db restore FILE`; the data as they were are in {copy}",
                )
            progress.advance(STAGE)
            started = server.start_new(settings, home, parts, progress)
            progress.advance(STAGE)
        finally:
            progress.finish(STAGE)
    return Recovery(started, copy)


def has_store(settings: Settings) -> bool:
    """Say whether KG_HOME holds data of the managed server."""
    return has_data(state.home_of(settings))


def has_data(home: Home) -> bool:
    """Say whether `home` has data."""
    return any((data / "databases" / admin.DATABASE).is_dir() for data in (home.data, home.restored))


def stamp() -> str:
    """Return the time as it appears in names of folders, to the second."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def _refuse_healthy(home: Home) -> None:
    found = state.running(home)
    if found and found[0].phase == state.STARTING:
        raise StillStarting(
            f"the local Neo4j (process {found[0].pid}) is starting, perhaps in a recovery of its own",
            hint="`kg db start` waits for it; to end it first: kg db stop --force",
        )
    if found and found[0].phase == state.READY and not login.panicked(home, found[0].bolt_port):
        raise UsageError(
            f"the local Neo4j (process {found[0].pid}) runs and answers: there is nothing to recover",
            hint="see `kg db status`; to check it all the same: kg db stop, then kg db start --recover",
        )


def _copy(home: Home) -> Path:
    """Copy the data beside themselves and return where to; a copy that was interrupted does not count."""
    disk.require_space(home.root, disk.folder_size(home.data) + launch.NEEDED_BYTES)
    draft = home.root / ".data-copy"
    shutil.rmtree(draft, ignore_errors=True)
    target = home.root / f"data-before-recovery-{stamp()}"
    try:
        disk.copy_tree(home.data, draft)
        return draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
