"""Aspects proposed for a kind of text: the question to a model, and what of its answer may become a set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.aspects import is_cue, read_aspects
from kg_neo4j.organise.tree.interface import Aspect

FEWEST, MOST = 4, 9
PROMPT = "summary_text"  # that asks for the summaries of proposed aspects


@dataclass(frozen=True, slots=True)
class AspectProposal:
    """Aspects that may become a set, and what was wrong with the answer they come from."""

    aspects: tuple[Aspect, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposeAspects(Prompted[AspectProposal]):
    """Asks which aspects a sample of a text has."""

    kind: ClassVar[str] = "tune_aspects"
    rounds: ClassVar[int] = 2
    sample: str
    language: str
    domain: str  # what the text is about; empty: that is for the model to see

    def values(self) -> Mapping[str, str]:
        """Return what the placeholders stand for."""
        return {
            "fewest": str(FEWEST),
            "most": str(MOST),
            "language": self.language,
            "domain": f"they are about {self.domain}" if self.domain else "what they are about is for you to see",
            "sample": self.sample,
            "boundary": hashlib.sha256(self.sample.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        }

    def accept(self, said: Completion) -> AspectProposal | Complaint[AspectProposal]:
        """Return the aspects, or what is wrong with some of them."""
        found = read(said.text)
        if not found.problems:
            return found
        is_usable = len(found.aspects) >= FEWEST
        return Complaint("; ".join(found.problems), found if is_usable else None, len(found.problems), keeps=is_usable)


def read(answer: str) -> AspectProposal:
    """Return the aspects in a model's answer that may become a set; `problems` say what may not."""
    rows = (find_object(answer, ["aspects"]) or {}).get("aspects")
    if not isinstance(rows, list):
        return AspectProposal((), ("it is not one JSON object with a list of aspects",))
    kept: list[Aspect] = []
    problems: list[str] = []
    for number, row in enumerate(rows[:MOST], 1):
        try:
            [aspect] = read_aspects({"aspects": [_row(row)]}, "your answer", Path())
        except UsageError as error:
            problems.append(str(error).replace("aspect 1", f"aspect {number}"))
            continue
        if any(aspect.name == each.name or aspect.title.casefold() == each.title.casefold() for each in kept):
            problems.append(f"two aspects are called {aspect.name!r} or {aspect.title!r}")
            continue
        kept.append(aspect)
    if not FEWEST <= len(rows) <= MOST:
        problems.append(f"{len(rows)} aspects, not {FEWEST} to {MOST}")
    return AspectProposal(tuple(kept), tuple(problems))


def _row(row: object) -> object:
    """Return an aspect of an answer as a file has it: the prompt is ours, and what is no cue is left out."""
    if not isinstance(row, dict):
        return row
    own: dict[str, Any] = {name: value for name, value in row.items() if name not in ("cues", "prompt")}
    cues = row.get("cues")
    words = [each.strip().lower() for each in cues if isinstance(each, str)] if isinstance(cues, list) else []
    return {**own, "prompt": PROMPT, "cues": list(dict.fromkeys(word for word in words if is_cue(word)))}
