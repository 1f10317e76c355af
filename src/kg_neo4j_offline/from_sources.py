"""Answers from what was found, without a model: the best passages, and a short answer where a clause states it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kg_neo4j.records import Answer, Evidence, Passage
from kg_neo4j.retrieve.interface import UNANSWERED, Found
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.words import fold, split_words
from kg_neo4j_offline.overview_extracts import tell_overview
from kg_neo4j_offline.passages import best
from kg_neo4j_offline.short.short_answer import ShortAnswer, find_short, tell

WITHOUT_MODEL = "without a model: the passages that fit best, and a short answer where a sentence states it"
NAMES_AND_DATES = (
    "text in {language}: without a model only names and dates are extracted; set OPENAI_API_KEY, "
    "or OPENAI_BASE_URL and KG_MODEL for a local model, and load it again with --rebuild"
)
OVERVIEW = (
    "answered without a model, from sizes, headings and names; "
    "`kg communities --reports` composes a report on each part"
)


def answer(job: AnswerFromSources) -> Answer:
    """Return the passages that answer best, with a short answer on top where one of them states it.

    Its text is the short answer, or the best sentence; empty where no passage has a name or word of the question. What
    the answer cites comes first in its evidence, then what else was found and fits.
    """
    if job.further is not None and (overview := _overview(job)):
        return replace(overview, evidence=_evidence(overview, job), limits=_limits(job.found))
    shown = best(job.search.question, job.found.chunks)
    if not shown:
        return replace(UNANSWERED, limits=_limits(job.found))
    sentence, passage = shown[0]
    short = find_short(job.search.question, job.found, sentence)
    if short is not None and _agrees(short, passage):
        made = tell(short)
    else:
        text = f"{readable(passage.citation.quote)} [1]"
        made = replace(UNANSWERED, answer=text, citations=(passage.citation,), notes=(WITHOUT_MODEL,))
    made = replace(made, passages=tuple(each for _, each in shown))
    return replace(made, evidence=_evidence(made, job), limits=_limits(job.found))


def _overview(job: AnswerFromSources) -> Answer | None:
    """Return the answer to a question about the whole; None where it is about something else."""
    further = job.further
    if further is None or further.search.words is None:
        return None
    linked = further.search.linked or named(further.database, further.search)
    overview = tell_overview(job.search.question.text, further, linked.documents)
    return replace(overview, notes=(OVERVIEW,)) if overview else None


def _agrees(short: ShortAnswer, passage: Passage) -> bool:
    """Return whether the best passage says a short answer, or is among the words that it rests on."""
    place = passage.citation
    if any(
        step.chunk_id == place.chunk_id and step.start < place.end and place.start < step.end
        for _, _, step in short.steps
    ):
        return True
    said = {fold(word) for word in split_words(f"{passage.before} {place.quote} {passage.after}")}
    return said.issuperset(map(fold, split_words(short.value)))


def _limits(found: Found) -> tuple[str, ...]:
    """Return a line where most of what was found is in a language of which the rules know names and dates alone."""
    known = Counter(chunk.language.split("-")[0].lower() for chunk in found.chunks if chunk.language)
    others = [language for language, _ in known.most_common() if language != "en"]
    if 2 * known["en"] >= known.total():
        return ()
    return (NAMES_AND_DATES.format(language=", ".join(map(repr, others))),)


def _evidence(made: Answer, job: AnswerFromSources) -> tuple[Evidence, ...]:
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
        for each in made.citations
    ]
    left = job.search.context_tokens - sum(each.token_count for each in cited)
    return (*cited, *pack_found(job.found, job.search.question, job.how.tokeniser, left).evidence)
