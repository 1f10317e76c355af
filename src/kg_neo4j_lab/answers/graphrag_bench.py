"""GraphRAG-Bench (Xiang et al. 2025, https://arxiv.org/abs/2506.05690): novels with questions of four types.

A folder has NAME_questions.json, a list of questions with answer, type and the name of their novel, and Parquet files
with the columns corpus_name and context. Its figure is the accuracy of answers by type: answer correctness as in
`correctness`, with a model as judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource
from kg_neo4j_lab.answers.questions import AnsweredQuestion, QuestionSet, Story, StorySelection

FORM = "graphrag-bench"
FIELDS = ("id", "source", "question", "answer", "question_type")


def read(path: str, selection: StorySelection) -> QuestionSet:
    """Return the questions of a folder and their texts. Raises SourceNotFound, UnreadableSource and UsageError."""
    stories = {name: _story(name, text) for file in _files(path, "*.parquet") for name, text in _texts(file)}
    questions: dict[str, AnsweredQuestion] = {}
    refused: list[SkippedSource] = []
    for file in _files(path, "*questions*.json"):
        for number, row in enumerate(_rows(file), 1):
            where = f"{file}, question {number}"
            if not isinstance(row, dict) or not all(isinstance(row.get(each), str) for each in FIELDS):
                raise UnreadableSource(f"{where}: it needs {', '.join(FIELDS)}")
            name, source, text, answer, kind = (" ".join(row[each].split()) for each in FIELDS)
            if source not in stories or name in questions:
                why = "it is there twice" if name in questions else f"no text {source!r}"
                refused.append(SkippedSource(where, why))
            else:
                questions[name] = AnsweredQuestion(name, text, (answer,), kind, stories[source].key)
    return QuestionSet(FORM, tuple(stories.values()), tuple(questions.values()), tuple(refused)).cut(selection)


def _files(path: str, pattern: str) -> list[Path]:
    if not (found := sorted(Path(path).glob(pattern))):
        raise SourceNotFound(
            f"no file {pattern} in {path!r}", hint="GraphRAG-Bench: questions in JSON, texts in Parquet"
        )
    return found


def _rows(file: Path) -> list[Any]:
    try:
        rows = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise UnreadableSource(f"{file}: not JSON: {error}") from error
    if not isinstance(rows, list):
        raise UnreadableSource(f"{file}: not a list of questions")
    return rows


def _texts(file: Path) -> Iterator[tuple[str, str]]:
    try:
        from pyarrow import ArrowException, parquet
    except ModuleNotFoundError as error:
        raise UsageError(f"{file} is Parquet, and pyarrow is not installed", hint="pip install pyarrow") from error
    try:
        rows: list[Mapping[str, Any]] = parquet.read_table(file, columns=["corpus_name", "context"]).to_pylist()
    except (ArrowException, OSError) as error:
        raise UnreadableSource(f"{file}: {error}") from error
    for row in rows:
        yield str(row["corpus_name"]), clean(normalise_text(str(row["context"])))


def _story(name: str, text: str) -> Story:
    return Story(f"{FORM}/{name}", name, lambda: text, text_hash(text))
