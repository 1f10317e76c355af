"""A map proposed in Python: of DataFrames by their names, of files by their paths; printed, it is a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas
import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.rooms.tables.proposing import proposed

FRAME = pandas.DataFrame({"person": ["Ada Lovelace", "Charles Babbage"], "born": [1815, 1791], "city": ["London"] * 2})


def test_a_map_of_frames_names_no_file() -> None:
    found = proposed([FRAME])
    (table,) = found["tables"]
    assert ("file" in table, table["name"]) == (False, "table_1")
    assert {each["type"] for each in table["nodes"].values()} == {"PERSON", "PLACE"}
    assert tomllib.loads(str(found)) == found
    assert "<pre>" in found._repr_html_()
    named = proposed([{"people": FRAME}])
    assert [each["name"] for each in named["tables"]] == ["people"]


@pytest.mark.needs("kg_neo4j_readers")
def test_a_map_of_files_names_them(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    FRAME.to_csv(file, index=False)
    assert [each["file"] for each in proposed([file])["tables"]] == [file.as_posix()]
    with pytest.raises(UsageError, match="no table"):
        proposed([])
