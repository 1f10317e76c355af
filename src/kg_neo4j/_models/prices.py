"""What calls to models cost: a table that comes with the package, and the user's own on top of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.settings import Settings

BUILT_IN = Path(__file__).with_name("prices.toml")
_NUMBERS = ("input", "output", "cached_input")
_STATED = {"as_of": date, "source": str}  # of a price, or at the top of a table, for all prices without their own
_DATE = re.compile(r"-\d{4}[\d-]*")
OLD_DAYS = 365  # makers change prices within a year
_HIGHEST = 10_000.0  # US dollars per million tokens: above it somebody meant another unit


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float = 0.0
    cached_input: float | None = None  # for the part of a prompt that the provider's own cache had; None: as `input`
    as_of: date | None = field(default=None, compare=False)  # when it was read; None: not stated
    source: str = field(default="", compare=False)  # where it was read

    def usd(self, input_tokens: float, output_tokens: float = 0, cached_tokens: int = 0) -> float:
        """Return what a call costs; `cached_tokens` are those of `input_tokens` that the provider's cache had."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(input_tokens - cached_tokens, 0)
        usd = (fresh * self.input + min(cached_tokens, input_tokens) * cached + output_tokens * self.output) / 1e6
        return round(usd, 9)

    @property
    def is_old(self) -> bool:
        """True where the price is older than a year."""
        return self.as_of is not None and (datetime.now(UTC).date() - self.as_of).days > OLD_DAYS


def price_of(model: str, settings: Settings) -> Price | None:
    """Return the price of a model; None where neither table has one. Raises UsageError for a table that is none.

    `settings.price` is that of `settings.model`, and of every model that no table has.
    """
    table = read(BUILT_IN)
    if settings.prices_file is not None:
        table = {**table, **read(settings.prices_file)}
    fitting = [name for name in table if _fits(name, model)]
    if settings.price is not None and (model == settings.model or not fitting):
        return _given(settings.price)
    return table[max(fitting, key=len)] if fitting else None


def _given(text: str) -> Price:
    """Return the price that "INPUT,OUTPUT" or "INPUT,OUTPUT,CACHED" means."""
    try:
        numbers = [float(each) for each in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3):
        hint = "INPUT,OUTPUT or INPUT,OUTPUT,CACHED in US dollars per million tokens, for example 0.50,2"
        raise UsageError(f"--price (KG_PRICE) is not a price: {text!r}", hint=hint)
    return _price(dict(zip(_NUMBERS, numbers, strict=False)), "--price (KG_PRICE)")


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
    common = {name: data.pop(name) for name in _STATED if not isinstance(data.get(name, {}), dict)}
    for name, fields in data.items():
        begins = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}[\"']?\s*(?:\]|=|\.)")
        number = next((number for number, line in enumerate(text.splitlines(), 1) if begins.match(line)), 1)
        prices[name] = _price(fields, f"{where}, line {number}: {name}", common)
    return prices


def _price(fields: Any, where: str, common: Mapping[str, Any] | None = None) -> Price:
    if not isinstance(fields, dict):
        raise UsageError(f'{where}: not a price; write ["{where.rpartition(": ")[2]}"] and its prices below')
    if unknown := sorted(set(fields) - {*_NUMBERS, *_STATED}):
        hint = f"a price has {', '.join((*_NUMBERS, *_STATED))}"
        raise UsageError(f"{where}: unknown {', '.join(unknown)}", hint=hint)
    if "input" not in fields:
        raise UsageError(f"{where}: no price for input", hint="0 if it costs nothing")
    stated: dict[str, Any] = {**(common or {}), **{name: fields[name] for name in _STATED if name in fields}}
    for name, value in stated.items():
        if type(value) is not _STATED[name]:
            raise UsageError(f"{where}: {name} is invalid: {value!r}", hint='as_of = 2026-11-20, source = "..."')
    numbers = {name: value for name, value in fields.items() if name in _NUMBERS}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _HIGHEST:
            raise UsageError(f"{where}: {name} is not a price: {value!r}", hint="US dollars per million tokens")
    return Price(**stated | {name: float(value) for name, value in numbers.items()})


def _fits(name: str, model: str) -> bool:
    if name.endswith("*"):
        return model.startswith(name[:-1])
    return model.startswith(name) and (model == name or _DATE.fullmatch(model[len(name) :]) is not None)
