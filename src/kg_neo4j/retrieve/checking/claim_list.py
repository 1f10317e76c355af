"""The claims of a text in order, each readable alone: a pronoun becomes the one name that it can mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kg_neo4j.retrieve.checking.claims import plain_text, split_claims
from kg_neo4j.retrieve.checking.statement import name_spans
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.words import fold, split_words, word_spans

FEWEST_WORDS = 3  # of a claim
FEWEST_UNENDED = 5  # of one without a full stop: a shorter line is a heading

_BULLET = re.compile(r"^(?:[-*+>#|]+|\d{1,3}[.)])\s+")
_END = re.compile(r"[.!…][\"'”’»)]*$")
_SUBJECTS = frozenset({"he", "she", "it"})
_OWNERS = frozenset({"his", "her", "its"})
_UNCLEAR = frozenset({"they", "their", "this", "these", "those", "i", "we", "you", "my", "our", "your"})
_BEFORE_PLACES = frozenset("in at to from near of on through into across over".split())


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A claim as it is in the text, and as it is checked."""

    text: str
    read_as: str  # with the name that its pronoun stands for; empty where that is not clear
    unclear: str = ""  # the word of which it is not clear what it means


def read_claims(text: str, headings: Collection[str] = ()) -> Iterator[ReadClaim | None]:
    """Yield the claims of a text; None for a sentence that is none: a question, a heading, one without a statement."""
    candidates: list[str] = []
    titles = {" ".join(each.split()) for each in headings}
    for sentence in split_claims(text):
        claim = _BULLET.sub("", readable(plain_text(sentence)).strip())
        fewest = FEWEST_WORDS if _END.search(claim) else FEWEST_UNENDED
        is_question = claim.rstrip("\"'”’»)").endswith("?")
        if claim in titles or len(split_words(claim)) < fewest or is_question:
            yield None
            continue
        read = _with_name(claim, candidates)
        candidates = _candidates(read.read_as or claim)
        yield read


def _with_name(claim: str, candidates: list[str]) -> ReadClaim:
    """Return a claim with a name in place of a pronoun that comes before any name."""
    words = word_spans(claim)
    first_name = next((start for start, _ in name_spans(claim) if start), len(claim))
    if len(words) > 1 and name_spans(claim)[:1] and fold(claim[slice(*words[1])]) not in _SUBJECTS | _OWNERS:
        first_name = name_spans(claim)[0][0]  # but not "Later" in "Later she moved"
    for start, end in words:
        word = fold(claim[start:end])
        if start >= first_name:
            break
        if word in _UNCLEAR and (start == 0 or word not in ("this", "these", "those")):
            return ReadClaim(claim, "", claim[start:end])
        if word in _SUBJECTS or (word in _OWNERS and start == 0):  # else the sentence may say whose it is
            if len(candidates) != 1:
                return ReadClaim(claim, "", claim[start:end])
            name = candidates[0] + ("'s" if word in _OWNERS else "")
            return ReadClaim(claim, claim[:start] + name + claim[end:])
    return ReadClaim(claim, claim)


def _candidates(claim: str) -> list[str]:
    """Return the names that a pronoun in the next sentence may stand for; none where a sentence begins otherwise."""
    words = word_spans(claim)
    found: list[str] = []
    for start, end in name_spans(claim):
        place = next(index for index, (first, _) in enumerate(words) if first == start)
        before = fold(claim[slice(*words[place - 1])]) if place else ""
        if not found and place > 1:
            return []
        if not found or before not in _BEFORE_PLACES:
            found.append(claim[start:end])
    return list(dict.fromkeys(found))
