"""Which format a file of questions has, and what is read of it."""

from __future__ import annotations

from pathlib import Path

from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.eval.answers import narrativeqa, quality
from kg_neo4j.eval.answers.questions import read_answered
from kg_neo4j.eval.answers.stories import QuestionSet, StorySelection

QUESTIONS = "questions"
FORMS = (QUESTIONS, quality.FORM, narrativeqa.FORM)


def guess(path: str) -> str:
    """Return the format of a file or folder, by its name and its first line. Raises as reading it does."""
    if not Path(path).exists():
        raise SourceNotFound(f"no file or folder {path!r}")
    if Path(path).is_dir() or Path(path).suffix.lower() == ".csv":
        return narrativeqa.FORM
    for _, row in read_rows(path):
        return quality.FORM if {"article", "questions"} <= row.keys() else QUESTIONS
    return QUESTIONS


def read_set(path: str, form: str | None, selection: StorySelection) -> QuestionSet:
    """Return the questions of a file or folder and their texts; without a format it is guessed.

    Plain questions have no texts: they are asked of the graph. Raises SourceNotFound, UnreadableSource and UsageError.
    """
    form = form or guess(path)
    if form not in FORMS:
        raise UsageError(f"no format {form!r}", hint=f"the formats are {', '.join(FORMS)}")
    if form == quality.FORM:
        return quality.read_quality(path, selection)
    if form == narrativeqa.FORM:
        return narrativeqa.read_narrativeqa(path, selection)
    if (selection.kind, selection.split, selection.documents) != (None, None, None) or selection.summaries:
        raise UsageError("a file of questions has no texts to choose from", hint="--limit N")
    return QuestionSet(form, (), read_answered(path)[: selection.limit])
