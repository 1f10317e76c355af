"""Word lists, tables and patterns that are data: TOML files next to the modules that read them, under their names.

`lexicon.py` reads `lexicon.toml`. A value is a text of words, of lines or of rows ("a | b | c"), a list of texts, or a
table of these. The methods check the shape: a ValueError names the file and the key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import ItemsView, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
_PART = re.compile(r"\{([a-z_]+)\}")  # a quantifier of a pattern has digits: {0,60}


@dataclass(frozen=True, slots=True)
class DataFile:
    """What one file holds."""

    path: Path
    values: Mapping[str, object]

    def text(self, key: str) -> str:
        """Return a text as it is."""
        return self._typed(self.values.get(key), str, key)

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words of a text, in order."""
        return tuple(self.text(key).split())

    def word_set(self, key: str) -> frozenset[str]:
        """Return the words of a text, where their order does not matter."""
        return frozenset(self.words(key))

    def lines(self, key: str) -> tuple[str, ...]:
        """Return the lines of a text that are not empty, without spaces around them."""
        return tuple(line.strip() for line in self.text(key).splitlines() if line.strip())

    def rows(self, key: str, columns: int, optional: int = 0) -> tuple[tuple[str, ...], ...]:
        """Return the cells of each line; every row has `columns` of them, and at most `optional` more."""
        rows = tuple(tuple(cell.strip() for cell in line.split("|")) for line in self.lines(key))
        for row in rows:
            if not columns <= len(row) <= columns + optional:
                raise self._refused(f"{key} has a row of {len(row)} columns: {' | '.join(row)!r}")
        return rows

    def table(self, key: str) -> dict[str, str]:
        """Return a table of texts, in order."""
        return {name: self._typed(value, str, f"{key}.{name}") for name, value in self._items(key)}

    def lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return a table of lists of texts, in order."""
        return {
            name: tuple(self._typed(each, str, f"{key}.{name}") for each in self._typed(value, list, f"{key}.{name}"))
            for name, value in self._items(key)
        }

    def parts(self, key: str, **given: str) -> dict[str, str]:
        """Return a table of parts of patterns; each may name those before it, and those given, in braces."""
        parts = dict(given)
        for name, text in self.table(key).items():
            parts[name] = fill(text, parts)
        return parts

    def _items(self, key: str) -> ItemsView[str, object]:
        return self._typed(self.values.get(key), dict, key).items()

    def _typed(self, value: object, kind: type[_T], key: str) -> _T:
        if not isinstance(value, kind):
            raise self._refused(f"{key} is a {type(value).__name__}, not a {kind.__name__}")
        return value

    def _refused(self, why: str) -> ValueError:
        return ValueError(f"{self.path}: {why}")


@cache
def beside(module: str) -> DataFile:
    """Return the data file of the module whose `__file__` is `module`."""
    path = Path(module).with_suffix(".toml")
    return DataFile(path, tomllib.loads(path.read_text(encoding="utf-8")))


def fill(pattern: str, parts: Mapping[str, str]) -> str:
    """Return `pattern` with each name in braces ("{month}") replaced by that part. KeyError for an unknown name."""
    return _PART.sub(lambda match: parts[match[1]], pattern)
