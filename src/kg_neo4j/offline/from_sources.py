"""Answers from what was found, without a model: a short answer with its path, or sentences of the sources."""

from __future__ import annotations

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.offline.extracting.extractive import extract
from kg_neo4j.offline.short.short_answer import Short, find_short, tell
from kg_neo4j.offline.short.stated import find_beside
from kg_neo4j.offline.short.things import Things
from kg_neo4j.offline.told_summaries import SUMMARY_TOLD, tell_summary
from kg_neo4j.records import Citation, Claim, Evidence
from kg_neo4j.retrieve.checking.claims import SUPPORTED
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.reply import AnswerFromSources, FurtherSearch, Reply
from kg_neo4j.retrieve.sentences import readable

WITHOUT_MODEL = "answered without a model: sentences of the sources, word for word"
READ_OFF = "answered without a model: read off the path shown, whose steps are in the sources word for word"
TRY_A_MODEL = (
    "without a model only a sentence that says it directly is an answer; OPENAI_API_KEY or OPENAI_BASE_URL sets one"
)


def answer(job: AnswerFromSources) -> Reply:
    """Return the short answer that the graph has, else sentences of the sources; without text where there is none."""
    short = _short(job.question, job.found, job.further) if job.further else None
    if short is not None:
        return _told(short, job.found, job.how)
    return _extractive(job.question, job.found, job.how) if job.found.chunks else Reply("")


def _short(question: Question, found: Found, further: FurtherSearch) -> Short | None:
    """Return the short answer that the graph has to a question; None where words are not searched."""
    database, search = further.database, further.search
    if search.words is None:
        return None
    linked = further.linked or named(database, search)
    things = Things(database, search.graph, search.scope)
    beside = find_beside(question.text, linked.names, found, things)
    return beside or find_short(question, linked.names, things, further.find)


def _extractive(question: Question, found: Found, how: Means) -> Reply:
    """Answer with sentences; what they rest on comes first in the evidence."""
    extracted = extract(question, found)
    note = WITHOUT_MODEL if extracted.text else TRY_A_MODEL
    if found.nodes and not extracted.text and (told := tell_summary(question, found)).text:
        extracted, note = told, SUMMARY_TOLD
    claims = tuple(
        Claim(readable(citation.quote), (number,), SUPPORTED) for number, citation in enumerate(extracted.citations, 1)
    )
    evidence = _evidence(extracted.citations, found, how)
    return Reply(extracted.text, extracted.citations, evidence, claims, notes=(note,))


def _told(short: Short, found: Found, how: Means) -> Reply:
    """Answer with a short answer and the words of its path, which come first in the evidence."""
    told = tell(short)
    return Reply(
        told.text,
        told.citations,
        _evidence(told.citations, found, how),
        told.claims,
        notes=(READ_OFF,),
        short=short.value,
        path=told.path,
    )


def _evidence(citations: tuple[Citation, ...], found: Found, how: Means) -> tuple[Evidence, ...]:
    """Return what is cited, then what else was found and fits."""
    cited = tuple(_cited(citation, how.tokeniser) for citation in citations)
    left = how.max_context_tokens - sum(each.token_count for each in cited)
    return (*cited, *pack_found(found, how.tokeniser, left).evidence)


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
