"""The server's Java classes as one file, which Java maps at a start: it then parses and checks none of them.

The first start on a machine notes which classes it loads. Once it answers, a process of low priority makes the archive
next to the jars: half a minute of one core, 190 MB. Java ignores an archive of other jars, or of another Java.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from neo4j_local import disk
from neo4j_local.errors import DiskFull

NEEDED_BYTES = 400_000_000  # the archive takes less than half of it
DRAFT, AGAIN_S = ".part", 24 * 3600  # of an archive; one that was not finished is tried again after so long
LONGEST = 4_000  # characters of a line: Java refuses a list with longer ones


def place(folder: Path, java: Path) -> Path:
    """Return where the archive of the jars in `folder` is for this `java`, whether it is there or not."""
    mark = hashlib.sha256(f"{os.path.realpath(java)} {java.stat().st_mtime_ns}".encode()).hexdigest()[:8]
    return folder / f"classes-{mark}.jsa"


def options(archive: Path | None, listed: Path) -> list[str]:
    """Return what the server's command line has: the archive; where it is absent, that classes are to be `listed`."""
    listed.unlink(missing_ok=True)
    if archive is None or not os.access(archive.parent, os.W_OK):  # another user's cache: its jars were verified
        return []
    if archive.is_file():
        return [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:class+path=off"]
    draft = archive.with_suffix(DRAFT)
    was_tried = draft.exists() and time.time() - draft.stat().st_mtime < AGAIN_S
    return [] if was_tried else [f"-XX:DumpLoadedClassList={listed}"]


def make_later(archive: Path | None, java: Path, listed: Path, class_path: Path) -> None:
    """Start to make the archive of the `listed` classes, and do not wait: a server starts without one, too."""
    with contextlib.suppress(DiskFull, OSError):
        if archive is None or not listed.is_file():
            return
        disk.require_space(archive.parent, NEEDED_BYTES)
        copies = [shutil.copy(each, f"{archive}.{each.name}") for each in (listed, class_path)]
        subprocess.Popen(  # noqa: S603 - our own command line
            [sys.executable, "-m", __name__, archive, java, *copies],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ).returncode = 0  # Python shall not warn that it is not waited for


def readable(listed: str) -> str:
    """Return a list of classes without what Java writes and does not read: long lines, proxies, half a line."""
    lines = listed.splitlines(keepends=True)
    return "".join(each for each in lines if each.endswith("\n") and len(each) < LONGEST and "jdk/proxy" not in each)


def make(archive: Path, java: Path, listed: Path, class_path: Path) -> None:
    """Make the archive, unless another process does; `listed` and `class_path` are removed."""
    import filelock

    draft = archive.with_suffix(DRAFT)
    with contextlib.suppress(filelock.Timeout), filelock.FileLock(f"{archive}.lock", timeout=0):
        try:
            if archive.exists():
                return
            draft.touch()
            listed.write_text(readable(listed.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
            made = [f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={draft}", f"@{class_path}"]
            subprocess.run([java, "-Xshare:dump", *made], capture_output=True, check=True)  # noqa: S603 - ours
            draft.replace(archive)
        finally:
            for each in (listed, class_path):
                each.unlink(missing_ok=True)


def main(arguments: Sequence[str] = sys.argv[1:]) -> None:
    """Make an archive; the arguments are those of `make`."""
    if hasattr(os, "nice"):
        os.nice(19)
    make(*map(Path, arguments))


if __name__ == "__main__":
    main()
