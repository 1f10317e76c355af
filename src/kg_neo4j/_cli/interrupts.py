"""Ctrl-C and SIGTERM: the work is stopped where it is and the program leaves within five seconds.

The first signal interrupts the work: what is complete is recorded, calls in flight are dropped. Whatever is still
running four seconds later is left as it is, which is safe at any point; the next run goes on from there. A second
signal leaves at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

LEAVE_S = 4.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Whether a signal was received. `exit_code` is 128 and its number: 130 for Ctrl-C, 143 for SIGTERM."""

    def __init__(self) -> None:
        self.exit_code = 128 + signal.SIGINT
        self.received = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle both signals within the block; only in the main thread, where Python delivers them."""
        before = {number: signal.signal(number, self._receive) for number in SIGNALS}
        try:
            yield
        finally:
            if not self.received:
                for number, handler in before.items():
                    signal.signal(number, handler)

    def _receive(self, number: int, _: FrameType | None) -> None:
        self.exit_code = 128 + number
        if self.received:
            self._leave()
        self.received = True
        clock = threading.Timer(LEAVE_S, self._leave)
        clock.daemon = True
        clock.start()
        raise KeyboardInterrupt

    def _leave(self) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")  # a progress bar hides the cursor
        os._exit(self.exit_code)
