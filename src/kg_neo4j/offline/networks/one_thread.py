"""Linear algebra on one thread, for as long as it is needed.

NumPy's BLAS divides every product among all cores and waits for the slowest of them in a loop. Our products are small:
beside other work that costs several times the processor time, and the time by the clock too (docs/decisions/0013).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread until the context is left; of several threads within, the first one gives them back."""
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    import numpy  # noqa: F401 - its BLAS has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
