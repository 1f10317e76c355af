"""Questions about the whole, without a model: how many documents, what they are about, who is in them.

English. Told from sizes, titles, headings and the entities that are mentioned most; sentences are word for word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kg_neo4j import data_files
from kg_neo4j.graph.database import Row
from kg_neo4j.records import Answer, Citation, Claim
from kg_neo4j.retrieve.checking.support import SUPPORTED
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import UNANSWERED
from kg_neo4j.retrieve.reply import FurtherSearch
from kg_neo4j.retrieve.sentences import readable, split_sentences
from kg_neo4j.words import DATE, PERSON, PLACE, fold, kind_of, split_words

DOCUMENTS = 5  # that are told of one by one
CHUNKS = 40  # of each
ENTITIES = 60  # among which the ones asked for are looked for
NAMES = 8
HEADINGS = 12
SENTENCES = 4  # of a document that is alone; of several one each
SHORTEST, LONGEST = 8, 45  # words of a sentence that is quoted

_DATA = data_files.beside(__file__)
_FORMS = {name: re.compile(each, re.IGNORECASE) for name, each in _DATA.table("forms").items()}
_PATTERNS = {name: re.compile(each) for name, each in _DATA.table("patterns").items()}


def form_of(question: str) -> str:
    """Return which question about the whole it is: "count", "people", "things", "about", "title"; empty for another."""
    text = " ".join(question.split())
    return next((name for name, form in _FORMS.items() if form.match(text)), "")


def tell_overview(question: str, further: FurtherSearch, titled: Sequence[str] = ()) -> Answer | None:
    """Return the answer; None for another question, and where nothing is there.

    "What is TITLE about?" is one only where `titled`, the documents that the question names, are one.
    """
    form = form_of(question)
    if not form or (form == "title" and len(titled) != 1):
        return None
    search = further.search
    row = read_left(
        further.database,
        search.scope,
        "retrieve/overview",
        graph=search.graph,
        shown=DOCUMENTS,
        chunks=CHUNKS,
        most=ENTITIES,
        titled=list(titled) if form == "title" else None,
    )[0]
    if not row["total"]:
        return None
    sizes = f"{row['total']:,} {'document' if row['total'] == 1 else 'documents'}, {row['tokens']:,} tokens"
    if form == "count":
        titles = [each["title"] or "without a title" for each in row["documents"]]
        more = row["total"] - len(titles)
        listed = "; ".join([*titles, *([f"and {more} more"] if more else [])])
        return replace(UNANSWERED, answer=f"{sizes}: {listed}.", found=True, short=str(row["total"]))
    if form in ("people", "things"):
        names = most_named(row["entities"], question, form)
        return _named(names, row) if names else None
    return _about(row, sizes)


def most_named(entities: Sequence[Row], question: str, form: str) -> list[str]:
    """Return the names that are mentioned and connected most, of the kind that is asked for; of "X" and "Y X" one."""
    wanted = PERSON if form == "people" else PLACE if re.search(r"\bplaces\b", question, re.IGNORECASE) else ""
    kinds = [(each["name"] or "", kind_of(each["type"] or "")) for each in entities]
    names = [name for name, kind in kinds if name and (kind == wanted if wanted else kind != DATE)]
    kept: list[str] = []
    for name in names:
        if not any(f" {name} " in f" {other} " or f" {other} " in f" {name} " for other in kept):
            kept.append(name)
    return kept[:NAMES]


def _named(names: Sequence[str], row: Row) -> Answer:
    """Return the names, one a line, each with the sentence that names it first."""
    sentences = [each for document in row["documents"] for each in _sentences(document)]
    lines, citations = ["Mentioned and connected most in the graph:"], list[Citation]()
    for name in names:
        citation = next((each for each in sentences if name in each.quote), None)
        if citation is None:
            lines.append(f"- {name}")
            continue
        citations += [citation] if citation not in citations else []
        lines.append(f"- {name} [{citations.index(citation) + 1}]")
    return _answer(lines, citations)


def _about(row: Row, sizes: str) -> Answer:
    """Return sizes, and of each document its title, headings and sentences, then the entities mentioned most."""
    names = most_named(row["entities"], "", "things")
    lines, citations = [f"{sizes}."], list[Citation]()
    for document in row["documents"]:
        quoted = []
        for citation in _chosen(document, names, SENTENCES if len(row["documents"]) == 1 else 1):
            citations.append(citation)
            quoted.append(f"{readable(citation.quote)} [{len(citations)}]")
        lines.append(f"- {document['title'] or 'without a title'} ({document['tokens']:,} tokens): {' '.join(quoted)}")
        headings = _headings(document)
        lines += [f"  Headings: {'; '.join(headings)}."] if headings else []
    if row["total"] > len(row["documents"]):
        lines.append(f"- and {row['total'] - len(row['documents']):,} more")
    lines += [f"Mentioned and connected most: {', '.join(names)}."] if names else []
    return _answer(lines, citations)


def _answer(lines: Sequence[str], citations: Sequence[Citation]) -> Answer:
    claims = tuple(Claim(readable(each.quote), (number,), SUPPORTED) for number, each in enumerate(citations, 1))
    return replace(UNANSWERED, answer="\n".join(lines), found=True, citations=tuple(citations), claims=claims)


def _sentences(document: Row) -> list[Citation]:
    return [
        Citation(chunk["id"], document["title"] or "", each.start, each.end, each.text)
        for chunk in document["chunks"]
        for each in split_sentences(chunk["text"] or "")
    ]


def _chosen(document: Row, names: Sequence[str], most: int) -> list[Citation]:
    """Return the first sentence of prose, and those that name the most of what the graph mentions most; in order."""
    prose = [each for each in _sentences(document) if _is_prose(each.quote)]
    words = [{fold(word) for word in split_words(name)} for name in names]
    scored = []
    for place, sentence in enumerate(prose[1:], 1):
        said = {fold(word) for word in split_words(sentence.quote)}
        scored.append((-sum(each <= said for each in words), place))
    best = [place for score, place in sorted(scored)[: most - 1] if score]
    return [prose[place] for place in sorted([0, *best])] if prose else []


def _is_prose(text: str) -> bool:
    words = split_words(text)
    return (
        SHORTEST <= len(words) <= LONGEST
        and text.rstrip("\"”’')*_ ").endswith((".", "!"))
        and text[0] not in "[(-*_"
        and not _PATTERNS["contents"].search(text)
        and sum(word[0].islower() for word in words) > len(words) / 2
    )


def _headings(document: Row) -> list[str]:
    """Return the lines that are headings: marked as such, or in capitals between empty lines."""
    found: dict[str, None] = {}
    for chunk in document["chunks"]:
        lines = [line.strip() for line in (chunk["text"] or "").splitlines()]
        for before, line in zip(["", *lines], lines, strict=False):
            match = _PATTERNS["heading"].match(line)
            marked = line.startswith(("#", "=="))
            if match and not _PATTERNS["contents"].search(line) and (marked or (not before and line == line.upper())):
                found.setdefault(match["text"].strip(" #="))
    return [each for each in found if re.search(r"[^\W\d_]{3}", each)][:HEADINGS]
