"""What we know of our server: the folder of one home, the record of the process, and the lock around both.

The record is the only truth about what we started. It is written whole or not at all, and read with its checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter, ValidationError

from neo4j_local import disk
from neo4j_local.configuration import HOST
from neo4j_local.errors import LocalDatabaseError, StartFailed
from neo4j_local.progress import Progress

if TYPE_CHECKING:
    import psutil

STARTING, READY, STOPPING = "starting", "ready", "stopping"

_CLOCK_TOLERANCE_S = 5.0
_POLL_S = 0.1


class Home:
    """The folder of one line of Neo4j: data, logs, configuration, and our own files about them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "data"  # Neo4j's own folder: the store and its transaction logs
        self.restored = root / "data-restored"  # data from a backup, complete, that are to replace `data`
        self.state_file = root / "server.json"  # the record of the running server
        self.version_file = root / "store-version"  # the version of Neo4j that last ran on the data
        self.password_file = root / "password"  # of the user neo4j; no other user may read it
        self.log = root / "logs" / "neo4j.log"
        self.debug_log = root / "logs" / "debug.log"  # why the database did not open
        self.console = root / "logs" / "console.log"  # what the Java process printed

    def prepare(self) -> None:
        """Create the folders; only their owner may look into them. Raises LocalDatabaseError for what others own."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for parent, _, names in os.walk(self.root):
                for name in ("", *names):
                    refuse_foreign(Path(parent, name))
            self.root.chmod(0o700)
            for name in ("conf", "logs", "plugins", "import", "run"):
                (self.root / name).mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise LocalDatabaseError(
                f"cannot use {error.filename or self.root}: {error.strerror}", hint="set KG_HOME to another folder"
            ) from error


def home_of(folder: Path, line: str) -> Home:
    """Return the home for a line of Neo4j, below `folder`. Raises LocalDatabaseError where somebody else owns it."""
    home = Home(folder.absolute() / f"neo4j-{line}")
    refuse_foreign(home.root)
    return home


def refuse_foreign(path: Path) -> None:
    """Raise LocalDatabaseError where `path` exists and belongs to another user, who could have put anything there."""
    try:
        owner = path.lstat().st_uid
    except FileNotFoundError:  # not there yet, or deleted by Neo4j just now
        return
    except OSError as error:
        raise LocalDatabaseError(
            f"cannot use {path}: {error.strerror}", hint="set KG_HOME to a folder of your own"
        ) from error
    if sys.platform != "win32" and owner != os.geteuid():
        raise LocalDatabaseError(
            f"{path} belongs to the user with the number {owner}, not to you ({os.geteuid()})",
            hint="set KG_HOME to a folder of your own",
        )


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """One server process that we started."""

    pid: Annotated[int, Field(gt=0, lt=2**31)]
    process_start: float  # seconds since the epoch, as the operating system has it
    nonce: str  # is on the process's command line
    phase: str  # STARTING, READY or STOPPING
    bolt_port: Annotated[int, Field(gt=0, lt=2**16)]
    http_port: Annotated[int, Field(gt=0, lt=2**16)]
    neo4j: str
    gds: str

    @property
    def uri(self) -> str:
        """Address of Bolt."""
        return f"bolt://{HOST}:{self.bolt_port}"

    @property
    def browser_url(self) -> str:
        """Address of Neo4j Browser."""
        return f"http://{HOST}:{self.http_port}/browser/"


def write(home: Home, record: ServerRecord) -> None:
    """Store the record."""
    body = json.dumps(asdict(record), sort_keys=True)
    checksum = hashlib.sha256(body.encode()).hexdigest()
    disk.write_whole(home.state_file, f"{checksum}\n{body}\n".encode(), mode=0o600)


def read(home: Home) -> ServerRecord | None:
    """Return the stored record, or None where there is none or it is damaged.

    Fields that another version of kg-neo4j added are left out. Raises LocalDatabaseError where no file can be read.
    """
    try:
        checksum, _, body = home.state_file.read_text(encoding="utf-8").partition("\n")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    except OSError as error:
        raise LocalDatabaseError(
            f"cannot read {home.state_file}: {error.strerror}", hint="move it away, then run it again"
        ) from error
    body = body.removesuffix("\n")
    if hashlib.sha256(body.encode()).hexdigest() != checksum:
        return None
    try:
        return TypeAdapter(ServerRecord).validate_json(body)
    except ValidationError:
        return None


def forget(home: Home) -> None:
    """Remove the record."""
    home.state_file.unlink(missing_ok=True)


def marks(home: Home, nonce: str) -> tuple[str, str]:
    """Return the two arguments by which a process is known as the server that we started on this home."""
    return f"-Dkg_neo4j.nonce={nonce}", f"--home-dir={home.root}"


def process_of(home: Home, record: ServerRecord) -> psutil.Process | None:
    """Return the living process that `record` names, or None where it ended or its number belongs to another.

    It is ours if its command line carries the nonce and the home, by whatever links. Where that cannot be read, or is
    still empty because the process has only just begun, the start time decides.
    """
    import psutil

    try:
        process = psutil.Process(record.pid)
        if ends(process, timeout_s=0):
            return None
        try:
            arguments = process.cmdline()
        except psutil.AccessDenied:
            arguments = []
        if any(arguments):
            ours = marks(home, record.nonce)[0] in arguments and any(_names(each, home) for each in arguments)
        else:
            ours = abs(process.create_time() - record.process_start) < _CLOCK_TOLERANCE_S
    except psutil.NoSuchProcess:
        return None
    return process if ours else None


def ends(process: psutil.Process, timeout_s: float) -> bool:
    """Wait until `process` ended, for at most `timeout_s`, and say whether it did.

    One that ended but is kept as a zombie counts: in a container often nobody reaps what others started.
    """
    import psutil

    deadline = time.monotonic() + timeout_s
    while True:
        try:
            # Linux answers ENOENT for a process that is ending just now, which psutil hands on
            with contextlib.suppress(psutil.TimeoutExpired, FileNotFoundError):
                process.wait(timeout=0)  # reaps it where it is our own child
                return True
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)


def start_time(pid: int) -> float:
    """Return when a process of ours started, in seconds since the epoch."""
    import psutil

    return float(psutil.Process(pid).create_time())


def running(home: Home) -> tuple[ServerRecord, psutil.Process] | None:
    """Return our server on this home, if it lives."""
    record = read(home)
    process = process_of(home, record) if record else None
    return (record, process) if record and process else None


def strangers(home: Home) -> list[int]:
    """Return the numbers of all processes that were started on this home: those that our record does not explain."""
    import psutil

    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(_names(each, home) for each in process.info["cmdline"] or ())
    ]


def _names(argument: str, home: Home) -> bool:
    """Say whether an argument of a process names this home, by whatever links."""
    option, _, folder = marks(home, "")[1].partition("=")
    given = argument.removeprefix(f"{option}=")
    return given != argument and os.path.realpath(given) == os.path.realpath(folder)


@contextlib.contextmanager
def locked(home: Home, timeout_s: float, progress: Progress) -> Iterator[None]:
    """Hold the right to start and stop the server of this home; the operating system frees it when a holder dies.

    Raises StartFailed after waiting for `timeout_s`.
    """
    import filelock

    lock = filelock.FileLock(home.root / "server.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        progress.note("another kg-neo4j starts or stops the local database; waiting for it")
        try:
            lock.acquire(timeout=timeout_s)
        except filelock.Timeout as error:
            raise StartFailed(
                f"another kg-neo4j has held {home.root} for {timeout_s:.0f} s",
                hint="see `kg db logs` and `kg db status`",
            ) from error
    except OSError as error:  # a link, which is not followed; a folder; a disk that may only be read
        raise StartFailed(
            f"cannot lock {home.root / 'server.lock'}: {error.strerror}", hint="move it away, then run it again"
        ) from error
    try:
        yield
    finally:
        lock.release()
