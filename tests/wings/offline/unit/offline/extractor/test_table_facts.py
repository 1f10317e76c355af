"""What rows of tables say by the heads of their columns."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.table_facts import read_tables
from offline_reading import read

VENDORS = """Vendor | Headquarters | CEO
Brightwater Systems | Norway | Ada Brandt
Calder Company (UK) | Canada, Iceland | Otto Lind
"""


def said(text: str) -> set[tuple[str, str, str]]:
    """The relationships that the rows of a text state."""
    return {(each.source.name, each.type, each.target.name) for each in read_tables(text)[1]}


def test_vendors_have_headquarters_and_heads() -> None:
    names, _ = read_tables(VENDORS)
    assert {each.name: each.type for each in names} == {
        "Brightwater Systems": "ORGANIZATION",
        "Calder Company": "ORGANIZATION",
        "Norway": "PLACE",
        "Canada": "PLACE",
        "Iceland": "PLACE",
        "Ada Brandt": "PERSON",
        "Otto Lind": "PERSON",
    }
    assert said(VENDORS) == {
        ("Brightwater Systems", "LOCATED_IN", "Norway"),
        ("Calder Company", "LOCATED_IN", "Canada"),
        ("Calder Company", "LOCATED_IN", "Iceland"),
        ("Ada Brandt", "LED", "Brightwater Systems"),
        ("Otto Lind", "LED", "Calder Company"),
    }


@pytest.mark.parametrize("rule", ["|---|---|---|", "| --- | :-- | --: |", "| :---: | --- | --- |"])
def test_a_markdown_table_says_the_same(rule: str) -> None:
    head, *rows = (f"| {line} |" for line in VENDORS.splitlines())
    assert said("\n".join(["Our vendors:", "", head, rule, *rows, "", "These are all."])) == said(VENDORS)


def test_the_graph_has_each_name_once_with_what_prose_and_rows_say() -> None:
    found = read(f"Ada Brandt was born in Oslo.\n\n{VENDORS}\nThese are all of them, as it was in the spring.")
    assert len(found.names) == len(found.nodes)
    assert found.facts >= said(VENDORS) | {("Ada Brandt", "BORN_IN", "Oslo")}
    assert all(row["evidence"] in VENDORS for row in found.relationships if row["relationship_type"] == "LED")


def test_people_have_roles_lives_and_employers() -> None:
    text = """Name | Role | Born | Died | Company
Ada Brandt | chemist | 3 May 1871 | 4 July 1934 | Calder Company
Otto Lind | baker | in 1880 | | Brightwater Systems
"""
    names, _ = read_tables(text)
    assert [(each.name, each.role, each.birth_year, each.death_year) for each in names if each.type == "PERSON"] == [
        ("Ada Brandt", "chemist", 1871, 1934),
        ("Otto Lind", "baker", 1880, None),
    ]
    assert said(text) == {
        ("Ada Brandt", "WORKED_FOR", "Calder Company"),
        ("Otto Lind", "WORKED_FOR", "Brightwater Systems"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Vendor | Location of processing | Purpose\nBrightwater Systems | Norway | Mail",  # not where the firm is
        "Name | Headquarters\nBrightwater Systems | Norway",  # a name of what?
        "Step | Country\nPay the bill | Norway",
        "Vendor | Headquarters",
        "Brightwater Systems | Norway",
        "Vendor | Headquarters\nwhoever it is | Norway\nhttps://example.org | Norway",
        "Vendor | Headquarters\nBrightwater Systems | Nowhere in particular",
        "Vendor, Headquarters\nBrightwater Systems, Norway",
    ],
)
def test_what_the_heads_do_not_say_is_not_read(text: str) -> None:
    assert said(text) == set()


def test_a_row_with_other_cells_than_the_head_ends_the_table() -> None:
    text = """Vendor | Headquarters
Brightwater Systems | Norway
Calder Company | Canada | since 1901
Polar Company | Iceland
"""
    assert said(text) == {("Brightwater Systems", "LOCATED_IN", "Norway")}


def test_two_tables_are_read_by_their_own_heads() -> None:
    text = f"{VENDORS}\nCity | Country\n--- | ---\nOslo | Norway\n"
    assert said(text) == said(VENDORS) | {("Oslo", "LOCATED_IN", "Norway")}
