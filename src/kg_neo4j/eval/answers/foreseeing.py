"""Models that are not asked: they count what would be, with answers in the simplest form that is of use."""

from __future__ import annotations

import json
import re

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import KgError
from kg_neo4j.records import Usage

ANSWER_TOKENS = 120  # of an answer; what models wrote here had 60 to 200
REPORT_TOKENS = 60  # of what one community report contributes
_REPORT = re.compile(r"^Report R(\d+): ", re.MULTILINE)


class Foreseen(KgError):
    """The question that would be asked next; what comes after it is known without an answer."""


class Foreseeing:
    """A ChatModel that counts. Reports all contribute something; any other answer ends the question."""

    def __init__(self, name: str, window: int, tokeniser: Tokeniser) -> None:
        self.name = name
        self.window = window
        self.usage = Usage()
        self._tokeniser = tokeniser

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Count the question; raise Foreseen unless it is one about community reports."""
        del max_tokens, temperature
        numbers = _REPORT.findall(user)
        output = REPORT_TOKENS * len(numbers) or ANSWER_TOKENS
        self.usage += Usage(1, self._tokeniser.count(system) + self._tokeniser.count(user), output)
        if not numbers:
            raise Foreseen("a plan asks nobody")
        rows = [{"report": f"R{number}", "score": 50, "answer": f"It says so. [R{number}]"} for number in numbers]
        return Completion(json.dumps({"reports": rows}), "stop", Usage())
