"""Counting tokens: tiktoken where its encoding can be had, otherwise a counted approximation, and which one is said."""

from __future__ import annotations

from typing import Protocol


class Tokeniser(Protocol):
    """Splits text into tokens."""

    @property
    def name(self) -> str:
        """Stored with each document: chunks of one document come from one tokeniser."""

    def count(self, text: str) -> int:
        """Return the number of tokens."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return each token's (start, end) in code points; together they cover `text`, in order, without a gap."""
