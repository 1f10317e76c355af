"""Summaries and notes without a model: sentences of the text, chosen for what is central to it and for an aspect.

A sentence is worth how near it is to the middle of the text, and how many cues of the aspect it has (`cues`). What has
been said already counts less. Texts in other languages than English have only the cues of an aspect's file: where it
has none, centrality alone decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.language import detect
from kg_neo4j.acquire.sentences import cut_at_word
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j_offline import cues
from kg_neo4j_offline.cues import CueSentence
from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding
from kg_neo4j_offline.embedder.static_words import FUNCTION_WORDS, Weighing, weigh

CUED = 0.6  # share of cues in what a sentence is worth; the rest is centrality
REPEATED = 0.8  # how much of a sentence's worth is lost where one that is taken already says the same
FEWEST_WORDS = 5  # of a sentence that says something by itself
LENGTH_POWER = 0.7  # of the length by which cues are divided: 1 would be their density, 0 their number
LENGTH_FREE = 14  # words: up to here a longer sentence is not asked for more cues
MOST_SENTENCES = 400  # of one text that are weighed: the most central ones
MISSES = 6  # sentences that do not fit any more, before the rest is left
KEY_PHRASES = 10  # of a note
EVENLY = Weighing(name=2.0, lead=0.0, reach=1.0)  # names count double, wherever they stand

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\s—[^—]*—\s")
_PHRASELESS = FUNCTION_WORDS | frozenset(
    """again already although always another anything because being cannot come did does every even ever feel first get
    give go good got here however just know last let like little look made make many may means might much must myself
    never nothing now off once one only other others own perhaps put quite rather said same saw say see seem seemed
    several shall should since something still take tell thing things think though thought through too took two under
    until upon us very way well went yes yet himself herself itself themselves him her out""".split()
)
_RUN = re.compile(r"[^\W\d_][\w'’-]*")

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The distinct sentences of a text, and how central each is, 0 to 1."""

    sentences: tuple[CueSentence, ...]
    vectors: Matrix  # (n, d), unit length
    central: Matrix  # (n,)
    has_cues: bool


def summary(context: str, aspect: Aspect, tokeniser: Tokeniser, most_tokens: int) -> str:
    """Return whole sentences of `context`, in its order, of at most `most_tokens` together; empty for an empty text.

    Where every sentence is longer than that, the best one is cut at a word.
    """
    weighed = weigh_sentences(context)
    worth = weighed.central
    if weighed.has_cues or aspect.cues:
        cued = np.array([_cued(sentence, aspect) for sentence in weighed.sentences])
        if cued.any():
            worth = (1 - CUED) * worth + CUED * cued / cued.max()
    taken = _taken(weighed, worth, tokeniser, most_tokens)
    if not taken and weighed.sentences:
        return cut_at_word(weighed.sentences[int(np.argmax(worth))].text, tokeniser, most_tokens)
    while True:
        text = " ".join(weighed.sentences[place].text for place in sorted(taken))
        if len(taken) < 2 or tokeniser.count(text) <= most_tokens:
            return text
        taken.pop()


def note(text: str, number: int, tokeniser: Tokeniser, most_tokens: int) -> str:
    """Return the `number`-th note on a text (0, 1, 2): its most central sentence, key phrases, the next sentence.

    Sentences are shortened. A text of one sentence has no third note: its second one is repeated. Empty for an
    empty text.
    """
    weighed = weigh_sentences(text)
    if not weighed.sentences:
        return ""
    if number and (number == 1 or len(weighed.sentences) == 1):
        phrases = cut_at_word("; ".join(key_phrases(text)), tokeniser, most_tokens)
        return phrases or _shortened(weighed, 0, tokeniser, most_tokens)
    return _shortened(weighed, min(number, 1), tokeniser, most_tokens)


def aspect_note(text: str, aspect: Aspect, tokeniser: Tokeniser, most_tokens: int) -> str:
    """Return the sentence of a text with most cues of an aspect for its length, shortened; empty where none has any."""
    weighed = weigh_sentences(text)
    if not weighed.sentences or not (weighed.has_cues or aspect.cues):
        return ""
    cued = np.array([_cued(sentence, aspect) for sentence in weighed.sentences])
    if not cued.any():
        return ""
    best = int(np.lexsort((-weighed.central, -np.round(cued, 6)))[0])
    return _bare(weighed.sentences[best].text, tokeniser, most_tokens)


def key_phrases(text: str) -> tuple[str, ...]:
    """Return names and runs of content words that say most of a text, in its order."""
    weights = weigh(text, EVENLY)
    found: dict[str, tuple[float, str]] = {}
    for sentence in cues.sentences_of(text):
        for phrase in _phrases(sentence.text):
            words = phrase.split()
            worth = sum(weights.get(word.lower(), 0.0) for word in words) / len(words) ** 0.5
            found.setdefault(phrase.lower(), (worth, phrase))
    best: set[str] = set()
    said: set[str] = set()
    for phrase in sorted(found, key=lambda each: -round(found[each][0], 6)):
        if said.isdisjoint(phrase.split()):
            best.add(phrase)
            said.update(phrase.split())
        if len(best) == KEY_PHRASES:
            break
    return tuple(written for phrase, (_, written) in found.items() if phrase in best)


@lru_cache(maxsize=64)
def weigh_sentences(text: str) -> Weighed:
    """Return the sentences of a text with their centrality: the cosine with the middle of all of them."""
    distinct: dict[str, CueSentence] = {}
    for sentence in cues.sentences_of(text):
        distinct.setdefault(" ".join(sentence.words), sentence)
    kept = tuple(distinct.values())
    if not kept:
        return Weighed((), np.zeros((0, 0)), np.zeros(0), False)
    vectors = np.array([_vector(sentence.text) for sentence in kept], dtype=np.float64)
    lengths = np.array([min(len(sentence.words), LENGTH_FREE) for sentence in kept], dtype=np.float64)
    middle = (vectors * lengths[:, None]).sum(axis=0)
    near = np.maximum((vectors * middle).sum(axis=1), 0.0)
    short = np.array([len(sentence.words) < FEWEST_WORDS for sentence in kept])
    central = np.round(np.where(short, 0.3, 1.0) * near / max(float(near.max()), 1e-9), 6)
    if len(kept) > MOST_SENTENCES:
        chosen = np.sort(np.argsort(-central, kind="stable")[:MOST_SENTENCES])
        kept, vectors, central = tuple(kept[int(place)] for place in chosen), vectors[chosen], central[chosen]
    return Weighed(kept, vectors, central, detect(text) in (None, "en"))


def _taken(weighed: Weighed, worth: Matrix, tokeniser: Tokeniser, most_tokens: int) -> list[int]:
    """Take the best sentence again and again, as long as one fits."""
    taken: list[int] = []
    room, misses = most_tokens, 0
    left = np.ones(len(worth), dtype=bool)
    likeness = np.zeros(len(worth))
    while left.any() and misses < MISSES:
        gain = np.where(left, worth * (1 - REPEATED * likeness), -1.0)
        best = int(np.argmax(np.round(gain, 6)))
        left[best] = False
        tokens = tokeniser.count(weighed.sentences[best].text) + (1 if taken else 0)
        if tokens > room:
            misses += 1
            continue
        taken.append(best)
        room -= tokens
        likeness = np.maximum(likeness, (weighed.vectors * weighed.vectors[best]).sum(axis=1))
    return taken


def _cued(sentence: CueSentence, aspect: Aspect) -> float:
    """Return the cues of a sentence for its length: a long one has more of them by chance."""
    short = 0.3 if len(sentence.words) < FEWEST_WORDS else 1.0
    length: float = max(len(sentence.words), LENGTH_FREE) ** LENGTH_POWER
    return short * cues.weight(sentence, aspect) / length


def _shortened(weighed: Weighed, rank: int, tokeniser: Tokeniser, most_tokens: int) -> str:
    said = np.array([min(len(sentence.words), LENGTH_FREE) for sentence in weighed.sentences]) / LENGTH_FREE
    order = np.argsort(-weighed.central * said, kind="stable")
    return _bare(weighed.sentences[int(order[min(rank, len(order) - 1)])].text, tokeniser, most_tokens)


def _bare(sentence: str, tokeniser: Tokeniser, most_tokens: int) -> str:
    """Return a sentence without what stands in brackets or between dashes, cut at a word."""
    bare = " ".join(_ASIDE.sub(" ", sentence).split())
    return cut_at_word(bare or sentence, tokeniser, most_tokens)


def _phrases(text: str) -> list[str]:
    """Return runs of up to three content words that nothing stands between."""
    runs: list[list[str]] = [[]]
    end = -1
    for match in _RUN.finditer(text):
        word = match[0]
        is_content = len(word) > 2 and word.lower() not in _PHRASELESS
        if not is_content or text[end : match.start()].strip() or len(runs[-1]) == 3:
            runs.append([])
        if is_content:
            runs[-1].append(word)
        end = match.end()
    return [" ".join(run) for run in runs if run]


@lru_cache(maxsize=8_192)
def _vector(sentence: str) -> npt.NDArray[np.float32]:
    vector: npt.NDArray[np.float32] = _embedder().embed([sentence])[0]
    return vector


_embedder = cache(StaticEmbedding)
