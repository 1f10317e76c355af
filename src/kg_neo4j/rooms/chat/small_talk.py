"""Small talk: "thanks", "hello". It is no question, refers to nothing, and no turn of a conversation. Pure; English."""

from __future__ import annotations

import re

from kg_neo4j import data_files

REPLY = "Ask a question about the documents of this graph."

_DATA = data_files.beside(__file__)
_SAID, _MORE = "|".join(_DATA.lines("words")), _DATA.text("more")
_SMALL_TALK = re.compile(rf"(?:(?:{_SAID})(?: (?:{_MORE}))*(?:[\s,.!?…:;)(-]+|$))+", re.IGNORECASE)
LONGEST = 100  # characters


def is_small_talk(text: str) -> bool:
    """Return whether a line asks nothing: only greetings, thanks and the like."""
    plain = " ".join(text.split())
    return 0 < len(plain) <= LONGEST and _SMALL_TALK.fullmatch(plain) is not None
