"""Documents for the name recogniser: annotated passages, and passages that the teacher annotated."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from training.ner.passages import Passage, Span
from training.ner.teacher import Teacher
from training.ner.tokens import blank

from kg_neo4j_offline.networks.mention_types import MentionSpan, agree

GOLD_TIMES = 2  # how often an annotated passage counts as running text; once more as the data set's own tokens
SURE = 0.6  # words whose best tag the teacher gives less probability are left open
_LOG = logging.getLogger(__name__)


def write(file: Path, teacher: Teacher, annotated: Sequence[Passage], plain: Sequence[Passage]) -> None:
    """Write the training documents in spaCy's format."""
    from spacy.tokens import DocBin

    documents = DocBin(attrs=["ORTH", "SPACY", "ENT_TYPE", "ENT_IOB"])
    for passage in annotated:
        for _ in range(GOLD_TIMES):
            documents.add(as_text(passage.text, passage.spans))
        documents.add(as_tokens(passage))
    for number, passage in enumerate(plain, start=1):
        documents.add(_annotate(teacher, passage))
        if number % 500 == 0:
            _LOG.info("annotated: %d of %d passages", number, len(plain))
    documents.to_disk(file)


def write_gold(file: Path, annotated: Sequence[Passage]) -> None:
    """Write annotated passages once each, as running text."""
    from spacy.tokens import DocBin

    documents = DocBin(attrs=["ORTH", "SPACY", "ENT_TYPE", "ENT_IOB"])
    for passage in annotated:
        documents.add(as_text(passage.text, passage.spans))
    documents.to_disk(file)


def consistent(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the mentions after the text agreed with itself, as it does when the package reads it."""
    agreed = agree(text, [MentionSpan(*span) for span in spans])
    return [(each.start, each.end, each.type) for each in agreed]


def as_text(text: str, spans: Iterable[Span], open_words: frozenset[int] = frozenset()):
    """Return spaCy's document of a text with its mentions; nothing is said of `open_words` (by number)."""
    document = blank().make_doc(text)
    entities, taken = [], set()
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        found = document.char_span(start, end, label=label, alignment_mode="contract")
        found = found or document.char_span(start, end, label=label, alignment_mode="expand")
        words = set() if found is None else set(range(found.start, found.end))
        if words and not words & taken and not found[0].is_space and not found[-1].is_space:
            entities.append(found)
            taken |= words
    unknown = [document[word : word + 1] for word in sorted(open_words - taken) if word < len(document)]
    document.set_ents(entities, missing=unknown)
    return document


def as_tokens(passage: Passage):
    """Return spaCy's document of the data set's own tokens, a space between any two, with its mentions."""
    from spacy.tokens import Doc, Span

    document = Doc(blank().vocab, words=list(passage.words))
    starts, ends, position = {}, {}, 0
    for number, word in enumerate(passage.words):
        position = passage.text.index(word, position)
        starts[position] = number
        position += len(word)
        ends[position] = number + 1
    entities, taken = [], set()
    for start, end, label in sorted(passage.spans, key=lambda span: (span[0], -span[1])):
        words = set(range(starts[start], ends[end]))
        if not words & taken:
            entities.append(Span(document, starts[start], ends[end], label=label))
            taken |= words
    document.set_ents(entities)
    return document


def _annotate(teacher: Teacher, passage: Passage):
    coded, scores, tags = teacher.tag(passage)
    from training.ner.tags import spans_of

    unsure = frozenset(np.flatnonzero(np.exp(scores.max(1)) < SURE).tolist())
    read = passage.text[: coded.words[-1][1]]
    return as_text(read, consistent(read, spans_of(tags, coded.words)), unsure)
