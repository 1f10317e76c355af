"""Files of links: names become keys, unknown ones are named, bad files are refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.link_files import read_links
from kg_neo4j.graph.resolution.proposals import ProposalVerdict

HEADER = "name_1,type_1,name_2,type_2\n"


def named(name: str, node_type: str = "PERSON") -> Mentioned:
    return Mentioned(f"{name}/{node_type}", name, node_type, 1, frozenset(), frozenset(), {"a": 0})


KNOWN = [named("Marie Curie"), named("Skłodowska"), named("Quraysh", "TRIBE"), named("Quraysh", "CLAN"), named("X, Y")]


def read(
    folder: Path, text: str, verdict: ProposalVerdict = ProposalVerdict.JOIN
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    path = folder / "links.csv"
    path.write_text(text, encoding="utf-8")
    found = read_links(path, verdict, KNOWN)
    assert {(each.verdict, each.rule, each.score) for each in found.proposals} <= {(verdict, "file", 1.0)}
    return [(each.left.key, each.right.key) for each in found.proposals], found.unknown


def test_names_are_compared_as_mention_keys_are(tmp_path: Path) -> None:
    pairs, unknown = read(tmp_path, HEADER + "MARIE  CURIE,PERSON,skłodowska,\n")
    assert pairs == [("Marie Curie/PERSON", "Skłodowska/PERSON")]
    assert unknown == ()


def test_an_empty_type_is_any(tmp_path: Path) -> None:
    pairs, _ = read(tmp_path, HEADER + "Quraysh,,Quraysh,CLAN\n")
    assert pairs == [("Quraysh/TRIBE", "Quraysh/CLAN")]
    pairs, _ = read(tmp_path, HEADER + "Quraysh,,Marie Curie,\n", ProposalVerdict.APART)
    assert len(pairs) == 2


def test_names_that_the_graph_does_not_know_are_named_with_their_line(tmp_path: Path) -> None:
    pairs, unknown = read(tmp_path, HEADER + "\nNobody,,Marie Curie,PLACE\nQuraysh,TRIBE,Quraysh,CLAN\n")
    assert len(pairs) == 1
    assert unknown == ("links.csv, line 3: Nobody", "links.csv, line 3: Marie Curie (PLACE)")


def test_quoted_names_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + HEADER + '"X, Y",,Marie Curie,\n')[0] == [("X, Y/PERSON", "Marie Curie/PERSON")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header"),
        ("name_1,name_2\na,b\n", "header"),
        (HEADER + "a,b\n", "line 2"),
        (HEADER + "a,,b,\n,,c,\n", "line 3"),
        (HEADER + '"a,,b,\n', "cannot read"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_links(tmp_path / "none.csv", ProposalVerdict.JOIN, KNOWN)
