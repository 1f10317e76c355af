"""Every exception that kg-neo4j raises on purpose.

    KgError          exit 1   FolderFull and WorkerLost among them
    UsageError       exit 2   an argument or a setting is invalid; PriceUnknown among them
    BudgetReached    exit 3   the next call to a model would pass the limit that the user set
    SourceError      exit 1   a source cannot be read
    ModelError       exit 5   a chat or embedding model
    DatabaseError    exit 4   Neo4j; LocalDatabaseError is the managed one

Each carries `hint`, one sentence on what to try, or None; the command line prints both and exits with `exit_code`.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Callable, Sequence
from typing import Any


class KgError(Exception):
    """Root of all errors. The message says what and where; `hint` says what to try."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint:  # a traceback shows it, too
            self.add_note(f"try: {hint}")

    def __reduce__(self) -> tuple[Callable[..., KgError], tuple[type[KgError], tuple[object, ...], dict[str, object]]]:
        """Pickle with what else an error carries: workers report errors to another process."""
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[KgError], args: tuple[object, ...], fields: dict[str, object]) -> KgError:
    error = kind.__new__(kind, *args)
    vars(error).update(fields)
    return error


class UsageError(KgError):
    """An argument or a setting that is invalid."""

    exit_code = 2


class NoSuchGraph(UsageError):
    """A graph that there is not; `known` are the names of those that there are."""

    def __init__(self, graph: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(graph, known, 1)
        self.known, self.meant = tuple(known), f"; did you mean {near[0]!r}?" if near else ""
        there = ", ".join(map(repr, known[:10])) + (", ..." if known[10:] else "")
        hint = f"`kg load --graph NAME` makes a graph; there is {there or 'none yet'}"
        super().__init__(f"no graph is called {graph[:80]!r}{self.meant}", hint=hint)


class PriceUnknown(UsageError):
    """A budget is set, and the price of a model is not known."""


class BudgetReached(KgError):
    """The next call to a model would pass the limit that the user set; it was not made."""

    exit_code = 3

    def __init__(self, message: str, *, limit_usd: float, spent_usd: float, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd


class FolderFull(KgError):
    """No space is left in the folder that files are written to; what was written before is whole."""


def cannot_write(folder: object, error: OSError) -> KgError:
    """Return the error of a file that could not be written into a folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "free some space and run the same command again: what is there is kept"
        return FolderFull(f"{folder} has no space left", hint=hint)
    return UsageError(f"{folder} cannot be written to: {error.strerror}", hint="name a folder that you may write to")


class WorkerLost(KgError):
    """Processes of workers die, or do not start."""


class SourceError(KgError):
    """A source cannot be read."""


class SourceNotFound(SourceError):
    """No such file, folder or page title."""


class AmbiguousTitle(SourceError):
    """A title names a disambiguation page; `choices` are the titles that it offers."""

    def __init__(self, message: str, *, choices: Sequence[str], hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.choices = tuple(choices)


class UnreadableSource(SourceError):
    """The source exists but cannot become text (binary, encrypted, over a limit, empty)."""


class BadArchive(SourceError):
    """A file given to import is not a whole archive or export of kg-neo4j, or holds what kg-neo4j does not write."""


class WikipediaUnavailable(SourceError):
    """The wiki did not answer, or not as a MediaWiki does."""


class WikiAccessDenied(SourceError):
    """The wiki refused user name and password, or asks for them. Never retried: wikis lock accounts out."""


class ModelError(KgError):
    """A chat or embedding model, or its server."""

    exit_code = 5


class ModelRefused(ModelError):
    """Key, permission or model name refused: asking again cannot help."""


class ModelUnavailable(ModelError):
    """No answer in time, after the allowed retries."""


class ContextTooLong(ModelError):
    """The prompt does not fit the model's window."""

    fault: Any = None  # what the server said, and its class


class ContentFiltered(ModelError):
    """The provider's content filter refused this text; other texts may pass."""


class BadModelAnswer(ModelError):
    """An answer that is not what the protocol promises (no choices, wrong vector count, NaN, ...)."""


class RequestRefused(BadModelAnswer):
    """The server refused this request for a reason that is not known; others may pass. Three like it stop a run."""

    fault: Any = None  # what the server said, and its class


class ModelDamaged(ModelError):
    """A file of a model that ships with the package is missing or is not what it was."""


class DatabaseError(KgError):
    """Neo4j, or how it is reached."""

    exit_code = 4


class DatabaseUnavailable(DatabaseError):
    """Nothing that speaks Bolt answers at the address."""


class AuthenticationFailed(DatabaseError):
    """User name or password refused. Never retried: servers lock accounts out."""


class UnsupportedServer(DatabaseError):
    """A version or edition of Neo4j that cannot be used."""


class DatabaseReadOnly(DatabaseError):
    """The database accepts no writes; reading works."""


class RightMissing(DatabaseError):
    """The user lacks a right; the hint says which."""


class TransactionTimedOut(DatabaseError):
    """A transaction took longer than it may; nothing of it was kept."""


class GdsMissing(DatabaseError):
    """The Graph Data Science plugin does not answer."""


class NotEnoughMemory(DatabaseError):
    """An analysis or a transaction would take more memory than the server has left; nothing of it was kept."""


class SchemaConflict(DatabaseError):
    """Data or indexes in the database contradict what is needed."""


class LeaseHeld(DatabaseError):
    """Another run holds the right to write to this graph."""


class UnfinishedImport(DatabaseError):
    """An import into this graph was stopped before its end; the same import continues it."""


class LocalDatabaseError(DatabaseError):
    """The managed local Neo4j: its files, its Java, its ports, its start. The cause is an error of neo4j_local."""


class JavaMissing(LocalDatabaseError):
    """No usable Java runtime."""


class DiskFull(LocalDatabaseError):
    """Too little space to start or to continue."""


class DatabaseOffline(LocalDatabaseError):
    """The server runs, but Neo4j could not open the store; the message has Neo4j's own reason."""


class StoreInconsistent(LocalDatabaseError):
    """Neo4j's consistency check found errors in a recovered store; the copy made before the recovery is kept."""
