"""Tokens are counted by tiktoken where its encoding can be had, else by the approximation, and the name says which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from kg_neo4j._models import tokens
from kg_neo4j._models.tokens import APPROXIMATION, Approximation, Encoded
from kg_neo4j.errors import UsageError

BYTES_ONLY = tiktoken.Encoding(
    "bytes", pat_str=r"\s?\S+|\s+", mergeable_ranks={bytes([value]): value for value in range(256)}, special_tokens={}
)
TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(["word ", "Łódź ", "漢字", "😀", "\n", "3.14", "==", "\ud800"])
).map("".join)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path) -> Iterator[None]:
    monkeypatch.setenv("KG_CACHE", str(tmp_path / "cache"))
    tokens.load.cache_clear()
    yield
    tokens.load.cache_clear()


@given(TEXTS)
@example("\U00016e80 0²")  # numbers that are neither letters nor decimal digits
@pytest.mark.parametrize("tokeniser", [Approximation(), Encoded(BYTES_ONLY)])
def test_spans_cover_the_text_without_a_gap_and_are_as_many_as_counted(tokeniser, text):
    spans = tokeniser.spans(text)
    assert len(spans) == tokeniser.count(text)
    assert [start for start, _ in spans] == [0, *[end for _, end in spans]][: len(spans)]
    assert (spans[-1][1] if spans else 0) == len(text)


@pytest.mark.parametrize("unit", ["a", "word ", "😀", "=", " ", "\n"])
def test_long_text_is_counted_in_blocks(unit):
    text = unit * 50_000
    assert Encoded(BYTES_ONLY).count(text) == len(text.encode())
    assert Approximation().count(text) > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("Khadija was a merchant.", 5),
        ("internationalisation", 3),
        ("Zażółć gęślą jaźń", 6),
        ("北京是首都", 5),
        ("1234567", 3),
        ("NATO", 2),
        ("a\n\nb", 3),
    ],
)
def test_approximation_by_its_rules(text, expected):
    assert Approximation().count(text) == expected


def test_approximation_can_be_asked_for():
    assert tokens.load(APPROXIMATION).name == APPROXIMATION


def test_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown tokeniser 'gpt-7'") as caught:
        tokens.load("gpt-7")
    assert "o200k_base" in (caught.value.hint or "")
    assert APPROXIMATION in (caught.value.hint or "")


def test_encoding_that_is_there_is_used(monkeypatch):
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: BYTES_ONLY)
    assert tokens.load("o200k_base").name == "bytes"
    assert tokens.load("o200k_base") is tokens.load("o200k_base")


@pytest.mark.parametrize("error", [OSError("no network"), ValueError("hash mismatch")])
def test_encoding_that_cannot_be_had_gives_the_approximation(monkeypatch, error):
    def fail(name: str) -> tiktoken.Encoding:
        raise error

    monkeypatch.setattr(tiktoken, "get_encoding", fail)
    assert tokens.load().name == APPROXIMATION


def test_attempt_without_an_answer_is_given_up_and_remembered(monkeypatch, tmp_path):
    release = threading.Event()

    def hang(name: str) -> tiktoken.Encoding:
        release.wait(60)
        return BYTES_ONLY

    monkeypatch.setattr(tiktoken, "get_encoding", hang)
    monkeypatch.setattr(tokens, "ATTEMPT_S", 0.05)
    monkeypatch.setattr(tokens, "REPEAT_ATTEMPT_S", 0.01)
    try:
        assert tokens.load().name == APPROXIMATION
        marker = tmp_path / "cache" / "tokens" / "o200k_base.unanswered"
        assert marker.exists()
        tokens.load.cache_clear()
        monkeypatch.setattr(tokens, "ATTEMPT_S", 600)  # the next attempt does not wait as long again
        assert tokens.load().name == APPROXIMATION
    finally:
        release.set()


def test_file_that_is_not_the_encoding_is_not_used(monkeypatch, tmp_path):
    # what a network that asks for a login gives in place of the file
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tiktoken.load.read_file", lambda address: b"<!doctype html>")
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    assert tokens.load().name == APPROXIMATION
    assert list(tmp_path.glob("*")) == []


@pytest.mark.parametrize("file", ["kirito_Muhammad.txt", "kirito_FredericChopin.txt"])
def test_approximation_is_near_the_true_count_on_real_english(shared_data, file):
    # 0002-tokens.md: o200k_base gives 4.3 to 4.6 characters a token on these articles
    text = (shared_data / "wikipedia" / file).read_text(encoding="utf-8")
    assert 4.2 <= len(text) / Approximation().count(text) <= 4.8
