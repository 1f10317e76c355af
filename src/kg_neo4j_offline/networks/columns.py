"""What a parsed text says of its tokens, all of them at once: faster than to ask one token after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_SHORT = 30  # times as long as in a text, spaCy takes for a token of a span


def numbers(words: Doc | Span, attribute: str) -> npt.NDArray[np.uint64]:
    """Return an attribute of spaCy of each token, such as "LOWER": the number of the string, or the value itself."""
    from spacy.attrs import IDS
    from spacy.tokens import Span

    if isinstance(words, Span) and _SHORT * len(words) > len(words.doc):
        return numbers(words.doc, attribute)[words.start : words.end]
    source: Any = words  # spaCy's types do not know that a span has arrays
    found: npt.NDArray[np.uint64] = source.to_array([IDS[attribute]]).reshape(-1)
    return found


def strings(words: Doc | Span, attribute: str) -> list[str]:
    """Return an attribute of each token that is a string, such as "ORTH" or "TAG"."""
    keys = numbers(words, attribute).tolist()
    known = {key: words.vocab.strings[key] for key in set(keys)}
    return [known[key] for key in keys]


def heads(words: Doc | Span) -> npt.NDArray[np.int64]:
    """Return the token on which each hangs, counted from the first of `words`; one may lie outside."""
    return numbers(words, "HEAD").view(np.int64) + np.arange(len(words))


def vectors(words: Doc | Span) -> npt.NDArray[np.float32]:
    """Return the vector of each word, zeros where it has none: (tokens, width)."""
    table = words.vocab.vectors
    row_of = table.key2row.get
    rows = np.array([row_of(key, -1) for key in numbers(words, "LOWER").tolist()], np.int64)
    found: npt.NDArray[np.float32] = table.data[np.maximum(rows, 0)].astype(np.float32, copy=False)
    found[rows < 0] = 0
    return found
