"""The wheel holds everything: installed elsewhere, it finds its queries, prompts and jar lock."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

PROBE = """
import kg_neo4j
from pathlib import Path
from kg_neo4j import resources
from kg_neo4j._models import prompts
from kg_neo4j_offline.networks import trained
from kg_neo4j.extract import schema
from kg_neo4j.organise import viewer
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.graph import queries
from neo4j_local import configuration, jars
home = Path(kg_neo4j.__file__).resolve().parent
assert resources.folder("cypher") == home / "cypher", resources.folder("cypher")
assert queries.get("reports/most_connected").columns[0].name == "Node"
assert prompts.load("extract").placeholders
assert [span.type for span in trained.names("Marie Curie was born in Warsaw.")] == ["PER", "LOC"]
assert schema.load("wikipedia").node_header[0] == "node_id"
assert viewer.SCRIPT_FILE.is_file() and viewer.STYLE_FILE.is_file()
assert len(load_aspects()) == 7
assert len(load_aspects("biography")) == 7
assert all(jars.read_lock(line).line == line for line in configuration.OF_LINE)
assert Path(jars.__file__).parents[1] == home.parent
print(home)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    arguments = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT)]
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_works_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROBE}"
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == str(tmp_path / "kg_neo4j")


@pytest.mark.slow  # the test before it imports the wheel; this one makes an environment with pip
def test_the_wheel_loads_and_answers_outside_the_checkout(
    wheel: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    kept = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    run = functools.partial(subprocess.run, cwd=tmp_path, env=kept, check=True, capture_output=True, text=True)
    run([scripts / "python", "-m", "pip", "install", "--no-deps", "--no-index", wheel])
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(run([scripts / "python", "-c", where]).stdout.strip())
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")  # comes last on the path
    (tmp_path / "a.txt").write_text("Anna Weber met Karl Braun in Vienna in 1901.", "utf-8")
    loaded = json.loads(run([scripts / "kg", "load", "a.txt", "--json"]).stdout)
    assert loaded["nodes"] >= 3
    answer = json.loads(run([scripts / "kg", "ask", "Whom did Anna Weber meet?", "--json"]).stdout)
    assert "Karl Braun" in answer["answer"]
    found = run([scripts / "python", "-c", "import kg_neo4j; print(kg_neo4j.__file__)"]).stdout.strip()
    assert Path(found).is_relative_to(own)


def test_the_wheel_holds_what_the_checkout_has_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("cypher", "prompts"):
        ours = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / folder).rglob("*.*")}
        assert ours
        assert {f"kg_neo4j/{name}" for name in ours} <= names
    assert {f"neo4j_local/jars-{line}.lock" for line in ("5.26", "2026.03")} <= names
    data = [
        path
        for pattern in ("*.toml", "*.css", "*.js", "*.pyi", "py.typed")
        for path in (CHECKOUT / "src").rglob(pattern)
    ]
    assert CHECKOUT / "src/kg_neo4j_offline/extractor/lexicon.toml" in data
    assert {CHECKOUT / "src/kg_neo4j/py.typed", CHECKOUT / "src/kg_neo4j/__init__.pyi"} <= {*data}
    assert {path.relative_to(CHECKOUT / "src").as_posix() for path in data} <= names
    assert not [name for name in names if name.endswith(".jar")]
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]
