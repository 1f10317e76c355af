"""Questions over narrative texts, and whether the words that answer one are within what would be read.

As `eval.answers.questions` has them, one JSON object a line: `id`, `question`, `answer`, and maybe `type`, `aspect`,
`document` (its key, title or file name) and `quotes`, the words of the text that answer the question, or `spans`, their
places: [start, end], code points of the document's text.

Evidence is compared at equal tokens, without a model. Strict: the words stand in a text that is read. Beneath: they
stand in a leaf that what is read was made of, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.organise.tree.interface import Leaf
from kg_neo4j.organise.tree.leaves import joined
from kg_neo4j.retrieve import local
from kg_neo4j.retrieve.ask import MODES
from kg_neo4j.retrieve.interface import LOCAL, NAIVE, TREE, AskOptions, Search
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j_lab.answers.questions import AnsweredQuestion, read_answered

PASSAGE_MODES = (NAIVE, LOCAL, TREE)  # that read passages
CHUNKS = 60  # that are looked at: more than fit a large context


@dataclass(frozen=True, slots=True)
class NarrativeQuestion:
    """A question, and the words of its text that answer it."""

    asked: AnsweredQuestion
    aspect: str = ""  # that it is about
    quotes: tuple[str, ...] = ()  # none: not known
    spans: tuple[tuple[int, int], ...] = ()  # places of further ones


def read_narrative(path: str) -> tuple[NarrativeQuestion, ...]:
    """Return the questions of a file. Raises as `read_answered`; UsageError for a file without any."""
    asked = {question.id: question for question in read_answered(path)}
    found = []
    for line, row in read_rows(path):
        quotes = row.get("quotes") or []
        if not isinstance(quotes, list):
            raise UnreadableSource(f"{path}, line {line}: quotes are a list")
        own = replace(asked[str(row["id"])], document=str(row.get("document") or ""))
        spans = _spans(row.get("spans") or [], f"{path}, line {line}")
        found.append(NarrativeQuestion(own, str(row.get("aspect") or ""), tuple(map(str, quotes)), spans))
    if not found:
        raise UsageError(f"no question in {path!r}")
    return tuple(found)


def _spans(given: object, where: str) -> tuple[tuple[int, int], ...]:
    found = []
    for each in given if isinstance(given, list) else [given]:
        match each:
            case [int(start), int(end)] if 0 <= start < end:
                found.append((start, end))
            case _:
                raise UnreadableSource(f"{where}: spans are a list of [start, end]")
    return tuple(found)


def with_keys(
    questions: Sequence[NarrativeQuestion], documents: Sequence[StoredDocument]
) -> tuple[NarrativeQuestion, ...]:
    """Return the questions with the keys of the documents that they name. Raises UsageError for an unknown one."""
    found = []
    for each in questions:
        if named := each.asked.document:
            keys = [one.key for one in documents if named in (one.key, one.title, one.key.rpartition("/")[2])]
            if not keys:
                raise UsageError(f"question {each.asked.id} is about {named!r}, which is not among the texts")
            each = replace(each, asked=replace(each.asked, document=keys[0]))  # noqa: PLW2901 - with its key
        found.append(each)
    return tuple(found)


def with_quotes(
    database: Database, graph: str, questions: Sequence[NarrativeQuestion], documents: Sequence[StoredDocument]
) -> tuple[NarrativeQuestion, ...]:
    """Return the questions with the words that their places mean in the texts of `documents`.

    Raises UsageError for a place outside of its text, and where a question does not say of which of several texts.
    """
    texts: dict[str, str] = {}
    found = []
    for each in questions:
        if not each.spans:
            found.append(each)
            continue
        named = [one for one in documents if one.key == each.asked.document] or list(documents)
        if len(named) != 1:
            raise UsageError(f"question {each.asked.id} has places, and does not say of which document")
        document = named[0].id
        if document not in texts:
            rows = database.read(queries.get("tree/chunks"), graph=graph, document_id=document)
            names = ("id", "text", "token_count", "start", "end")
            texts[document] = joined([Leaf(*(row[name] for name in names)) for row in rows])
        quotes = [_words(each, texts[document], start, end) for start, end in each.spans]
        found.append(replace(each, quotes=(*each.quotes, *quotes), spans=()))
    return tuple(found)


def _words(question: NarrativeQuestion, text: str, start: int, end: int) -> str:
    words = text[start:end] if end <= len(text) else ""
    if not words.strip():
        raise UsageError(f"question {question.asked.id}: its text has no words at {start} to {end}")
    return words


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """What is read for one question. Shares are of its quotes, 0 to 1."""

    strict: float
    beneath: float
    tokens: int


def find_evidence(
    database: Database, search: Search, quotes: Sequence[str], options: AskOptions, tokeniser: Tokeniser, tokens: int
) -> EvidenceFound:
    """Return how much of `quotes` is read within `tokens` as `options` say. Raises UsageError for another mode."""
    if options.mode not in PASSAGE_MODES:
        hint = f"one of {', '.join(PASSAGE_MODES)}"
        raise UsageError(f"what the mode {options.mode!r} reads are no passages", hint=hint)
    search = replace(search, options=replace(options, max_context_tokens=tokens), mode=options.mode)
    if options.mode == LOCAL:
        found = local.retrieve(database, search, CHUNKS)
    else:
        found = MODES[options.mode].retrieve(database, search)
    packed = pack_found(found, search.question, tokeniser, tokens)
    read = [each.text for each in packed.evidence]
    texts = {chunk.id: chunk.text for chunk in found.chunks}
    leaves = [texts[place.chunk_id][place.start : place.end] for node in found.nodes for place in node.places]
    return EvidenceFound(share(quotes, read), share(quotes, [*read, *leaves]), packed.tokens)


def share(quotes: Sequence[str], texts: Sequence[str]) -> float:
    """Return the share of quotes that stand within one of the texts, line breaks and marks of emphasis apart."""
    plain = [_plain(text) for text in texts]
    return sum(any(_plain(quote) in text for text in plain) for quote in quotes) / len(quotes)


def _plain(text: str) -> str:
    return " ".join(text.replace("_", "").replace("*", "").split())
