"""An answer by a chat model from packed evidence, with its citations checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j._models import prompts
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.records import Evidence, Usage
from kg_neo4j.retrieve.citations import CheckedAnswer, Source, check
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.packing import Packed, pack_found

ANSWER_TOKENS = 800  # room for the answer within the model's window; five sentences need 200
PROMPT_TOKENS = 500  # the prompt without evidence and question
SMALLEST_CONTEXT = 200  # tokens; below, the evidence is not made smaller any more

_NOT_IN_GRAPH = re.compile(r"\W*not in the graph\W*", re.IGNORECASE)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model made of the evidence. `checked` is None where it said that the evidence holds no answer."""

    checked: CheckedAnswer | None
    packed: Packed
    usage: Usage
    silent: str = ""  # why there is no answer at all: the provider's filter, or nothing usable came back


def ask_model(question: str, found: Found, model: ChatModel, tokeniser: Tokeniser, max_tokens: int) -> ModelReply:
    """Answer `question` from the best of `found` that fits `max_tokens` and the model's window.

    A context that the model finds too long is halved and sent again, down to 200 tokens. Raises the model's errors.
    """
    room = model.window - ANSWER_TOKENS - PROMPT_TOKENS - tokeniser.count(question)
    budget = max(SMALLEST_CONTEXT, min(max_tokens, room))
    while True:
        packed = pack_found(found, tokeniser, budget)
        sources = _sources(packed.evidence, found)
        context = render(packed.evidence, sources)
        prompt = prompts.load("answer")
        fence = hash_id("fence", context, question)[:8]
        system, user = prompt.render(context=context, fence=fence, question=question)
        try:
            completion = model.complete(system, user, max_tokens=ANSWER_TOKENS, temperature=prompt.temperature)
        except ContextTooLong:
            if budget <= SMALLEST_CONTEXT:
                raise
            budget = max(SMALLEST_CONTEXT, budget // 2)
            continue
        except (ContentFiltered, BadModelAnswer) as error:
            return ModelReply(None, packed, Usage(calls=1), silent=str(error))
        said = _THINKING.sub("", completion.text).strip()
        if _NOT_IN_GRAPH.fullmatch(said):
            return ModelReply(None, packed, completion.usage)
        return ModelReply(check(said, sources), packed, completion.usage)


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
    for each in evidence:
        chunk = found.chunk(each.chunk_id or "")
        if each.kind == "chunk" and chunk is not None:
            start, end = each.start or 0, len(chunk.text) if each.end is None else each.end
            sources.append(Source(f"C{len(sources) + 1}", chunk, start, end))
    return sources
