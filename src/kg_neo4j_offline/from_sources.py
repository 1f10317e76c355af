"""Answers from what was found, without a model: a short answer with its path, or sentences of the sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kg_neo4j.records import Answer, Citation, Claim, Evidence
from kg_neo4j.retrieve.checking.citations import ShownSource, locate
from kg_neo4j.retrieve.checking.claims import QUOTED, SUPPORTED
from kg_neo4j.retrieve.interface import UNANSWERED, Found, FoundNode
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j.retrieve.sentences import readable, split_sentences
from kg_neo4j.retrieve.tree.asking import asked_cue, fitting
from kg_neo4j_offline.extracting.extractive import Extract, extract
from kg_neo4j_offline.overview_extracts import tell_overview
from kg_neo4j_offline.short.card import asks_about, asks_who, has_role, make_card
from kg_neo4j_offline.short.mentions import mentions
from kg_neo4j_offline.short.reading import asks_for_words, may_answer
from kg_neo4j_offline.short.short_answer import find_short, read_lines, tell
from kg_neo4j_offline.short.things import Things

WITHOUT_MODEL = "answered without a model, with sentences quoted from the sources"
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
SUMMARY_TOLD = "no answer but a summary: no sentence answers directly; these are of the tree's summary of it"
SUMMARY_SENTENCES = 3  # at most


def answer(job: AnswerFromSources) -> Answer:
    """Return the short answer that the graph has, else sentences of the sources; without text where there is none.

    What the answer cites comes first in its evidence, then what else was found and fits.
    """
    made = _by_graph(job) or (_extractive(job.search.question, job.found) if job.found.chunks else None)
    if made is None:
        return UNANSWERED
    return replace(made, evidence=_evidence(made.citations, job), limits=_limits(job.found))


def _limits(found: Found) -> tuple[str, ...]:
    """Return a line where most of what was found is in a language of which the rules know names and dates alone."""
    known = Counter(chunk.language.split("-")[0].lower() for chunk in found.chunks if chunk.language)
    others = [language for language, _ in known.most_common() if language != "en"]
    if 2 * known["en"] >= known.total():
        return ()
    return (NAMES_AND_DATES.format(language=", ".join(map(repr, others))),)


def _by_graph(job: AnswerFromSources) -> Answer | None:
    """Return an overview, a short answer or a card; None where the question asks for none, or there is no graph."""
    if job.further is None or job.further.search.words is None:
        return None
    database, search = job.further.database, job.further.search
    linked, question = search.linked or named(database, search), job.search.question
    if overview := tell_overview(question.text, job.further, linked.documents):
        return replace(overview, notes=(OVERVIEW,))
    things = Things(database, search.graph, search.scope)
    short = find_short(question, linked.names, things, job.found, job.further.find)
    return tell(short) if short else _on_one_thing(job, things)


def _on_one_thing(job: AnswerFromSources, things: Things) -> Answer | None:
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
    return replace(card, notes=(WITHOUT_MODEL,)) if card else None


def _extractive(question: Question, found: Found) -> Answer:
    """Answer with sentences."""
    extracted = extract(question, found, lambda each: may_answer(question, each))
    is_checked = asks_for_words(question) or question.asks in (Asks.YES_NO, Asks.DEFINITION)
    support = SUPPORTED if is_checked else QUOTED  # whether words say how or why is checked by nothing
    note = WITHOUT_MODEL if extracted.text else TRY_A_MODEL
    if found.nodes and not extracted.text and (told := _summary(question, found)).text:
        extracted, note = told, SUMMARY_TOLD
    claims = tuple(Claim(readable(each.quote), (n,), support) for n, each in enumerate(extracted.citations, 1))
    return replace(
        UNANSWERED,
        answer=extracted.text,
        found=bool(extracted.text),
        citations=extracted.citations,
        claims=claims,
        notes=(note,),
    )


def _summary(question: Question, found: Found) -> Extract:
    """Return sentences of the best summary of the aspect that is asked about, each with the words it rests on."""
    cue = asked_cue(question)
    summaries = [node for node in found.nodes if node.kind == "summary"]
    aspects = fitting(cue, (node.aspect for node in summaries)) if cue else ()
    if not aspects:
        return Extract("", ())
    best = min(summaries, key=lambda node: aspects.index(node.aspect) if node.aspect in aspects else len(aspects))
    said: list[str] = []
    citations: list[Citation] = []
    for sentence in split_sentences(best.text)[:SUMMARY_SENTENCES]:
        citation = _place(sentence.text, best, found)
        if citation is not None:
            citations += [citation] if citation not in citations else []
            said.append(f"{readable(sentence.text)} [{citations.index(citation) + 1}]")
    return Extract(" ".join(said), tuple(citations))


def _place(sentence: str, node: FoundNode, found: Found) -> Citation | None:
    """Return where a sentence of a summary stands word for word; None where it does not, as in a model's own words."""
    wanted = " ".join(sentence.split())
    for place in node.places:
        chunk = found.chunk(place.chunk_id)
        if chunk is None:
            continue
        for each in split_sentences(chunk.text):
            if each.start < place.end and place.start < each.end and " ".join(each.text.split()) == wanted:
                return locate(each.text, ShownSource("", chunk, each.start, each.end))
    return None


def _evidence(citations: tuple[Citation, ...], job: AnswerFromSources) -> tuple[Evidence, ...]:
    cited = [
        Evidence(
            kind="chunk",
            id=each.chunk_id,
            text=each.quote,
            score=1.0,
            chunk_id=each.chunk_id,
            document=each.document,
            start=each.start,
            end=each.end,
            token_count=job.how.tokeniser.count(each.quote),
        )
        for each in citations
    ]
    left = job.search.context_tokens - sum(each.token_count for each in cited)
    return (*cited, *pack_found(job.found, job.how.tokeniser, left).evidence)
