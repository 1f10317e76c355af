"""Makes the archive of Java classes that the servers of tests start with; does nothing where it is there.

A start then takes half the processor time. Making it takes as much as some five starts.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from unittest import mock

import private_server
from kg_neo4j import LoadOptions, Settings, ask, load
from kg_neo4j._localdb import java, server
from kg_neo4j.errors import JavaMissing
from kg_neo4j.progress import SILENT
from private_server import ARCHIVE, PrivateServer, arguments

STORY = str(Path(__file__).resolve().parents[1] / "examples" / "the_lamp_at_skarnes.md")
LONGEST_LINE = 4_000  # Java writes longer ones than it reads


def make(folder: Path, settings: Settings) -> Path:
    """Return an archive of the classes that a server loads to start, to be filled and to answer."""
    parts = server.parts_of(settings, SILENT)
    listed, made = folder / "classes", folder / "archive"
    noting = (f"-XX:DumpLoadedClassList={listed}",)
    with (
        mock.patch.object(private_server, "arguments", lambda jars: arguments(jars, *noting)),
        PrivateServer(folder / "home", settings) as started,
    ):
        outside = started.start().aside("main").model_copy(update={"embedding_model": None})
        load([STORY], settings=outside, options=LoadOptions(chunk_tokens=150))
        ask("Who lives in Skarnes?", settings=outside, mode="local")
    classes = listed.read_text("utf-8").splitlines(keepends=True)
    listed.write_text("".join(line for line in classes if len(line) < LONGEST_LINE and "jdk/proxy" not in line))
    options = ("-Xshare:dump", "-Xlog:disable", f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={made}")
    (folder / "java.args").write_text(arguments(parts.jars, *options), "utf-8")
    subprocess.run([java.find(settings), f"@{folder / 'java.args'}"], check=True, stdout=subprocess.DEVNULL)
    return made


def main() -> None:
    """Make it where servers are ours to start."""
    settings = Settings()
    if ARCHIVE.is_file() or settings.neo4j_uri:
        return
    ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ARCHIVE.parent) as folder:
        try:
            make(Path(folder), settings).replace(ARCHIVE)
        except JavaMissing:
            return  # the tests' servers run in containers


if __name__ == "__main__":
    main()
