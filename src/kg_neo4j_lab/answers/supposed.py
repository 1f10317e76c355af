"""The answers that a plan assumes: each in the simplest form that is of use, and of the usual length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from kg_neo4j import factory
from kg_neo4j._models.prices import price_of
from kg_neo4j._models.tasks import Request
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings

ANSWER_TOKENS = 120  # of an answer; what models wrote here had 60 to 200
REPORT_TOKENS = 60  # of what one community report contributes
OUTPUT_TOKENS = {
    "statements": 60,
    "correctness": 30,
    "judge": 80,
    "choose": 10,
}  # of other answers, by kind of question
_REPORT = re.compile(r"^Report R(\d+): ", re.MULTILINE)
_CLAIM = re.compile(r"^Claim (\d+): ", re.MULTILINE)
_STATEMENT = re.compile(r"^(A\d+): ", re.MULTILINE)


def suppose(request: Request) -> str:
    """Return an answer. Reports all contribute something, claims are supported; two answers are never alike."""
    said = f"It says so: {hash_id(request.system, request.user)[:12]}."
    if request.kind == "global_partial":
        rows = [{"report": f"R{number}", "score": 50, "answer": f"{said} [R{number}]"} for number in _reports(request)]
        return json.dumps({"reports": rows})
    if request.kind == "statements":
        return json.dumps({"statements": [said]})
    if request.kind == "correctness":
        return json.dumps({"TP": [], "FP": _STATEMENT.findall(request.user), "FN": []})
    if request.kind == "choose":
        return json.dumps({"option": 1})
    if request.kind == "judge":
        claims = _CLAIM.findall(request.user)
        return json.dumps({"claims": [{"claim": int(number), "supported": True} for number in claims]})
    return f"{said} [C1]"


def usage_of(asked: Iterable[Request], tokeniser: Tokeniser, settings: Settings) -> Usage:
    """Return what questions take, with the price of the model that the settings mean."""
    read = [Usage(1, tokeniser.count(each.system) + tokeniser.count(each.user), _length(each)) for each in asked]
    return priced(sum(read, Usage()), settings)


def priced(usage: Usage, settings: Settings) -> Usage:
    """Return a usage with its price; None where that of the model is not known."""
    price = price_of(settings.model or factory.DEFAULT_MODEL, settings)
    return replace(usage, usd=price.usd(usage.input_tokens, usage.output_tokens) if price else None)


def _length(request: Request) -> int:
    if request.kind == "global_partial":
        return REPORT_TOKENS * len(_reports(request))
    return OUTPUT_TOKENS.get(request.kind, ANSWER_TOKENS)


def _reports(request: Request) -> list[str]:
    return _REPORT.findall(request.user)
