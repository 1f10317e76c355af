"""Prices: the built-in table, the user's own on top of it, and what is wrong with a table that is none."""

from __future__ import annotations

import shlex
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kg_neo4j import factory
from kg_neo4j._models.prices import BUILT_IN, Price, parse, price_of, read
from kg_neo4j.errors import PriceUnknown, UsageError
from kg_neo4j.settings import Settings
from kg_runner import RunKg


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KG_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))


def table(tmp_path: Path, text: str) -> Settings:
    (tmp_path / "prices.toml").write_text(text, "utf-8")
    return Settings(prices=tmp_path / "prices.toml")


def test_a_call_costs_input_and_output_by_the_million() -> None:
    price = Price(2.0, 8.0, cached_input=0.5)
    assert price.usd(1_000_000, 500_000) == 6.0
    assert price.usd(1_000_000, 0, cached_tokens=400_000) == pytest.approx(0.6 * 2 + 0.4 * 0.5)
    assert Price(2.0).usd(1_000_000, cached_tokens=1_000_000) == 2.0


def test_every_built_in_price_is_one() -> None:
    prices = read(BUILT_IN)
    assert "gpt-4o-mini" in prices
    for price in prices.values():
        assert 0 < price.input <= 20
        assert price.cached_input is None or price.cached_input < price.input
        assert price.as_of
        assert date(2026, 9, 1) <= price.as_of <= date(2026, 11, 30)
        assert price.source


def test_a_price_of_its_own_has_its_own_day_and_source() -> None:
    text = 'as_of = 2025-01-02\nsource = "contract"\n[a]\ninput = 1\n[b]\ninput = 1\nas_of = 2026-03-04\n'
    prices = parse(text, "mine")
    assert [(each.as_of, each.source) for each in prices.values()] == [
        (date(2025, 1, 2), "contract"),
        (date(2026, 3, 4), "contract"),
    ]
    days = timedelta(days=1)
    assert prices["a"].is_old
    assert not Price(1.0).is_old
    assert not Price(1.0, as_of=datetime.now(UTC).date() - 365 * days).is_old
    assert Price(1.0, as_of=datetime.now(UTC).date() - 366 * days).is_old


def test_the_price_of_a_setting_is_that_of_the_model_and_of_every_model_without_one() -> None:
    settings = Settings(model="gpt-4o", price="0.50, 2,0.1")
    assert price_of("gpt-4o", settings) == Price(0.5, 2.0, 0.1)
    assert price_of("unheard-of", settings) == Price(0.5, 2.0, 0.1)
    assert price_of("gpt-4o-mini", settings) == Price(0.15, 0.6, 0.075)


@pytest.mark.parametrize("text", ["1", "1,2,3,4", "a,b", "1,-2", "nan,1", "1,", "20000,1"])
def test_a_wrong_price_of_a_setting_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--price \(KG_PRICE\)"):
        price_of("mine", Settings(price=text))


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-mini", 0.15),
        ("gpt-4o-mini-2024-07-18", 0.15),
        ("gpt-4o", 2.5),
        ("gpt-4o-audio-preview", None),
        ("gpt-5-pro", None),
        ("claude-opus-5-9", None),
        ("claude-haiku-4-5-20251001", 1.0),
        ("llama3.1:8b", None),
    ],
)
def test_a_name_fits_with_a_date_after_it_and_with_nothing_else(model: str, known: float | None) -> None:
    price = price_of(model, Settings())
    assert (price.input if price else None) == known


def test_the_users_table_replaces_and_adds(tmp_path: Path) -> None:
    settings = table(tmp_path, '["gpt-4o"]\ninput = 1\noutput = 4\n["local*"]\ninput = 0\n["local-big"]\ninput = 7\n')
    assert price_of("gpt-4o", settings) == Price(1.0, 4.0)
    assert price_of("gpt-4o-mini", settings) == Price(0.15, 0.6, 0.075)
    assert price_of("local-small:7b", settings) == Price(0.0)
    assert price_of("local-big", settings) == Price(7.0)


def test_a_table_in_the_users_configuration_is_found(tmp_path: Path) -> None:
    place = tmp_path / "configuration" / "kg-neo4j" / "prices.toml"
    place.parent.mkdir(parents=True)
    place.write_text("[mine]\ninput = 3\n", "utf-8")
    assert price_of("mine", Settings()) == Price(3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mine]\ninput = \n", "line 2"),
        ("# comment\n\n[mine]\ninput = -1\n", "line 3: mine: input"),
        ('[a]\ninput = 1\n["b:7"]\ninput = 1\noutptu = 3\n', "line 3: b:7: unknown outptu"),
        ("[mine]\noutput = 1\n", "line 1: mine: no price for input"),
        ("mine = 3\n", "line 1: mine"),
        ("[mine]\ninput = true\n", "input is not a price"),
        ("[mine]\ninput = 100000\n", "input is not a price"),
        ("[mine]\ninput = nan\n", "input is not a price"),
        ('[mine]\ninput = 1\nas_of = "2026"\n', "as_of is invalid"),
        ("source = 3\n[mine]\ninput = 1\n", "line 2: mine: source is invalid"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        parse(text, "my prices.toml")
    assert "my prices.toml" in str(error.value)


def test_a_table_that_is_not_there_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"KG_PRICES .*gone\.toml"):
        Settings(prices=tmp_path / "gone.toml", openai_api_key="k")  # type: ignore[arg-type]


def test_a_budget_needs_a_price(tmp_path: Path) -> None:
    from kg_neo4j._models.budget import Budget

    settings = Settings(openai_base_url="http://127.0.0.1:9/v1", model="llama3.1:8b", embedding_model="e")
    with pytest.raises(PriceUnknown, match=r"llama3\.1:8b") as error:
        factory.chat_model(settings, budget=Budget(1.0))
    assert "KG_PRICES" in (error.value.hint or "")
    with pytest.raises(UsageError, match="'e'"):
        factory.embedding_model(settings, budget=Budget(1.0))
    free = table(tmp_path, '["llama*"]\ninput = 0\n').model_copy(update={"model": "llama3.1:8b"})
    assert factory.chat_model(free.model_copy(update={"openai_base_url": "http://127.0.0.1:9/v1"}), budget=Budget(1.0))


def test_the_command_line_shows_the_same_command_with_a_price(run_kg: RunKg, tmp_path: Path, unused_port: int) -> None:
    (tmp_path / "a text.txt").write_text("Ada met Bob in Paris in 1999.", "utf-8")
    at = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "KG_MODEL": "unheard-of"}
    at |= {"NEO4J_URI": f"bolt://127.0.0.1:{unused_port}", "NEO4J_PASSWORD": "p"}
    command = ["load", str(tmp_path / "a text.txt"), "--budget-usd", "1"]
    code, _, err = run_kg(command, at)
    assert (code, f"`kg {shlex.join(command)} --price 0.50,2`" in err) == (2, True), err
    assert run_kg([*command, "--price", "0.50,2"], at)[0] == 4  # the price is known; no Neo4j answers
    assert run_kg([*command, "--price", "cheap"], at)[0] == 2
    assert run_kg(command, {**at, "KG_PRICE": "0.50,2"})[0] == 4
