"""What calls to models cost: a table that comes with the package, and the user's own on top of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.settings import Settings

BUILT_IN = Path(__file__).with_name("prices.toml")
_FIELDS = ("input", "output", "cached_input")
_DATE = re.compile(r"-\d[\d-]*")
_HIGHEST = 10_000.0  # US dollars per million tokens: above it somebody meant another unit


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float = 0.0
    cached_input: float | None = None  # for the part of a prompt that the provider's own cache had; None: as `input`

    def usd(self, input_tokens: float, output_tokens: float = 0, cached_tokens: int = 0) -> float:
        """Return what a call costs; `cached_tokens` are those of `input_tokens` that the provider's cache had."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(input_tokens - cached_tokens, 0)
        usd = (fresh * self.input + min(cached_tokens, input_tokens) * cached + output_tokens * self.output) / 1e6
        return round(usd, 9)


def price_of(model: str, settings: Settings) -> Price | None:
    """Return the price of a model; None where neither table has one. Raises UsageError for a table that is none."""
    table = read(BUILT_IN)
    if settings.prices_file is not None:
        table = {**table, **read(settings.prices_file)}
    fitting = [name for name in table if _fits(name, model)]
    return table[max(fitting, key=len)] if fitting else None


def read(file: Path) -> Mapping[str, Price]:
    """Return the prices in a TOML file by name; UsageError says which line is wrong."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the prices in {file}: {error}", hint="check KG_PRICES") from error
    return parse(text, str(file))


def parse(text: str, where: str) -> Mapping[str, Price]:
    """Read the text of a table of prices; UsageError names `where` and the line."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not a table of prices: {error}") from error
    prices: dict[str, Price] = {}
    for name, fields in data.items():
        begins = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}[\"']?\s*(?:\]|=|\.)")
        number = next((number for number, line in enumerate(text.splitlines(), 1) if begins.match(line)), 1)
        prices[name] = _price(fields, f"{where}, line {number}: {name}")
    return prices


def _price(fields: Any, where: str) -> Price:
    if not isinstance(fields, dict):
        raise UsageError(f'{where}: not a price; write ["{where.rpartition(": ")[2]}"] and its prices below')
    if unknown := sorted(set(fields) - set(_FIELDS)):
        raise UsageError(f"{where}: unknown {', '.join(unknown)}", hint=f"a price has {', '.join(_FIELDS)}")
    if "input" not in fields:
        raise UsageError(f"{where}: no price for input", hint="0 if it costs nothing")
    for name, value in fields.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _HIGHEST:
            raise UsageError(f"{where}: {name} is not a price: {value!r}", hint="US dollars per million tokens")
    return Price(**{name: float(value) for name, value in fields.items()})


def _fits(name: str, model: str) -> bool:
    if name.endswith("*"):
        return model.startswith(name[:-1])
    return model.startswith(name) and (model == name or _DATE.fullmatch(model[len(name) :]) is not None)
