from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import kg_neo4j
from kg_neo4j import data_files

READS = re.compile(r'data_files\.beside\(__file__\)|Path\(__file__\)\.with_suffix\("\.toml"\)')
MODULES = sorted(path for path in Path(kg_neo4j.__file__).parents[1].rglob("*.py") if READS.search(path.read_text()))

SOURCE = Path(__file__).parents[2] / "src"
OPTIONS = next(path for path in MODULES if path.name == "options.py" and path.parent.name == "_cli")

WRITTEN = r"""
small = 'the of the'
groups = '''
  died  death

born birth
'''
rules = '''
born in | BORN_IN | P
taught by | TAUGHT | P | back
'''
number = 7

[verbs]
"made on" = 'released'
author = 'wrote'

[parts]
day = '\d{1,2}'
date = '{day} {month}'

[forms]
born = ['when', 'where']
"""


@pytest.fixture
def data(tmp_path: Path) -> data_files.DataFile:
    (tmp_path / "module.toml").write_text(WRITTEN, encoding="utf-8")
    return data_files.beside(str(tmp_path / "module.py"))


def test_a_file_is_read_by_the_shapes_of_its_values(data: data_files.DataFile) -> None:
    assert data.words("small") == ("the", "of", "the")
    assert data.word_set("small") == {"the", "of"}
    assert data.lines("groups") == ("died  death", "born birth")
    assert data.rows("rules", 3, optional=1) == (("born in", "BORN_IN", "P"), ("taught by", "TAUGHT", "P", "back"))
    assert list(data.table("verbs").items()) == [("made on", "released"), ("author", "wrote")]
    assert data.lists("forms") == {"born": ("when", "where")}


def test_parts_of_patterns_are_made_of_those_before_them_and_keep_quantifiers(data: data_files.DataFile) -> None:
    assert data.parts("parts", month="May")["date"] == r"\d{1,2} May"
    with pytest.raises(KeyError, match="month"):
        data.parts("parts")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda data: data.words("missing"), "missing is a NoneType, not a str"),
        (lambda data: data.words("number"), "number is a int, not a str"),
        (lambda data: data.table("small"), "small is a str, not a dict"),
        (lambda data: data.table("forms"), "forms.born is a list, not a str"),
        (lambda data: data.lists("verbs"), "verbs.made on is a str, not a list"),
        (lambda data: data.rows("rules", 3), r"rules has a row of 4 columns: 'taught by \| TAUGHT \| P \| back'"),
    ],
)
def test_a_value_of_another_shape_is_refused_with_file_and_key(data, read, message: str) -> None:
    with pytest.raises(ValueError, match=rf"module\.toml: {message}"):
        read(data)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_every_data_file_names_its_module_and_the_module_reads_all_of_it(module: Path) -> None:
    text = module.with_suffix(".toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"read by {module.name}" in text.split("\n\n")[0].replace("\n# ", " ")
    source = module.read_text(encoding="utf-8")
    unread = [key for key in tomllib.loads(text) if f'"{key}"' not in source]
    assert unread == [] or module == OPTIONS  # whose keys are names of functions, see below


@pytest.mark.parametrize("table", sorted(SOURCE.glob("*/**/options.toml")), ids=lambda path: path.parent.as_posix())
def test_every_option_is_a_parameter_of_the_function_that_its_table_is_named_after(table: Path) -> None:
    own = table.parent.glob("*.py")
    of_all = SOURCE.rglob("*.py") if table.with_suffix(".py") == OPTIONS else ()
    taken: dict[str, set[str]] = {"shared": {"quiet", "verbose"}}  # of every command
    for path in {*own, *of_all}:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
                taken["shared"] |= names
                taken.setdefault(node.name, set()).update(names if path.parent == table.parent else ())
    tables = tomllib.loads(table.read_text("utf-8"))
    assert [f"{name}.{each}" for name in tables for each in tables[name] if each not in taken.get(name, ())] == []
