"""Sets of aspects: those that ship with the package (the seven of narrative text first), a user's file, or proposals.

A file is TOML: a list of [[aspects]] with `name`, `title`, `question` and, if wanted, `prompt` and `cues`
(prompts/aspects/narrative.toml explains them). Its order is the order in which aspects are named and built.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kg_neo4j import resources
from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.prompts import Prompt
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import as_toml
from kg_neo4j.organise.tree.interface import Aspect

# The one aspect of RAPTOR: every cluster shows it, so no model is asked which.
GENERAL = Aspect("general", "the text as a whole", "What does the text say?", "summary_general")

SHIPPED = ("narrative", "biography", "science", "law", "minutes")  # the first is what is taken where none is named
MOST = 24  # in one file; the narrative thesis has seven
LONGEST_NAME = 40  # characters
LONGEST_TITLE = 80
LONGEST_QUESTION = 500
MOST_CUES = 300  # of an aspect
FEWEST_PROPOSED, MOST_PROPOSED = 4, 9  # of a set that a model proposes
PROPOSED_PROMPT = "summary_text"  # that asks for the summaries of proposed aspects
RESERVED = frozenset(("detail", "none"))  # what notes are called, and what a model says where it sees nothing
PLACEHOLDERS = frozenset("title question words text boundary complaint".split())  # that a prompt may use

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_CUE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\*?")
_KEYS = ("name", "title", "question", "prompt", "cues")
_ALLOWED = f"a prompt may use {', '.join(sorted(PLACEHOLDERS))}; prompts/summary.md is one"
_HINT = "prompts/aspects/narrative.toml shows the form"


def load_aspects(source: str | Path | tuple[Aspect, ...] | None = None) -> tuple[Aspect, ...]:
    """Return the aspects of a shipped set, by its name, or of a TOML file; None or (): the seven of narrative text.

    Aspects are returned as they are.

    Raises UsageError naming the file and what is wrong with it, or the sets that ship.
    """
    if isinstance(source, tuple):
        return source or load_aspects()
    path = Path(source or SHIPPED[0])
    if str(path) in SHIPPED:
        path = resources.folder("prompts") / "aspects" / f"{path}.toml"
    elif isinstance(source, str) and not path.exists():
        raise UsageError(
            f"no aspects {source!r}", hint=f"the sets that ship are {', '.join(SHIPPED)}; or give a TOML file"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"the file of aspects cannot be read: {path} ({error.strerror})", hint=_HINT) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise UsageError(f"{path} is not TOML: {error}", hint=_HINT) from error
    return read_aspects(data, str(path), path.parent)


def read_aspects(data: Mapping[str, object], where: str, folder: Path) -> tuple[Aspect, ...]:
    """Return the aspects of a file's data; `folder` is that of the prompts it names. Raises UsageError."""
    rows = data.get("aspects")
    if unknown := sorted(set(data) - {"aspects"}):
        raise UsageError(f"{where} has {unknown[0]!r}; it may have [[aspects]] and nothing else", hint=_HINT)
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{where} has no [[aspects]]", hint=_HINT)
    if len(rows) > MOST:
        raise UsageError(f"{where} has {len(rows)} aspects; {MOST} are the most")
    aspects = tuple(_aspect(row, f"{where}, aspect {number}", folder) for number, row in enumerate(rows, 1))
    for key in ("name", "title"):
        values = [getattr(aspect, key).casefold() for aspect in aspects]
        if repeated := sorted({value for value in values if values.count(value) > 1}):
            raise UsageError(f"{where} has two aspects with the {key} {repeated[0]!r}")
    return aspects


def prompt_of(aspect: Aspect) -> Prompt:
    """Return the prompt that asks for an aspect's summaries. Raises UsageError if there is none that can be used."""
    is_file = aspect.prompt.endswith(".md")
    try:
        prompt = prompts.load_file(Path(aspect.prompt)) if is_file else prompts.load(aspect.prompt)
    except OSError as error:
        raise UsageError(f"the aspect {aspect.name} has the prompt {aspect.prompt!r}, which cannot be read") from error
    except ValueError as error:
        raise UsageError(f"the prompt of the aspect {aspect.name}: {error}") from error
    if unknown := sorted(set(prompt.placeholders) - PLACEHOLDERS):
        raise UsageError(f"the prompt of the aspect {aspect.name} has the placeholder {unknown[0]!r}", hint=_ALLOWED)
    if "text" not in prompt.placeholders:
        raise UsageError(f"the prompt of the aspect {aspect.name} has no place for the text: {{{{text}}}}")
    return prompt


def is_cue(text: str) -> bool:
    """Return whether a text is a cue: one word in lower case, or the beginning of one with "*" behind it."""
    return bool(_CUE.fullmatch(text)) and text == text.lower()


def write_aspects(aspects: Sequence[Aspect], remarks: Sequence[str]) -> str:
    """Return the text of a file that `load_aspects` reads; remarks are comments at its top."""
    names = ("name", "title", "question", "prompt", "cues")
    return as_toml({"aspects": [{name: getattr(each, name) for name in names} for each in aspects]}, remarks)


def fingerprint(aspects: Sequence[Aspect]) -> str:
    """Return a hash of everything that aspects say to a model, the text of their prompts included, not their paths.

    Cues are left out: no model sees them, and a tree that was built with others is none to refuse.
    """
    digest = hashlib.sha256()
    for aspect in aspects:
        for part in (aspect.name, aspect.title, aspect.question, prompt_of(aspect).hash):
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:32]


def _aspect(row: object, where: str, folder: Path) -> Aspect:
    if not isinstance(row, dict):
        raise UsageError(f"{where} is no table", hint=_HINT)
    if unknown := sorted(set(row) - set(_KEYS)):
        raise UsageError(f"{where} has {unknown[0]!r}; it may have {', '.join(_KEYS)}", hint=_HINT)
    name = _text(row, "name", where, LONGEST_NAME)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{where}: the name {name!r} is not lower-case words of a-z and 0-9 joined by _")
    if name in RESERVED:
        raise UsageError(f"{where}: the name {name!r} is taken")
    prompt = row.get("prompt", "summary")
    if not isinstance(prompt, str) or not prompt.strip():
        raise UsageError(f"{where}: prompt is the name of a prompt, or of a file that ends with .md")
    if prompt.endswith(".md"):
        prompt = str((folder / prompt).resolve())
    elif not re.fullmatch(r"[a-z_]+", prompt):
        raise UsageError(
            f"{where}: there is no prompt {prompt!r}", hint="a prompt of your own is a file that ends with .md"
        )
    title, question = _text(row, "title", where, LONGEST_TITLE), _text(row, "question", where, LONGEST_QUESTION)
    aspect = Aspect(name, title, question, prompt, _cues(row.get("cues", []), where))
    prompt_of(aspect)
    return aspect


def _cues(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_CUES:
        raise UsageError(f"{where}: cues are a list of at most {MOST_CUES} words", hint=_HINT)
    for each in value:
        if not isinstance(each, str) or not is_cue(each):
            raise UsageError(f'{where}: the cue {each!r} is no word in lower case, nor the beginning of one: "marr*"')
    return tuple(value)


def _text(row: dict[str, Any], key: str, where: str, longest: int) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where} has no {key}", hint=_HINT)
    value = " ".join(value.split())
    if len(value) > longest:
        raise UsageError(f"{where}: the {key} has {len(value)} characters; {longest} are the most")
    return value


# ------------------------------------------------------------------------------------------------ proposals


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
            "fewest": str(FEWEST_PROPOSED),
            "most": str(MOST_PROPOSED),
            "language": self.language,
            "domain": f"they are about {self.domain}" if self.domain else "what they are about is for you to see",
            "sample": self.sample,
        }

    def accept(self, said: Completion) -> AspectProposal | Complaint[AspectProposal]:
        """Return the aspects, or what is wrong with some of them."""
        found = read_proposal(said.text)
        if not found.problems:
            return found
        is_usable = len(found.aspects) >= FEWEST_PROPOSED
        return Complaint("; ".join(found.problems), found if is_usable else None, len(found.problems), keeps=is_usable)


def read_proposal(answer: str) -> AspectProposal:
    """Return the aspects in a model's answer that may become a set; `problems` say what may not."""
    rows = (find_object(answer, ["aspects"]) or {}).get("aspects")
    if not isinstance(rows, list):
        return AspectProposal((), ("it is not one JSON object with a list of aspects",))
    kept: list[Aspect] = []
    problems: list[str] = []
    for number, row in enumerate(rows[:MOST_PROPOSED], 1):
        try:
            [aspect] = read_aspects({"aspects": [_proposed(row)]}, "your answer", Path())
        except UsageError as error:
            problems.append(str(error).replace("aspect 1", f"aspect {number}"))
            continue
        if any(aspect.name == each.name or aspect.title.casefold() == each.title.casefold() for each in kept):
            problems.append(f"two aspects are called {aspect.name!r} or {aspect.title!r}")
            continue
        kept.append(aspect)
    if not FEWEST_PROPOSED <= len(rows) <= MOST_PROPOSED:
        problems.append(f"{len(rows)} aspects, not {FEWEST_PROPOSED} to {MOST_PROPOSED}")
    return AspectProposal(tuple(kept), tuple(problems))


def _proposed(row: object) -> object:
    """Return an aspect of an answer as a file has it: the prompt is ours, and what is no cue is left out."""
    if not isinstance(row, dict):
        return row
    own: dict[str, Any] = {name: value for name, value in row.items() if name not in ("cues", "prompt")}
    cues = row.get("cues")
    words = [each.strip().lower() for each in cues if isinstance(each, str)] if isinstance(cues, list) else []
    return {**own, "prompt": PROPOSED_PROMPT, "cues": list(dict.fromkeys(word for word in words if is_cue(word)))}
