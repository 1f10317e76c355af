"""The grey band: pairs that rules leave open are put to a model, many in one prompt; its answer is checked by rows.

A row that is not as the prompt asks is counted and changes nothing; what is not answered, or unsure, stays open.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.errors import ModelRefused
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, batches
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.decisions import Components
from kg_neo4j.graph.resolution.proposals import Proposal
from kg_neo4j.records import Usage

PAIRS = 20  # in one prompt
SAID_CHARACTERS = 300  # of a description or quote
HEADER = ["pair", "same", "reason"]
ANSWERS: Mapping[str, bool | None] = {"yes": True, "no": False, "unsure": None}
_Said = Sequence[Sequence[str | None]]  # role or description, quote and title of the document of each mention
_Rows = tuple[dict[int, tuple[bool | None, str]], int]


@dataclass(frozen=True, slots=True)
class Judgements:
    """What a model said of the pairs that it decided, and what asking cost."""

    decided: Mapping[tuple[str, str], tuple[bool, str]]  # left and right key -> the same or not, and why
    usage: Usage
    rejected: int  # rows that were not as asked
    notes: tuple[str, ...]  # prompts without an answer, one line each


@dataclass(frozen=True, slots=True)
class ComparePairs(Prompted[_Rows]):
    """The question about some pairs. Its value: what is said of each pair, and how many rows were refused."""

    kind: ClassVar[str] = "resolve"
    shown: str
    pairs: int

    def values(self) -> Mapping[str, str]:
        """Return the pairs."""
        return {"pairs": self.shown}

    def accept(self, said: Completion) -> _Rows | Complaint[_Rows]:
        """Return what the rows say; an answer with rows that cannot be used is not kept for other graphs."""
        answers, rejected = read_answer(said.text, self.pairs)
        whole = answers and not rejected
        return (answers, rejected) if whole else Complaint("rows are not as asked", (answers, rejected))


@dataclass(frozen=True, slots=True)
class CompareEntities(Job[Judgements]):
    """Decides pairs that the rules leave open."""

    kind: ClassVar[str] = "compare"
    database: Database
    graph: str
    found: Components
    proposals: Sequence[Proposal]

    def by_model(self, door: Door) -> Judgements:
        """Ask the model, 20 pairs at a time.

        Raises ModelRefused; a prompt that gets no usable answer for another reason, or for which the budget does not
        suffice, leaves its pairs open, with a note.
        """
        parts = list(batches(self.proposals, PAIRS))
        tasks = [ComparePairs(self._shown(some), len(some)) for some in parts]
        decided: dict[tuple[str, str], tuple[bool, str]] = {}
        usage, rejected, notes = Usage(), 0, []
        for some, answer in zip(parts, door.ask_all(tasks), strict=True):
            if isinstance(answer.error, ModelRefused):
                raise answer.error
            usage += answer.usage
            if answer.value is None:
                notes.append(f"{len(some)} pairs stay open: {answer.problem}")
                continue
            answers, bad = answer.value
            rejected += bad
            for number, (same, reason) in sorted(answers.items()):
                if same is not None:
                    decided[some[number].left.key, some[number].right.key] = (same, reason)
        return Judgements(decided, usage, rejected, tuple(notes))

    def _shown(self, proposals: Sequence[Proposal]) -> str:
        sides = [(each, side) for each in proposals for side in (each.left, each.right)]
        rows = [
            [number, side.key, self.found.entity(side.key), documents]
            for number, (each, side) in enumerate(sides)
            for documents in ([*side.documents] if each.document else None,)
        ]
        details = self.database.read(queries.get("write/resolve_details"), graph=self.graph, rows=rows)
        said = {row["number"]: row["said"] for row in details}
        return pairs_text([(side, said.get(number, ())) for number, (_, side) in enumerate(sides)])


def pairs_text(sides: Sequence[tuple[Mentioned, _Said]]) -> str:
    """Return what a model reads of pairs, given as left, right, left, right; with what is said of each side."""
    shown = [_side("AB"[number % 2], *side) for number, side in enumerate(sides)]
    return "\n\n".join(f"pair {number}\n{one}\n{other}" for number, (one, other) in enumerate(batches(shown, 2), 1))


def read_answer(text: str, pairs: int) -> tuple[dict[int, tuple[bool | None, str]], int]:
    """Return what an answer says of each pair, by index from 0, and how many of its rows were refused.

    Rows before the header row are refused; so are rows of another shape, of an unknown pair, or of one that was
    answered before.
    """
    answers: dict[int, tuple[bool | None, str]] = {}
    rejected, begun = 0, False
    for row in _rows(text):
        if row == HEADER and not begun:
            begun = True
            continue
        number = int(row[0]) - 1 if row[0].isdecimal() and len(row[0]) < 9 else -1
        same = row[1].lower() if len(row) == len(HEADER) else ""
        if not begun or same not in ANSWERS or not 0 <= number < pairs or number in answers:
            rejected += 1
            continue
        answers[number] = (ANSWERS[same], " ".join(row[2].split())[:SAID_CHARACTERS])
    return answers, rejected


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the fields of each line that is not empty; a quote that is left open ends with its line."""
    for line in text.splitlines():
        if line.strip():
            try:
                yield [field.strip() for field in next(csv.reader([line]), [""])]
            except csv.Error:  # a field beyond the reader's limit, NUL
                yield [""]


def _side(mark: str, mentioned: Mentioned, said: _Said) -> str:
    years = [
        f"{word} {'/'.join(str(year) for year in sorted(found))}"
        for word, found in (("born", mentioned.births), ("died", mentioned.deaths))
        if found
    ]
    lines = [f"{mark}: {', '.join([_line(mentioned.name), mentioned.type, *years])}"]
    for text, quote, title in said:
        parts = [_line(part) for part in dict.fromkeys((text, quote)) if part]
        lines.append(f"   in {_line(title or '')!r}: {' | '.join(parts)}")
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())[:SAID_CHARACTERS]
