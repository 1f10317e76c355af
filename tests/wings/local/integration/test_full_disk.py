"""A disk that really becomes full while a graph is loaded: no store is lost, and the printed command is enough.

Each run has a moment, a number of bytes left, and a way in which the user goes on. In most runs the reserve is switched
off, so that the server itself meets the full disk in the middle of a transaction.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pytest

from kg_neo4j.settings import Settings
from small_disk import SmallDisk

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

RUNS = 50
DISK_MB = 300
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"

LOAD = """
import sys
from neo4j_local import disk
if sys.argv.pop(1) == "unreserved":
    disk.RESERVE, disk.RESERVE_SHARE = 0, 10**15
from kg_neo4j._cli.app import main
main()
"""
WAYS = ("again", "stop full", "stop freed", "kill kg, stop", "kill server", "terminate")


class Command:
    """The command `kg` on one home."""

    def __init__(self, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
        self.home = home
        self.environment: Mapping[str, str] = {
            **kept,
            "KG_HOME": str(home),
            "KG_CACHE": str(Settings().cache),
            "KG_ANSWER_CACHE": "0",
            "KG_DB_BOLT_PORT": "0",
            "KG_DB_HTTP_PORT": "0",
            "KG_DB_HEAP_MB": "512",
            "KG_DB_PAGECACHE_MB": "64",
        }

    def start(self, *arguments: str, unreserved: bool = False) -> subprocess.Popen[str]:
        mode = "unreserved" if unreserved else "reserved"
        command = [sys.executable, "-c", LOAD, mode, *arguments]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, errors = process.communicate()
        return process.returncode, output + errors

    def end(self) -> None:
        """Kill the server, whose data are not needed any more."""
        server = self.server()
        if server is not None:
            server.kill()
            server.wait(60)

    def server(self) -> psutil.Process | None:
        pid = json.loads(self.run("db", "status", "--json")[1])["pid"]
        return psutil.Process(pid) if pid else None


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty documents of the paragraphs of our examples: a load of some ten seconds."""
    folder = tmp_path_factory.mktemp("texts")
    paragraphs = [
        paragraph
        for path in sorted(EXAMPLES.glob("*.md"))
        for paragraph in path.read_text(encoding="utf-8").split("\n\n")
        if len(paragraph) > 80
    ]
    source = random.Random(7)
    for number in range(40):
        (folder / f"text-{number:02}.txt").write_text("\n\n".join(source.sample(paragraphs, 8)), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """A home with a finished graph, its server stopped."""
    kg = Command(tmp_path_factory.mktemp("template"))
    assert kg.run("load", str(EXAMPLES / "the_bell_of_orlen.md"), "--graph", "finished")[0] == 0
    assert kg.run("db", "stop")[0] == 0
    yield kg
    shutil.rmtree(kg.home)


@pytest.fixture(scope="module")
def expected(template: Command, texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """The exports of both graphs after a load that nothing disturbed."""
    kg = Command(tmp_path_factory.mktemp("undisturbed") / "home")
    shutil.copytree(template.home, kg.home, symlinks=True)
    try:
        assert kg.run("load", str(texts), "--graph", "big")[0] == 0
        return exports(kg)
    finally:
        kg.run("db", "stop")


def exports(kg: Command) -> dict[str, bytes]:
    target = kg.home / "export.jsonl"
    found = {}
    for graph in ("finished", "big"):
        code, said = kg.run("export", str(target), "--graph", graph)
        assert code == 0, said
        found[graph] = target.read_bytes()
    return found


def disturb(kg: Command, disk: SmallDisk, texts: Path, chance: random.Random, way: str) -> tuple[bool, str]:
    """Load, and fill the disk in the middle. Return whether the load was stopped, and what it said."""
    unreserved = chance.random() < 0.7
    load = kg.start("load", str(texts), "--graph", "big", "--json", unreserved=unreserved)
    time.sleep(chance.uniform(1.0, 9.0))
    left = chance.choice((0, 100_000, 1_000_000, 3_000_000))
    if chance.random() < 0.3:
        for part in range(20, -1, -1):  # little by little
            disk.fill(left + part * 5_000_000)
            time.sleep(0.05)
    else:
        disk.fill(left)
    if way == "kill kg, stop":
        time.sleep(chance.uniform(0.0, 1.0))
        load.send_signal(signal.SIGKILL)
    output, errors = load.communicate()
    assert "Traceback" not in errors, errors
    return load.returncode != 0, output + errors


def go_on(kg: Command, disk: SmallDisk, way: str) -> None:
    """Do what a user may do then; the disk has space afterwards."""
    server = kg.server()
    if way == "stop full":
        code, said = kg.run("db", "stop")
        assert code == 0, said
    if way == "kill server" and server is not None:
        server.kill()
    disk.relieve()
    if way == "terminate" and server is not None:  # as when the machine shuts down
        server.terminate()
        server.wait(120)
    if way in ("stop freed", "kill kg, stop"):
        code, said = kg.run("db", "stop")
        assert code == 0, said


def finish(kg: Command, commands: Sequence[str]) -> list[str]:
    """Run the load again until it is done, and on the way only what an error names; return those commands."""
    followed: list[str] = []
    while True:
        code, said = kg.run(*commands)
        if code == 0:
            return followed
        assert len(followed) < 2, said
        assert "kg db start --recover" in said, said
        followed.append("kg db start --recover")
        code, said = kg.run("db", "start", "--recover")
        assert code == 0, said


@pytest.mark.parametrize("seed", range(RUNS))
def test_a_full_disk_costs_no_store(
    seed: int,
    template: Command,
    texts: Path,
    expected: Mapping[str, bytes],
    tmp_path: Path,
    record_property: pytest.RecordProperty,
) -> None:
    chance = random.Random(seed)
    way = WAYS[seed % len(WAYS)]
    with SmallDisk(tmp_path / "disk", DISK_MB) as disk:
        kg = Command(disk.folder / "home")
        shutil.copytree(template.home, kg.home, symlinks=True)
        try:
            code, said = kg.run("db", "start")
            assert code == 0, said
            stopped, said = disturb(kg, disk, texts, chance, way)
            panicked = "critical error" in said or "stopped accepting" in said
            go_on(kg, disk, way)
            followed = finish(kg, ("load", str(texts), "--graph", "big"))
            assert exports(kg) == expected
            outcome = "panicked" if panicked else "stopped cleanly" if stopped else "had finished"
            record_property("figures", f"run {seed:2}, {way}: {outcome}; then {', '.join(followed) or 'nothing more'}")
        finally:
            disk.relieve()
            kg.end()


def test_the_command_stops_before_the_disk_is_full(template: Command, texts: Path, tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "disk", DISK_MB) as disk:
        kg = Command(disk.folder / "home")
        shutil.copytree(template.home, kg.home, symlinks=True)
        try:
            assert kg.run("db", "start")[0] == 0
            disk.fill(left=50_000_000)
            code, said = kg.run("load", str(texts), "--graph", "big", "--json")
            assert code == 4
            assert json.loads(said)["error"]["type"] == "DiskFull"
            assert kg.run("report", "most-connected", "--graph", "finished")[0] == 0  # the server is well
        finally:
            disk.relieve()
            kg.end()
