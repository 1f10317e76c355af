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
        if interrupt := self.came or stopped.pop(threading.get_ident(), None):
            self.came = None
            raise interrupt


_holding: _Holding | None = None
endings: list[Callable[[], object]] = []  # called at an interrupt: each ends what a thread waits for
stopped: dict[int, KeyboardInterrupt] = {}  # of other threads, by their ident: what ends them where work is released


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

    An interrupt of the program ends what other threads wait for: see `endings`. One of a thread is in `stopped`.
    """
    is_main = threading.current_thread() is threading.main_thread()
    holding = (_holding if is_main else None) or _Holding()
    before, holding.may_come = holding.may_come, True
    try:
        holding.check()
        yield
        holding.check()
    except KeyboardInterrupt:
        for end in list(endings) if is_main else ():
            end()
        raise
    finally:
        holding.may_come = before


def check() -> None:
    """Raise an interrupt that came before."""
    with released():
        pass
