"""Bad maps: the line of the map is named, and nothing is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_rows import loaded

pytestmark = pytest.mark.needs("kg_neo4j_readers")
NODE = '[tables.nodes.person]\ntype = "PERSON"\nname = "name"\n'
TABLE = f'[[tables]]\nfile = "t.csv"\n{NODE}'
COLUMNS = "correct the map; or name the line that has the names of columns: header = ..."
ANOTHER = "choose another lower-case name"
DOCS = "docs/how-to/tables.md describes it"

MAPS = {
    "no TOML": (
        "tables\n",
        f" is not a map: Expected '=' after a key in a key/value pair (at line 1, column 7) ({DOCS})",
    ),
    "a key twice": (TABLE + 'name = "x"\n', f" is not a map: Cannot overwrite a value (at line 6, column 11) ({DOCS})"),
    "no tables": ("", ": tables: Field required"),
    "no table in tables": (
        "tables = []\n",
        ", line 1: tables: Tuple should have at least 1 item after validation, not 0",
    ),
    "no nodes": ('[[tables]]\nfile = "t.csv"\n', ", line 1: tables.0.nodes: Field required"),
    "an unknown key": (
        TABLE.replace('"t.csv"\n', '"t.csv"\ncolour = 1\n'),
        ", line 3: tables.0.colour: Extra inputs are not permitted",
    ),
    "an unknown key of a node": (
        TABLE + "colour = 1\n",
        ", line 6: tables.0.nodes.person.colour: Extra inputs are not permitted",
    ),
    "no line 0": (
        TABLE.replace('"t.csv"\n', '"t.csv"\nheader = 0\n'),
        ", line 3: tables.0.header: Input should be greater than or equal to 1",
    ),
    "a type of signs": (
        TABLE.replace("PERSON", "!!"),
        ", line 4: tables.0.nodes.person.type: '!!' does not become a type: letters, digits, _; 64 at most",
    ),
    "no such node": (
        TABLE + '[[tables.relationships]]\nfrom = "person"\ntype = "KNEW"\nto = "friend"\n',
        ", line 1: tables.0: no node is called 'friend'; there are: person",
    ),
    "no type": (
        TABLE + '[[tables.relationships]]\nfrom = "person"\nto = "person"\n',
        ", line 6: tables.0.relationships.0: a relationship has a type or a type_column",
    ),
    "no such table": (
        TABLE + '[tables.nodes.firm]\ntable = "f.csv"\nkey = "town"\n',
        ": no table is called 'f.csv'; there are: t.csv",
    ),
    "two tables of one name": (TABLE + TABLE, ": two tables have one name"),
    "an unknown column": (
        TABLE + '[tables.nodes.person.properties]\ntitle = "rank"\n',
        f", line 7: t.csv has no column 'rank'; it has: name, town, age ({COLUMNS})",
    ),
    "an unknown column that is unique": (
        TABLE.replace('"t.csv"\n', '"t.csv"\nunique = ["id"]\n'),
        f", line 3: t.csv has no column 'id'; it has: name, town, age ({COLUMNS})",
    ),
    "an unknown column of a relationship": (
        TABLE + '[[tables.relationships]]\nfrom = "person"\ntype_column = "verb"\nto = "person"\n',
        f", line 8: t.csv has no column 'verb'; it has: name, town, age ({COLUMNS})",
    ),
    "a format without a year": (
        TABLE
        + '[tables.nodes.person.properties]\nstart_date = { column = "age", kind = "date", format = "dd/mm/yyyy" }\n',
        ", line 7: tables.0.nodes.person.properties.start_date.format: String should match pattern '%[Yy]'",
    ),
    "another kind": (
        TABLE + '[tables.nodes.person.properties]\nstart_date = { column = "age", kind = "number" }\n',
        ", line 7: start_date holds a date, not a number (choose another name, or this kind)",
    ),
    "two kinds": (
        TABLE + 'properties.rank = "town"\n[tables.nodes.other]\ntype = "PERSON"\nname = "town"\n'
        '[tables.nodes.other.properties]\nrank = { column = "age", kind = "number" }\n',
        ", line 11: rank holds a text, not a number (choose another name, or this kind)",
    ),
} | {
    f"a property called {name}": (
        TABLE + f'[tables.nodes.person.properties]\n"{name}" = "town"\n',
        f", line 7: no property may be called {name!r} ({ANOTHER})",
    )
    for name in ("id", "name", "graph", "node_id", "birth_year", "First", "a b", "x-y")
}


@pytest.mark.parametrize("case", MAPS)
def test_maps(tmp_path: Path, case: str) -> None:
    text, why = MAPS[case]
    (tmp_path / "map.toml").write_text(text)
    (tmp_path / "t.csv").write_text("name,town,age\nAda,London,36\n")
    assert loaded(tmp_path, [], str(tmp_path / "map.toml")) == [f"refused: map.toml{why}"]


def test_files_of_maps(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(TABLE)
    assert loaded(tmp_path, [], str(tmp_path / "map.toml")) == ["refused: no such file: t.csv"]
    (tmp_path / "t.csv").write_text("name\nAda\n")
    assert loaded(tmp_path, [], str(tmp_path / "map.toml")) == ["2: PERSON Ada"]
    (tmp_path / "map.toml").write_text(TABLE + TABLE.replace("t.csv", "u.csv"))
    (tmp_path / "u.csv").write_text("name\nBob\n")
    assert loaded(tmp_path, [str(tmp_path / "v.csv")], str(tmp_path / "map.toml")) == [
        "refused: map.toml has no table 'v.csv'; it has: t.csv, u.csv (`kg map` proposes a map of it)"
    ]


def test_maps_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_bytes('title = "é"'.encode("latin-1"))
    assert loaded(tmp_path, [], str(tmp_path / "map.toml")) == [
        "refused: map.toml is not a map: 'utf-8' codec can't decode byte 0xe9 in position 9: invalid continuation byte "
        f"({DOCS})"
    ]
    assert loaded(tmp_path, [], str(tmp_path / "no.toml")) == [
        "refused: cannot read the map no.toml: No such file or directory (`kg map FILE` makes one)"
    ]
