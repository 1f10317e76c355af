"""Test: ask saved questions again, and say which answers changed and which documents changed them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j import factory
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import whole
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.ask import AskOptions, answerer, check
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer
from kg_neo4j.settings import Settings

_Saved = Mapping[str, Any]  # "answer", "found", and "documents": id, key and sha256 of each that is cited
STAGE = "ask"


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """Why a document may have changed an answer."""

    document: str  # its key: a path, an address or a title
    change: str  # "text changed", "removed", "newly cited" or "no longer cited"


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A saved question, and what became of its answer."""

    question: str
    change: str  # "same", "changed", or "new" where no answer was saved
    before: str  # "" where none was saved
    after: str
    found: bool  # whether the graph holds an answer now
    documents: tuple[DocumentChange, ...] = ()  # of an answer that changed


def check_answers(
    file: str | Path,
    *,
    settings: Settings,
    save: bool = False,
    budget_usd: float | None = None,
    progress: Progress = SILENT,
) -> tuple[AskedAgain, ...]:
    """Ask the questions of a file of JSON lines, and compare the answers with those saved in it.

    A line has `question`, and may have `mode`; other fields are kept. With `save` the answers of now are written to
    the file, as `saved` of each line. An answer is the same where its text is, and whether one was found. Raises
    SourceNotFound, UnreadableSource for a line without a question, BudgetReached, and what `ask` raises.
    """
    rows = [row for _, row in read_rows(str(file))]
    if not rows:
        raise UsageError(f"{file} has no questions", hint='a line each: {"question": "..."}')
    asked = [(str(row.get("question") or ""), AskOptions(mode=str(row.get("mode") or "auto"))) for row in rows]
    for number, (question, options) in enumerate(asked, 1):
        if not question:
            raise UnreadableSource(f"{file}, question {number}: no question", hint='{"question": "..."}')
        check(question, options)
    budget = budget_of(budget_usd)
    found: list[AskedAgain] = []
    with connect(settings, progress) as database:
        answers = answerer(settings, database, factory.door(settings, budget=budget), budget=budget)
        progress.start(STAGE, len(rows))
        for row, (question, options) in zip(rows, asked, strict=True):
            answer = answers.answer(question, options)
            was = row.get("saved") or {}
            now = _saved(database, settings.graph, answer)
            found.append(_compared(question, was, now, _texts(database, settings.graph, was)))
            row["saved"] = now
            progress.advance(STAGE)
        progress.finish(STAGE)
    if save:
        _write(Path(file), rows)
    return tuple(found)


def _saved(database: Database, graph: str, answer: Answer) -> _Saved:
    chunks = sorted({each.chunk_id for each in answer.citations})
    rows = database.read(queries.get("retrieve/cited_documents"), graph=graph, chunks=chunks, ids=[])
    cited = {row["id"]: {"id": row["id"], "key": row["key"], "sha256": row["sha256"]} for row in rows}
    return {"answer": answer.answer, "found": answer.found, "documents": [cited[id_] for id_ in sorted(cited)]}


def _texts(database: Database, graph: str, saved: _Saved) -> dict[str, str]:
    """Return the hashes that the texts of saved documents have now, by id."""
    ids = [each["id"] for each in saved.get("documents", ())]
    rows = database.read(queries.get("retrieve/cited_documents"), graph=graph, chunks=[], ids=ids) if ids else []
    return {row["id"]: row["sha256"] for row in rows}


def _compared(question: str, was: _Saved, now: _Saved, texts: Mapping[str, str]) -> AskedAgain:
    if not was:
        return AskedAgain(question, "new", "", now["answer"], now["found"])
    if (was["answer"], was["found"]) == (now["answer"], now["found"]):
        return AskedAgain(question, "same", was["answer"], now["answer"], now["found"])
    before, after = ({each["id"]: each for each in one["documents"]} for one in (was, now))
    changes: list[DocumentChange] = []
    for id_, each in sorted((before | after).items(), key=lambda item: item[1]["key"]):
        if id_ not in before:
            changes.append(DocumentChange(each["key"], "newly cited"))
        elif id_ not in texts:
            changes.append(DocumentChange(each["key"], "removed"))
        elif texts[id_] != before[id_]["sha256"]:
            changes.append(DocumentChange(each["key"], "text changed"))
        elif id_ not in after:
            changes.append(DocumentChange(each["key"], "no longer cited"))
    return AskedAgain(question, "changed", was["answer"], now["answer"], now["found"], tuple(changes))


def _write(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with whole(file) as partial:
        partial.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
