"""The words of a query that a model wrote: a small alphabet, and nothing outside it. Pure.

Comments, escapes, back-ticks, a second statement and any letter beyond ASCII outside of text literals are refused here,
because they are how a query says something else than it seems to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 4_000  # characters of a query; those that analysts write have a few hundred
MOST_TOKENS = 800
LONGEST_TEXT = 500  # characters of a text literal

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |\$(?P<parameter>[A-Za-z][A-Za-z0-9_]*)
    |(?P<number>[0-9]+(?:\.[0-9]+)?)(?![A-Za-z0-9_])
    |'(?P<single>(?:[^'\\]|\\['"\\nt])*)'
    |"(?P<double>(?:[^"\\]|\\['"\\nt])*)"
    |(?P<mark><>|<=|>=|\.\.|[()\[\]{},.:|&!+\-*/%=<>])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t"}
_TOLD = (
    (re.compile(r"//|/\*"), "comments are not allowed"),
    (re.compile(r";"), "one statement, without a semicolon"),
    (re.compile(r"`"), "names stand without back-ticks"),
    (re.compile(r"=~"), "regular expressions are not allowed; use CONTAINS, STARTS WITH or ENDS WITH"),
    (re.compile(r"\\"), "backslashes are not allowed"),
    (re.compile(r"\$"), "a parameter is $ and a name of letters, digits and underscores"),
    (re.compile(r"['\"]"), "a text literal is not closed, or holds an escape other than \\' \\\" \\\\ \\n \\t"),
    (re.compile(r"[0-9]"), "numbers are written as 12 or 1.5"),
)


class CypherRefused(ValueError):
    """A query that is not run; the message says why, in a sentence that the model that wrote it may be shown."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a query. `kind` is "name", "parameter", "number", "text", "mark" or "end"."""

    kind: str
    value: str
    start: int  # place in the query

    @property
    def word(self) -> str:
        """A name in capitals, as keywords are compared; empty for anything else."""
        return self.value.upper() if self.kind == "name" else ""


def tokenise(text: str) -> list[Token]:
    """Return the words of a query, an "end" after the last. One semicolon at the very end is left out.

    Raises CypherRefused for whatever is outside the alphabet, and for a query that is too long.
    """
    if len(text) > LONGEST:
        raise CypherRefused(f"the query has {len(text):,} characters, more than {LONGEST:,}")
    text = text.strip(" \t\r\n").removesuffix(";")
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or text.startswith(("//", "/*", "=~"), place):
            raise CypherRefused(_why(text, place))
        if match.lastgroup != "space":
            tokens.append(_token(match))
        place = match.end()
    if len(tokens) > MOST_TOKENS:
        raise CypherRefused(f"the query has {len(tokens):,} words, more than {MOST_TOKENS:,}")
    return [*tokens, Token("end", "", len(text))]


def _token(match: re.Match[str]) -> Token:
    kind, value = match.lastgroup or "", match[match.lastgroup or 0]
    if kind in ("single", "double"):
        value = _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), value)
        if len(value) > LONGEST_TEXT:
            raise CypherRefused(f"a text literal has {len(value):,} characters, more than {LONGEST_TEXT}")
        kind = "text"
    if kind == "number" and len(value) > 15:
        raise CypherRefused("a number has at most 15 digits")
    return Token(kind, value, match.start())


def _why(text: str, place: int) -> str:
    unknown = f"U+{ord(text[place]):04X} is not allowed outside of text literals"
    return next((said for pattern, said in _TOLD if pattern.match(text, place)), unknown)
