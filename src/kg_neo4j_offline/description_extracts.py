"""The most informative sentences of many descriptions: they replace a summary if no model is called. Pure.

A sentence is worth what it shares with the others (centrality: of each of its words, the share of sentences that have
it) and what it alone brings (names and numbers). Sentences are taken one by one; what is said already counts no more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_word, sentences
from kg_neo4j.organise.description_merges import ENDS, without_marks

CONSIDERED = 500  # sentences that are weighed against each other: the most central ones
NAME_WORTH = 0.6  # of a name or number that no sentence taken so far has; a word that all sentences have is worth 1
LENGTH_FREE = 6  # words: shorter sentences gain nothing by being short
MISSES = 8  # sentences that do not fit any more, before the rest is left

_END = re.compile(rf"(?:{ENDS})$")
_MARK = re.compile(r"\[\d+\]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, and what of it counts."""

    place: int  # among all sentences, in the order of evidence
    text: str
    marks: str
    words: frozenset[str]  # folded; short ones left out
    names: frozenset[str]  # folded; capitalised within the sentence, or with a digit


def extract(texts: Sequence[str], tokeniser: Tokeniser, limit_tokens: int, known: str = "") -> str:
    """Return sentences of `texts`, in their order, of at most `limit_tokens` together; the same for the same texts.

    Texts may have marks such as [3]; a sentence then ends with those of the texts that have it. They count as no token.
    `known` is the name of what is described: its words bring nothing new. Where every sentence is longer than the
    limit, the best one is cut at a word.
    """
    found = split(texts)
    if not found:
        return ""
    counts = Counter(word for sentence in found for word in sentence.words)
    shares = {word: count / len(found) for word, count in counts.items()}
    covered = set(_folded(_WORD.findall(known)))
    considered = sorted(found, key=lambda each: (-_worth(each, shares, covered), each.place))[:CONSIDERED]
    best = considered[0]
    taken: list[_Sentence] = []
    room, misses = limit_tokens, 0
    while considered and misses < MISSES:
        sentence = max(considered, key=lambda each: (_worth(each, shares, covered), -each.place))
        if _worth(sentence, shares, covered) <= 0 and taken:
            break
        considered.remove(sentence)
        tokens = tokeniser.count(sentence.text) + 1
        if tokens > room:
            misses += 1
            continue
        taken.append(sentence)
        room -= tokens
        covered |= sentence.words | sentence.names
    if not taken:
        return _marked(cut_at_word(best.text, tokeniser, limit_tokens), best.marks)
    return " ".join(_marked(each.text, each.marks) for each in sorted(taken, key=lambda each: each.place))


def _marked(text: str, marks: str) -> str:
    """Return a sentence with its marks before its end."""
    bare = _END.sub("", text)
    return f"{bare} {marks}{text[len(bare) :] or '.'}" if marks else text


def split(texts: Sequence[str]) -> list[_Sentence]:
    """Return the distinct sentences of `texts`, in their order; one without a mark has the marks of its text."""
    found: dict[str, tuple[str, list[str]]] = {}
    for text in texts:
        for start, end in sentences(text, 0, len(text)):
            line = " ".join(without_marks(text[start:end]).split())
            if key := line.casefold().rstrip("."):
                marks = _MARK.findall(text[start:end]) or _MARK.findall(text)
                found.setdefault(key, (line, []))[1].extend(marks)
    return [_read(place, line, tuple(dict.fromkeys(marks))) for place, (line, marks) in enumerate(found.values())]


def _read(place: int, line: str, marks: tuple[str, ...]) -> _Sentence:
    written = _WORD.findall(line)
    words = (word for word in written if len(word) > 3 or not word.isascii())
    names = [word for word in written if any(map(str.isdigit, word))]
    names += [word for word in written[1:] if word[0].isupper()]
    return _Sentence(place, line, "".join(marks), _folded(words), _folded(names))


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _worth(sentence: _Sentence, shares: dict[str, float], covered: set[str]) -> float:
    central = sum(sorted(shares[word] for word in sentence.words - covered))  # sorted: one sum, whatever the order
    brought = len(sentence.names - covered) * NAME_WORTH
    return round((central + brought) / max(len(sentence.words), LENGTH_FREE), 9)
