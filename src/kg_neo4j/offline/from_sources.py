"""Answers from what was found, without a model: a short answer with its path, or sentences of the sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.offline.extracting.extractive import extract
from kg_neo4j.offline.overview_extracts import tell_overview
from kg_neo4j.offline.short.card import asks_about, asks_who, has_role, make_card
from kg_neo4j.offline.short.likely import asks_for_words
from kg_neo4j.offline.short.mentions import mentions
from kg_neo4j.offline.short.reading import may_answer
from kg_neo4j.offline.short.short_answer import CitedShortAnswer, Short, find_short, tell
from kg_neo4j.offline.short.stated import find_beside, read_lines
from kg_neo4j.offline.short.things import Things
from kg_neo4j.offline.told_summaries import SUMMARY_TOLD, tell_summary
from kg_neo4j.records import Citation, Claim, Evidence
from kg_neo4j.retrieve.checking.claims import QUOTED, SUPPORTED
from kg_neo4j.retrieve.interface import Found, Reply
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import Asks
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j.retrieve.sentences import readable

WITHOUT_MODEL = "answered without a model, with sentences quoted from the sources"
READ_OFF = "answered without a model; each step of the path is quoted from a source"
ENGLISH = "en"
NAMES_AND_DATES = (
    "text in {language}: without a model only names and dates are extracted; set OPENAI_API_KEY, "
    "or OPENAI_BASE_URL and KG_MODEL for a local model, and load it again with --rebuild"
)
OVERVIEW = (
    "answered without a model, from sizes, headings and names; "
    "`kg communities --reports` composes a report on each part"
)
TRY_A_MODEL = (
    "no language model is set, so only sentences that state the answer directly are used: "
    "ask in the words of the text, or set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL"
)


def answer(job: AnswerFromSources) -> Reply:
    """Return the short answer that the graph has, else sentences of the sources; without text where there is none."""
    return replace(_answer(job), limits=_limits(job.found))


def _limits(found: Found) -> tuple[str, ...]:
    """Return a line where most of what was found is in a language of which the rules know names and dates alone."""
    known = Counter(chunk.language.split("-")[0].lower() for chunk in found.chunks if chunk.language)
    others = [language for language, _ in known.most_common() if language != ENGLISH]
    if 2 * known[ENGLISH] >= known.total():
        return ()
    return (NAMES_AND_DATES.format(language=", ".join(map(repr, others))),)


def _answer(job: AnswerFromSources) -> Reply:
    if job.further is None or job.further.search.words is None:
        return _extractive(job) if job.found.chunks else Reply("")
    database, search, question = job.further.database, job.further.search, job.search.question
    linked = search.linked or named(database, search)
    things = Things(database, search.graph, search.scope)
    overview = tell_overview(question.text, job.further, linked.documents)
    if overview is not None:
        return _composed(*overview, job, OVERVIEW)
    short = find_beside(question.text, linked.names, job.found, things)
    short = short or find_short(question, linked.names, things, job.further.find)
    if short is not None:
        return _told(short, job)
    return _on_one_thing(job, things) or (_extractive(job) if job.found.chunks else Reply(""))


def _on_one_thing(job: AnswerFromSources, things: Things) -> Reply | None:
    """Return the card on what a question asks all of; None where it does not, or a sentence defines."""
    question = job.search.question
    about, who = asks_about(question.text), asks_who(question.text)
    if not about and not (who and question.asks is Asks.DEFINITION):
        return None
    read = read_lines([about or who], job.found, things)
    mentioned = [each for line in read for each in mentions(line)]
    if not about and not has_role(who, mentioned) and extract(question, job.found).text:
        return None
    card = make_card(about or who, read, mentioned, things.find(about or who))
    return _composed("", card, job, WITHOUT_MODEL) if card else None


def _composed(short: str, told: CitedShortAnswer, job: AnswerFromSources, note: str) -> Reply:
    """Answer with a text of several lines; what it cites comes first in the evidence."""
    evidence = _evidence(told.citations, job)
    return Reply(told.text, told.citations, evidence, told.claims, notes=(note,), short=short)


def _extractive(job: AnswerFromSources) -> Reply:
    """Answer with sentences; what they rest on comes first in the evidence."""
    question, found = job.search.question, job.found
    extracted = extract(question, found, lambda each: may_answer(question, each))
    is_checked = asks_for_words(question) or question.asks in (Asks.YES_NO, Asks.DEFINITION)
    support = SUPPORTED if is_checked else QUOTED  # whether words say how or why is checked by nothing
    note = WITHOUT_MODEL if extracted.text else TRY_A_MODEL
    if found.nodes and not extracted.text and (told := tell_summary(question, found)).text:
        extracted, note = told, SUMMARY_TOLD
    claims = tuple(
        Claim(readable(citation.quote), (number,), support) for number, citation in enumerate(extracted.citations, 1)
    )
    evidence = _evidence(extracted.citations, job)
    return Reply(extracted.text, extracted.citations, evidence, claims, notes=(note,))


def _told(short: Short, job: AnswerFromSources) -> Reply:
    """Answer with a short answer and the words of its path, which come first in the evidence."""
    told = tell(short)
    return Reply(
        told.text,
        told.citations,
        _evidence(told.citations, job),
        told.claims,
        notes=(READ_OFF,),
        short=short.value,
        path=told.path,
    )


def _evidence(citations: tuple[Citation, ...], job: AnswerFromSources) -> tuple[Evidence, ...]:
    """Return what is cited, then what else was found and fits."""
    cited = tuple(_cited(citation, job.how.tokeniser) for citation in citations)
    left = job.search.context_tokens - sum(each.token_count for each in cited)
    return (*cited, *pack_found(job.found, job.how.tokeniser, left).evidence)


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
