"""Questions with their answers, and the texts that they are about: read from a file, or from published sets.

A file has one JSON object a line: `id`, `question`, `answer`, maybe `answer_aliases` and `type`. More than one answer
may be given as a list; the best match counts. `document` is the key of the text that a question is about (of a file:
its name), or its title or id, where it is about one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import zip_longest

from kg_neo4j.acquire.identity import document_id, hash_id, text_hash
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Document, SkippedSource
from kg_neo4j_lab.retrieval.questions import CorpusPassage


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and the answers that are right."""

    id: str
    text: str
    answers: tuple[str, ...]  # one at least: any of them is right
    type: str = ""
    document: str = ""  # key of the text that it is about; empty: the whole graph
    golden: tuple[str, ...] = ()  # what an answer is held against whole; empty: the first of `answers`
    is_hard: bool = False
    options: tuple[str, ...] = ()  # of a multiple-choice question: the right one is the first of `answers`

    @property
    def held_against(self) -> tuple[str, ...]:
        """The golden answers: the better score of them counts."""
        return self.golden or self.answers[:1]


@dataclass(frozen=True, slots=True)
class Story:
    """A text that questions are about. It is read when it is needed: all together may not fit into memory."""

    key: str  # names its document
    title: str
    read: Callable[[], str]  # raises UnreadableSource
    stamp: str  # changes with the text
    url: str = ""

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
    sample: int | None = None  # questions at most, as many of each text and type, drawn by the SHA-256 of their id
    summaries: bool = False  # the summaries in place of the texts, where a set has both

    def is_of_kind(self, named: str, url: str) -> bool:
        """Return whether a text is of the kind: the set names it so, or its address is there ("gutenberg")."""
        if self.kind is None:
            return True
        wanted = self.kind.casefold().strip()
        host = url.casefold().partition("://")[2].partition("/")[0]
        return named.casefold().strip() == wanted or (bool(wanted) and wanted in host.split("."))


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, with the texts that they are about. Each question names its text's key."""

    form: str
    stories: tuple[Story, ...]
    questions: tuple[AnsweredQuestion, ...]
    refused: tuple[SkippedSource, ...] = ()  # texts and questions that cannot be used, with the reason

    def cut(self, selection: StorySelection) -> QuestionSet:
        """Return the first texts and questions up to the limits; texts without questions are left out."""
        asked = {question.document for question in self.questions}
        stories = [story for story in self.stories if story.key in asked][: selection.documents]
        kept = {story.key for story in stories}
        questions = [question for question in self.questions if question.document in kept][: selection.limit]
        if selection.sample is not None:
            drawn = set(_sample(questions)[: selection.sample])
            questions = [question for question in questions if question.id in drawn]
        asked = {question.document for question in questions}
        return replace(
            self, stories=tuple(story for story in stories if story.key in asked), questions=tuple(questions)
        )


def _sample(questions: Sequence[AnsweredQuestion]) -> list[str]:
    """Return the ids in the order in which they are drawn: one of each type and text in turn."""
    parts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for each in sorted(questions, key=lambda each: sha256(each.id.encode()).hexdigest()):
        parts[each.document, each.type].append(each.id)
    documents = sorted({document for document, _ in parts})
    types = sorted({kind for _, kind in parts})
    turns = [
        (document, types[(place + turn) % len(types)])
        for turn in range(len(types))
        for place, document in enumerate(documents)
    ]
    rounds = zip_longest(*(parts.get(turn, []) for turn in turns))
    return [each for drawn in rounds for each in drawn if each is not None]


def read_answered(path: str) -> tuple[AnsweredQuestion, ...]:
    """Return the questions of a file. Raises SourceNotFound, and UnreadableSource for a line that is none, or again."""
    found: dict[str, AnsweredQuestion] = {}
    for line, row in read_rows(path):
        try:
            answer = row["answer"]
            answers = [*answer] if isinstance(answer, list) else [answer]
            answers += row.get("answer_aliases") or []
            said = tuple(dict.fromkeys(str(each) for each in answers if str(each).strip()))
            golden = tuple(str(each) for each in answer if str(each).strip()) if isinstance(answer, list) else said[:1]
            kind, about = str(row.get("type") or ""), str(row.get("document") or "")
            question = AnsweredQuestion(str(row["id"]), str(row["question"]), said, kind, about, golden)
        except (KeyError, TypeError) as error:
            raise UnreadableSource(f"{path}, line {line}: no question: it needs id, question and answer") from error
        if not said or not question.text.strip():
            raise UnreadableSource(f"{path}, line {line}: the question or its answer is empty")
        if question.id in found:
            raise UnreadableSource(f"{path}, line {line}: question {question.id} is there twice")
        found[question.id] = question
    return tuple(found.values())


def stories_of(passages: Sequence[CorpusPassage]) -> tuple[Story, ...]:
    """Return the passages of a corpus as texts; those without text are left out."""
    return tuple(
        Story(each.key, each.title, partial(str, each.text), text_hash(each.text))
        for each in passages
        if each.text.strip()
    )


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
            language="en",
            url=story.url or None,
        )
