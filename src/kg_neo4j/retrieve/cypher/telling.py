"""The rows of a query that a model wrote, as text: by the model in sentences that cite rows, or as a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Cell, Citation, Evidence
from kg_neo4j.retrieve.checking.citations import locate
from kg_neo4j.retrieve.checking.standing import CitedThing, read_cited
from kg_neo4j.retrieve.cypher.run import QueryRows
from kg_neo4j.retrieve.interface import NOT_IN_GRAPH, Scope
from kg_neo4j.retrieve.sentences import split_sentences

TOLD = 50  # rows that a model is shown
WIDEST = 400  # characters of one row that it is shown
ANSWER_TOKENS = 1_500  # a line for each row that is shown
PLACES = 3  # of one entity or fact that are looked at
PER_ROW = 6  # ids of one row that are cited: a path of six steps rests on six facts
MOST_IDS = 1_000  # that are looked up for one answer

_MARKS = re.compile(r"\s*\[\s*R?\s?\d+(?:\s*[,;]\s*R?\s?\d+)*\s*\]", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class RowsText:
    """What was made of the rows. `text` is empty where the model said that they hold no answer, or was of no use."""

    text: str = ""
    notes: tuple[str, ...] = ()
    is_denied: bool = False  # the model says that the rows do not answer the question
    citing: RowCitations | None = None  # what `text` cites


@dataclass(frozen=True, slots=True)
class TellRows(Prompted[RowsText]):
    """Asks for an answer to `question` from `rows`, whose marks become numbers of citations."""

    kind: ClassVar[str] = "cypher_answer"
    max_tokens = ANSWER_TOKENS
    question: str
    query: str
    rows: QueryRows
    things: Mapping[str, CitedThing]
    tokeniser: Tokeniser

    def values(self) -> dict[str, str]:
        """Return the query, its rows and the question."""
        rows = self.rows
        lines = [f"[R{number}] {words(rows.columns, row)[:WIDEST]}" for number, row in enumerate(rows.rows[:TOLD], 1)]
        left = len(rows.rows) - len(lines) + rows.cut
        if left > 0 or rows.is_more:
            lines.append(f"(further rows were left out: {'at least ' * rows.is_more}{left})")
        return {"query": self.query, "rows": "\n".join(lines), "question": self.question}

    def accept(self, said: Completion) -> RowsText | Complaint[RowsText]:
        """Return the answer with its marks checked."""
        told = _checked(said.text.strip(), self.rows, RowCitations(self.things, self.tokeniser))
        return told if told.text or told.is_denied else Complaint(told.notes[-1], told)


def _checked(text: str, rows: QueryRows, citing: RowCitations) -> RowsText:
    """Return the model's answer with its marks checked: those of rows that there are not are taken out."""
    if NOT_IN_GRAPH.fullmatch(text):
        return RowsText(is_denied=True)
    unknown: list[str] = []
    known: list[int] = []

    def number_of(match: re.Match[str]) -> str:
        numbers = [int(each[:9]) for each in _NUMBER.findall(match[0])]
        before = split_sentences(_MARKS.sub("", text[: match.start()]))
        marks = ""
        for number in dict.fromkeys(numbers):
            if 1 <= number <= min(TOLD, len(rows.rows)):
                known.append(number)
                marks += citing.cite(before[-1].text if before else text, rows.ids[number - 1]).strip()
            else:
                unknown.append(f"R{number}")
        return " " + "".join(dict.fromkeys(re.findall(r"\[\d+\]", marks))) if marks else ""

    checked = _MARKS.sub(number_of, text).strip()
    notes = [f"removed marks of rows that were not given: {', '.join(unknown)}"] if unknown else []
    if not known:
        return RowsText(notes=(*notes, "the model's answer cited no row and was left out: these are the rows"))
    bare = sum(1 for sentence in split_sentences(checked) if not re.search(r"\[\d+\]", sentence.text))
    if bare:
        notes.append(f"{bare} sentences of the answer cite no chunk")
    return RowsText(checked, tuple(notes), citing=citing)


def listed(
    lines: Sequence[str], ids: Sequence[Sequence[str]], left: int, citing: RowCitations, *, is_more: bool
) -> list[str]:
    """Return rows in words as a list, each with its citations, and how many are left out."""
    shown = [f"- {line}{citing.cite(line, own)}" for line, own in zip(lines, ids, strict=False)]
    return [*shown, f"and {'at least ' * is_more}{left:,} more"] if left > 0 or is_more else shown


def words(columns: Sequence[str], row: Sequence[Cell]) -> str:
    """Return a row in words: each value with its column's name; empty values are left out."""
    parts = [f"{name}: {said}" for name, cell in zip(columns, row, strict=True) if (said := _said(cell))]
    return ", ".join(parts) or "nothing"


def _said(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if isinstance(cell, tuple):
        return ", ".join(said for each in cell if (said := _said(each)))
    if isinstance(cell, Mapping):
        return _thing(cell)
    return " ".join(str(cell).split())


def _thing(cell: Mapping[str, Cell]) -> str:
    """Return a node, a relationship, a path or a map in words."""
    nodes, steps = cell.get("nodes"), cell.get("relationships")
    if isinstance(nodes, tuple) and isinstance(steps, tuple):
        return _path(nodes, steps)
    if "source" in cell and "target" in cell and "type" in cell:
        when = f" ({cell['start_date']})" if cell.get("start_date") else ""
        return f"{_said(cell['source'])} -{_said(cell['type'])}-> {_said(cell['target'])}{when}"
    name = cell.get("name") or cell.get("title")
    if name and "id" in cell:
        return _said(name) + (f" ({_said(cell['type'])})" if cell.get("type") else "")
    return ", ".join(f"{key}: {said}" for key, each in cell.items() if key != "id" and (said := _said(each)))


def _path(nodes: Sequence[Cell], steps: Sequence[Cell]) -> str:
    text = _said(nodes[0]) if nodes else ""
    for before, step, node in zip(nodes, steps, nodes[1:], strict=False):
        if isinstance(step, Mapping):
            arrow = f"-{_said(step.get('type'))}->" if step.get("source") == before else f"<-{_said(step.get('type'))}-"
            text += f" {arrow} {_said(node)}"
    return text


@dataclass(slots=True)
class RowCitations:
    """Citations as they are made, numbered from 1, and the evidence behind them."""

    things: Mapping[str, CitedThing]
    tokeniser: Tokeniser
    citations: list[Citation] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)

    def cite(self, claim: str, ids: Iterable[str]) -> str:
        """Return the marks of what a row rests on, " [1][2]"; empty where no chunk speaks of any of it."""
        numbers: dict[int, None] = {}
        known = [self.things[each] for each in dict.fromkeys(ids) if each in self.things]
        for thing in known[:PER_ROW]:
            citation = locate(claim, thing.places[0])
            if citation not in self.citations:
                self.citations.append(citation)
            self._add(thing, citation)
            numbers[self.citations.index(citation) + 1] = None
        return " " + "".join(f"[{number}]" for number in numbers) if numbers else ""

    def _add(self, thing: CitedThing, citation: Citation) -> None:
        place = (citation.chunk_id, citation.document, citation.start, citation.end)
        words = Evidence("chunk", citation.chunk_id, citation.quote, 1.0, *place, self.tokeniser.count(citation.quote))
        rows = [words]
        if thing.kind != "chunk":
            rows.insert(0, Evidence(thing.kind, thing.id, thing.name, 1.0, *place, self.tokeniser.count(thing.name)))
        self.evidence += [each for each in rows if each not in self.evidence]


def read_things(
    database: Database, graph: str, rows: Sequence[Sequence[str]], scope: Scope | None = None
) -> dict[str, CitedThing]:
    """Return what the ids of `rows` are, as far as a chunk of `graph`, and of `scope`, speaks of them."""
    ids = list(dict.fromkeys(each for row in rows for each in row[:PER_ROW]))[:MOST_IDS]
    return read_cited(database, scope, "retrieve/row_places", graph, ids, PLACES)
