"""What is known about models by name: windows and prices."""

from __future__ import annotations

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
_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


def window_of(model: str) -> int:
    """Return the window of `model` in tokens; 8,000 for models that are not in the table (set KG_MODEL_WINDOW)."""
    fitting = [prefix for prefix in _WINDOWS if model.startswith(prefix)]
    return _WINDOWS[max(fitting, key=len)] if fitting else DEFAULT_WINDOW


def dimension_of(model: str) -> int | None:
    """Return the length of the vectors of a known embedding model; None where the server must be asked."""
    return _DIMENSIONS.get(model)


def price_usd(model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Return what a call costs in US dollars; None where no price is known, which today is always."""
    del model, input_tokens, output_tokens
    return None
