"""UD English EWT as spaCy documents: tags, lemmas, heads and sentence borders of running text."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training.ner.tokens import blank

TOGETHER = 6  # sentences in a document, so that their borders must be found
_KEPT_SUBTYPES = {"nsubj:pass", "nmod:poss", "aux:pass", "compound:prt"}  # others only name their relation


@dataclass(frozen=True)
class Word:
    """A word of a sentence; `head` is its place in the sentence, its own for the root."""

    text: str
    is_spaced: bool
    tag: str
    pos: str
    lemma: str
    head: int
    relation: str


def write(data: Path, name: str, file: Path) -> None:
    """Write one part of the treebank ("train", "dev" or "test") in spaCy's format."""
    from spacy.tokens import DocBin

    documents = DocBin(attrs=["ORTH", "SPACY", "TAG", "POS", "LEMMA", "HEAD", "DEP", "SENT_START"])
    group: list[list[Word]] = []
    for sentence in sentences(data / "ud_english_ewt" / f"en_ewt-ud-{name}.conllu.gz"):
        group.append(sentence)
        if len(group) == TOGETHER:
            documents.add(_document(group))
            group = []
    if group:
        documents.add(_document(group))
    documents.to_disk(file)


def sentences(file: Path) -> Iterator[list[Word]]:
    """Yield the sentences of a CoNLL-U file; words that are written as one token have no space between them."""
    words: list[Word] = []
    last, is_spaced = 0, True  # of the token that the words belong to
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 10:
                if words and not line.startswith("#"):
                    yield words
                    words, last = [], 0
                continue
            if "-" in fields[0]:
                last, is_spaced = int(fields[0].split("-")[1]), "SpaceAfter=No" not in fields[9]
            elif "." not in fields[0]:
                words.append(_word(fields, last, is_spaced))
    if words:
        yield words


def _word(fields: list[str], last: int, is_spaced: bool) -> Word:
    number, head = int(fields[0]), int(fields[6])
    spaced = "SpaceAfter=No" not in fields[9]
    if number <= last:
        spaced = is_spaced and number == last
    relation = fields[7] if fields[7] in _KEPT_SUBTYPES else fields[7].split(":")[0]
    relation = "ROOT" if relation == "root" else relation
    lemma = fields[1] if fields[2] == "_" else fields[2]
    return Word(fields[1], spaced, fields[4], fields[3], lemma, (head or number) - 1, relation)


def _document(group: list[list[Word]]):
    from spacy.tokens import Doc

    words = [word for sentence in group for word in sentence]
    heads, starts = [], []
    for sentence in group:
        first = len(heads)
        heads += [first + word.head for word in sentence]
        starts += [number == 0 for number in range(len(sentence))]
    return Doc(
        blank().vocab,
        words=[word.text for word in words],
        spaces=[word.is_spaced for word in words],
        tags=[word.tag for word in words],
        pos=[word.pos for word in words],
        lemmas=[word.lemma for word in words],
        heads=heads,
        deps=[word.relation for word in words],
        sent_starts=starts,
    )
