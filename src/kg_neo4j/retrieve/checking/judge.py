"""A model's judgement of claims: does what each one cites support it? One call for all, its answer checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.records import Citation, Claim, Usage
from kg_neo4j.retrieve.checking.support import Support

TOKENS_EACH = 80  # of the answer, for a verdict and its reason
LONGEST_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class JudgeClaims(Prompted[Mapping[int, Support]]):
    """Asks which claims their citations support."""

    kind: ClassVar[str] = "judge"
    cached: ClassVar[bool] = False
    shown: str
    asked: Sequence[int]  # the places of the claims that are shown
    max_tokens: int

    def values(self) -> dict[str, str]:
        """Return the claims with what they cite."""
        return {"claims": self.shown, "fence": hash_id("fence", self.shown)[:8]}

    def accept(self, said: Completion) -> Mapping[int, Support] | Complaint[Mapping[int, Support]]:
        """Return the verdicts that can be used, with a complaint where some are missing."""
        verdicts = _read(said.text, self.asked)
        if len(verdicts) == len(self.asked):
            return verdicts
        judged = f"the model judged {len(verdicts)} of {len(self.asked)} claims"
        return Complaint(f"{judged}; the others are checked by words", verdicts)


def judge(
    claims: Sequence[Claim], citations: Sequence[Citation], door: Door
) -> tuple[Mapping[int, Support], Usage, str]:
    """Ask the model which claims their citations support; claims that cite nothing are not sent.

    Return the verdicts by the claim's place, what they took, and why some are missing. Raises ModelRefused and
    ModelUnavailable.
    """
    asked = [place for place, claim in enumerate(claims) if claim.citations]
    if not asked:
        return {}, Usage(), ""
    shown = "\n\n".join(_shown(number, claims[place], citations) for number, place in enumerate(asked, 1))
    answer = door.ask(JudgeClaims(shown, asked, TOKENS_EACH * (1 + len(asked))))
    problem = f"the model did not judge the claims: {answer.error}" if answer.error else answer.problem
    return answer.value or {}, answer.charged, problem


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
            verdicts[asked[number - 1]] = Support(supported, "" if supported else said or "by the model's judgement")
    return verdicts
