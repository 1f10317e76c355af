"""Without a model, a question about an aspect that no sentence answers: what the summaries of that aspect say. Pure."""

from __future__ import annotations

from kg_neo4j.offline.extracting.extractive import Extract
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.checking.citations import ShownSource, locate
from kg_neo4j.retrieve.interface import Found, FoundNode
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.sentences import readable, split_sentences
from kg_neo4j.retrieve.tree.asking import asked_cue, fitting

SENTENCES = 3  # at most
SUMMARY_TOLD = "no answer but a summary: no sentence answers directly; these are of the tree's summary of it"


def tell_summary(question: Question, found: Found) -> Extract:
    """Return sentences of the best summary of the aspect that is asked about, each with the words it rests on."""
    cue = asked_cue(question)
    summaries = [node for node in found.nodes if node.kind == "summary"]
    aspects = fitting(cue, (node.aspect for node in summaries)) if cue else ()
    if not aspects:
        return Extract("", ())
    best = min(summaries, key=lambda node: aspects.index(node.aspect) if node.aspect in aspects else len(aspects))
    told: list[str] = []
    citations: list[Citation] = []
    for sentence in split_sentences(best.text)[:SENTENCES]:
        citation = _place(sentence.text, best, found)
        if citation is not None:
            citations += [citation] if citation not in citations else []
            told.append(f"{readable(sentence.text)} [{citations.index(citation) + 1}]")
    return Extract(" ".join(told), tuple(citations))


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
