"""How one server wants to be asked, where it refuses the usual form: found out by asking, kept for the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kg_neo4j._models import openai_faults
from kg_neo4j._models.openai_faults import Fault

NEW_NAME = "max_completion_tokens"
_RENAMED = re.compile(rf"(?:use|instead|try|mean|to)\b[^.]{{0,30}}{NEW_NAME}", re.IGNORECASE)
_SMALLEST_OUTPUT = 16  # tokens: a smaller number in an error is no limit on output


@dataclass(frozen=True, slots=True)
class Ways:
    """What requests to a server leave out, or have under another name. Pickles."""

    renamed: Mapping[str, str | None] = field(default_factory=dict)  # optional parameters; None: left out
    most_output: int | None = None  # tokens that the server accepts as a limit
    streams_only: bool = False
    joins_system: bool = False  # the system text stands before the user's text: there is no such role

    def options(self, temperature: float, max_tokens: int | None, *, streams: bool) -> dict[str, Any]:
        """Return the optional parameters as this server takes them."""
        most = min((each for each in (max_tokens, self.most_output) if each), default=None) if max_tokens else None
        wanted: dict[str, Any] = {"temperature": temperature, "max_tokens": most}
        if self.streams_only or (streams and "stream" not in self.renamed):
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        named = {self.renamed.get(name, name): value for name, value in wanted.items() if value is not None}
        return {name: value for name, value in named.items() if name is not None}

    def messages(self, system: str, user: str) -> list[dict[str, str]]:
        """Return the messages. Lone surrogates, which JSON in UTF-8 cannot carry, are replaced."""
        parts = [("user", f"{system}\n\n{user}")] if self.joins_system else [("system", system), ("user", user)]
        return [{"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")} for role, text in parts]

    def after(self, fault: Fault, options: Mapping[str, Any]) -> tuple[Ways, str]:
        """Return how to ask after a request with `options` was refused, and what was learnt: empty, if nothing."""
        if fault.kind == openai_faults.STREAM_ONLY and not self.streams_only:
            return replace(self, streams_only=True), "answers only as a stream"
        if fault.kind == openai_faults.NO_SYSTEM and not self.joins_system:
            return replace(self, joins_system=True), "has no system role; that text stands before the user's"
        name = next((name for name in fault.names if name in options), None)
        if name is None or fault.kind != openai_faults.PARAMETER:
            return self, ""
        original = "max_tokens" if name == NEW_NAME else name
        if name == "max_tokens" and _RENAMED.search(fault.said):
            return self.renaming(name, NEW_NAME), f"takes {NEW_NAME} instead of {name}"
        limits = [int(each) for each in re.findall(r"\d{2,9}", fault.said.replace(",", "")) if original == "max_tokens"]
        if fitting := [each for each in limits if _SMALLEST_OUTPUT <= each < options[name]]:
            return replace(self, most_output=max(fitting)), f"takes at most {max(fitting)} for {name}"
        return self.renaming(original, None), f"refuses {name}, which is left out"

    def renaming(self, name: str, new: str | None) -> Ways:
        """Return how to ask with a parameter under another name, or with None without it."""
        return replace(self, renamed={**self.renamed, name: new})
