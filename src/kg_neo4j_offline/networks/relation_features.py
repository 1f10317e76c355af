"""What the relation model sees of a text: its words, its entities and the pairs of these as arrays, and word pieces.

Everything is counted in tokens of the trained pipeline. A *link* is a pair of mentions of two entities that stand near
each other; a pair of entities has at most `LINKS` of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.networks import columns

if TYPE_CHECKING:
    from spacy.tokens import Doc

TYPES = ("PER", "LOC", "ORG", "MISC", "TIME", "NUM")
BUCKETS = 1 << 14  # of words, of pairs of words, of words with their place in the grammar
NAME_BUCKETS = 1 << 13
LINKS = 3
DISTANCES = 8
FACTS = 12  # what is known of an entity besides its words
BETWEEN = 24  # words between two mentions that are read
ABOUT = 1_500  # words to each side that tell what a text is about
LINK = ("pair", "begin", "middle", "last", "is_first", "near", "left", "right", "top")  # columns of a link:
# its pair; the words between, of which those from `begin` to before `middle` are read, and the last of them (-1: none);
# whether the source comes first; how near they are; the words outside (-1: none); the top of the path (-1: no path)
_DEPTH = 24  # of a tree of words
_HASH = np.uint64(0x9E3779B97F4A7C15)

Integers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

Place = tuple[int, int]  # code points, half open
Entity = tuple[str, Sequence[Place]]  # type and mentions


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """The arrays of one text, or of a stretch of it; row numbers of tables of weights, unless said otherwise."""

    begin: int  # the token of the text that is the first of these arrays
    about: Floats  # (96,): mean of what the words outside mentions mean, also of some around the stretch
    vectors: Floats  # (tokens, 96): what each word means
    states: Floats  # (tokens, 96): what the tagger's network makes of it in its sentence
    marks: Integers  # (tokens,): 0, or 1 to 6 inside a mention of that type
    words: Integers  # (tokens,)
    couples: Integers  # (tokens,): each word with the one after it
    steps: Integers  # (tokens,): each word with its dependency
    names: Integers  # (tokens,)
    types: Integers  # (entities,): places in TYPES
    facts: Floats  # (entities, FACTS): zeros and ones
    heads: Integers  # (entities, 2): first and last word of the longest mention, as tokens
    spans: Integers  # (mentions, 3): entity, first token, token after the last
    pairs: Integers  # (pairs, 3): source, target, distance in sentences (to DISTANCES - 1)
    links: Integers  # (links, len(LINK)): see LINK
    ends: Integers  # (links, 2): the tokens at the ends of the path through the tree; top < 0 where there is none
    up: Integers  # (tokens, _DEPTH): the tree above each word, from its root down; -1 after the word itself


def describe(
    doc: Doc,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    *,
    reach: int,
    stretch: tuple[int, int] | None = None,
) -> TextFeatures:
    """Return the features of `doc`, whose entities are given by type and places (characters), sorted.

    Pairs more than `reach` sentences apart are left out. `stretch` (tokens, half open) holds all the sentences and
    entities where these are only a part of a long text: the work grows with it, not with the text.
    """
    begin, after_last = stretch or (0, len(doc))
    some = doc[begin:after_last]
    starts = np.append(columns.numbers(some, "IDX"), some.end_char).astype(np.int64)
    spans = _spans(starts, entities)
    count = len(some)
    types = np.array([TYPES.index(kind) for kind, _ in entities], np.int32)
    marks = np.zeros(count, np.int32)
    for entity, first, after in spans:
        marks[first:after] = types[entity] + 1
    lemmas = np.where(marks > 0, marks.astype(np.uint64), columns.numbers(some, "LEMMA"))
    following = np.append(lemmas[1:], np.uint64(0))
    sentence = np.maximum(np.searchsorted([start for start, _ in sentences], starts[:-1], "right") - 1, 0)
    heads = columns.heads(some)
    up = _trees(np.where((heads >= 0) & (heads < count), heads, np.arange(count)))
    before = min(begin, ABOUT)
    around = columns.vectors(doc[begin - before : after_last + ABOUT])
    plain = np.ones(len(around), bool)
    plain[before : before + count] = marks == 0
    pairs, links, ends = _pairs(spans, sentence, len(entities), reach)
    links, ends = _complete(links, ends, spans, up, count)
    return TextFeatures(
        begin=begin,
        about=around[plain].mean(0) if plain.any() else np.zeros(around.shape[1], np.float32),
        vectors=around[before : before + count],
        states=np.asarray(doc.tensor[begin:after_last], np.float32).reshape(count, -1),
        marks=marks,
        words=_bucket(lemmas),
        couples=_bucket(lemmas * np.uint64(31) + following),
        steps=_bucket(lemmas * np.uint64(37) + columns.numbers(some, "DEP")),
        names=_bucket(columns.numbers(some, "LOWER"), NAME_BUCKETS),
        types=types,
        facts=_facts(spans, sentence, len(entities)),
        heads=_heads(spans, len(entities)),
        spans=spans,
        pairs=pairs,
        links=links,
        ends=ends,
        up=up,
    )


def _bucket(keys: npt.NDArray[np.uint64], buckets: int = BUCKETS) -> Integers:
    mixed = keys * _HASH
    return ((mixed ^ (mixed >> np.uint64(32))) % np.uint64(buckets)).astype(np.int32)


def _spans(starts: npt.NDArray[np.int64], entities: Sequence[Entity]) -> Integers:
    rows = [(number, start, end) for number, (_, places) in enumerate(entities) for start, end in places]
    if not rows:
        return np.zeros((0, 3), np.int32)
    given = np.array(rows, np.int64)
    first = np.maximum(np.searchsorted(starts[:-1], given[:, 1], "right") - 1, 0)
    after = np.maximum(np.searchsorted(starts[:-1], given[:, 2], "left"), first + 1)
    return np.stack([given[:, 0], first, after], 1).astype(np.int32)


def _heads(spans: Integers, entities: int) -> Integers:
    heads = np.zeros((entities, 2), np.int32)
    longest = np.zeros(entities, np.int64)
    for entity, first, after in spans.tolist():
        if after - first > longest[entity]:
            longest[entity] = after - first
            heads[entity] = first, after - 1
    return heads


def _facts(spans: Integers, sentence: npt.NDArray[np.int64], entities: int) -> Floats:
    """Return what is known of each entity: how often and where it is named."""
    facts = np.zeros((entities, FACTS), np.float32)
    if not len(spans):
        return facts
    counts = np.bincount(spans[:, 0], minlength=entities)
    first = np.full(entities, 1 << 30)
    np.minimum.at(first, spans[:, 0], spans[:, 1])
    length = np.zeros(entities, np.int64)
    np.maximum.at(length, spans[:, 0], spans[:, 2] - spans[:, 1])
    rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    opening = sentence[np.minimum(first, len(sentence) - 1)]
    known = [rank == 0, rank == 1, rank < 4, counts == 1, counts == 2, counts > 2, counts > 4]
    known += [opening == 0, opening > 3, length == 1, length > 2, counts == counts.max()]
    facts[:] = np.stack(known, 1)
    return facts


def _trees(heads: npt.NDArray[np.int64]) -> Integers:
    """Return for each word the words above it, from the root down to itself."""
    count = len(heads)
    chains = np.full((count, _DEPTH), -1, np.int64)
    depth = np.zeros(count, np.int64)
    current, alive = np.arange(count), np.ones(count, bool)
    upward = []
    for _ in range(_DEPTH):
        upward.append(np.where(alive, current, -1))
        following = heads[current]
        alive = alive & (following != current)
        current = following
    stacked = np.stack(upward, 1)  # from the word up
    depth = (stacked >= 0).sum(1)
    places = depth[:, None] - 1 - np.arange(_DEPTH)[None]
    rows, columns = np.nonzero(places >= 0)
    chains[rows, columns] = stacked[rows, places[rows, columns]]
    return chains.astype(np.int32)


def _pairs(spans: Integers, sentence: npt.NDArray[np.int64], entities: int, reach: int) -> tuple[Any, Any, Any]:
    """Return the ordered pairs of entities within reach, and their nearest links: pair, both spans."""
    nothing = np.zeros((0, 3), np.int64)
    if len(spans) < 2:
        return nothing.astype(np.int32), nothing, np.zeros((0, 2), np.int64)
    places = sentence[spans[:, 1]]
    owner = spans[:, 0].astype(np.int64)
    gaps = np.abs(places[:, None] - places[None])
    apart = np.maximum(spans[:, 1][:, None] - spans[:, 2][None], spans[:, 1][None] - spans[:, 2][:, None])
    one, other = np.nonzero((owner[:, None] != owner[None]) & (gaps <= reach))
    key = owner[one] * entities + owner[other]
    gap, distance = gaps[one, other], np.maximum(apart[one, other], 0)
    order = np.lexsort((other, one, distance, gap, key))
    key, one, other, gap = key[order], one[order], other[order], gap[order]
    begins = np.append(True, key[1:] != key[:-1]) if len(key) else np.zeros(0, bool)
    number = np.cumsum(begins) - 1
    rank = np.arange(len(key)) - np.flatnonzero(begins)[number] if len(key) else number
    kept = (rank == 0) | ((rank < LINKS) & (gap == 0))
    pairs = np.stack([key[begins] // entities, key[begins] % entities, np.minimum(gap[begins], DISTANCES - 1)], 1)
    links = np.stack([number[kept], one[kept], other[kept]], 1)
    return pairs.astype(np.int32), links, np.stack([gap[kept], gap[kept]], 1)


def _complete(links: Any, gaps: Any, spans: Integers, up: Integers, count: int) -> tuple[Integers, Integers]:
    """Return for each link the words between and beside, and the path through the tree."""
    if not len(links):
        return np.zeros((0, len(LINK)), np.int32), np.zeros((0, 2), np.int32)
    source, target = spans[links[:, 1]], spans[links[:, 2]]
    is_first = source[:, 1] <= target[:, 1]
    begin = np.where(is_first, source[:, 2], target[:, 2])
    end = np.maximum(np.where(is_first, target[:, 1], source[:, 1]), begin)
    length = end - begin
    near = np.searchsorted([0, 1, 2, 4, 7, 12, 20], length, "right") - 1
    near = np.where(gaps[:, 0] == 0, near, 7 + np.minimum(gaps[:, 0], 5) - 1)
    left = np.where(is_first, source[:, 1], target[:, 1]) - 1
    right = np.where(is_first, target[:, 2], source[:, 2])
    right = np.where(right < count, right, -1)
    head = np.stack([_top(each, up) for each in (source, target)], 1)
    above = up[head]
    equal = np.cumprod((above[:, 0] == above[:, 1]) & (above[:, 0] >= 0), 1).sum(1)
    top = np.where(equal > 0, above[np.arange(len(head)), 0, np.maximum(equal - 1, 0)], -1)
    middle = np.minimum(end, begin + BETWEEN)
    last = np.where(length > 0, end - 1, -1)
    done = [links[:, 0], begin, middle, last, is_first, near, left, right, top]
    return np.stack(done, 1).astype(np.int32), head.astype(np.int32)


def _top(spans: Integers, up: Integers) -> npt.NDArray[np.int64]:
    """Return the word of each mention that stands highest in the tree; the last one of equals."""
    depth = (up >= 0).sum(1)
    best = spans[:, 2].astype(np.int64) - 1
    for back in range(1, 6):
        place = spans[:, 2] - 1 - back
        better = (place >= spans[:, 1]) & (depth[np.maximum(place, 0)] < depth[best])
        best = np.where(better, place, best)
    return best


SHAPES = 17  # eight cases, each inside or at the start of a sentence, and one for the marks around a text
MARK_SHAPE = 16
CASES = 8
MOST = 8  # pieces of one word
UNKNOWN = "[UNK]"


def split_word(word: str, known: Mapping[str, int]) -> tuple[int, ...]:
    """Return the numbers of a word's pieces: lower case, without accents, longest pieces first; eight at most."""
    folded = unicodedata.normalize("NFD", word.lower())
    folded = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    numbers: list[int] = []
    for part in _runs(folded):
        numbers += _split_run(part, known)
    return tuple(numbers[:MOST]) or (known[UNKNOWN],)


def shape(word: str, *, starts: bool) -> int:
    """Return the number of a word's letter case; `starts` says that it opens a sentence."""
    case = 7
    if word.islower():
        case = 0
    elif word.istitle() and len(word) > 1:
        case = 1
    elif word.isupper():
        case = 2 if len(word) > 1 else 3
    elif word.isdigit():
        case = 4
    elif any(letter.isdigit() for letter in word):
        case = 5
    elif any(letter.isupper() for letter in word):
        case = 6
    return case + CASES * starts


def _runs(word: str) -> list[str]:
    """Return runs of letters and digits, and each other sign by itself."""
    parts: list[str] = []
    is_open = False
    for letter in word:
        if unicodedata.category(letter)[0] in "PS":
            parts.append(letter)
            is_open = False
        elif letter.isspace():
            is_open = False
        elif is_open:
            parts[-1] += letter
        else:
            parts.append(letter)
            is_open = True
    return parts


def _split_run(part: str, known: Mapping[str, int]) -> list[int]:
    numbers = []
    start = 0
    while start < len(part):
        lead = "##" if start else ""
        end = next((end for end in range(len(part), start, -1) if lead + part[start:end] in known), None)
        if end is None:
            return [known[UNKNOWN]]
        numbers.append(known[lead + part[start:end]])
        start = end
    return numbers


WINDOW = 512  # pieces that are read together, the marks at both ends included
NEAR = 5  # how many sentences lie between two entities: 0 to 4, which stands for more
MARKS = 2 * len(TYPES) + 1  # no mention; the first piece of a mention of each type, the pieces after it
_ENDS = '.!?"“'


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a text; one row of `members` for each entity of the text."""

    pieces: Integers  # (pieces,): numbers in the vocabulary, with [CLS] and [SEP] around
    shapes: Integers  # (pieces,): letter case, and the mention: case + SHAPES * mark
    spans: Integers  # (mentions, 3): entity, first piece, piece after the last


class PieceVocabulary:
    """The pieces of a model by name; remembers the words that it has cut."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(pieces)}
        self._cut: dict[str, tuple[tuple[int, ...], int]] = {}

    def cut(self, word: str) -> tuple[tuple[int, ...], int]:
        """Return the numbers of the pieces of a word, and that of its letter case inside a sentence."""
        found = self._cut.get(word)
        if found is None:
            if len(self._cut) > 200_000:
                self._cut.clear()
            found = self._cut[word] = split_word(word, self.numbers), shape(word, starts=False)
        return found


def windows(
    doc: Doc, features: TextFeatures, vocabulary: PieceVocabulary, stretch: tuple[int, int] | None = None
) -> list[Window]:
    """Return the text of `features`, or a stretch of it (tokens, half open), in windows, cut between words."""
    begin, end = stretch or (0, len(doc))
    cut: list[tuple[int, ...]] = []
    cases: list[int] = []
    before = "."
    words = doc[begin:end]
    for word, is_space in zip(columns.strings(words, "ORTH"), columns.numbers(words, "IS_SPACE").tolist(), strict=True):
        pieces, case = vocabulary.cut(word)
        cut.append(() if is_space else pieces)
        cases.append(case + CASES * (before in _ENDS))
        before = before if is_space else word
    spans = features.spans + np.array([0, 1, 1], np.int32) * np.int32(features.begin - begin)
    borders, size = [0], 2
    for number, pieces in enumerate(cut):
        if size + len(pieces) > WINDOW:
            borders.append(number)
            size = 2
        size += len(pieces)
    found = []
    for first, last in pairwise([*borders, len(cut)]):
        mentions = spans - np.array([0, first, first], np.int32)
        found.append(_window(cut[first:last], cases[first:last], mentions, features.types, vocabulary))
    return found


def _window(
    cut: Sequence[tuple[int, ...]],
    cases: Sequence[int],
    mentions: Integers,
    types: Integers,
    vocabulary: PieceVocabulary,
) -> Window:
    """Return the window of some words; `mentions` are counted from the first of them, and may lie outside."""
    pieces = [vocabulary.numbers["[CLS]"], *(piece for word in cut for piece in word), vocabulary.numbers["[SEP]"]]
    counts = [len(word) for word in cut]
    starts = np.concatenate([[1], 1 + np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    shapes = np.full(len(pieces), MARK_SHAPE, np.int32)
    shapes[1:-1] = np.repeat(cases, counts)
    spans = []
    for entity, *ends in mentions.tolist():
        begin, after = starts[np.clip(ends, 0, len(cut))].tolist()
        if begin < after:
            spans.append((entity, begin, after))
            mark = 1 + 2 * int(types[entity])
            marks = np.where(np.arange(begin, after) > begin, mark + 1, mark)
            free = shapes[begin:after] < SHAPES
            shapes[begin:after] += (SHAPES * marks * free).astype(np.int32)
    rows = np.array(spans, np.int32).reshape(-1, 3)
    return Window(np.array(pieces, np.int32), shapes, rows)
