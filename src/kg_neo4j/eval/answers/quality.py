"""Reads QuALITY (Pang et al. 2022, v1.0.1): one JSON object a line, an article with the questions of one writer.

An article stands on several lines, one a writer; it is one text. The right option is the golden answer. The files come
with HTML and stripped of it; both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.acquire.plain_text import read_text
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.stories import QuestionSet, Story, StorySelection, cut, is_of_kind
from kg_neo4j.records import SkippedSource

FORM = "quality"
_MARKUP = re.compile(r"<(?:p|br|div|html|body|h[1-6]|span)\b[^>]*>", re.IGNORECASE)


class _Refused(Exception):
    """A question that cannot be used, and why."""


def read_quality(path: str, selection: StorySelection) -> QuestionSet:
    """Return the chosen texts of a file.

    Raises SourceNotFound; UnreadableSource for a line that is none of the format and for a file without labels; and
    UsageError for what the format does not have. A question without a usable label is refused alone.
    """
    if selection.split is not None or selection.summaries:
        raise UsageError("QuALITY has one file a set, and no summaries", hint="name the train or the dev file")
    stories: dict[str, Story] = {}
    questions: dict[str, AnsweredQuestion] = {}
    refused: list[SkippedSource] = []
    labelled = False
    for line, row in read_rows(path):
        where = f"{path}, line {line}"
        story, writer = _story(row, where), _name(row, where)
        if not is_of_kind(selection.kind, str(row.get("source") or ""), story.url):
            continue
        known = stories.setdefault(story.key, story)
        if known.stamp != story.stamp:
            raise UnreadableSource(f"{where}: article {story.key} is there twice, with different texts")
        for number, each in enumerate(_questions(row, where), 1):
            labelled = labelled or "gold_label" in each
            name = clean(str(each.get("question_unique_id") or f"{writer}_{number}"))
            try:
                if name in questions:
                    raise _Refused("it is there twice")
                questions[name] = _question(name, each, story.key)
            except _Refused as problem:
                refused.append(SkippedSource(f"{where}, question {name}", str(problem)))
    if refused and not labelled:
        raise UnreadableSource(
            f"{path}: no question has a gold_label", hint="the answers of the test file are not published: train or dev"
        )
    return cut(QuestionSet(FORM, tuple(stories.values()), tuple(questions.values()), tuple(refused)), selection)


def _story(row: Mapping[str, Any], where: str) -> Story:
    article, key = row.get("article"), row.get("article_id")
    if not isinstance(article, str) or not article.strip() or not isinstance(key, str | int) or not str(key).strip():
        raise UnreadableSource(f"{where}: not a line of QuALITY: it needs article_id, article and questions")
    text = article.strip()
    return Story(
        key=f"{FORM}/{key}",
        title=" ".join(clean(str(row.get("title") or key)).split()),
        read=lambda: _plain(text),
        stamp=text_hash(text),
        url=str(row.get("url") or ""),
    )


def _plain(article: str) -> str:
    """Return an article without markup and without what Project Gutenberg puts around its books."""
    text = clean(normalise_text(article))
    if len(_MARKUP.findall(text[:20_000])) > 2:
        return read_html(text.encode("utf-8")).text
    return read_text(text).text


def _name(row: Mapping[str, Any], where: str) -> str:
    name = row.get("set_unique_id")
    if not isinstance(name, str) or not name.strip():
        raise UnreadableSource(f"{where}: not a line of QuALITY: it needs set_unique_id")
    return name


def _questions(row: Mapping[str, Any], where: str) -> Iterator[Mapping[str, Any]]:
    listed = row.get("questions")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UnreadableSource(f"{where}: not a line of QuALITY: questions is not a list of objects")
    yield from listed


def _question(name: str, row: Mapping[str, Any], document: str) -> AnsweredQuestion:
    """Return a question with its right option as the golden answer; raises _Refused."""
    text, options, label, hard = (row.get(field) for field in ("question", "options", "gold_label", "difficult"))
    if not isinstance(text, str) or not text.strip():
        raise _Refused("it has no question")
    if not isinstance(options, list) or not options or not all(isinstance(each, str) for each in options):
        raise _Refused("its options are not a list of texts")
    if label is None:
        raise _Refused("it has no gold_label")
    if isinstance(label, bool) or not isinstance(label, int) or not 1 <= label <= len(options):
        raise _Refused(f"its gold_label is not a number from 1 to {len(options)}: {str(label)[:20]!r}")
    if hard not in (None, 0, 1):
        raise _Refused(f"difficult is neither 0 nor 1: {str(hard)[:20]!r}")
    golden = " ".join(options[label - 1].split())
    if not golden:
        raise _Refused("its right option is empty")
    return AnsweredQuestion(name, " ".join(text.split()), (golden,), document=document, is_hard=bool(hard))
