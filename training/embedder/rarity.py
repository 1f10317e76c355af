"""How rare words are in English, by the lists of wordfreq (data CC BY-SA 4.0), whose files alone are read."""

from __future__ import annotations

import gzip
import math
from functools import cache
from importlib import util
from pathlib import Path

import msgpack

from kg_neo4j_offline.embedder.static_words import FUNCTION_WORDS, fold

UNSEEN = 1e-8  # share of a word that is in no list
_OF_FUNCTION_WORDS = 0.02
_LEAST, _FROM, _RANGE = 0.05, 3.0, 8.0  # natural logarithms: a word of one in e^11 is as rare as can be
_POWER = 2


def rarity(word: str) -> float:
    """Return from 0 (common) to 1 (rare) how much it says that two texts share this very word, in lower case."""
    if word in FUNCTION_WORDS:
        return _OF_FUNCTION_WORDS
    unlikely = -math.log(_shares().get(word, UNSEEN))
    return float(min(1.0, max(_LEAST, (unlikely - _FROM) / _RANGE)) ** _POWER)


@cache
def _shares() -> dict[str, float]:
    """Return the share of each word in English text. The list gives it in steps of a hundredth of a power of ten."""
    found = util.find_spec("wordfreq")
    if found is None or found.origin is None:
        raise SystemExit("the word frequencies of wordfreq are not installed")
    file = Path(found.origin).parent / "data" / "large_en.msgpack.gz"
    with gzip.open(file) as stream:
        steps = msgpack.unpackb(stream.read())[1:]
    shares: dict[str, float] = {}
    for step, words in enumerate(steps):
        for word in words:
            folded = fold(word)
            shares[folded] = shares.get(folded, 0.0) + 10 ** (-step / 100)
    return shares
