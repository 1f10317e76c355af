"""Prompts are Markdown files in prompts/, with a header that says what they need.

    ---
    name: extract
    version: 1
    placeholders: chunk, columns
    answer: two-section CSV
    temperature: 0
    source: the Wikipedia report
    ---
    # System
    ...
    # User
    ... {{chunk}} ...

Placeholders are replaced in one pass, so text that comes from a document is never looked at again. The placeholders
`boundary` and `fence` are a hash of what is shown (all but a complaint): no text can contain the mark that ends it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kg_neo4j import resources

_HEADER = re.compile(r"\A---\n(?P<header>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_BODY = re.compile(r"\A\s*# System\n(?P<system>.*?)\n# User\n(?P<user>.*)\Z", re.DOTALL)
_MARKS = {"boundary": 12, "fence": 8}  # digits
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file, read. `hash` covers the whole file and is stored with every answer."""

    name: str
    version: str
    placeholders: tuple[str, ...]
    temperature: float
    system: str
    user: str
    hash: str

    def render(self, **values: str) -> tuple[str, str]:
        """Return the system and the user message.

        Raises ValueError unless exactly the declared placeholders are given; marks may be left out.
        """
        shown = "\0".join(value for name, value in sorted(values.items()) if name != "complaint")
        mark = hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()
        values = {name: mark[:digits] for name, digits in _MARKS.items() if name in self.placeholders} | values
        if set(values) != set(self.placeholders):
            raise ValueError(f"prompt {self.name} takes {sorted(self.placeholders)}, not {sorted(values)}")
        filled = [_PLACEHOLDER.sub(lambda match: values[match[1]], text) for text in (self.system, self.user)]
        return filled[0], filled[1]


def parse(text: str, where: str) -> Prompt:
    """Read a prompt file's text; ValueError names `where` and what is wrong."""
    parts = _HEADER.match(text)
    body = _BODY.match(parts["body"]) if parts else None
    if parts is None or body is None:
        raise ValueError(f"{where}: a prompt is a header between --- lines, then '# System', then '# User'")
    header: dict[str, str] = {}
    for line in parts["header"].splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"{where}: header line without a colon: {line!r}")
        header[key.strip()] = value.strip()
    wanted = ("name", "version", "placeholders", "answer", "temperature", "source")
    if set(header) != set(wanted):
        raise ValueError(f"{where}: the header has {sorted(header)}, it needs {sorted(wanted)}")
    placeholders = tuple(name.strip() for name in header["placeholders"].split(",") if name.strip())
    used = set(_PLACEHOLDER.findall(parts["body"]))
    if used != set(placeholders):
        raise ValueError(f"{where}: declares {sorted(placeholders)}, uses {sorted(used)}")
    return Prompt(
        name=header["name"],
        version=header["version"],
        placeholders=placeholders,
        temperature=float(header["temperature"]),
        system=body["system"].strip(),
        user=body["user"].strip(),
        hash=hashlib.sha256(text.encode()).hexdigest()[:32],
    )


@cache
def load(name: str) -> Prompt:
    """Return the prompt in prompts/`name`.md."""
    return parse((resources.folder("prompts") / f"{name}.md").read_text(encoding="utf-8"), f"prompts/{name}.md")


def load_file(path: Path) -> Prompt:
    """Return a prompt that the user wrote."""
    return parse(path.read_text(encoding="utf-8"), str(path))
