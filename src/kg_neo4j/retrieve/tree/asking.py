"""Whether a question is about one of a narrative's aspects, and about which. Pure; English."""

from __future__ import annotations

import re

from kg_neo4j import data_files
from kg_neo4j.retrieve.question import Question

_DATA = data_files.beside(__file__)
_PARTS = _DATA.table("parts")
CUES = {
    said: re.compile(rf"\b(?:{data_files.fill(pattern, _PARTS)})", re.IGNORECASE)
    for said, pattern in _DATA.table("cues").items()
}


def asked_cue(question: Question) -> str:
    """Return which aspect of a narrative a question is about, as "a theme"; "" where it is about none."""
    return next((said for said, pattern in CUES.items() if pattern.search(question.text)), "")
