"""Sixty changes of a schema file, of five kinds: what a load with the new version does."""

from __future__ import annotations

import re

import pytest

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema_changes import Effect, compare

BASE = """
name = "tickets"
version = 1
description = "Tickets of a project."
evidence = "sentences"
node_types = ["TICKET", "PERSON", "TEAM"]
relationship_types = ["BLOCKS", "WORKS_ON"]

[preferred_node_types]
TICKET = "a task"

[[nodes]]
name = "sentences"
kind = "evidence"
note = "the numbers"
[[nodes]]
name = "node_id"
kind = "id"
note = "n1"
[[nodes]]
name = "node_type"
kind = "type"
note = "TICKET or PERSON"
[[nodes]]
name = "name"
kind = "name"
note = "its name"
[[nodes]]
name = "area"
kind = "text"
fold = "union"
note = "part of the product"
[[nodes]]
name = "opened"
kind = "date"
fold = "min"
note = "when"
[[nodes]]
name = "size"
kind = "number"
fold = "max"
minimum = 1
note = "days"

[[relationships]]
name = "sentences"
kind = "evidence"
note = "the numbers"
[[relationships]]
name = "node_id_1"
kind = "source"
note = "first"
[[relationships]]
name = "relationship_type"
kind = "type"
note = "BLOCKS or WORKS_ON"
[[relationships]]
name = "node_id_2"
kind = "target"
note = "second"
[[relationships]]
name = "since"
kind = "date"
fold = "min"
note = "from when"
[[relationships]]
name = "reason"
kind = "text"
fold = "mode"
note = "why"

[example]
text = "Ada works on T-1."
answer = '''
sentences,node_id,node_type,name,area,opened,size
1,n1,PERSON,Ada,,,
1,n2,TICKET,T-1,,,

sentences,node_id_1,relationship_type,node_id_2,since,reason
1,n1,WORKS_ON,n2,,
'''
"""
SECTIONS = {"nodes": ("area", "opened", "size"), "relationships": ("since", "reason")}


def block(section: str, name: str, text: str = BASE) -> str:
    found = re.search(rf"\[\[{section}\]\]\nname = \"{name}\"\n(?:[a-z_]+ = .*\n)*", text)
    assert found is not None
    return found[0]


def columned(text: str) -> str:
    """Return the text with an example that has no rows, so that its headers fit."""
    heads = [
        ",".join(re.findall(rf'\[\[{section}\]\]\nname = "(\w+)"', text)) for section in ("nodes", "relationships")
    ]
    return text[: text.index("answer = ")] + f"answer = '''\n{heads[0]}\n\n{heads[1]}\n'''\n"


def added(section: str, column: str, kind: str, more: str = "") -> str:
    new = f'[[{section}]]\nname = "{column}"\nkind = "{kind}"\nfold = "mode"\nnote = "new"\n{more}'
    last = block(section, SECTIONS[section][-1])
    return columned(BASE.replace(last, last + new))


def free() -> list[str]:
    notes = [
        BASE.replace(f'note = "{note}"', 'note = "other words"')
        for note in ("the numbers", "n1", "days", "why", "when")
    ]
    moved = [
        columned(BASE.replace(block(s, n), "").replace(block(s, m), block(s, m) + block(s, n)))
        for s, n, m in (("nodes", "area", "size"), ("nodes", "opened", "size"), ("relationships", "since", "reason"))
    ]
    preferred = [
        BASE.replace('TICKET = "a task"', new)
        for new in ('TICKET = "work"', 'TICKET = "a task"\nTEAM = "people"', 'EPIC = "a long task"')
    ]
    words = [
        f"# a remark\n{BASE}",
        BASE + "# a remark\n",
        BASE.replace("Tickets of", "Work of"),
        BASE.replace("version = 1", "version = 2"),
        BASE.replace('name = "tickets"', 'name = "work"'),
    ]
    order = [
        BASE.replace('"TICKET", "PERSON", "TEAM"', '"TEAM", "PERSON", "TICKET"'),
        BASE.replace("Ada works", "Bea works"),
        BASE.replace("\n\n", "\n\n\n"),
    ]
    return notes + moved + preferred + words + order


def types_added() -> list[str]:
    nodes = [BASE.replace('"TEAM"]', f'"TEAM", "{name}"]') for name in ("EPIC", "BUG", "RELEASE", "FILE", "TEST")]
    relationships = [
        BASE.replace('"WORKS_ON"]', f'"WORKS_ON", "{name}"]')
        for name in ("OWNS", "FIXES", "REVIEWS", "TESTS", "MERGES", "PLANS")
    ]
    opened = [re.sub(rf"{name} = \[.*\]", f"{name} = []", BASE) for name in ("node_types", "relationship_types")]
    return nodes + relationships + [each.replace("version = 1", "version = 3") for each in opened]


def columns_added() -> list[str]:
    found = [
        added("nodes", name, kind)
        for name, kind in (
            ("owner", "text"),
            ("due", "date"),
            ("since_year", "year"),
            ("points", "number"),
            ("state", "text"),
            ("url", "text"),
        )
    ]
    found += [
        added("relationships", name, kind)
        for name, kind in (("until", "date"), ("weight", "number"), ("remark", "text"), ("in_year", "year"))
    ]
    return [
        *found,
        BASE.replace(
            block("nodes", "opened"),
            block("nodes", "opened")
            + '[[nodes]]\nname = "opened_year"\nkind = "year"\nfold = "mode"\nyear_of = "opened"\nnote = "its year"\n',
        ),
    ]


def renamed() -> list[str]:
    return [
        columned(BASE.replace(block(section, name), block(section, name).replace(f'"{name}"', f'"{name}_now"', 1)))
        for section, names in SECTIONS.items()
        for name in names
    ] + [
        columned(BASE.replace(block("nodes", "area"), block("nodes", "area").replace('"text"', '"number"'))),
        BASE.replace('fold = "union"', 'fold = "mode"'),
        BASE.replace("minimum = 1", "minimum = 2"),
        BASE.replace(block("relationships", "reason"), block("relationships", "reason") + "identity = true\n"),
        BASE.replace('"PERSON", "TEAM"', '"PERSON"'),
        BASE.replace('"BLOCKS", ', ""),
    ]


def dropped() -> list[str]:
    return [
        columned(BASE.replace(block(section, name), "")) for section, names in SECTIONS.items() for name in names
    ] + [
        columned(BASE.replace(block("nodes", "area"), "").replace(block("nodes", "size"), "")),
        columned(BASE.replace(block("relationships", "since"), "").replace(block("relationships", "reason"), "")),
    ]


CASES = [
    *((Effect.FREE, text) for text in free()),
    *((Effect.ADDED, text) for text in (*types_added(), *columns_added())),
    *((Effect.REFUSED, text) for text in (*renamed(), *dropped())),
]


def test_there_are_sixty_changes() -> None:
    assert len(CASES) >= 60
    assert len({text for _, text in CASES}) == len(CASES)


@pytest.mark.parametrize(("effect", "text"), CASES)
def test_a_change_has_one_effect(effect: Effect, text: str) -> None:
    old, new = schemas.parse(BASE, "A"), schemas.parse(text, "B")
    found = {each.effect for each in compare(old, new)}
    assert effect in found or (effect is Effect.FREE and not found)
    assert effect is Effect.REFUSED or found <= {Effect.FREE, effect}  # what is renamed is dropped and added
    assert (old.hash == new.hash) is (effect is Effect.FREE)


def test_a_closed_list_of_preferred_types_allows_no_other() -> None:
    open_lists = re.sub(r"(node_types|relationship_types) = \[.*\]", r"\1 = []", BASE)
    schema = schemas.parse(open_lists.replace("evidence =", "closed = true\nevidence ="), "C")
    assert (schema.node_types, schema.relationship_types) == (("TICKET",), ())
    assert schemas.parse(schemas.write(schema, ()), "D").hash == schema.hash
    assert {each.effect for each in compare(schemas.parse(open_lists, "A"), schema)} == {Effect.REFUSED}


def test_preferred_types_need_no_empty_list_of_types() -> None:
    open_lists = re.sub(r"(node_types|relationship_types) = \[.*\]", r"\1 = []", BASE)
    assert "[preferred_relationship_types]" in open_lists or "[preferred_node_types]" in open_lists
    without = open_lists.replace("\nnode_types = []", "\n")
    assert without != open_lists
    assert schemas.parse(without, "A").hash == schemas.parse(open_lists, "B").hash


def with_salary(text: str, kind: str = "number") -> str:
    column = f'[[nodes]]\nname = "salary"\nkind = "{kind}"\nfold = "mode"\nasked = false\nnote = "of tables"\n\n'
    return text.replace("[[relationships]]", f"{column}[[relationships]]", 1)


def test_columns_of_tables_may_come_and_go_but_hold_what_they_held() -> None:
    plain, own = schemas.parse(BASE, "A"), schemas.parse(with_salary(BASE), "B")
    assert [each.name for each in own.unasked_nodes] == ["salary"]
    assert own.node_header == plain.node_header  # no model is asked for it
    for pair in ((plain, own), (own, plain)):
        assert [each.effect for each in compare(*pair)] == [Effect.FREE]
    other = schemas.parse(with_salary(BASE, "text"), "C")
    assert [each.effect for each in compare(own, other)] == [Effect.REFUSED]
    assert schemas.parse(schemas.write(own, ()), "D").hash == own.hash


def test_the_widest_schema_has_the_columns_of_all_tables() -> None:
    salary, size = with_salary(BASE), with_salary(BASE).replace('"salary"', '"staff"')
    versions = [schemas.parse(each, "A") for each in (BASE, salary, size)]
    wide = schemas.widest(versions)
    assert [each.name for each in wide.unasked_nodes] == ["salary", "staff"]
    assert schemas.widest(versions[::-1]).node_columns == wide.node_columns
    assert schemas.widest([versions[0]]).hash == versions[0].hash
