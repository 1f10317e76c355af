"""Counts what a question would ask, with answers in the simplest form that is of use."""

from __future__ import annotations

import json
import re

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import KgError
from kg_neo4j.records import Usage

ANSWER_TOKENS = 120  # of an answer; what models wrote here had 60 to 200
REPORT_TOKENS = 60  # of what one community report contributes
_REPORT = re.compile(r"^Report R(\d+): ", re.MULTILINE)


class Foreseen(KgError):
    """The question that would be asked next; what comes after it is known without an answer."""


class Foreseeing:
    """A layer of a door that counts. Reports all contribute something; any other answer ends the question."""

    def __init__(self, name: str, window: int, tokeniser: Tokeniser) -> None:
        self.name = name
        self.window = window
        self.usage = Usage()
        self._tokeniser = tokeniser

    def complete(self, request: Request) -> Completion:
        """Count the question; raise Foreseen unless it is one about community reports."""
        numbers = _REPORT.findall(request.user)
        output = REPORT_TOKENS * len(numbers) or ANSWER_TOKENS
        self.usage += Usage(1, sum(map(self._tokeniser.count, (request.system, request.user))), output)
        if not numbers:
            raise Foreseen("a plan asks no model")
        rows = [{"report": f"R{number}", "score": 50, "answer": f"It says so. [R{number}]"} for number in numbers]
        return Completion(json.dumps({"reports": rows}), "stop", Usage())

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept: nothing was said."""
