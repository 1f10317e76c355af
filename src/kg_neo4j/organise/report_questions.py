"""What a model is asked about a community, and what becomes of its answers: checked against what it was shown. Pure.

An answer that breaks a rule is asked for once more, with the reasons. What is wrong even then is put right (numbers
that mean nothing, a rating out of range, too many findings) and flagged; where nothing can be used, a report is
composed from the graph and says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, Request, TaskAnswer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.graph.answers import AnswerSubjects
from kg_neo4j.organise.description_merges import long_numbers
from kg_neo4j.organise.report_material import PackedCommunity, ReportMaterial, pack
from kg_neo4j.organise.report_references import Numbers, check, without_marks
from kg_neo4j.organise.stored_reports import COMPOSED, MODEL, CommunityReport, Finding

ROUNDS = 2  # an answer that breaks the rules is asked for once more
INPUT_TOKENS = 8_000  # of members and relationships in one question, at most; less in a smaller window
PROMPT_TOKENS = 900  # prompts/community_report.md with a complaint
ANSWER_TOKENS = 3_000  # room for a report; one of 10 findings in the words that are asked for has 2,000
AMPLE_TOKENS = 8_000  # likewise, in a large window: a model may think before it writes
LARGE_WINDOW = 24_000  # tokens
LEAST_INPUT = 400  # tokens, in the smallest window
WORDS_A_FINDING = 90
WORDS = 150  # of everything else in a report
SMALLEST = 5  # members of a community that a model is asked about, unless fewer are wanted
UNUSABLE = 1_000  # faults of a draft that gives no report: more than any other can have
NOT_ANSWERED = "the model gave no answer"
DECLINED = "the provider's filter declined to write this report"
MOST = 10  # findings, from 20 members on (the length study: 5 to 10); a smaller community has half as many as members
LONGEST_TITLE = 200  # characters
LONGEST_TEXT = 6_000  # characters of one summary or explanation
LEAST_RATING, HIGHEST_RATING = 0.0, 10.0


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """What an answer says, as far as it can be used. `rating` is None where it has none."""

    title: str
    summary: str
    rating: float | None
    rating_explanation: str
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]  # what to complain about, one sentence each

    @property
    def is_usable(self) -> bool:
        """Say whether a report can be made of it."""
        return bool(self.title and self.summary and self.findings)


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


@dataclass(frozen=True)
class WriteReport(Prompted[ReportDraft]):
    """Asks for a report on one community; reports on its parts may stand for them where it is too large."""

    kind: ClassVar[str] = "report"
    prompt_name: ClassVar[str] = "community_report"
    rounds: ClassVar[int] = ROUNDS
    reads_whole: ClassVar[bool] = False
    asker: Asker
    material: ReportMaterial
    parts: tuple[CommunityReport, ...]
    room: int  # tokens of what is shown

    @cached_property
    def packed(self) -> PackedCommunity:
        """What is shown of the community."""
        return pack(self.material, self.parts, self.asker.tokeniser, self.room)

    def values(self) -> Mapping[str, str]:
        """Return what the placeholders stand for."""
        most, domain = most_findings(self.material), self.asker.domain
        return {
            "domain": f" The documents are about this field: {domain}." if domain else "",
            "findings": _counted(fewest_findings(self.material), most),
            "words": str(WORDS + WORDS_A_FINDING * most),
            "community": self.packed.text,
        }

    def accept(self, said: Completion) -> ReportDraft | Complaint[ReportDraft]:
        """Return the draft that was said; of two with problems the one with fewer is used."""
        draft = read_report(said, self.material, self.packed.shown, self.packed.text)
        if not draft.problems:
            return draft
        faults = len(draft.problems) if draft.is_usable else UNUSABLE
        return Complaint("; ".join(draft.problems), draft, faults)

    def smaller(self) -> Sequence[WriteReport]:
        """Return the task that shows less; none where less cannot be shown."""
        room, task = self.room, self
        while room > LEAST_INPUT and task.packed == self.packed:
            room = max(LEAST_INPUT, room // 2)
            task = replace(self, room=room)
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
        return composed(task, door, f"the model's answer could not be used: {'; '.join(draft.problems)}", answer.keys)
    return WrittenReport(_completed(draft, task, door), MODEL, draft.problems, answer.keys)


def composed(task: WriteReport, door: Door, flag: str = "", answers: tuple[str, ...] = ()) -> WrittenReport:
    """Return the report that replaces a model's."""
    return WrittenReport(door.fallback(task), COMPOSED, (flag,) if flag else (), answers)


def _completed(draft: ReportDraft, task: WriteReport, door: Door) -> ReportDraft:
    """Return a draft within its limits, with a rating."""
    limited = replace(draft, findings=draft.findings[: most_findings(task.material)])
    if limited.rating is None:
        counted = door.fallback(task)
        return replace(limited, rating=counted.rating, rating_explanation=counted.rating_explanation)
    return limited if limited.rating_explanation else replace(limited, rating_explanation="The model gave no reason.")


def _counted(least: int, most: int) -> str:
    return f"exactly {most}" if least == most else f"{least} to {most}: rather few than repetitions"


# ------------------------------------------------------------------------------------------------- answers


def fewest_findings(material: ReportMaterial) -> int:
    """Return how many findings a report has at least: half of those that it has at most."""
    return (most_findings(material) + 1) // 2


def most_findings(material: ReportMaterial) -> int:
    """Return how many findings a report has at most: one for two members, 1 to 10."""
    return min(MOST, max(1, len(material.members) // 2))


def read_report(said: Completion, material: ReportMaterial, shown: Numbers, text: str) -> ReportDraft:
    """Return what an answer says of `material`; `shown` may be cited, `text` is what the model was shown."""
    found = find_object(said.text, ("title", "findings"))
    if found is None:
        cut = " It was truncated: write less." if said.is_cut else ""
        return ReportDraft("", "", None, "", (), (f"it is not one JSON object as asked for.{cut}",))
    problems = ["it was truncated: write less"] if said.is_cut else []
    unknown: list[str] = []
    title, summary, explained = (_text(found.get(name)) for name in ("title", "summary", "rating_explanation"))
    problems += [f"{name} is missing" for name, value in (("title", title), ("summary", summary)) if not value]
    if (rating := _rating(found.get("rating"))) is None:
        problems.append(f"rating is not a number from 0 to 10 but {json.dumps(found.get('rating'))[:40]}")
    if not explained:
        problems.append("rating_explanation is missing")
    findings = _findings(found.get("findings"), material, shown, unknown, problems)
    checked = [check(each, shown) for each in (summary, explained)]
    unknown += [each for one in checked for each in one.unknown]
    if unknown:
        problems.append(f"it cites numbers that are not in the data: {', '.join(dict.fromkeys(unknown))}")
    said_in_it = " ".join((title, summary, explained, *(f"{each.summary} {each.explanation}" for each in findings)))
    if strange := sorted(long_numbers(without_marks(said_in_it)) - long_numbers(text)):
        problems.append(f"it names numbers that the data do not have: {', '.join(strange[:5])}")
    title = without_marks(title)[:LONGEST_TITLE]
    return ReportDraft(title, checked[0].text, rating, checked[1].text, findings, tuple(problems))


def _findings(
    given: object, material: ReportMaterial, shown: Numbers, unknown: list[str], problems: list[str]
) -> tuple[Finding, ...]:
    """Return the findings that rest on something, and add what is wrong to `unknown` and `problems`."""
    rows = given if isinstance(given, list) else []
    entities = {number: each.id for number, each in enumerate(material.ranked, 1)}
    links = {number: each.id for number, each in enumerate(material.ranked_links, 1)}
    findings: list[Finding] = []
    baseless: list[str] = []
    for place, row in enumerate(rows, 1):
        fields = row if isinstance(row, dict) else {}
        summary, explanation = (check(_text(fields.get(name)), shown) for name in ("summary", "explanation"))
        unknown += summary.unknown + explanation.unknown
        its_entities = {number: entities[number] for number in explanation.entities + summary.entities}
        its_links = {number: links[number] for number in explanation.relationships + summary.relationships}
        if not explanation.text or not (its_entities or its_links):
            baseless.append(str(place))
            continue
        title = without_marks(summary.text) or explanation.text.split("\n")[0][:LONGEST_TITLE]
        findings.append(Finding(title, explanation.text, its_entities, its_links))
    if baseless:
        problems.append(f"these findings are empty or cite no data: {', '.join(baseless[:10])}")
    least, most = fewest_findings(material), most_findings(material)
    if not least <= len(rows) <= most:
        problems.append(f"it has {len(rows)} findings, not {least}{f' to {most}' if most > least else ''}")
    elif len(findings) < least:
        problems.append(f"only {len(findings)} findings rest on data, not {least}")
    return tuple(findings)


def _rating(value: object) -> float | None:
    """Return a rating in range; a number within quotation marks is one."""
    if isinstance(value, str):
        try:
            value = float(value.strip().replace(",", "."))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(float(value), 1) if LEAST_RATING <= value <= HIGHEST_RATING else None


def _text(value: object) -> str:
    """Return a text of paragraphs; a list of texts is joined."""
    if isinstance(value, list):
        value = "\n\n".join(each for each in value if isinstance(each, str))
    if not isinstance(value, str):
        return ""
    clean = "".join(char for char in value if char.isprintable() or char == "\n")
    return clean.encode("utf-8", "replace").decode("utf-8").strip()[:LONGEST_TEXT]
