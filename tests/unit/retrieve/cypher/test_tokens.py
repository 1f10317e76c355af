"""The alphabet of a query: what is outside of it is refused before anything is understood."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.cypher.tokens import LONGEST, LONGEST_TEXT, CypherRefused, tokenise


def values(text: str) -> list[str]:
    return [token.value for token in tokenise(text)][:-1]


def test_words_marks_numbers_and_parameters_are_told_apart() -> None:
    tokens = tokenise("MATCH (a:PERSON {name: $x})-[r*1..3]->(b) RETURN a.b >= 1.5;")
    assert [token.kind for token in tokens if token.kind not in ("mark", "name")] == [
        *("parameter", "number", "number", "number", "end"),
    ]
    assert values("a[1..3] <> b") == ["a", "[", "1", "..", "3", "]", "<>", "b"]
    assert tokens[0].word == "MATCH"
    assert tokens[1].word == ""


def test_text_literals_lose_their_quotes_and_their_escapes() -> None:
    assert values(r"'it\'s' " + r'"a \"b\" \\ \n"') == ["it's", 'a "b" \\ \n']
    assert values("'// /* ; ` =~ \u0105 \u0443'") == ["// /* ; ` =~ \u0105 \u0443"]  # within a text all of it is text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("MATCH (n) // x", "comments"),
        ("MATCH /* x */ (n)", "comments"),
        ("MATCH (n); MATCH (m)", "semicolon"),
        ("MATCH (n:`A`)", "back-ticks"),
        (r"\u004dATCH (n)", "backslashes"),
        (r"RETURN '\u0041'", "escape"),
        ("RETURN 'open", "closed"),
        ("n.name =~ 'x'", "regular expressions"),
        ("RETURN 1e9", "numbers"),
        ("RETURN 0x10", "numbers"),
        ("RETURN 12ab", "numbers"),
        ("RETURN 1234567890123456", "15 digits"),
        ("RETURN $`x`", "parameter"),
        ("RETURN $1", "parameter"),
        ("MATCH\u00a0(n)", r"U\+00A0"),
        ("ＭATCH (n)", r"U\+FF2D"),
        ("MATCH (n)\u202e", r"U\+202E"),
        ("MATCH (n)\x00", r"U\+0000"),
        ("RETURN 1 ^ 2", r"U\+005E"),
        ("@admin", r"U\+0040"),
        ("x" * (LONGEST + 1), "characters, more than"),
        ("a " * 900, "words, more than"),
        (f"'{'x' * (LONGEST_TEXT + 1)}'", "text literal has"),
    ],
)
def test_what_is_outside_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(CypherRefused, match=why):
        tokenise(text)
