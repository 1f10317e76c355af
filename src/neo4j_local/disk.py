"""Files that are whole or absent, and whether there is room for more."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from pathlib import Path

from neo4j_local.errors import DiskFull, LocalDatabaseError

RESERVE = 100_000_000  # bytes that a write leaves free: a log of 32 MB, and what a checkpoint adds to the store
RESERVE_SHARE = 10  # and this part of the store: a merge in a vector index writes a second copy of its segments

_FULL = {errno.ENOSPC, errno.EDQUOT}


def write_whole(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write `data` so that a crash leaves the old file or the new one, never a part; `mode` holds from the first byte.

    Raises DiskFull, or LocalDatabaseError where nothing can be written there.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):  # the first error is the one to report
            draft.unlink()
        raise_if_full(error, path)
        raise LocalDatabaseError(
            f"cannot write {path}: {error.strerror}",
            hint=f"see who owns {path.parent}, or set KG_HOME to another folder",
        ) from error


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder. Raises DiskFull or LocalDatabaseError; a part of the copy may then be there."""
    try:
        shutil.copytree(source, target, symlinks=True)
    except OSError as error:  # shutil.Error has the errors of all files, as texts
        raise_if_full(error, target)
        if any(os.strerror(number) in str(error) for number in _FULL):
            raise DiskFull(
                f"no space left while copying to {target}", hint="free some space, then run it again"
            ) from error
        raise LocalDatabaseError(f"cannot copy {source} to {target}: {error}", hint="see `kg db logs`") from error


def raise_if_full(error: OSError, where: Path) -> None:
    """Raise DiskFull if that is what `error` says; else return."""
    if error.errno in _FULL:
        raise DiskFull(f"no space left while writing {where}", hint="free some space, then run it again") from error


def require_space(folder: Path, needed: int) -> None:
    """Raise DiskFull where the file system of `folder` has less than `needed` bytes free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskFull(
            f"{folder} has {free / 1e6:,.0f} MB free; {needed / 1e6:,.0f} MB are needed",
            hint="free some space, or set KG_HOME and KG_CACHE to a larger disk",
        )


def reserve(store: Path) -> int:
    """Return the bytes that a write to the data in `store` leaves free."""
    return RESERVE + folder_size(store) // RESERVE_SHARE


def folder_size(folder: Path) -> int:
    """Return the bytes that the files below `folder` take; 0 where there is no such folder."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # Neo4j deletes logs and segments at any time
                total += Path(parent, name).lstat().st_size
    return total
