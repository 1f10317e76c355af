"""What single reports contribute to the answer of a question about the whole: asked for in groups, scored, checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, cast

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import OF_ONE_TASK, Complaint, Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.organise.stored_reports import CommunityReport
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.overview import report_marks

CALL_TOKENS = 6_000  # of reports in one question, at most; less in a smaller window
PROMPT_TOKENS = 600
ANSWER_TOKENS = 2_500  # room for the answer about one group
LARGEST_GROUP = 20  # reports in one question: short ones must not make a long answer
LEAST_TOKENS = 400
HIGHEST_SCORE = 100
ROUNDS = 2  # an answer that breaks the rules is asked for once more


@dataclass(frozen=True, slots=True)
class Partial:
    """What one report contributes. `text` carries marks of that report alone."""

    number: int
    report: CommunityReport
    score: int  # 1 to 100
    text: str


@dataclass(slots=True)
class _ReadAnswer:
    """One answer, read."""

    scores: dict[int, int] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Group(Prompted[_ReadAnswer]):
    """Asks about several reports at once."""

    kind: ClassVar[str] = "global_partial"
    rounds: ClassVar[int] = ROUNDS
    reports: tuple[tuple[int, CommunityReport], ...]
    question: str
    max_tokens: int | None = ANSWER_TOKENS

    def values(self) -> dict[str, str]:
        """Return the reports and the question."""
        shown = "\n\n".join(report_marks.render(number, report) for number, report in self.reports)
        return {"reports": shown, "question": self.question}

    def accept(self, said: Completion) -> _ReadAnswer | Complaint[_ReadAnswer]:
        """Return what is said of the reports."""
        read = _read(self.reports, said.text)
        return Complaint("; ".join(read.problems), read) if read.problems else read

    def smaller(self) -> Sequence[_Group]:
        """Return two halves; none for a single report."""
        middle = len(self.reports) // 2
        halves = (self.reports[:middle], self.reports[middle:])
        return [_Group(half, self.question) for half in halves] if middle else ()


@dataclass(slots=True)
class Partials:
    """Asks one model about reports; counts what it cost and what it did not judge."""

    door: Door
    tokeniser: Tokeniser
    question: str
    usage: Usage = field(default_factory=Usage)
    judged: int = 0
    unjudged: dict[int, str] = field(default_factory=dict)  # number of a report -> why
    removed: list[str] = field(default_factory=list)  # marks that meant nothing

    def ask(self, reports: Mapping[int, CommunityReport]) -> list[Partial]:
        """Return what reports, by number, contribute; those that contribute nothing are left out.

        Raises the errors of the model that concern every question; others leave reports unjudged.
        """
        found: list[Partial] = []
        for answer in self.door.ask_all(list(self._groups(reports))):
            group = cast("_Group", answer.task)
            if answer.error is not None and not isinstance(answer.error, OF_ONE_TASK):
                raise answer.error
            if answer.value is not None or answer.usage.calls:
                self.usage += answer.usage
            if answer.error is not None or answer.value is None:
                self.unjudged |= {number: str(answer.error) for number, _ in group.reports}
            else:
                found += self._keep(group, answer.value)
        return sorted(found, key=lambda each: (-each.score, -each.report.rating, each.number))

    def _groups(self, reports: Mapping[int, CommunityReport]) -> Iterator[_Group]:
        room = self.door.window - PROMPT_TOKENS - ANSWER_TOKENS - self.tokeniser.count(self.question)
        room = max(LEAST_TOKENS, min(CALL_TOKENS, room))
        group: list[tuple[int, CommunityReport]] = []
        filled = 0
        for number, report in sorted(reports.items()):
            tokens = self.tokeniser.count(report_marks.render(number, report))
            if group and (filled + tokens > room or len(group) == LARGEST_GROUP):
                yield _Group(tuple(group), self.question)
                group, filled = [], 0
            group.append((number, report))
            filled += tokens
        if group:
            yield _Group(tuple(group), self.question)

    def _keep(self, group: _Group, read: _ReadAnswer) -> list[Partial]:
        by_number = dict(group.reports)
        self.judged += len(read.scores)
        self.removed += read.unknown
        for number in by_number.keys() - read.scores.keys():
            self.unjudged[number] = "; ".join(read.problems)
        return [
            Partial(number, by_number[number], score, read.texts[number])
            for number, score in read.scores.items()
            if score > 0
        ]


def _read(reports: Sequence[tuple[int, CommunityReport]], text: str) -> _ReadAnswer:
    """Read an answer about reports; what is wrong with it stands in `problems`."""
    read = _ReadAnswer()
    found = find_object(text, ("reports",))
    rows = found["reports"] if found else None
    if not isinstance(rows, list):
        read.problems.append("it is not one JSON object with a list of reports")
        return read
    known = dict(reports)
    for row in (each for each in rows if isinstance(each, dict)):
        number = _number(row.get("report"))
        if number not in known or number in read.scores:
            continue
        score, said = _score(row.get("score")), row.get("answer")
        said = said.strip() if isinstance(said, str) else ""
        if score is None:
            read.problems.append(f"the score of R{number} is not a whole number from 0 to 100")
            continue
        marks = report_marks.check(said, report_marks.meanings({number: known[number]}))
        read.unknown += marks.unknown
        if score and not report_marks.without(marks.text).strip():
            read.problems.append(f"R{number} has a score and no answer")
            continue
        read.scores[number] = score
        read.texts[number] = marks.text if marks.marks else f"{marks.text} [R{number}]"
    missing = [f"R{number}" for number in known if number not in read.scores]
    if missing and not read.problems:
        read.problems.append(f"nothing is said of {', '.join(missing[:10])}")
    return read


def _number(value: object) -> int:
    """Return the number of a report that an entry names; -1 where it names none."""
    match = re.fullmatch(r"\W*(?:report\s*)?R?(\d{1,6})\W*", str(value), re.IGNORECASE)
    return int(match[1]) if match else -1


def _score(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 4:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= HIGHEST_SCORE:
        return None
    return round(value)
