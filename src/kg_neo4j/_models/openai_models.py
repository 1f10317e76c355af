"""What is known about models by name: windows and dimensions. Prices are in prices.toml."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULT_WINDOW = 8_000  # tokens: what the smallest models in use have

# Prompt and answer together, in tokens, as the makers state them; the longest prefix that fits counts.
_WINDOWS = {
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 400_000,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
}
# An answer alone, in tokens, likewise.
_OUTPUTS = {
    "gpt-3.5-turbo": 4_096,
    "gpt-4-turbo": 4_096,
    "gpt-4o": 16_384,
    "gpt-4.1": 32_768,
    "gpt-5": 128_000,
    "o1": 100_000,
    "o3": 100_000,
    "o4": 100_000,
}
_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


def window_of(model: str) -> int:
    """Return the window of `model` in tokens; 8,000 for models that are not in the table (set KG_MODEL_WINDOW)."""
    return _known(_WINDOWS, model, DEFAULT_WINDOW)


def largest_output(model: str, window: int) -> int:
    """Return the most tokens an answer of `model` can have; the whole window where the model is not in the table."""
    return min(window, _known(_OUTPUTS, model, window))


def dimension_of(model: str) -> int | None:
    """Return the length of the vectors of a known embedding model; None where the server must be asked."""
    return _DIMENSIONS.get(model)


def _known(table: Mapping[str, int], model: str, otherwise: int) -> int:
    fitting = [prefix for prefix in table if model.startswith(prefix)]
    return table[max(fitting, key=len)] if fitting else otherwise
