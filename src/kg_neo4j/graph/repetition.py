"""Whether a transaction that failed is run again, and after how long."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neo4j.exceptions import DriverError, Neo4jError

FIRST_PAUSE_S = 0.3
LONGEST_PAUSE_S = 8.0

TOO_LARGE = frozenset(
    f"Neo.TransientError.General.{name}" for name in ("MemoryPoolOutOfMemoryError", "OutOfMemoryError")
)


class Repetition:
    """The tries of one transaction.

    Repeated are transient faults of the server, connections that broke, and commits whose answer was lost: what was run
    finds in the graph whether it is done. A lack of memory is repeated once, because others may have used it.
    """

    def __init__(self, limit_s: float) -> None:
        """`limit_s` bounds the time in which a further try may begin."""
        self._deadline = time.monotonic() + limit_s
        self._pause_s = FIRST_PAUSE_S
        self._is_unclear = False
        self._memory_faults = 0

    def wait(self, error: DriverError | Neo4jError) -> None:
        """Return when it is time for the next try; raise `error` where there is none."""
        if not self._helps(error) or time.monotonic() > self._deadline:
            raise error
        time.sleep(self._pause_s * random.uniform(0.8, 1.2))
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _helps(self, error: DriverError | Neo4jError) -> bool:
        from neo4j.exceptions import ConstraintError, IncompleteCommit

        if isinstance(error, IncompleteCommit):
            self._is_unclear = True
            return True
        if isinstance(error, ConstraintError):  # after an unclear commit: the server was at it still
            return self._is_unclear
        if getattr(error, "code", None) in TOO_LARGE:
            self._memory_faults += 1
            return self._memory_faults < 2
        return error.is_retryable()
