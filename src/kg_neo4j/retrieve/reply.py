"""From what was found to a reply: sentences of the sources, or a model's answer with its claims checked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kg_neo4j._models.door import Door
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.records import Citation, Claim, Evidence, PathStep, TreeStep, Usage
from kg_neo4j.retrieve.answer import ModelReply, ask_model
from kg_neo4j.retrieve.checking.claims import DROP, SUPPORTED, UNCITED, UNSUPPORTED, Checked, check_claims, settle
from kg_neo4j.retrieve.checking.judge import judge
from kg_neo4j.retrieve.extracting.extractive import extract
from kg_neo4j.retrieve.extracting.sentences import readable
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.short.short_answer import Short, tell
from kg_neo4j.retrieve.tree.telling import SUMMARY_TOLD, tell_summary
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

WITHOUT_MODEL = "answered without a model: sentences of the sources, word for word"
READ_OFF = "answered without a model: read off the path shown, whose steps are in the sources word for word"
TRY_A_MODEL = (
    "without a model only a sentence that says it directly is an answer; OPENAI_API_KEY or OPENAI_BASE_URL sets one"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer before it is told how long it took. Without text there is none."""

    text: str
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Claim, ...] = ()
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    short: str = ""
    path: tuple[PathStep, ...] = ()
    model_seconds: float = 0.0
    ways: Mapping[Citation, tuple[TreeStep, ...]] = field(default_factory=dict)  # how a tree leads to each citation


def reply(question: Question, found: Found, how: Means, short: Short | None = None) -> Reply:
    """Answer `question` from `found`; without a model with the `short` answer, where there is one.

    Raises the model's errors.
    """
    if how.door is None and short is not None:
        return _told(short, found, how)
    if not found.chunks:
        return Reply("")
    if how.door is None:
        return _extractive(question, found, how)
    return _by_model(question, found, how.door, how)


def _extractive(question: Question, found: Found, how: Means) -> Reply:
    """Answer with sentences; what they rest on comes first in the evidence."""
    extracted = extract(question, found)
    note = WITHOUT_MODEL if extracted.text else TRY_A_MODEL
    if found.nodes and not extracted.text and (told := tell_summary(question, found)).text:
        extracted, note = told, SUMMARY_TOLD
    cited = tuple(_cited(citation, how.tokeniser) for citation in extracted.citations)
    left = how.max_context_tokens - sum(each.token_count for each in cited)
    packed = pack_found(found, how.tokeniser, left)
    claims = tuple(
        Claim(readable(citation.quote), (number,), SUPPORTED) for number, citation in enumerate(extracted.citations, 1)
    )
    return Reply(extracted.text, extracted.citations, (*cited, *packed.evidence), claims, notes=(note,))


def _told(short: Short, found: Found, how: Means) -> Reply:
    """Answer with a short answer and the words of its path, which come first in the evidence."""
    told = tell(short)
    cited = tuple(_cited(citation, how.tokeniser) for citation in told.citations)
    left = how.max_context_tokens - sum(each.token_count for each in cited)
    packed = pack_found(found, how.tokeniser, left)
    return Reply(
        told.text,
        told.citations,
        (*cited, *packed.evidence),
        told.claims,
        notes=(READ_OFF,),
        short=short.value,
        path=told.path,
    )


def _cited(citation: Citation, tokeniser: Tokeniser) -> Evidence:
    return Evidence(
        kind="chunk",
        id=citation.chunk_id,
        text=citation.quote,
        score=1.0,
        chunk_id=citation.chunk_id,
        document=citation.document,
        start=citation.start,
        end=citation.end,
        token_count=tokeniser.count(citation.quote),
    )


def _by_model(question: Question, found: Found, door: Door, how: Means) -> Reply:
    """Answer with the model; without one valid citation its answer is replaced by sentences of the sources."""
    started = time.monotonic()
    answer = ask_model(question.text, found, door, how)
    made = Reply("", evidence=answer.packed.evidence, usage=answer.usage, notes=_notes(answer, how))
    if answer.checked is None and not answer.silent:
        return replace(made, model_seconds=time.monotonic() - started)
    checked, usage, said = _checked(answer, found, door, how)
    made = replace(made, ways=answer.checked.ways if answer.checked else {})
    made = replace(made, usage=made.usage + usage, notes=(*made.notes, *said), model_seconds=time.monotonic() - started)
    if checked is not None and checked.citations:
        short = answer.short if _is_cited(answer.short, checked) else ""
        if answer.short and not short:
            made = replace(made, notes=(*made.notes, f"left out the short answer “{answer.short}”: no source says it"))
        return replace(made, text=checked.text, citations=checked.citations, claims=checked.claims, short=short)
    why = answer.silent or (said[-1] if checked is not None else "the model's answer cited no source and was left out")
    instead = _extractive(question, found, how)
    notes = [*made.notes, *((why,) if why not in made.notes else ()), *(instead.notes if instead.text else ())]
    return replace(instead, usage=made.usage, notes=tuple(notes), model_seconds=made.model_seconds)


def _is_cited(short: str, checked: Checked) -> bool:
    """Return whether the words of a short answer are in what is cited; yes and no always are."""
    words = [word for word in map(fold, split_words(short)) if not is_stop_word(word)]
    there = {fold(word) for each in checked.citations for word in split_words(f"{each.document} {each.quote}")}
    there |= {fold(word) for claim in checked.claims if claim.support == SUPPORTED for word in split_words(claim.text)}
    return fold(short) in ("yes", "no") or all(word in there for word in words)


def _notes(answer: ModelReply, how: Means) -> tuple[str, ...]:
    notes = list(answer.notes)
    if answer.packed.left_out:
        notes.append(f"{answer.packed.left_out} further finds did not fit {how.max_context_tokens:,} tokens")
    if answer.checked is not None and answer.checked.invalid:
        notes.append(f"removed citations of sources that were not given: {', '.join(answer.checked.invalid)}")
    return tuple(notes)


def _checked(answer: ModelReply, found: Found, door: Door, how: Means) -> tuple[Checked | None, Usage, list[str]]:
    """Return the answer, checked, or None where it cites nothing; what judging cost; and what to say of it."""
    if answer.checked is None or not answer.checked.citations:
        return None, Usage(), []
    text, citations = answer.checked.text, answer.checked.citations
    claims = check_claims(text, citations, found)
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
