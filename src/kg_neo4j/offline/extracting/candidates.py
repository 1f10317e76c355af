"""Sentences that may answer, and of whom they speak. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.sentences import Sentence, split_sentences
from kg_neo4j.retrieve.words import PARTICLES, fold, is_stop_word, split_words, word_spans

OBJECTS = frozenset("him her them it".split())
_PRONOUNS = frozenset("he she it they his her their its hers him them this these on ona oni one jego jej ich".split())
_BEGINNING = frozenset("it they he she this these".split())
_DETERMINERS = frozenset("the a an his her their this that its".split())
_EVENTS = frozenset("birth birthday death deaths marriage".split())
_BEFORE_EVENT = frozenset("after before until since following upon time".split())


@dataclass(frozen=True, slots=True)
class CandidateSentence:
    """A sentence that may answer, prepared for matching."""

    chunk: FoundChunk
    rank: int  # of its chunk
    sentence: Sentence
    spans: tuple[tuple[int, int], ...]  # of its words, in the sentence
    words: tuple[str, ...]  # folded
    capitals: tuple[bool, ...]  # which of the words are written with a capital, beyond the first word's
    context: frozenset[str]  # folded words of names that a pronoun of the sentence may mean, and those side by side
    title: frozenset[str]  # folded words of the document's title
    before: frozenset[str] = frozenset()  # folded words of the sentence before, where a pronoun begins this one


def prepare(chunks: Sequence[FoundChunk]) -> list[CandidateSentence]:
    """Return the sentences of `chunks`, each with the names that its pronouns may refer to."""
    candidates = []
    for rank, chunk in enumerate(chunks):
        title = frozenset(fold(word) for word in split_words(chunk.document))
        context: frozenset[str] = title
        before: frozenset[str] = frozenset()
        for sentence in split_sentences(chunk.text):
            if sentence.text.startswith("#"):  # a heading says nothing
                continue
            spans = tuple(word_spans(sentence.text))
            raw = [sentence.text[start:end] for start, end in spans]
            words = tuple(fold(word) for word in raw)
            capitals = tuple(
                word[0].isupper() and not (index == 0 and is_stop_word(words[0])) for index, word in enumerate(raw)
            )
            refers = any(word in _PRONOUNS for word in words[:6])
            begins = _BEGINNING & set(words[:1])
            candidates.append(
                CandidateSentence(
                    chunk,
                    rank,
                    sentence,
                    spans,
                    words,
                    capitals,
                    context if refers else frozenset(),
                    title,
                    before if begins else frozenset(),
                )
            )
            before = frozenset(words)
            names = frozenset(word for word, is_name in zip(words, capitals, strict=True) if is_name)
            context = names | _side_by_side(sentence.text, spans, capitals) | (context if refers else title)
    return candidates


def _side_by_side(text: str, spans: Sequence[tuple[int, int]], capitals: Sequence[bool]) -> frozenset[str]:
    """Return each two words of one name together, folded: "ada lind"."""
    return frozenset(
        f"{fold(text[start:stop])} {fold(text[begin:end])}"
        for (start, stop), (begin, end), one, other in zip(spans, spans[1:], capitals, capitals[1:], strict=False)
        if one and other and text[stop:begin] == " "
    )


def speaker(candidate: CandidateSentence, index: int, names: frozenset[str]) -> float:
    """Return how likely the word at `index` is said of `names`, by the nearest name or pronoun before it."""
    words = candidate.words
    if index >= 2 and words[index - 2] in _DETERMINERS and not candidate.capitals[index - 1]:
        return -0.3  # "the child died", "his father died"
    if words[index] in _EVENTS and _BEFORE_EVENT.intersection(words[max(0, index - 4) : index]):
        return -0.4  # "after Muhammad's death"
    for before in range(index - 1, max(-1, index - 14), -1):
        word = words[before]
        if word in names:
            return 0.4
        if word in ("he", "she", "it", "they", "who", "on", "ona"):
            return 0.3 if names & candidate.context or names & frozenset(words[:before]) else -0.4
        if candidate.capitals[before]:
            return -0.4
    return 0.2 if names & candidate.context else 0.0


def first_name(candidate: CandidateSentence, index: int) -> frozenset[str]:
    """Return the capitalised words directly before the word at `index`, particles between them left out."""
    found = set()
    end = candidate.spans[index][0]
    for before in range(index - 1, max(-1, index - 5), -1):
        start, stop = candidate.spans[before]
        word = candidate.words[before]
        if candidate.sentence.text[stop:end] not in (" ", "-", "\n"):
            break
        if (candidate.capitals[before] and before > 0) or (candidate.capitals[before] and index - before > 1):
            found.add(word)
        elif candidate.capitals[before] or word not in PARTICLES:
            break
        end = start
    return frozenset(found)


def undergoer(candidate: CandidateSentence, index: int, names: frozenset[str]) -> float:
    """Return how likely what the word at `index` says was done to `names`, or together with them."""
    words = candidate.words
    after = words[index + 1 : index + 9]
    if (
        "by" in after[:2]
        or names.intersection(after)
        or (OBJECTS.intersection(after[:2]) and names & candidate.context)
    ):
        return 0.4
    return -0.3 if names.intersection(words[max(0, index - 3) : index]) else 0.0
