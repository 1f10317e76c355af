"""Neo4j's own tools for a store that is not running: dump, load, check, import."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from neo4j_local import configuration, disk, java
from neo4j_local.errors import DiskFull, LocalDatabaseError, NotEnoughMemory, UsageError
from neo4j_local.launch import Parts
from neo4j_local.state import Home

DATABASE = "neo4j"  # the one that holds the graphs; "system", with users, belongs to a home

_TOOL = "org.neo4j.cli.AdminTool"
_SHOWN_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Admin:
    """The tools, for the store of one home, or for another folder of data in its place."""

    home: Home
    parts: Parts
    memory: configuration.ServerMemory
    data: Path

    def dump(self, target: Path) -> None:
        """Write the database to `target`, whole or not at all. Raises DiskFull or LocalDatabaseError."""
        try:
            # not by --to-stdout: Neo4j reports no error there when the disk is full
            with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as folder:
                said = self._run("dump", after=[f"--to-path={folder}"])
                if not said:
                    written = Path(folder, f"{DATABASE}.dump")
                    with written.open("rb") as file:
                        os.fsync(file.fileno())
                    written.replace(target)
        except OSError as error:
            disk.raise_if_full(error, target)
            raise UsageError(f"cannot write {target}: {error.strerror}") from error
        if "No space left" in said:
            raise DiskFull(f"no space left while writing {target}", hint="free some space, then run it again")
        if "logical log" in said:  # the server was killed, and has not started since
            raise LocalDatabaseError(
                f"the store in {self.data} was not shut down cleanly: {said}",
                hint="`kg db start` recovers it; then run it again",
            )
        if said:
            raise LocalDatabaseError(f"Neo4j could not dump {self.data}: {said}", hint="see `kg db logs`")

    def load(self, source: Path) -> None:
        """Fill `data` from a dump. Raises DiskFull or LocalDatabaseError."""
        with source.open("rb") as file:
            said = self._run("load", after=["--from-stdin", "--overwrite-destination"], stdin=file)
        if "No space left" in said:
            raise DiskFull(f"no space left while filling {self.data}", hint="free some space, then run it again")
        if said:
            raise LocalDatabaseError(f"Neo4j could not load {source}: {said}", hint="try another backup")

    def import_full(self, files: Sequence[str], report: Path) -> None:
        """Fill `data`, which has no database yet, from files that the arguments name; what is bad goes to `report`.

        Raises DiskFull, NotEnoughMemory, or LocalDatabaseError.
        """
        said = self._run("import", "full", after=[f"--report-file={report}", *files])
        if "No space left" in said:
            raise DiskFull(f"no space left while filling {self.data}", hint="free some space, then run it again")
        if "OutOfMemoryError" in said:
            raise NotEnoughMemory(
                f"Neo4j's importer needs more than {self.memory.heap_mb:,} MB of heap",
                hint=f"KG_DB_HEAP_MB={2 * self.memory.heap_mb}, then run it again",
            )
        if said:
            raise LocalDatabaseError(f"Neo4j could not import into {self.data}: {said}", hint=f"see {report}")

    def check(self, reports: Path) -> str:
        """Return what Neo4j's consistency check found; "" where the store is consistent. Details go to `reports`.

        Raises LocalDatabaseError where the check itself failed.
        """
        said = self._run("check", after=[f"--report-path={reports}"])
        if said and "Inconsistencies" not in said:
            raise LocalDatabaseError(
                f"Neo4j could not check {self.data}: {said}", hint="`kg db start` starts the store without a check"
            )
        return said

    def _run(self, *action: str, after: Sequence[str] = (), stdin: IO[bytes] | int = subprocess.DEVNULL) -> str:
        """Run one tool and return why it failed; "" where it did not. Options come `after` the name of the database."""
        conf = self.home.root / "run" / "admin"  # the server's configuration but for where the data are
        conf.mkdir(parents=True, exist_ok=True)
        elsewhere = {"server.directories.data": str(self.data)}
        text = configuration.text(self.parts.lock.line, 0, 0, self.memory.pagecache_mb, elsewhere)
        disk.write_whole(conf / "neo4j.conf", text.encode())
        disk.write_whole(conf / "java.args", java.class_path_file(self.parts.jars).encode())
        done = subprocess.run(  # noqa: S603 - our own command line
            [
                *(str(self.parts.java), f"-Xmx{self.memory.heap_mb}m", f"@{conf / 'java.args'}", _TOOL),
                *("database", *action, DATABASE, "--verbose", *after),
            ],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.home.root,
            env={"LC_ALL": "C.UTF-8", "NEO4J_HOME": str(self.home.root), "NEO4J_CONF": str(conf)},
            check=False,
        )
        return _reason(done.stdout.decode("utf-8", "replace")) if done.returncode else ""


def _reason(said: str) -> str:
    """Return the lines in which a tool says what failed: the deepest cause, or the last lines."""
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip() and not line.startswith("\tat ")]
    telling = [line for line in lines if line.startswith(("Caused by:", "Failed to", "Inconsistencies"))]
    return " ".join((telling or lines)[-2:])[:_SHOWN_CHARACTERS] or "no reason was given"
