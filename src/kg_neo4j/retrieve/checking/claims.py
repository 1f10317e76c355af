"""The claims of an answer: its sentences, each with what it cites and whether that supports it. Pure.

A claim whose cited words do not support it is marked in the text, or dropped; it is never silently left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.acquire.passages import section_at
from kg_neo4j.acquire.sentences import table_head
from kg_neo4j.errors import BudgetReached, ModelError
from kg_neo4j.records import Citation, Claim, Usage
from kg_neo4j.retrieve.checking.support import CONTRADICTED, QUOTED, SUPPORTED, CitedPassage, Support, supports
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.sentences import readable, split_sentences

NOT_ALL, BESIDE = "not all quoted", "beside the question"  # by the judgement of a model
UNCITED = "uncited"
ACCUSED = (CONTRADICTED, NOT_ALL, BESIDE)
TOGETHER = 10  # claims that are judged in one call
MARK, DROP = "mark", "drop"
TOKENS_EACH = 80  # of the answer, for a verdict and its reason
LONGEST_REASON = 300  # characters
_VERDICTS = {"supported": SUPPORTED, "beside": BESIDE, "unsupported": NOT_ALL}

_MARKED = re.compile(rf" \[(?:{'|'.join(ACCUSED)})\]")
_NUMBER = re.compile(r"\s*\[(\d{1,9})\]")
_LINE_END = re.compile(r"(?<=[\]】.!?…:])[ \t]*\n+|\n+(?=[ \t]*(?:[-*•]|\d+[.)])[ \t])")
_AFTER_END = re.compile(r"([.!?…][\"'”’»)]*)((?:\s*\[\d+\])+)")


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """An answer with every claim checked. `text` shows what was found of each."""

    text: str
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]
    dropped: tuple[Claim, ...] = ()  # no longer in the text

    def count(self, support: str) -> int:
        """Return how many claims, dropped ones too, are of one kind."""
        return sum(1 for claim in (*self.claims, *self.dropped) if claim.support == support)


def check_claims(text: str, citations: Sequence[Citation], found: Found) -> tuple[Claim, ...]:
    """Return the claims of `text`, whose marks are numbers of `citations`, each judged by the words it cites."""
    passages = [passage_of(citation, found) for citation in citations]
    claims = []
    for sentence in split_claims(text):
        numbers = tuple(dict.fromkeys(int(number) for number in _NUMBER.findall(sentence)))
        numbers = tuple(number for number in numbers if 1 <= number <= len(passages))
        said = readable(_NUMBER.sub("", sentence)).strip()
        support = Support(UNCITED, "it cites no source")
        if numbers:
            support = supports(said, [passages[number - 1] for number in numbers])
        claims.append(Claim(said, numbers, support.level, support.reason))
    return tuple(claims)


def split_claims(text: str) -> list[str]:
    """Return the sentences and lines of an answer with their marks; one of marks alone belongs to the one before.

    One that begins a line begins with the line break. A line that leads to a list ("Among them:") belongs to its first.
    """
    found: list[str] = []
    for row, line in enumerate(_LINE_END.split(_AFTER_END.sub(r"\2\1", text).strip())):
        for place, each in enumerate(split_sentences(line)):
            piece = f"\n{each.text}" if row and not place else each.text
            if found and found[-1].endswith(":") and piece.startswith("\n"):
                piece = found.pop() + piece
            found.append(piece)
    return found


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(sentences).replace(" \n", "\n").strip()


def passage_of(citation: Citation, found: Found) -> CitedPassage:
    """Return what a citation rests on, with the sentences next to it and the names in its chunk."""
    chunk = found.chunk(citation.chunk_id)
    sentences = split_sentences(chunk.text) if chunk else []
    near = [each.text for each in sentences if each.end <= citation.start][-1:]
    near += [each.text for each in sentences if each.start >= citation.end][:1]
    if chunk and (head := table_head(chunk.text, citation.start)):
        near = [chunk.text[slice(*head)]]
    names = tuple(
        (entity.name, *entity.aliases)
        for entity in found.entities
        if any(place.chunk_id == citation.chunk_id for place in entity.mentions)
    )
    section = section_at(chunk.text, citation.end, chunk.section) if chunk else ""
    title = f"{citation.document} {section}".replace("_", " ")
    return CitedPassage(citation.quote, title, names, " ".join(near))


def settle(
    text: str, citations: Sequence[Citation], claims: Sequence[Claim], unsupported: str, verdicts: Mapping[int, Support]
) -> CheckedClaims:
    """Return the answer as shown: what is contradicted is marked; with "drop" it goes, as does what cites nothing.

    `verdicts` are a model's, by the claim's place. Where it finds support there is; a claim is accused only where the
    words lack something, too. Citations that only a dropped claim used go with it.
    """
    claims = list(claims)
    for place, verdict in verdicts.items():
        if (words := claims[place].support) != UNCITED:
            level = join(words, verdict.level)
            claims[place] = replace(claims[place], support=level, reason=verdict.reason, judged_by="model")
    pairs = list(zip(split_claims(text), claims, strict=True))
    if unsupported == MARK:
        shown = [
            _marked(sentence, claim.support) if claim.support in ACCUSED else sentence for sentence, claim in pairs
        ]
        return CheckedClaims(_joined(shown), tuple(citations), tuple(claims))
    kept = [(sentence, claim) for sentence, claim in pairs if claim.support in (SUPPORTED, QUOTED)]
    dropped = tuple(claim for claim in claims if claim.support not in (SUPPORTED, QUOTED))
    return _renumbered(kept, citations, dropped)


def join(by_words: str, by_model: str) -> str:
    """Return the verdict of two checks together (docs/decisions/0068-the-judge.md)."""
    return QUOTED if by_words == SUPPORTED != by_model else by_model


def without(checked: CheckedClaims, gone: frozenset[int]) -> CheckedClaims:
    """Return the answer without the citations of numbers `gone`, whose chunks are there no more."""
    pairs = []
    for sentence, claim in zip(split_claims(checked.text), checked.claims, strict=True):
        left = tuple(number for number in claim.citations if number not in gone)
        shown = _NUMBER.sub(lambda mark: "" if int(mark[1]) in gone else mark[0], sentence)
        changed = claim
        if left != claim.citations:
            changed = replace(claim, citations=left, support=UNCITED if not left else claim.support)
            changed = replace(changed, reason="the cited chunk is gone") if not left else changed
        pairs.append((shown, changed))
    return _renumbered(pairs, checked.citations, checked.dropped)


def _marked(sentence: str, support: str) -> str:
    """Put the mark before the full stop."""
    end = re.search(r"[.!?…]*[\"'”’»)]*$", sentence)
    place = end.start() if end else len(sentence)
    return f"{sentence[:place]} [{support}]{sentence[place:]}"


def _renumbered(
    pairs: Sequence[tuple[str, Claim]], citations: Sequence[Citation], dropped: tuple[Claim, ...]
) -> CheckedClaims:
    used = list(dict.fromkeys(number for _, claim in pairs for number in claim.citations))
    new = {old: place for place, old in enumerate(used, 1)}
    texts = [_NUMBER.sub(lambda mark: f" [{new[int(mark[1])]}]" if int(mark[1]) in new else "", s) for s, _ in pairs]
    claims = tuple(replace(claim, citations=tuple(new[old] for old in claim.citations)) for _, claim in pairs)
    return CheckedClaims(_joined(texts), tuple(citations[old - 1] for old in used), claims, dropped)


def plain_text(text: str) -> str:
    """Return an answer without the numbers of its citations and without marks of what is contradicted."""
    return _NUMBER.sub("", _MARKED.sub("", text))


@dataclass(frozen=True, slots=True)
class JudgeClaims(Prompted[Mapping[int, Support]]):
    """Asks which claims their citations support, and which answer the question."""

    kind: ClassVar[str] = "judge"
    cached: ClassVar[bool] = False
    shown: tuple[str, ...]  # claims, each with the question and with what it cites
    max_tokens: int | None = TOKENS_EACH * (1 + TOGETHER)

    def values(self) -> dict[str, str]:
        """Return the claims with what they cite."""
        claims = "\n\n".join(f"Claim {number}: {each}" for number, each in enumerate(self.shown, 1))
        return {"claims": claims}

    def accept(self, said: Completion) -> Mapping[int, Support] | Complaint[Mapping[int, Support]]:
        """Return the verdicts that can be used, by the claim's place, with a complaint where some are missing."""
        verdicts = _read(said.text, len(self.shown))
        if len(verdicts) == len(self.shown):
            return verdicts
        judged = f"the model judged {len(verdicts)} of {len(self.shown)} claims"
        return Complaint(f"{judged}; the others are checked by words", verdicts)


def judge(
    question: str, claims: Sequence[Claim], citations: Sequence[Citation], found: Found, door: Door
) -> tuple[Mapping[int, Support], Usage, str]:
    """Ask the model which claims their citations support, ten a call; claims that cite nothing are not sent.

    Return the verdicts by the claim's place, what they took, and why some are missing: an answer is not lost because
    its judge fails.
    """
    asked = [place for place, claim in enumerate(claims) if claim.citations]
    passages = [passage_of(citation, found) for citation in citations]
    verdicts: dict[int, Support] = {}
    usage, problem = Usage(), ""
    for first in range(0, len(asked), TOGETHER):
        some = asked[first : first + TOGETHER]
        cited = [[passages[number - 1] for number in claims[place].citations] for place in some]
        shown = (show(question, claims[place].text, each) for place, each in zip(some, cited, strict=True))
        try:
            answer = door.ask(JudgeClaims(tuple(shown)))
        except (ModelError, BudgetReached) as error:
            return verdicts, usage, f"the model did not judge the claims: {error}"
        verdicts |= {some[place]: verdict for place, verdict in (answer.value or {}).items()}
        usage += answer.charged
        problem = f"the model did not judge the claims: {answer.error}" if answer.error else answer.problem or problem
    return verdicts, usage, problem


def show(question: str, claim: str, cited: Iterable[CitedPassage]) -> str:
    """Return a claim as the judge sees it."""
    lines = [claim, f"Asked: {question}"]
    for each in cited:
        lines += [f"Passage of “{each.title.strip()}”: {each.text}", *[f"Next to it: {each.near}"] * bool(each.near)]
    return "\n".join(lines)


def _read(text: str, shown: int) -> dict[int, Support]:
    """Return the verdicts that can be used, by place: known numbers, once each, with one of the words asked for."""
    found = find_object(text, ("claims",))
    listed = found.get("claims") if found else None
    verdicts: dict[int, Support] = {}
    for entry in (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ():
        number, said, reason = entry.get("claim"), entry.get("verdict"), entry.get("reason")
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= shown:
            continue
        if isinstance(said, str) and said in _VERDICTS and number - 1 not in verdicts:
            why = " ".join(reason.split())[:LONGEST_REASON] if isinstance(reason, str) else ""
            level = _VERDICTS[said]
            verdicts[number - 1] = Support(level, "" if level == SUPPORTED else why or "by the model's judgement")
    return verdicts
