"""The file of rights: what is read, what is refused with its line, and what happens when it changes."""

from __future__ import annotations

import hmac
import re
from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.rooms.rights import tokens
from kg_neo4j.rooms.rights.tokens import Caller, Tokens, hash_of, new_token, read_rights

HASH = hash_of("x")


def written(folder: Path, text: str) -> Path:
    path = folder / "serve.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_new_token_and_its_lines_let_it_in(tmp_path: Path) -> None:
    token, lines = new_token("anna", ["notes", 'a "b" \\c'])
    rights = Tokens(written(tmp_path, lines), tmp_path)
    anna = rights.by_token(token)
    assert anna is not None
    assert (anna.name, anna.graphs, anna.writes, anna.counts, anna.usd) == (
        "anna",
        ("notes", 'a "b" \\c'),
        False,
        False,
        None,
    )
    assert anna.budget() is None
    assert token not in lines
    assert len(token) >= 43
    assert new_token("anna", [])[0] != token
    for wrong in ("", "x", token.upper(), token.lower(), token[:-1], f"{token} ", "\udcff", HASH, anna.key):
        assert rights.by_token(wrong) is None, wrong
    for name in ("", "-a", "a b", "a.b", "ä", "x" * 61, "a\n"):
        with pytest.raises(UsageError, match="name of a token"):
            new_token(name, [])


def test_each_hash_is_compared_in_constant_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [new_token(name, ["notes"]) for name in ("anna", "bert", "cleo")]
    rights = Tokens(written(tmp_path, "".join(lines for _, lines in made)), tmp_path)
    compared: list[bool] = []
    compare = hmac.compare_digest
    monkeypatch.setattr(tokens.hmac, "compare_digest", lambda a, b: compared.append(compare(a, b)) or compared[-1])
    assert rights.by_token(made[0][0])
    assert compared == [True, False, False]  # all of them, though the first one fits


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 0, "tokens"),
        ('tokens = "x"', 1, "tokens"),
        (f'[tokens.anna]\ntoken = "{HASH}"\n', 1, "graphs"),
        ('[tokens.anna]\ngraphs = ["a"]\ntoken = "a-plain-secret-token"\n', 3, "not a hash"),
        (f'[tokens.anna]\ngraphs = ["a"]\ntoken = "{HASH.upper()}"\n', 3, "not a hash"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\nmay = ["delete"]\n', 4, "may"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\n\nmay = ["write"]\n', 1, "may"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = "a"\n', 3, "list"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = [""]\n', 3, "character"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\nusd = 0\n', 4, "greater"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\nusd = inf\n', 4, "finite"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\nusd = "5"\n', 4, "number"),
        (f'[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\nwrite = true\n', 4, "write"),
        (f'[tokens."an na"]\ntoken = "{HASH}"\ngraphs = ["a"]\n', 1, "pattern"),
        (f'audit = 1\n[tokens.anna]\ntoken = "{HASH}"\ngraphs = ["a"]\n', 1, "audit"),
        (f'[tokens.a]\ntoken = "{HASH}"\ngraphs = ["a"]\n[tokens.b]\ntoken = "{HASH}"\ngraphs = []\n', 0, "one hash"),
        (f'[tokens.a]\ntoken = "{HASH}"\ngraphs = ["a"]\n[tokens.b]\ntoken = "{HASH}"\ngraphs = 1\n', 6, "list"),
        ("[tokens.anna\n", 1, "not a file of rights"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_rights(written(tmp_path, text))
    said = str(refused.value)
    assert why in said
    assert re.search(r"line (\d+)", said) is None if not line else f"line {line}" in said, said
    assert "secret" not in said  # what stands there may be a plain token


def test_only_a_star_stands_for_other_letters() -> None:
    caller = Caller("a", "", ("notes", "team-*", "a.c", "x[1]*", "new\nline*"))
    for graph in ("notes", "team-", "team-a", "team-a/b\nc", "a.c", "x[1]", "x[1]y", "new\nline"):
        assert caller.sees(graph), graph
    for graph in ("", "Notes", "notes2", "my notes", "team", "abc", "x1", "TEAM-a", "notes\n"):
        assert not caller.sees(graph), graph
    assert Caller("a", "", ("*",)).sees("anything\nat all")
    assert not Caller("a", "", ()).sees("")


def test_a_file_that_changes_is_read_again_and_a_wrong_one_opens_nothing(tmp_path: Path) -> None:
    token, lines = new_token("anna", ["notes"])
    path = written(tmp_path, lines)
    rights = Tokens(path, tmp_path)
    assert rights.by_token(token)
    path.write_text(lines.replace("notes", "other"), "utf-8")
    assert (rights.by_token(token) or Caller("", "")).graphs == ("other",)
    other = tmp_path / "next.toml"
    other.write_text(new_token("bert", ["notes"])[1], "utf-8")
    other.replace(path)
    assert rights.by_token(token) is None
    assert list(rights.callers()) == ["bert"]
    for wrong in ("[tokens", "", '[tokens.anna]\ntoken = "plain"\ngraphs = []\n'):
        path.write_text(wrong, "utf-8")
        for _ in range(2):  # each time: nothing of the earlier file is kept
            with pytest.raises(UsageError):
                rights.by_token(token)
    path.unlink()
    with pytest.raises(UsageError, match="cannot read"):
        rights.callers()
    path.write_text(lines, "utf-8")
    assert rights.by_token(token)
