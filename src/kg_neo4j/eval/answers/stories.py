"""Texts with questions about each: what the readers of published sets give, and how texts become documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kg_neo4j.acquire.identity import document_id, hash_id, text_hash
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.retrieval.questions import CorpusPassage
from kg_neo4j.records import Document, SkippedSource


@dataclass(frozen=True, slots=True)
class Story:
    """A text that questions are about. It is read when it is needed: all together may not fit into memory."""

    key: str  # names its document
    title: str
    read: Callable[[], str]  # raises UnreadableSource
    stamp: str  # changes with the text
    url: str = ""
    language: str = "en"

    @property
    def named(self) -> str:
        """Title and key: titles may be alike."""
        return f"{self.title} ({self.key})"


@dataclass(frozen=True, slots=True)
class StorySelection:
    """Which texts of a set are chosen. None is all."""

    kind: str | None = None  # of the source, as the set names it ("gutenberg", "movie"); or part of its host's name
    split: str | None = None  # "train", "valid" or "test", where one folder holds all
    documents: int | None = None  # texts at most, in the order of the set
    limit: int | None = None  # questions at most, likewise
    summaries: bool = False  # the summaries in place of the texts, where a set has both


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, with the texts that they are about. Each question names its text's key."""

    form: str
    stories: tuple[Story, ...]
    questions: tuple[AnsweredQuestion, ...]
    refused: tuple[SkippedSource, ...] = ()  # texts and questions that cannot be used, with the reason


def cut(found: QuestionSet, selection: StorySelection) -> QuestionSet:
    """Return the first texts and questions up to the limits; texts that nothing is asked about are left out."""
    asked = {question.document for question in found.questions}
    stories = [story for story in found.stories if story.key in asked][: selection.documents]
    kept = {story.key for story in stories}
    questions = [question for question in found.questions if question.document in kept][: selection.limit]
    asked = {question.document for question in questions}
    return QuestionSet(
        found.form, tuple(story for story in stories if story.key in asked), tuple(questions), found.refused
    )


def stories_of(passages: Sequence[CorpusPassage]) -> tuple[Story, ...]:
    """Return the passages of a corpus as texts; those without text are left out."""
    return tuple(
        Story(each.key, each.title, partial(str, each.text), text_hash(each.text))
        for each in passages
        if each.text.strip()
    )


def is_of_kind(kind: str | None, named: str, url: str) -> bool:
    """Return whether a text is of a kind: the set names it so, or its address is there ("gutenberg")."""
    if kind is None:
        return True
    wanted = kind.casefold().strip()
    host = url.casefold().partition("://")[2].partition("/")[0]
    return named.casefold().strip() == wanted or (bool(wanted) and wanted in host.split("."))


def graph_of(stories: Sequence[Story], *made_with: str) -> str:
    """Return the name of the graph that texts are loaded into: the same texts, made the same way, have the same one."""
    return "eval-" + hash_id(*made_with, *(part for story in stories for part in (story.key, story.stamp)))[:12]


def documents_of(
    stories: Sequence[Story], graph: str, refused: list[SkippedSource] | None = None
) -> Iterator[Document]:
    """Yield a document a text; one that cannot be read is added to `refused`, if that is given, else raised."""
    for story in stories:
        try:
            text = story.read()
        except UnreadableSource as problem:
            if refused is None:
                raise
            refused.append(SkippedSource(story.named, str(problem)))
            continue
        yield Document(
            id=document_id(graph, "file", story.key),
            graph=graph,
            kind="file",
            key=story.key,
            title=story.title,
            source=story.title,
            text=text,
            sha256=text_hash(text),
            language=story.language,
            url=story.url or None,
        )
