"""Building in bulk: the export of a load, byte for byte; killed and run again; nothing replaced without a word.

Breaks that this file notices: rows that the tables drop or change, a join that the fold does not see, numbers of
another type, a killed build that begins again or ends with half a graph, a store that is replaced unasked.
"""

from __future__ import annotations

import io
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fake_llm import FakeLlm, answer
from kg_neo4j import resources
from kg_neo4j.errors import DiskFull, NotEnoughMemory, UnfinishedImport, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import export
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT
from kg_neo4j.settings import Settings
from kg_neo4j_scale.build import FINISHED, BuildOptions, build
from kg_neo4j_scale.extract import extract
from neo4j_local import admin
from private_server import PrivateServer, short_lived
from small_disk import SmallDisk

PLAIN = BuildOptions(vectors="none", analytics=False, workers=2)
PEOPLE = ["Ada Lind", "A. Lind", "Łukasz Żak", "Lukasz Zak", "Jonas Berg", "Berg", "World Mill", "WM", "Cuba"]
TYPES = {"World Mill": "ORGANIZATION", "WM": "ORGANIZATION", "Cuba": "PLACE"}
ODD = 'She wrote: "a;b,c\\d"\n\tand   went;  "so" \'it\' is, said Berg.'
SCHEMA = (
    (resources.folder("prompts") / "schemas" / "described.toml")
    .read_text("utf-8")
    .replace('name = "graph"', 'name = "numbers"', 1)
    .replace('name = "role"\nkind = "text"\nfold = "mode"', 'name = "role"\nkind = "text"\nfold = "union"')
    .replace('name = "location"\nkind = "text"\nfold = "mode"', 'name = "location"\nkind = "number"\nfold = "union"')
    .replace('name = "start_date"\nkind = "text"', 'name = "start_date"\nidentity = true\nkind = "text"')
    .replace("role", "entity")  # names that the tables' own columns could have
    .replace("start_date", "source")
)


def csv_of(text: str, numbers: bool) -> str:
    """Return what the model says of a text: people who met, some of them called by two names; now and then nonsense."""
    draw = random.Random(text)
    named = [name for name in PEOPLE if name in text]
    role, date = ("entity", "source") if numbers else ("role", "start_date")
    lines = [f"node_id,node_type,name,birth_year,death_year,{role},location,description,evidence"]
    for number, name in enumerate(named):
        does, place = (
            draw.choice(["miller", "baker", ""]),
            draw.choice(["2.5", "7", "", "-3"] if numbers else ["Turin", ""]),
        )
        said = f'"{name} is ""here"", {draw.randint(1, 9)}"'
        lines.append(
            f"n{number},{TYPES.get(name, 'PERSON')},{name},{draw.choice(['', '1815'])},,{does},{place},{said},{name}"
        )
    lines += ["", f"relationship_id,node_id_1,relationship_type,node_id_2,{date},description,strength,evidence"]
    for number in range(len(named)):
        one, other = draw.choices(range(len(named)), k=2)
        kind, when = draw.choice(["MET", "ALSO_KNOWN_AS", "HIRED"]), draw.choice(["", "1833", "in May"])
        strength = draw.choice(["", "5", "2.5", "8"])
        lines.append(
            f"r{number},n{one},{kind},n{other},{when},met {draw.randint(1, 3)},{strength},no such words {number}"
        )
    return "no CSV at all" if "Nothing here" in text else "\n".join(lines)


def write_texts(folder: Path) -> Path:
    """Write texts of one to three chunks, with names that joins bring together."""
    draw = random.Random(21)
    folder.mkdir()
    for number in range(24):
        lines = [
            f"On day {number}-{line} {', '.join(draw.sample(PEOPLE, 4))} came. " + "Rain fell. " * 40
            for line in range(6)
        ]
        (folder / f"text {number:02}.txt").write_text("\n\n".join([*lines[: 1 + number % 6], ODD]), "utf-8")
    (folder / "empty.txt").write_text("Nothing here that a model could say anything about, really nothing.", "utf-8")
    return folder


@pytest.fixture(scope="module", autouse=True)
def cheap_to_start() -> Iterator[None]:
    with short_lived():
        yield


@pytest.fixture
def private(tmp_path: Path) -> Iterator[PrivateServer]:
    with PrivateServer(tmp_path / "home", Settings()) as found:
        yield found


def extracted(settings: Settings, llm: FakeLlm, folder: Path, schema: str = "described") -> tuple[Path, LoadOptions]:
    """Extract the texts by the scripted model, into files of a few documents each."""
    llm.rules = lambda prompt, user: csv_of(user, schema != "described")
    if schema == "lean":  # some rows name two sentences that are no neighbours
        llm.rules = lambda prompt, user: re.sub(r"^(\d\d),", r"1 \1,", answer(prompt, user), flags=re.MULTILINE)
    options = LoadOptions(gleanings=0, chunk_tokens=200, schema=schema)
    extract([str(write_texts(folder / "texts"))], to=str(folder / "out"), settings=settings, options=options)
    assert len(exchange.files_in(folder / "out")) > 1
    return folder / "out", LoadOptions(vectors=False, analytics=False, schema=schema)


def exported(settings: Settings) -> str:
    written = io.StringIO()
    with connect(settings, SILENT) as database:
        export(database, settings.graph, written)
    return written.getvalue()


def of_home(private: PrivateServer, graph: str) -> Settings:
    return private.settings.model_copy(update={"graph": graph})


@dataclass(frozen=True)
class Loaded:
    """Files of extractions, a graph that was loaded from them with vectors, and its export."""

    files: Path
    texts: Path
    settings: Settings
    export: str

    def copy(self, folder: Path) -> Path:
        """Return a copy of the files: a build works beside them."""
        return Path(shutil.copytree(self.files, folder / "out"))


@pytest.fixture(scope="module")
def loaded(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("loaded")
    with FakeLlm() as llm:
        given = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
        out, _ = extracted(Settings(**{**shared.model_dump(), **given}), llm, folder)
    load([str(out)], settings=shared, options=LoadOptions(schema="described", analytics=False))
    return Loaded(out, folder / "texts", shared, exported(shared))


@pytest.mark.parametrize("name", [pytest.param("described", marks=pytest.mark.slow), "lean", "own schema"])
def test_a_build_gives_the_export_of_a_load(
    database: Database, online: Settings, llm: FakeLlm, private: PrivateServer, tmp_path: Path, name: str
) -> None:
    schema = str(tmp_path / "numbers.toml") if name == "own schema" else name
    if name == "own schema":
        Path(schema).write_text(SCHEMA, "utf-8")
    out, options = extracted(online, llm, tmp_path, schema)
    shutil.copy(exchange.files_in(out)[1], exchange.file_of(out, "again"))  # documents that two files hold
    loaded = load([str(out)], settings=online, options=options)
    wanted = exported(online)
    shown = '"other_quotes":[' if name == "lean" else '"derived":true'
    assert shown in wanted, "no joins, or no second quotes: this text shows little"
    home = of_home(private, online.graph)
    report = build(out, settings=home, options=PLAIN)
    assert exported(home) == wanted
    assert (report.documents, report.chunks, report.rows) == (loaded.documents, loaded.chunks, loaded.rows)
    assert (report.nodes, report.relationships) == (loaded.nodes, loaded.relationships)
    assert set(report.failed_chunks) == {each.partition(": failed")[0] + ": failed" for each in loaded.failed_chunks}
    assert [each.stage for each in report.stages] == ["read", "names", "fold", "import", "schema", "summaries"]
    assert not (out / f".build-{online.graph}").exists()
    again = load([str(out)], settings=home, options=options)
    assert again.changes == 0, "what is built is not what a load would write"
    assert exported(home) == wanted


def vectors_of(settings: Settings, label: str) -> dict[str, tuple[list[float], str]]:
    query = (
        f"MATCH (n:{label} {{graph: $graph}}) WHERE n.embedding IS NOT NULL RETURN n.id, n.embedding, n.embedding_hash"
    )
    with connect(settings, SILENT) as database, database.driver.session() as session:
        return {row[0]: (row[1], row[2]) for row in session.run(query, graph=settings.graph)}


def test_a_store_is_replaced_on_demand_alone_and_vectors_of_chunks_are_imported(
    loaded: Loaded,
    online: Settings,
    llm: FakeLlm,
    private: PrivateServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, home = loaded.copy(tmp_path), of_home(private, loaded.settings.graph)
    small = tmp_path / "small"
    llm.rules = lambda _, user: csv_of(user, numbers=False)
    model = online.model_copy(update={"graph": home.graph})
    described = LoadOptions(schema="described", vectors=False, analytics=False)
    extract([str(loaded.texts / "text 00.txt")], to=str(small), settings=model, options=described)
    load([str(small)], settings=home, options=described)
    before = exported(home)
    with pytest.raises(UsageError, match=repr(home.graph)) as refused:
        build(out, settings=home, options=PLAIN)
    assert "--yes" in str(refused.value.hint)
    assert exported(home) == before
    with pytest.raises(UsageError, match="was extracted for the graph"):
        build(out, settings=home.model_copy(update={"graph": "other"}), options=PLAIN)
    with pytest.raises(UsageError, match="holds no extractions"):
        build(loaded.texts, settings=home, options=PLAIN)
    with monkeypatch.context() as patched:
        patched.setattr("kg_neo4j.pipeline.run.Run.embed", lambda *_: None)
        report = build(out, settings=home, options=BuildOptions(2, overwrite=True))
    assert [each.stage for each in report.stages][-2:] == ["vectors", "communities"]
    assert report.communities > 0
    assert private.local.status().running
    wanted = {label: vectors_of(loaded.settings, label) for label in ("KgChunk", "KgEntity", "KgFact")}
    assert len(wanted["KgChunk"]) > 24
    assert vectors_of(home, "KgChunk") == wanted["KgChunk"]
    assert vectors_of(home, "KgEntity") == {}
    build(out, settings=home, options=BuildOptions(1, overwrite=True, analytics=False))
    assert {label: vectors_of(home, label) for label in wanted} == wanted
    assert ask("Who met Jonas Berg?", settings=home).evidence
    again = load([str(out)], settings=home, options=LoadOptions(schema="described", analytics=False))
    assert again.changes == 0
    assert exported(home) == loaded.export


def test_a_build_that_is_killed_goes_on_and_gives_the_same(
    loaded: Loaded, private: PrivateServer, tmp_path: Path
) -> None:
    out, home = loaded.copy(tmp_path), of_home(private, loaded.settings.graph)
    work, data = out / f".build-{home.graph}", private.local.home.root
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "OPENAI_"))},
        "KG_HOME": str(home.home),
        "KG_CACHE": str(home.cache),
        "KG_GRAPH": home.graph,
        "KG_DB_HEAP_MB": "512",
        "KG_DB_BOLT_PORT": str(home.db_bolt_port),
        "KG_DB_HTTP_PORT": str(home.db_http_port),
    }
    command = [sys.executable, "-m", "kg_neo4j", "build", str(out), "--bulk", "--vectors", "none", "--no-analytics"]
    reached = [
        lambda: any((work / "tables").glob("*")),
        lambda: (work / "names").is_dir() or (work / "names.partial").is_dir(),
        lambda: any((work / "csv").glob("*")),
        lambda: any(data.glob(".data-loading*/databases/neo4j")),
        lambda: (data / "data" / "databases" / "neo4j").is_dir() and not any(data.glob(".data-loading*")),
        (work / FINISHED).is_file,
    ]
    kept: set[tuple[str, int]] = set()
    for number, is_there in enumerate(reached):
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        with process:
            while not is_there() and process.poll() is None:
                time.sleep(0.005)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert number > 4 or process.returncode == -signal.SIGKILL, "it ended before it was killed"
        now = {(str(path), path.stat().st_mtime_ns) for path in work.glob("*/*") if ".partial" not in str(path)}
        assert kept <= now or number > 4, "what was done was done again"
        kept = {each for each in now if "csv" not in each[0]}
        if number == 4:
            with pytest.raises(UnfinishedImport) as refused, connect(home, SILENT):
                pass
            assert f"kg build {out} --bulk" in str(refused.value.hint)
    build(out, settings=home, options=PLAIN)
    assert exported(home) == loaded.export
    assert not work.exists()


def test_what_disk_and_memory_lack_is_said_first(loaded: Loaded, private: PrivateServer, tmp_path: Path) -> None:
    out, home = loaded.copy(tmp_path), of_home(private, loaded.settings.graph)
    with SmallDisk(tmp_path / "disk", 1) as small:
        (small.folder / "out").mkdir()
        for path in exchange.files_in(out):
            (small.folder / "out" / path.name).write_bytes(path.read_bytes())
        small.fill(left=10_000)
        with pytest.raises(DiskFull, match="MB free"):
            build(small.folder / "out", settings=home, options=PLAIN)
        assert not (small.folder / "out" / f".build-{home.graph}").exists()
    with pytest.raises(NotEnoughMemory, match="100,000 workers"):
        build(out, settings=home, options=BuildOptions(workers=100_000))
    assert not private.local.home.data.exists()


def test_for_another_server_the_commands_are_printed_and_a_second_build_ends_the_work(
    loaded: Loaded, private: PrivateServer, tmp_path: Path
) -> None:
    out, elsewhere = loaded.copy(tmp_path), of_home(private, loaded.settings.graph)
    theirs = private.start().aside(elsewhere.graph)
    report = build(out, settings=theirs, options=PLAIN)
    assert not report.nodes
    imported, again = map(shlex.split, report.commands)
    assert imported[:5] == ["neo4j-admin", "database", "import", "full", "neo4j"]
    assert again == ["kg", "build", str(out), "--bulk", "--graph", elsewhere.graph]
    local = private.local
    local.stop()
    tools = admin.Admin(local.home, local.parts(SILENT), local.memory, local.home.data)
    tools.import_full(["--overwrite-destination", *imported[5:]], tmp_path / "import.report")
    private.start()
    ended = build(out, settings=theirs, options=PLAIN)
    assert (ended.commands, [each.stage for each in ended.stages]) == ((), ["schema", "summaries"])
    assert exported(theirs) == loaded.export
