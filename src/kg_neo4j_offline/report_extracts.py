"""Answers from community reports without a model: their own sentences, where they say what is asked.

A question that names nothing ("What are the main themes?") gets the reports that count most, as a list. Any other one
gets sentences that have its names and most of its other words, or none: a report without them holds no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.organise.report_references import without_marks
from kg_neo4j.organise.stored_reports import COMPOSED, CommunityReport
from kg_neo4j.retrieve.overview.global_answer import AnswerFromReports, ReportsReply
from kg_neo4j.retrieve.overview.report_marks import meanings
from kg_neo4j.retrieve.overview.report_selection import read_level
from kg_neo4j.retrieve.question import Question, asked_terms
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import family, fold, is_stop_word, same_word, split_words

OVERVIEW = 5  # reports that are listed
SENTENCES = 4  # at most
COVERED = 0.7  # share of a question's terms that a sentence and its report's title must have
ALIKE = 0.7  # share of words above which a sentence adds nothing
LONGEST = 400  # characters of a summary in a list

_STATED = re.compile(r"^[^;]*\b[A-Z][A-Z0-9_]{2,}\b[^;]*; ")  # "Ada MET Charles; Ada BORN_IN London"


@dataclass(frozen=True, slots=True)
class ReportExtract:
    """An answer made of reports, with marks; empty where they hold none. `is_overview`: a list of reports."""

    text: str
    is_overview: bool


def answer(job: AnswerFromReports) -> ReportsReply:
    """Answer with sentences of the reports, or a list of reports, and say which of the two it is."""
    reports = list(enumerate(read_level(job.database, job.search.graph, job.target.level, job.search.scope), 1))
    found = extract(job.search.question, reports)
    reply = ReportsReply(found.text, meanings(dict(reports)))
    reply.scores = {report.id: report.rating / 10 for _, report in reports}
    if not found.text:
        reply.notes.append(
            "answered without a model: no report has the words of the question; "
            "OPENAI_API_KEY or OPENAI_BASE_URL sets a model, and --mode local searches the texts themselves"
        )
    elif found.is_overview:
        reply.notes.append("no answer but a list, made without a model: the reports that are rated highest")
    else:
        reply.notes.append("answered without a model: sentences of the community reports, word for word")
    if found.text and all(report.method == COMPOSED for _, report in reports):
        reply.notes.append("the reports were composed from the graph: their ratings count statements")
    return reply


def extract(question: Question, reports: Sequence[tuple[int, CommunityReport]]) -> ReportExtract:
    """Return what numbered reports say of `question`, word for word."""
    terms = asked_terms(question)
    if not terms:
        lines = []
        for number, report in sorted(reports, key=lambda each: (-each[1].rating, -each[1].size, each[0]))[:OVERVIEW]:
            summary = " ".join(without_marks(report.summary).split())
            if len(summary) > LONGEST:
                summary = summary[: summary.rfind(" ", 0, LONGEST)] + "…"
            lines.append(f"- {report.title}: {summary} [R{number}]")
        return ReportExtract("\n".join(lines), is_overview=True)
    names = tuple(name for name in question.names if name in terms)
    return ReportExtract(_sentences(terms, names, reports), is_overview=False)


def _sentences(terms: Sequence[str], names: Sequence[str], reports: Sequence[tuple[int, CommunityReport]]) -> str:
    """Return the best sentences of findings and summaries, each with its mark; empty where none is good enough."""
    others = set(terms) - set(names)
    scored: list[tuple[float, float, int, str, str]] = []
    for number, report in reports:
        for mark, text, about in _parts(number, report):
            context = _words(about)
            for sentence in _split(text, in_parts=report.method == COMPOSED):
                said = _words(sentence)
                inside = {term for term in terms if _has(said, term)}
                found = inside | {term for term in terms if term not in inside and _has(context, term)}
                covered = len(found) / len(terms)
                if covered >= COVERED and found.issuperset(names) and inside & (others or inside):
                    scored.append((covered, len(inside) / max(len(said), 6), -len(scored), sentence, mark))
    scored.sort(reverse=True)
    chosen: list[tuple[str, str]] = []
    for covered, _, _, text, mark in scored:
        if len(chosen) == SENTENCES or covered < scored[0][0] - 0.2:
            break
        if not any(_alike(text, other) for other, _ in chosen):
            chosen.append((text, mark))
    return " ".join(f"{' '.join(text.split())} [{mark}]" for text, mark in chosen)


def _parts(number: int, report: CommunityReport) -> list[tuple[str, str, str]]:
    """Return (mark, text, what it is about) of what a report says; counts in a composed one say nothing."""
    findings = [(f"R{number}.{place}", each.explanation, each.summary) for place, each in enumerate(report.findings, 1)]
    if report.method == COMPOSED:
        return findings
    return [(f"R{number}", report.summary, report.title), *findings]


def _split(text: str, *, in_parts: bool) -> list[str]:
    """Return the sentences of a report; `in_parts`: lists of relationships, as composed ones have, one by one."""
    found = [sentence.text for sentence in split_sentences(without_marks(text))]
    return [part for each in found for part in (each.split("; ") if in_parts and _STATED.search(each) else [each])]


def _words(text: str) -> frozenset[str]:
    """Return the folded words; names of types and relationships, as in BORN_IN, count by their parts."""
    return frozenset(fold(word) for word in split_words(text.replace("_", " ")))


def _has(words: frozenset[str], term: str) -> bool:
    related = family(term)
    return any(word == term or word in related or same_word(term, word) for word in words)


def _alike(left: str, right: str) -> bool:
    mine, theirs = (frozenset(word for word in _words(text) if not is_stop_word(word)) for text in (left, right))
    return len(mine & theirs) >= ALIKE * max(min(len(mine), len(theirs)), 1)
