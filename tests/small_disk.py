"""A disk of fixed size that really becomes full: a tmpfs, which gives ENOSPC as a full disk does."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

_PIECE = 8_000_000  # bytes


class SmallDisk:
    """A tmpfs at `folder`, as a context manager. Mounting needs the right to mount (root, or CAP_SYS_ADMIN)."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        self._megabytes = megabytes
        self._filler = folder / "filler"

    def __enter__(self) -> SmallDisk:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m", "tmpfs", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"this test mounts a tmpfs, which needs the right to mount: {done.stderr}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    @property
    def free(self) -> int:
        """Bytes."""
        return shutil.disk_usage(self.folder).free

    def fill(self, left: int = 0) -> None:
        """Take all space but `left` bytes, at once."""
        descriptor = os.open(self._filler, os.O_CREAT | os.O_WRONLY)
        try:
            while (wanted := self.free - left) > 0:
                os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, min(wanted, _PIECE))
        except OSError as error:
            if error.errno != errno.ENOSPC:  # the server was quicker: nothing is left
                raise
        finally:
            os.close(descriptor)

    def relieve(self) -> None:
        """Give the space back."""
        self._filler.unlink(missing_ok=True)
