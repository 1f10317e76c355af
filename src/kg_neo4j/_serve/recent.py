"""Answers that were streamed a moment ago, so that the page that follows shows them and does not ask again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

from kg_neo4j._serve import limits
from kg_neo4j._serve.results import AskResult


class RecentAnswers:
    """Gives each answer once, to whoever asks the same in the same way within `limits.RECENT_S`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, tuple[float, AskResult]] = OrderedDict()

    def put(self, arguments: Mapping[str, Any], answer: AskResult) -> None:
        """Put an answer there; the oldest makes room."""
        with self._lock:
            self._answers[frozenset(arguments.items())] = (time.monotonic(), answer)
            while len(self._answers) > limits.RECENT:
                self._answers.popitem(last=False)

    def take(self, arguments: Mapping[str, Any]) -> AskResult | None:
        """Return the answer to a question, and forget it; None where there is none, or an old one."""
        with self._lock:
            put_at, answer = self._answers.pop(frozenset(arguments.items()), (0.0, None))
        return answer if answer and time.monotonic() - put_at < limits.RECENT_S else None
