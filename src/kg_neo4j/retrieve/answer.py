"""An answer by a chat model from packed evidence, with its citations checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, cast

from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.records import Evidence, Usage
from kg_neo4j.retrieve.checking.citations import CheckedAnswer, ShownSource, check
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundNode, Search
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.packing import PackedContext, pack_found

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
