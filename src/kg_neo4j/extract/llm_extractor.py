"""Asks a chat model about one chunk: for the two-section CSV with prompts/extract.md, then for what is missing.

A further question repeats the first one and adds what was found, so that a provider's cache of prompts can serve it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from typing import Any, ClassVar

from kg_neo4j import data_files, plugins
from kg_neo4j._models import prompts, tokens
from kg_neo4j._models.answer_text import RUNAWAY
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Task, once_more
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import facts, numbering
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import Extractor, FollowUp
from kg_neo4j.extract.reading import AGAIN
from kg_neo4j.extract.rows import RawRow, RowKind
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.progress import RECEIVED
from kg_neo4j.records import ModelAnswer

FOLLOW_UPS = ("continue", "glean", "repair")
LIMIT_A_TOKEN = {"words": 8, "none": 8, "sentences": 5}  # tokens of an answer for one of the text, by its evidence
LIMIT_A_COLUMN = 40  # tokens more, for each column of the schema
RUNAWAY_ROWS = 10  # in a row that bring no new node and no new relationship
GRAMMAR = "kg_neo4j.rooms.grammar"
_ROW_END = re.compile(r"[\n\]]")  # of CSV, and of JSON
_SAYING = (ColumnKind.TYPE, ColumnKind.NAME, ColumnKind.SOURCE, ColumnKind.TARGET)
SHOWN_ROWS = 400  # of each section, in a further question

_DATA = data_files.beside(__file__)
_LANGUAGES, _PREFERRED, _CLOSED = _DATA.table("languages"), _DATA.text("preferred"), _DATA.text("closed")


@dataclass(frozen=True, slots=True)
class _Rows(Task[Completion]):
    """Ask for rows. It neither reads nor checks the answer: the conversation about the chunk judges the rows."""

    kind: ClassVar[str] = "extract"
    caches_accepted: ClassVar[bool] = False
    reads_whole: ClassVar[bool] = False  # the rows before a cut are of use
    reads_thoughts: ClassVar[bool] = True
    system: str
    user: str
    temperature: float
    max_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # what holds the answer to the schema

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return both messages; a further question is a task of its own."""
        return self.system, self.user

    def accept(self, said: Completion) -> Completion:
        return said


@dataclass(slots=True)
class RowListener:
    """Hears an answer as it comes, and says when it should end: ten rows, or lines, that bring nothing new."""

    schema: Schema
    as_csv: Callable[[str], str] = str  # of an answer that comes in another form
    text: str = ""
    pieces: int = 0
    lines: int = 0
    due: int = RUNAWAY_ROWS  # lines at which the answer is read

    def __call__(self, piece: str) -> str | None:
        """Take a piece; return the reason to end the answer, if there is one."""
        RECEIVED["tokens"] += 1
        self.pieces += 1
        self.text += piece
        self.lines += len(_ROW_END.findall(piece))
        if self.lines < self.due:
            return None
        self.due = max(self.lines + RUNAWAY_ROWS // 2, round(1.05 * self.lines))
        return RUNAWAY if self._repeats() else None

    def _repeats(self) -> bool:
        text = self.as_csv(self.text)
        whole_lines = text[: text.rfind("\n") + 1]
        keys = list(_keys(facts.read(whole_lines, self.schema, finish_reason=None).rows, self.schema))
        lines = [line for line in whole_lines.splitlines() if line.strip()]
        return any(
            len(each) > RUNAWAY_ROWS and set(each[-RUNAWAY_ROWS:]) <= set(each[:-RUNAWAY_ROWS])
            for each in (keys, lines)
        )


def _keys(rows: Sequence[RawRow], schema: Schema) -> Iterator[tuple[str, ...]]:
    """Yield what each row says, by names: ids are left out, because an answer that repeats itself counts on."""
    names: dict[str, str] = {}
    for row in rows:
        columns = schema.node_columns if row.kind is RowKind.NODE else schema.relationship_columns
        words = dict(zip((column.kind for column in columns), map(str.casefold, row.fields), strict=True))
        if row.kind is RowKind.NODE:
            names[words[ColumnKind.ID]] = words[ColumnKind.NAME]
        said = [words.get(kind, "").strip() for kind in _SAYING]
        said += [text for column, text in zip(columns, row.fields, strict=True) if column.identity]
        yield tuple(names.get(word, word) for word in said)


def constraint_of(constrain: str, schema: Schema) -> Any:
    """Return what holds answers to a schema; None for "none". Raises UsageError where the room is not installed.

    `constrain` names what the server takes: "vllm" or "llama" a grammar, "ollama" or "json_schema" a JSON schema.
    """
    if constrain == "none":
        return None
    plugins.need(GRAMMAR, f"KG_CONSTRAIN={constrain} cannot be used", "unset it, or install kg-neo4j again")
    return resolve_name(f"{GRAMMAR}.constraint:Constraint")(constrain, schema)


class LlmExtractor:
    """An Extractor that asks a model behind an API. Keeps no state between chunks; pickles if the model does."""

    def __init__(
        self,
        door: Door,
        schema: Schema,
        *,
        output_language: str = "source",
        temperature: float | None = None,
        constraint: Any = None,
    ) -> None:
        """`output_language` is "source" (default) or "en"; `temperature` None takes the prompt's (0).

        `constraint` is what `constraint_of` gives.
        """
        if output_language not in _LANGUAGES:
            raise UsageError(f"output language {output_language!r}", hint=f"one of {', '.join(_LANGUAGES)}")
        self._door = door
        self._schema = schema
        self._language = output_language
        self._numbered = schema.evidence == "sentences"
        name = "claims/extract_claims" if schema.claims else "extract_numbered" if self._numbered else "extract"
        name = "extract_facts" if schema.facts else name
        self._prompt = prompts.load(name)
        self._further = {name: prompts.load(name) for name in FOLLOW_UPS}
        self._temperature = self._prompt.temperature if temperature is None else temperature
        self._constraint = constraint
        self._thinks = False  # the model's thoughts count as output, and are not shown
        self.name = door.name
        self.converses = True  # a model uses context and can be asked further questions
        asked = (self._prompt.hash, *(self._further[name].hash for name in FOLLOW_UPS))
        own = (door.options.hashed(_Rows.kind), constraint.server if constraint else "")
        parts = (self.name, asked, schema.hash, output_language, repr(self._temperature), *filter(None, own))
        self.config_hash = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the cache of answers has to say."""
        return self._door.notes

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Ask once and return what the model said, word for word.

        Raises the ModelError subclasses of `ChatModel.complete`.
        """
        return self._ask(*self.messages(task, shown_text), shown_text, self._prompt.hash, task.limit)

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Ask a further question and return what the model said, word for word; raises as `answer` does."""
        system, user = self.messages(task, shown_text)
        if question.step == AGAIN:
            return self._ask(system, user + once_more(question.why), shown_text, self._prompt.hash)
        further = self.further_message(question)
        return self._ask(system, f"{user}\n\n{further}", shown_text, self._further[question.step].hash)

    def keep(self, answer: ModelAnswer) -> None:
        """Put an answer that was paid for into the cache, at once: a run that is killed does not lose it."""
        self._door.keep(answer.request_hash, Completion(answer.text, answer.finish_reason, answer.usage))

    def _ask(self, system: str, user: str, shown_text: str, prompt_hash: str, most: int | None = None) -> ModelAnswer:
        """Ask with a limit on the answer, and stop an answer that repeats itself. What comes in JSON becomes CSV.

        A model whose answer ends far before the limit spent it on thoughts that are not shown: it gets none from then.
        """
        columns = sum(header.count(",") + 1 for header in self._schema.headers)
        limit = LIMIT_A_TOKEN[self._schema.evidence] * tokens.load().count(shown_text) + LIMIT_A_COLUMN * columns
        limit = min(limit, most or limit)
        task = _Rows(system, user, self._temperature, None if self._thinks else limit)
        as_csv: Callable[[str], str] = str
        if self._constraint:
            task = replace(task, user=user + self._constraint.asks, options=self._constraint.fields(shown_text))
            as_csv = self._constraint.csv
        said = self._door.ask(task, heard := RowListener(self._schema, as_csv)).result()
        shown = said.usage.output_tokens - said.usage.reasoning_tokens
        unseen = shown - tokens.load().count(said.text)
        if task.max_tokens and said.is_cut and unseen > limit / 2:
            self._thinks = True
            spent, task = said.usage, replace(task, max_tokens=None)
            said = self._door.ask(task, RowListener(self._schema, as_csv)).result()
            said = replace(said, usage=spent + said.usage)
        elif task.max_tokens and said.is_cut and max(shown, heard.pieces) >= limit:
            said = replace(said, finish_reason=RUNAWAY)  # no text needs so long an answer
        return ModelAnswer(
            text=as_csv(said.text),
            model=self.name,
            prompt_hash=prompt_hash,
            finish_reason=said.finish_reason,
            usage=said.usage,
            request_hash=self._door.request(task).hash(self.name),
            kept=said.kept,
        )

    def messages(self, task: ChunkTask, shown_text: str) -> tuple[str, str]:
        """Return the system and the user message for one chunk.

        The mark around the text is a hash of all that comes from the document, so none of it can contain its own
        closing mark.
        """
        schema = self._schema
        from_document = "\0".join((shown_text, repr(task.context)))
        boundary = hashlib.sha256(from_document.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        carried = []
        if task.context.before:
            carried.append(f"===== end of what came before {boundary} =====\n{task.context.before}")
        if task.context.known:
            names = "; ".join(f"{_one_line(name)} ({kind})" for name, kind in task.context.known)
            carried.append(f"===== named so far {boundary} =====\n{names}")
        types = [
            f"{section} are of these types only: {', '.join(types)}."
            for section, types in (("Nodes", schema.node_types), ("Relationships", schema.relationship_types))
            if types and not schema.closed
        ]
        rule = _CLOSED if schema.closed else _PREFERRED
        types += filter(
            None,
            (
                _preferred("nodes", schema.preferred_node_types, rule),
                _preferred("relationships", schema.preferred_relationship_types, rule),
            ),
        )
        example = schema.example_text
        if self._numbered:
            example = numbering.show(example, numbering.number(example))
        shown = {
            "node_header": schema.headers[0],
            "relationship_header": schema.headers[-1],
            "node_columns": _notes(schema.nodes),
            "relationship_columns": _notes(schema.relationship_properties if schema.facts else schema.relationships),
            "types": ("\n\n" if self._numbered else " ").join(types) or "Choose the types that fit.",
            "language": _LANGUAGES[self._language],
            "example_text": example,
            "example_answer": schema.example_answer.strip(),
            "title": _one_line(task.document.title),
            "section": _one_line(task.chunk.section) or "-",
            "context": "".join(f"{part}\n" for part in carried),
            "boundary": boundary,
            "text": shown_text,
        }
        return self._prompt.render(**{name: shown[name] for name in self._prompt.placeholders})

    def further_message(self, question: FollowUp) -> str:
        """Return what a further question adds to the user message."""
        prompt = self._further[question.step]
        nodes, relationships = question.nodes[:SHOWN_ROWS], question.relationships[:SHOWN_ROWS]
        shown = {
            "nodes": [f"{node.node_id},{node.type},{_one_line(node.name)}" for node in nodes],
            "relationships": [f"{row.source_id},{row.type},{row.target_id}" for row in relationships],
            "rejected": [
                f"{_one_line(each.text)}\n  -> {each.reason.replace('_', ' ')}: {_one_line(each.detail)}"
                for each in question.rejections
            ],
        }
        return prompt.render(**{name: "\n".join(shown[name]) or "(none)" for name in prompt.placeholders})[1]


def _notes(columns: tuple[SchemaColumn, ...]) -> str:
    return "\n".join(f"- {column.name}: {column.note}" for column in columns)


def _preferred(section: str, types: Sequence[tuple[str, str]], rule: str) -> str:
    """Return the preferred types of a section, each with its meaning, and how they are used; empty without any."""
    if not types:
        return ""
    listed = "; ".join(f"{name} ({meaning})" if meaning else name for name, meaning in types)
    return f"Preferred types of {section}. {rule}\n{listed}"


def _one_line(text: str) -> str:
    """Return a title or a path of headings, which come from the document, in one line of at most 300 characters."""
    return " ".join(text.split())[:300]


@dataclass(frozen=True, slots=True)
class OpenExtractor(Job[Extractor]):
    """Chooses what extracts rows from chunks."""

    kind: ClassVar[str] = "open_extractor"
    schema: Schema
    output_language: str = "source"
    temperature: float | None = None
    spacy_model: str | None = None  # of the rules, instead of the built-in one
    constrain: str = "none"  # what the model's server takes

    def by_model(self, door: Door) -> Extractor:
        """Take the model."""
        how: dict[str, Any] = {"output_language": self.output_language, "temperature": self.temperature}
        return LlmExtractor(door, self.schema, **how, constraint=constraint_of(self.constrain, self.schema))
