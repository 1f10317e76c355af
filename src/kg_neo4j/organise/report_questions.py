"""What a model is asked about a community, and what becomes of its answers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

from kg_neo4j._models import prompts
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Request, Task, TaskAnswer, once_more
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.graph.answers import AnswerSubjects
from kg_neo4j.organise import report_answers
from kg_neo4j.organise.report_answers import ReportDraft, fewest_findings, most_findings
from kg_neo4j.organise.report_material import PackedCommunity, ReportMaterial, pack
from kg_neo4j.organise.stored_reports import COMPOSED, MODEL, CommunityReport

ROUNDS = 2  # an answer that breaks the rules is asked for once more
INPUT_TOKENS = 8_000  # of members and relationships in one question, at most; less in a smaller window
PROMPT_TOKENS = 900  # prompts/community_report.md with a complaint
ANSWER_TOKENS = 3_000  # room for a report; one of 10 findings in the words that are asked for has 2,000
AMPLE_TOKENS = 8_000  # likewise, in a large window: a model may think before it writes
LARGE_WINDOW = 24_000  # tokens
LEAST_INPUT = 400  # tokens, in the smallest window
WORDS_A_FINDING = 90
WORDS = 150  # of everything else in a report
TINY = 2  # members; a single entity has no community that a model could say something about
UNUSABLE = 1_000  # faults of a draft that gives no report: more than any other can have
NOT_ANSWERED = "the model gave no answer"
DECLINED = "the provider's filter declined to write this report"


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What a report says, and how it came about."""

    draft: ReportDraft
    method: str  # "model" or "composed"
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # ids of those it rests on


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks about the communities of one graph."""

    graph: str
    model: str  # name
    window: int
    domain: str  # empty: none
    tokeniser: Tokeniser

    @property
    def max_tokens(self) -> int:
        """Room for a report; of a window too small for a whole one, half."""
        return min(AMPLE_TOKENS if self.window >= LARGE_WINDOW else ANSWER_TOKENS, self.window // 2)

    @property
    def room(self) -> int:
        """Tokens of a community in one task."""
        return max(LEAST_INPUT, min(INPUT_TOKENS, self.window - PROMPT_TOKENS - self.max_tokens))

    def task(self, material: ReportMaterial, parts: Sequence[CommunityReport], room: int | None = None) -> WriteReport:
        """Return the task to report on a community; reports on its parts may stand for them where it is too large."""
        return WriteReport(self, material, tuple(parts), room or self.room)


@dataclass(frozen=True)
class WriteReport(Task[ReportDraft]):
    """Asks for a report on one community."""

    kind: ClassVar[str] = "report"
    rounds: ClassVar[int] = ROUNDS
    asker: Asker
    material: ReportMaterial
    parts: tuple[CommunityReport, ...]
    room: int  # tokens of what is shown

    @cached_property
    def packed(self) -> PackedCommunity:
        """What is shown of the community."""
        return pack(self.material, self.parts, self.asker.tokeniser, self.room)

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the messages. The mark hashes what is shown, so it cannot contain its own end."""
        least, most = fewest_findings(self.material), most_findings(self.material)
        domain, shown = self.asker.domain, self.packed.text
        return prompts.load("community_report").render(
            domain=f" The documents are about this field: {domain}." if domain else "",
            findings=_counted(least, most),
            words=str(WORDS + WORDS_A_FINDING * most),
            community=shown,
            boundary=hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:12],
            complaint=once_more(complaint),
        )

    def accept(self, said: Completion) -> ReportDraft | Complaint[ReportDraft]:
        """Return the draft that was said; of two with problems the one with fewer is used."""
        draft = report_answers.read(said, self.material, self.packed.shown, self.packed.text)
        if not draft.problems:
            return draft
        faults = len(draft.problems) if draft.is_usable else UNUSABLE
        return Complaint("; ".join(draft.problems), draft, faults)

    def smaller(self) -> Sequence[WriteReport]:
        """Return the task that shows less; none where less cannot be shown."""
        room, task = self.room, self
        while room > LEAST_INPUT and task.packed == self.packed:
            room = max(LEAST_INPUT, room // 2)
            task = self.asker.task(self.material, self.parts, room)
        return () if task.packed == self.packed else (task,)

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, with the key and the place of its answer."""
        system, user = self.messages(complaint)
        key = hash_id("report", self.asker.graph, self.asker.model, str(round), system, user)
        place = AnswerSubjects((self.material.id,), prompts.load("community_report").hash)
        return Request(self.kind, system, user, self.asker.max_tokens, key=key, place=place, round=round)


def written(answer: TaskAnswer[ReportDraft], door: Door) -> WrittenReport | None:
    """Return the report that an answer gives; None where the model gave none, and is to be asked again."""
    if answer.error is not None and not isinstance(answer.error, ContentFiltered):
        return None
    task, draft = cast("WriteReport", answer.task), answer.value
    if answer.stands_in and draft is not None:
        return WrittenReport(draft, COMPOSED)
    if draft is None:
        return composed(task, door, DECLINED, answer.keys)
    if not draft.is_usable:
        why = f"the model's answer could not be used: {'; '.join(draft.problems)}"
        return composed(task, door, why, answer.keys)
    return WrittenReport(_completed(draft, task, door), MODEL, draft.problems, answer.keys)


def composed(task: WriteReport, door: Door, flag: str = "", answers: tuple[str, ...] = ()) -> WrittenReport:
    """Return the report that replaces a model's."""
    return WrittenReport(door.instead(task), COMPOSED, (flag,) if flag else (), answers)


def _completed(draft: ReportDraft, task: WriteReport, door: Door) -> ReportDraft:
    """Return a draft within its limits, with a rating."""
    limited = report_answers.within_limits(draft, task.material)
    if limited.rating is None:
        counted = door.instead(task)
        return replace(limited, rating=counted.rating, rating_explanation=counted.rating_explanation)
    return limited if limited.rating_explanation else replace(limited, rating_explanation="The model gave no reason.")


def _counted(least: int, most: int) -> str:
    if least == most:
        return f"exactly {most}, because the community is tiny" if most < report_answers.FEWEST else f"exactly {most}"
    tiny = " (the community is tiny: rather few than repetitions)" if least < report_answers.FEWEST else ""
    return f"{least} to {most}{tiny}"
