"""Sets of aspects: the seven of narrative text, which ship with the package, or those of a file of the user's.

A file is TOML: a list of [[aspects]] with `name`, `title`, `question` and, if wanted, `prompt`
(prompts/aspects/narrative.toml is one). Its order is the order in which aspects are named and built.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kg_neo4j import resources
from kg_neo4j._models import prompts
from kg_neo4j._models.prompts import Prompt
from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.interface import Aspect

GENERAL = Aspect(
    name="general",
    title="the text as a whole",
    question="What does the text say?",
    prompt="summary_general",
)
"""The one aspect of RAPTOR: every cluster shows it, so no model is asked which."""

MOST = 24  # in one file; W4 has seven
LONGEST_NAME = 40  # characters
LONGEST_TITLE = 80
LONGEST_QUESTION = 500
RESERVED = frozenset(("detail", "none"))  # what notes are called, and what a model says where it sees nothing
PLACEHOLDERS = frozenset("title question words text boundary complaint".split())  # that a prompt may use

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_KEYS = ("name", "title", "question", "prompt")
_HINT = "prompts/aspects/narrative.toml shows the form"


def load_aspects(path: Path | None = None) -> tuple[Aspect, ...]:
    """Return the aspects of a TOML file; None: the seven of narrative text.

    Raises UsageError naming the file and what is wrong with it.
    """
    if path is None:
        path = resources.folder("prompts") / "aspects" / "narrative.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"the file of aspects cannot be read: {path} ({error.strerror})", hint=_HINT) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise UsageError(f"{path} is not TOML: {error}", hint=_HINT) from error
    rows = data.get("aspects")
    if unknown := sorted(set(data) - {"aspects"}):
        raise UsageError(f"{path} has {unknown[0]!r}; it may have [[aspects]] and nothing else", hint=_HINT)
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{path} has no [[aspects]]", hint=_HINT)
    if len(rows) > MOST:
        raise UsageError(f"{path} has {len(rows)} aspects; {MOST} are the most")
    aspects = tuple(_aspect(row, f"{path}, aspect {number}", path.parent) for number, row in enumerate(rows, 1))
    for key in ("name", "title"):
        values = [getattr(aspect, key).casefold() for aspect in aspects]
        if repeated := sorted({value for value in values if values.count(value) > 1}):
            raise UsageError(f"{path} has two aspects with the {key} {repeated[0]!r}")
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


_ALLOWED = f"a prompt may use {', '.join(sorted(PLACEHOLDERS))}; prompts/summary.md is one"


def fingerprint(aspects: Sequence[Aspect]) -> str:
    """Return a hash of everything that aspects say to a model, the text of their prompts included, not their paths."""
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
    aspect = Aspect(name, title, question, prompt)
    prompt_of(aspect)
    return aspect


def _text(row: dict[str, Any], key: str, where: str, longest: int) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where} has no {key}", hint=_HINT)
    value = " ".join(value.split())
    if len(value) > longest:
        raise UsageError(f"{where}: the {key} has {len(value)} characters; {longest} are the most")
    return value
