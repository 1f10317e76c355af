"""A model's judgement of claims: does what each one cites support it? One call for all, its answer checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.records import Citation, Claim, Usage
from kg_neo4j.retrieve.checking.support import Support

TOKENS_EACH = 80  # of the answer, for a verdict and its reason
LONGEST_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts by the claim's place; a claim without one was not judged. `problem`: why some are missing."""

    verdicts: Mapping[int, Support]
    usage: Usage
    problem: str = ""


def judge(claims: Sequence[Claim], citations: Sequence[Citation], model: ChatModel) -> Judgement:
    """Ask `model` which claims their citations support. Claims that cite nothing are not sent.

    Raises ModelRefused and ModelUnavailable.
    """
    asked = [place for place, claim in enumerate(claims) if claim.citations]
    if not asked:
        return Judgement({}, Usage())
    shown = "\n\n".join(_shown(number, claims[place], citations) for number, place in enumerate(asked, 1))
    prompt = prompts.load("judge")
    system, user = prompt.render(claims=shown, fence=hash_id("fence", shown)[:8])
    try:
        done = model.complete(system, user, max_tokens=TOKENS_EACH * (1 + len(asked)), temperature=prompt.temperature)
    except (BadModelAnswer, ContentFiltered, ContextTooLong) as error:
        return Judgement({}, Usage(calls=1), f"the model did not judge the claims: {error}")
    verdicts = _read(done.text, asked)
    missing = len(asked) - len(verdicts)
    problem = (
        f"the model judged {len(verdicts)} of {len(asked)} claims; the others are checked by words" if missing else ""
    )
    return Judgement(verdicts, done.usage, problem)


def _shown(number: int, claim: Claim, citations: Sequence[Citation]) -> str:
    quotes = [citations[each - 1] for each in claim.citations]
    lines = [f"Passage of “{each.document}”: {each.quote}" for each in quotes]
    return "\n".join((f"Claim {number}: {claim.text}", *lines))


def _read(text: str, asked: Sequence[int]) -> dict[int, Support]:
    """Return the verdicts that can be used: known numbers, once each, with a yes or a no."""
    found = find_object(text, ("claims",))
    listed = found.get("claims") if found else None
    verdicts: dict[int, Support] = {}
    for entry in listed if isinstance(listed, list) else ():
        if not isinstance(entry, dict):
            continue
        number, supported, reason = entry.get("claim"), entry.get("supported"), entry.get("reason")
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(asked):
            continue
        if isinstance(supported, bool) and asked[number - 1] not in verdicts:
            said = " ".join(reason.split())[:LONGEST_REASON] if isinstance(reason, str) else ""
            verdicts[asked[number - 1]] = Support(supported, "" if supported else said or "the model says so")
    return verdicts
