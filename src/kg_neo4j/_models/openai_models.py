"""What is known about models by name: windows, dimensions, and which ones think. Prices are in prices.toml."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from kg_neo4j import data_files

DEFAULT_WINDOW = 8_000  # tokens: what the smallest models in use have

_DATA = data_files.beside(__file__)
_WINDOWS, _OUTPUTS = _DATA.table("windows"), _DATA.table("outputs")  # tokens by the beginning of a name
_THINKERS = tuple(_DATA.text("thinkers").split())
_OFF = frozenset({"none", "false", "off", "disabled", "0"})
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


def window_of(model: str) -> int:
    """Return the window of `model` in tokens; 8,000 for models that are not in the table (set KG_MODEL_WINDOW)."""
    return _known(_WINDOWS, model, DEFAULT_WINDOW)


def largest_output(model: str, window: int) -> int:
    """Return the most tokens an answer of `model` can have; the whole window where the model is not in the table."""
    return min(window, _known(_OUTPUTS, model, window))


def thinks(model: str, options: Mapping[str, Any]) -> bool:
    """Return whether `model` thinks before it answers, by its name and by fields that switch thoughts on or off."""
    inner = (options.get(name) for name in ("chat_template_kwargs", "thinking"))
    asked = dict(ChainMap(*(each for each in inner if isinstance(each, dict)), dict(options)))
    named = ("reasoning_effort", "think", "enable_thinking", "thinking", "type")
    switches = [str(asked[name]).casefold() for name in named if not isinstance(asked.get(name, {}), dict)]
    return not _OFF.intersection(switches) if switches else model.rpartition("/")[2].startswith(_THINKERS)


def _known(table: Mapping[str, str], model: str, otherwise: int) -> int:
    fitting = [prefix for prefix in table if model.startswith(prefix)]
    return int(table[max(fitting, key=len)]) if fitting else otherwise
