"""An answer by a chat model from packed evidence, with its citations checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.protocols import ChatModel, Completion, StreamingChatModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.records import Evidence, Usage
from kg_neo4j.retrieve.checking.citations import CheckedAnswer, Source, check
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundNode
from kg_neo4j.retrieve.packing import Packed, pack_found

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
    packed: Packed
    usage: Usage
    silent: str = ""  # why there is no answer at all: the provider's filter, or nothing usable came back
    short: str = ""  # the fewest words that answer, as the model gave them
    notes: tuple[str, ...] = ()


class Request(Protocol):
    """What shapes one question to a model."""

    @property
    def tokeniser(self) -> Tokeniser:
        """Counts the evidence."""

    @property
    def max_context_tokens(self) -> int:
        """Tokens of evidence, at most."""

    @property
    def hear(self) -> Callable[[str], None] | None:
        """Is told the answer's words as they come; None: nobody listens."""


def ask_model(question: str, found: Found, model: ChatModel, request: Request) -> ModelReply:
    """Answer `question` from the best of `found` that fits `request.max_context_tokens` and the model's window.

    A context that the model finds too long is halved and sent again, down to 200 tokens. Raises the model's errors.
    """
    room = model.window - ANSWER_TOKENS - PROMPT_TOKENS - request.tokeniser.count(question)
    budget = max(SMALLEST_CONTEXT, min(request.max_context_tokens, room))
    while True:
        packed = pack_found(found, request.tokeniser, budget)
        sources = _sources(packed.evidence, found)
        context = render(packed.evidence, sources)
        prompt = prompts.load("answer")
        fence = hash_id("fence", context, question)[:8]
        system, user = prompt.render(context=context, fence=fence, question=question)
        try:
            completion = _complete(model, system, user, prompt.temperature, request.hear)
        except ContextTooLong:
            if budget <= SMALLEST_CONTEXT:
                raise
            budget = max(SMALLEST_CONTEXT, budget // 2)
            continue
        except (ContentFiltered, BadModelAnswer) as error:
            return ModelReply(None, packed, Usage(calls=1), silent=str(error))
        said, short = split_short(_CONTROL.sub(" ", without_thoughts(completion.text)).strip())
        notes = (completion.note,) if completion.note else ()
        if _NOT_IN_GRAPH.fullmatch(said):
            return ModelReply(None, packed, completion.usage, notes=notes)
        return ModelReply(check(said, sources), packed, completion.usage, short=short, notes=notes)


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


def _complete(
    model: ChatModel, system: str, user: str, temperature: float, hear: Callable[[str], None] | None
) -> Completion:
    if hear is not None and isinstance(model, StreamingChatModel):
        return model.stream(system, user, hear, max_tokens=ANSWER_TOKENS, temperature=temperature)
    return model.complete(system, user, max_tokens=ANSWER_TOKENS, temperature=temperature)


def render(evidence: Sequence[Evidence], sources: Sequence[Source]) -> str:
    """Return the evidence as the model sees it: passages with their marks, then entities, then facts."""
    passages = [f"[{each.mark}] {_title(each)}\n{each.chunk.text[each.start : each.end]}" for each in sources]
    lines = {"entity": ["Entities:"], "fact": ["Facts:"]}
    for each in evidence:
        if each.kind in lines:
            mark = next(s.mark for s in sources if s.chunk.id == each.chunk_id and s.start == each.start)
            lines[each.kind].append(f"- {each.text} [{mark}]")
    blocks = passages + ["\n".join(block) for block in lines.values() if len(block) > 1]
    return "\n\n".join(blocks)


def _title(source: Source) -> str:
    return f"{source.chunk.document}, {source.chunk.section}" if source.chunk.section else source.chunk.document


def _sources(evidence: Sequence[Evidence], found: Found) -> list[Source]:
    """Give every passage of the context its mark, in the order in which the passages were chosen."""
    sources: list[Source] = []
    nodes = {node.id: node for node in found.nodes}
    for each in evidence:
        if each.kind in ("summary", "detail") and each.id in nodes:
            sources.append(_node_source(f"C{len(sources) + 1}", nodes[each.id], found))
        chunk = found.chunk(each.chunk_id or "")
        if each.kind == "chunk" and chunk is not None:
            start, end = each.start or 0, len(chunk.text) if each.end is None else each.end
            steps = found.way(chunk.id, start, end) if nodes else ()
            sources.append(Source(f"C{len(sources) + 1}", chunk, start, end, steps))
    return sources


def _node_source(mark: str, node: FoundNode, found: Found) -> Source:
    """Return a node of a tree as a source: it is shown, and what lies beneath it is cited."""
    what = f"a summary of its {node.aspect.replace('_', ' ')}" if node.kind == "summary" else "in short"
    shown = FoundChunk(node.id, node.text, 0, what, node.document, node.score)
    beneath = tuple(
        Source(mark, chunk, place.start, place.end, place.steps)
        for place in node.places
        if (chunk := found.chunk(place.chunk_id)) is not None
    )
    return Source(mark, shown, 0, len(node.text), beneath=beneath)
