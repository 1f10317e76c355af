"""The store as one file, in Neo4j's own dump format, and back; a store from files; a damaged store opened again.

Restoring and importing fill a folder of its own, which then takes the place of the data by two renames. A kill leaves
the old data or the new ones: the next start completes a second rename that is missing.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from neo4j_local import admin, configuration, disk, launch, login, server, state
from neo4j_local.errors import DatabaseOffline, LocalDatabaseError, StillStarting, StoreInconsistent, UsageError
from neo4j_local.progress import Progress
from neo4j_local.server import LocalNeo4j, Server
from neo4j_local.state import Home

STAGE = "recover"

_DRAFT = ".data-loading"
_MAGIC = (b"DZV1", b"DGV1")  # Neo4j's dumps, compressed by Zstandard or gzip


@dataclass(frozen=True, slots=True)
class Recovery:
    """A store that was opened again."""

    server: Server
    copy: Path  # of the data as they were before


@dataclass(frozen=True, slots=True)
class Store:
    """All data of a local Neo4j, whose server is stopped while they are copied or replaced."""

    local: LocalNeo4j

    def exists(self) -> bool:
        """Say whether the home has data."""
        home = self.local.home
        return any((data / "databases" / admin.DATABASE).is_dir() for data in (home.data, home.restored))

    def dump(self, target: Path, progress: Progress, *, overwrite: bool = False) -> int:
        """Write the store to `target` and return its bytes. A running server is stopped for that, and started again.

        Raises UsageError where there is no store, or `target` may not be overwritten; DiskFull; LocalDatabaseError.
        """
        home = self.local.home
        if not self.exists():
            raise UsageError(f"there is no store in {home.root}: nothing to back up", hint="`kg load` makes one")
        if target.exists() and not overwrite:
            raise UsageError(f"{target} exists", hint="choose another name, or pass --yes to overwrite it")
        if not (folder := target.absolute().parent).is_dir():
            raise UsageError(f"there is no folder {folder}", hint="make it first, or choose another one")
        parts = self.local.parts(progress)
        with self.local.locked(progress):
            local = self._at_its_ports(home)
            ran = server.end(home)
            try:
                launch.claim(home)
                admin.Admin(home, parts, self.local.memory, home.data).dump(target.absolute())
            finally:
                if ran:
                    local.start_new(parts, progress)
        return target.stat().st_size

    def restore(self, source: Path, progress: Progress, *, overwrite: bool = False) -> None:
        """Replace the store by the one in `source`, a file that `dump` wrote; the server then runs.

        The old data are deleted once the restored ones have opened; until then nothing of them changes. Raises
        UsageError where `source` is no dump, or where there are data and `overwrite` is not set; DiskFull;
        LocalDatabaseError.
        """
        _refuse_other_files(source)
        home = self.local.home
        if self.exists() and not overwrite:
            raise UsageError(
                f"{home.root} has a store, which restoring would replace",
                hint="pass --yes to replace it; `kg db backup FILE` keeps it",
            )
        self._replace(home, progress, lambda tools: tools.load(source.absolute()), source.stat().st_size)

    def import_full(
        self, files: Sequence[str], report: Path, needed: int, progress: Progress, *, overwrite: bool = False
    ) -> None:
        """Replace the store by one that Neo4j's importer fills from files; the server then runs.

        `files` are the importer's arguments, `needed` the bytes that the new store may take. Raises as `restore` does.
        """
        home = self.local.home
        if self.exists() and not overwrite:
            raise UsageError(
                f"{home.root} has a store, which the import would replace", hint="pass --yes to replace it"
            )
        self._replace(home, progress, lambda tools: tools.import_full(files, report), needed)

    def adopt(self, source: Path, progress: Progress) -> None:
        """Replace the store by that of the home `source`, whose server is stopped; the server then runs.

        The old data and the server's logs, which may quote them, are deleted. Raises as `restore` does.
        """
        self._replace(self.local.home, progress, lambda tools: _take(source, tools), 0)

    def _replace(self, home: Home, progress: Progress, fill: Callable[[admin.Admin], None], needed: int) -> None:
        """Fill new data, which take the place of the old ones, and start the server; on a failure the old ones stay."""
        parts = self.local.parts(progress)
        home.prepare()
        with self.local.locked(progress):
            local = self._at_its_ports(home)
            ran = server.end(home)
            launch.claim(home)
            filled = False
            replaced = home.root / f"data-before-restore-{stamp()}"
            try:
                draft = home.root / f"{_DRAFT}-{secrets.token_hex(4)}"
                _fill(admin.Admin(home, parts, self.local.memory, draft), fill, needed)
                filled = True
                if home.data.is_dir():
                    home.data.rename(replaced)
                home.restored.rename(home.data)
                local.start_new(parts, progress)
            except BaseException:
                server.end(home, force=True)
                if filled and not home.restored.is_dir():  # the restored data have taken their place
                    shutil.rmtree(home.data, ignore_errors=True)
                if replaced.is_dir():
                    replaced.rename(home.data)
                if ran:
                    with contextlib.suppress(LocalDatabaseError):  # the first error is the one to report
                        local.start_new(parts, progress)
                raise
            shutil.rmtree(replaced, ignore_errors=True)

    def _at_its_ports(self, home: Home) -> LocalNeo4j:
        """Return the server with the ports of the one that runs, so that programs find it there again."""
        if found := state.running(home):
            return replace(self.local, bolt_port=found[0].bolt_port, http_port=found[0].http_port)
        return self.local

    def recover(self, progress: Progress) -> Recovery:
        """Copy the store, open it without the unreadable end of its log, check it, and start the server as usual.

        Neo4j drops what follows the last log entry that it can read: transactions whose commit was never confirmed.
        Raises UsageError where there is nothing to recover, DiskFull where the copy does not fit, DatabaseOffline where
        the store does not open even so, and StoreInconsistent where Neo4j's own check finds errors.
        """
        home = self.local.home
        if not self.exists():
            raise UsageError(f"there is no store in {home.root}: nothing to recover", hint="`kg db start` makes one")
        parts = self.local.parts(progress)
        home.prepare()
        with self.local.locked(progress):
            _refuse_healthy(home)
            server.end(home)
            launch.claim(home)
            progress.start(STAGE, total=4)
            try:
                copy = _copy(home)
                progress.note(f"the data are copied to {copy}")
                progress.advance(STAGE)
                try:
                    self.local.start_new(parts, progress, configuration.RECOVERY)
                except DatabaseOffline as error:
                    raise DatabaseOffline(
                        f"{error}; leaving out the end of the log did not help; the data as they were are in {copy}",
                        hint="`kg db restore FILE`, from a backup",
                    ) from error
                except StillStarting as error:
                    server.end(home, force=True)
                    raise StillStarting(
                        f"the recovery took longer than {self.local.start_timeout_s:.0f} s and was stopped; "
                        f"the data as they were are in {copy}",
                        hint="KG_DB_START_TIMEOUT_S=3600 kg db start --recover",
                    ) from error
                server.end(home)  # writes a checkpoint: the next start needs no recovery
                progress.advance(STAGE)
                tools = admin.Admin(home, parts, self.local.memory, home.data)
                if found := tools.check(home.root / "logs"):
                    raise StoreInconsistent(
                        f"Neo4j's check of the recovered store in {home.root} found errors: {found}",
                        hint=f"restore a backup with `kg db restore FILE`; the data as they were are in {copy}",
                    )
                progress.advance(STAGE)
                started = self.local.start_new(parts, progress)
                progress.advance(STAGE)
            finally:
                progress.finish(STAGE)
        return Recovery(started, copy)


def _fill(tools: admin.Admin, fill: Callable[[admin.Admin], None], needed: int) -> None:
    """Make the folder that is to replace the data: what `fill` makes, and the users of this home."""
    home, draft = tools.home, tools.data
    for leftover in (*home.root.glob(f"{_DRAFT}*"), home.restored):  # a tool whose caller was killed may write to one
        shutil.rmtree(leftover, ignore_errors=True)
    disk.require_space(home.root, launch.NEEDED_BYTES + needed)
    try:
        draft.mkdir()
        for part in ("databases/system", "transactions/system"):
            if (home.data / part).is_dir():
                disk.copy_tree(home.data / part, draft / part)
        if (home.data / "server_id").is_file():
            shutil.copyfile(home.data / "server_id", draft / "server_id")
        fill(tools)
        draft.rename(home.restored)
    except OSError as error:
        disk.raise_if_full(error, draft)
        raise LocalDatabaseError(f"cannot fill {draft}: {error.strerror}", hint="see who owns its folder") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _take(source: Path, tools: admin.Admin) -> None:
    for part in ("databases", "transactions"):
        (tools.data / part).mkdir(exist_ok=True)
        (source / "data" / part / admin.DATABASE).rename(tools.data / part / admin.DATABASE)
    for each in (tools.home.root / "logs").iterdir():
        each.unlink()


def _refuse_other_files(source: Path) -> None:
    try:
        with source.open("rb") as file:
            magic = file.read(len(_MAGIC[0]))
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    if magic not in _MAGIC:
        raise UsageError(
            f"{source} is not a backup that Neo4j wrote",
            hint="`kg db backup FILE` makes one; an export or an archive comes back with `kg import FILE`",
        )


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
