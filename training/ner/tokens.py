"""The tokeniser of the English pipeline: that of spaCy, which also cuts at dashes, and at marks after digits."""

from __future__ import annotations

from functools import cache
from typing import Any

_CUTS = (r"[–—]", r"(?<=[0-9])-(?=[0-9A-Za-z])", r"(?<=[A-Za-z0-9])/(?=[A-Za-z0-9])")


@cache
def blank() -> Any:
    """Return an English pipeline that is nothing but the tokeniser."""
    import spacy
    from spacy.util import compile_infix_regex

    nlp = spacy.blank("en")
    nlp.tokenizer.infix_finditer = compile_infix_regex([*nlp.Defaults.infixes, *_CUTS]).finditer
    return nlp
