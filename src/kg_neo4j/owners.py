"""Names the process that owns a lease or a reservation, and decides whether that process has ended."""

from __future__ import annotations

import os
import platform

CLOCK_S = 5.0  # a corrected clock moves the start times of processes by this much, at most


def this_process() -> str:
    """Return the owner that this process is: machine, process id and start."""
    import psutil

    return f"{platform.node()}:{os.getpid()}:{psutil.Process().create_time():.2f}"


def is_here(owner: str) -> bool:
    """Return True where `owner` is or was a process of this machine."""
    return owner.rsplit(":", 2)[0] == platform.node()


def is_this_process(owner: str) -> bool:
    """Return True where `owner` has the id of this process, on this machine."""
    return is_here(owner) and owner.split(":")[-2] == str(os.getpid())


def has_ended(owner: str) -> bool:
    """Return True where `owner` was a process of this machine that is gone, or whose id another process has now."""
    import psutil

    if not is_here(owner):
        return False
    _, pid, started = owner.rsplit(":", 2)
    try:
        process = psutil.Process(int(pid))
        is_zombie = process.status() == psutil.STATUS_ZOMBIE  # it has ended, and its parent has not asked how
        return bool(is_zombie or abs(process.create_time() - float(started)) > CLOCK_S)
    except psutil.NoSuchProcess:
        return True
