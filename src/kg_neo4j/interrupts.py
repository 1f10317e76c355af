"""Where an interrupt may come: not between an answer that was paid for and its record."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Holding:
    """The interrupts of the block that holds them: one at most, because Python interrupts the main thread alone."""

    def __init__(self) -> None:
        self.came: KeyboardInterrupt | None = None
        self.may_come = False

    def handler(self, former: Callable[[int, FrameType | None], Any]) -> Callable[[int, FrameType | None], None]:
        """Return a handler that keeps what the former one raises; a second interrupt is never kept."""

        def receive(number: int, frame: FrameType | None) -> None:
            try:
                former(number, frame)
            except KeyboardInterrupt as interrupt:
                if self.may_come or self.came is not None:
                    raise
                self.came = interrupt

        return receive

    def check(self) -> None:
        if self.came is not None:
            interrupt, self.came = self.came, None
            raise interrupt


_holding: _Holding | None = None
endings: list[Callable[[], object]] = []  # called at an interrupt: each ends what a thread waits for


@contextmanager
def held() -> Iterator[None]:
    """Within the block an interrupt is raised only where `released` allows it, else at the end of the block.

    In a thread that Python does not interrupt, this does nothing.
    """
    global _holding  # noqa: PLW0603 (one main thread a process)
    if _holding is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    holding = _holding = _Holding()
    former = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    try:
        for number, handler in former.items():
            signal.signal(number, holding.handler(handler))
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        _holding = None
    holding.check()


@contextmanager
def released() -> Iterator[None]:
    """Within the block an interrupt is raised at once, also one that came before; the work waits or can be redone.

    What other threads wait for is ended: see `endings`.
    """
    holding = _holding if threading.current_thread() is threading.main_thread() else None
    before = holding is not None and holding.may_come
    try:
        if holding is not None:
            holding.may_come = True
            holding.check()
        yield
    except KeyboardInterrupt:
        for end in list(endings):
            end()
        raise
    finally:
        if holding is not None:
            holding.may_come = before


def check() -> None:
    """Raise an interrupt that came before."""
    with released():
        pass
