"""From what was found to a reply: sentences of the sources, or a model's answer with its claims checked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, cast

from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Evidence, Usage
from kg_neo4j.retrieve.checking.citations import CheckedAnswer, ShownSource, check
from kg_neo4j.retrieve.checking.claims import (
    DROP,
    QUOTED,
    SUPPORTED,
    UNCITED,
    UNSUPPORTED,
    CheckedClaims,
    check_claims,
    judge,
    settle,
)
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundNode, Reply, Search
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.packing import PackedContext, pack_found
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """How to search for what a first search did not find: within the same graph and filters."""

    database: Database
    search: Search
    find: Callable[[str], Found]  # what answers another question


@dataclass(frozen=True, slots=True)
class AnswerFromSources(Job[Reply]):
    """Answers a question from what was found. Raises the model's errors."""

    kind: ClassVar[str] = "from_sources"
    search: Search
    found: Found
    how: Means
    further: FurtherSearch | None = None  # None: what was found is all

    def by_model(self, door: Door) -> Reply:
        """Answer with the model; without one valid citation its answer is replaced by sentences of the sources."""
        if not self.found.chunks:
            return Reply("")
        started = time.monotonic()
        answer = ask_model(self.search, self.found, door, self.how)
        made = Reply("", evidence=answer.packed.evidence, usage=answer.usage, notes=_notes(answer, self.search))
        if answer.checked is None and not answer.silent:
            return replace(made, model_seconds=time.monotonic() - started)
        checked, usage, said = _checked(answer, self.found, door, self.how)
        seconds = time.monotonic() - started
        made = replace(made, usage=made.usage + usage, notes=(*made.notes, *said), model_seconds=seconds)
        if checked is not None and checked.citations:
            return _cited(answer, checked, made)
        why = answer.silent or "the model's answer cited no source and was left out"
        if checked is not None and not answer.silent:
            why = said[-1]
        instead = door.instead(replace(self, further=None))
        notes = [*made.notes, *((why,) if why not in made.notes else ()), *(instead.notes if instead.text else ())]
        return replace(instead, usage=made.usage, notes=tuple(notes), model_seconds=made.model_seconds)


def _cited(answer: ModelReply, checked: CheckedClaims, made: Reply) -> Reply:
    short = answer.short if _is_cited(answer.short, checked) else ""
    if answer.short and not short:
        made = replace(made, notes=(*made.notes, f"left out the short answer “{answer.short}”: no source says it"))
    ways = answer.checked.ways if answer.checked else {}
    told = replace(made, text=checked.text, citations=checked.citations, claims=checked.claims)
    return replace(told, short=short, ways=ways)


def _is_cited(short: str, checked: CheckedClaims) -> bool:
    """Return whether the words of a short answer are in what is cited; yes and no always are."""
    words = [word for word in map(fold, split_words(short)) if not is_stop_word(word)]
    there = {fold(word) for each in checked.citations for word in split_words(f"{each.document} {each.quote}")}
    there |= {
        fold(word)
        for claim in checked.claims
        if claim.support in (SUPPORTED, QUOTED)
        for word in split_words(claim.text)
    }
    return fold(short) in ("yes", "no") or all(word in there for word in words)


def _notes(answer: ModelReply, search: Search) -> tuple[str, ...]:
    notes = list(answer.notes)
    if answer.packed.left_out:
        notes.append(f"{answer.packed.left_out} further hits did not fit into {search.context_tokens:,} tokens")
    if answer.checked is not None and answer.checked.invalid:
        notes.append(f"removed citations of sources that were not given: {', '.join(answer.checked.invalid)}")
    return tuple(notes)


def _checked(answer: ModelReply, found: Found, door: Door, how: Means) -> tuple[CheckedClaims | None, Usage, list[str]]:
    """Return the answer, checked, or None where it cites nothing; what judging cost; and what to say of it."""
    if answer.checked is None or not answer.checked.citations:
        return None, Usage(), []
    text, citations = answer.checked.text, answer.checked.citations
    claims = check_claims(text, citations, found, door.instead)
    verdicts, usage, problem = judge(claims, citations, door) if how.judge else ({}, Usage(), "")
    notes = [problem] if problem else []
    checked = settle(text, citations, claims, how.unsupported, verdicts)
    done = "dropped" if how.unsupported == DROP else "marked"
    for claim in (*checked.claims, *checked.dropped):
        if claim.support == UNSUPPORTED:
            notes.append(f"{done} as unsupported: “{claim.text}” ({claim.reason})")
    if uncited := checked.count(UNCITED):
        said = "were dropped: they cite no source" if how.unsupported == DROP else "of the answer cite no source"
        notes.append(f"{uncited} sentences {said}")
    if not checked.citations:
        notes.append("nothing in the model's answer was supported by its sources, so it was left out")
    return checked, usage, notes


ANSWER_TOKENS = 800  # room for the answer within the model's window; five sentences need 200
PROMPT_TOKENS = 500  # the prompt without evidence and question
SMALLEST_CONTEXT = 200  # tokens; below, the evidence is not made smaller any more

LONGEST_SHORT = 200  # characters; a longer one is no short answer

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # what a terminal obeys
_SHORT = re.compile(r"^[ \t]*[*_]*short answer[*_]*\s*:[*_]*[ \t]*(?P<short>.*)$", re.IGNORECASE | re.MULTILINE)
_MARK = re.compile(r"\s*[\[【(]\s*[Cc]\d+(?:\s*[,;]\s*[Cc]\d+)*\s*[\]】)]")
_NOT_IN_GRAPH = re.compile(r"\W*not in the graph\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model made of the evidence. `checked` is None where it said that the evidence holds no answer."""

    checked: CheckedAnswer | None
    packed: PackedContext
    usage: Usage = field(default_factory=Usage)
    silent: str = ""  # why there is no answer at all: the provider's filter, or nothing usable came back
    short: str = ""  # the fewest words that answer, as the model gave them
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerQuestion(Prompted[ModelReply]):
    """Answers `question` from the best of `found` that fits `budget` tokens."""

    kind: ClassVar[str] = "answer"
    cached: ClassVar[bool] = False
    max_tokens = ANSWER_TOKENS
    question: str
    found: Found
    tokeniser: Tokeniser
    budget: int

    @cached_property
    def packed(self) -> PackedContext:
        """What the model is shown."""
        return pack_found(self.found, self.tokeniser, self.budget)

    @cached_property
    def sources(self) -> list[ShownSource]:
        """The passages of it, each with its mark."""
        return _sources(self.packed.evidence, self.found)

    def values(self) -> dict[str, str]:
        """Return the evidence and the question."""
        context = render(self.packed.evidence, self.sources)
        fence = hash_id("fence", context, self.question)[:8]
        return {"context": context, "fence": fence, "question": self.question}

    def accept(self, said: Completion) -> ModelReply:
        """Return the answer with its citations checked."""
        text, short = split_short(_CONTROL.sub(" ", without_thoughts(said.text)).strip())
        if _NOT_IN_GRAPH.fullmatch(text):
            return ModelReply(None, self.packed)
        return ModelReply(check(text, self.sources), self.packed, short=short)

    def smaller(self) -> Sequence[AnswerQuestion]:
        """Return the question with half of the evidence, down to 200 tokens."""
        if self.budget <= SMALLEST_CONTEXT:
            return ()
        return (replace(self, budget=max(SMALLEST_CONTEXT, self.budget // 2)),)


def ask_model(search: Search, found: Found, door: Door, how: Means) -> ModelReply:
    """Answer the question of `search` from the best of `found` that fits `search.context_tokens` and the window.

    A context that the model finds too long is halved and sent again, down to 200 tokens. Raises the model's errors.
    """
    question = search.question.text
    room = door.window - ANSWER_TOKENS - PROMPT_TOKENS - how.tokeniser.count(question)
    budget = max(SMALLEST_CONTEXT, min(search.context_tokens, room))
    answer = door.ask(AnswerQuestion(question, found, how.tokeniser, budget), how.hear)
    if isinstance(answer.error, ContextTooLong):
        raise answer.error
    made = answer.value or ModelReply(None, cast("AnswerQuestion", answer.task).packed, silent=answer.problem)
    return replace(made, usage=answer.charged, notes=answer.notes)


def split_short(said: str) -> tuple[str, str]:
    """Return an answer without its last line "Short answer: ...", and what that line says ("" for a hyphen)."""
    match = _SHORT.search(said)
    if match is None:
        return said, ""
    short = _MARK.sub("", match["short"]).strip(' .*_"“”')
    rest = (said[: match.start()] + said[match.end() :]).strip()
    if not rest or short in ("", "-", "–", "—") or len(short) > LONGEST_SHORT:
        return rest or said, ""
    return rest, short


def render(evidence: Sequence[Evidence], sources: Sequence[ShownSource]) -> str:
    """Return the evidence as the model sees it: passages with their marks, then entities, then facts."""
    passages = [f"[{each.mark}] {_title(each)}\n{each.chunk.text[each.start : each.end]}" for each in sources]
    lines = {"entity": ["Entities:"], "fact": ["Facts:"]}
    for each in evidence:
        if each.kind in lines:
            mark = next(s.mark for s in sources if s.chunk.id == each.chunk_id and s.start == each.start)
            lines[each.kind].append(f"- {each.text} [{mark}]")
    blocks = passages + ["\n".join(block) for block in lines.values() if len(block) > 1]
    return "\n\n".join(blocks)


def _title(source: ShownSource) -> str:
    return f"{source.chunk.document}, {source.chunk.section}" if source.chunk.section else source.chunk.document


def _sources(evidence: Sequence[Evidence], found: Found) -> list[ShownSource]:
    """Give every passage of the context its mark, in the order in which the passages were chosen."""
    sources: list[ShownSource] = []
    nodes = {node.id: node for node in found.nodes}
    for each in evidence:
        if each.kind in ("summary", "detail") and each.id in nodes:
            sources.append(_node_source(f"C{len(sources) + 1}", nodes[each.id], found))
        chunk = found.chunk(each.chunk_id or "")
        if each.kind == "chunk" and chunk is not None:
            start, end = each.start or 0, len(chunk.text) if each.end is None else each.end
            steps = found.way(chunk.id, start, end) if nodes else ()
            sources.append(ShownSource(f"C{len(sources) + 1}", chunk, start, end, steps))
    return sources


def _node_source(mark: str, node: FoundNode, found: Found) -> ShownSource:
    """Return a node of a tree as a source: it is shown, and what lies beneath it is cited."""
    aspect = node.aspect.replace("_", " ")
    what = f"a summary of its {aspect}" if node.kind == "summary" else f"in short{f', of its {aspect}' * bool(aspect)}"
    shown = FoundChunk(node.id, node.text, 0, what, node.document, node.score)
    beneath = tuple(
        ShownSource(mark, chunk, place.start, place.end, place.steps)
        for place in node.places
        if (chunk := found.chunk(place.chunk_id)) is not None
    )
    return ShownSource(mark, shown, 0, len(node.text), beneath=beneath)
