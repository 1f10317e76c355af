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
from kg_neo4j.errors import JavaMissing
from kg_neo4j.local_server import local_neo4j
from neo4j_local import class_archive, launch
from neo4j_local.progress import SILENT
from private_server import PrivateServer, archive_of, arguments

STORY = str(Path(__file__).resolve().parents[1] / "examples" / "the_lamp_at_skarnes.md")


def make(folder: Path, settings: Settings, parts: launch.Parts) -> Path:
    """Return an archive of the classes that a server loads to start, to be filled and to answer."""
    listed, made = folder / "classes", folder / "archive"
    noting = (f"-XX:DumpLoadedClassList={listed}",)
    with (
        mock.patch.object(private_server, "arguments", lambda jars: arguments(jars, *noting)),
        PrivateServer(folder / "home", settings) as started,
    ):
        outside = started.start().aside("main").model_copy(update={"embedding_model": None})
        load([STORY], settings=outside, options=LoadOptions(chunk_tokens=150))
        ask("Who lives in Skarnes?", settings=outside, mode="local")
    listed.write_text(class_archive.readable(listed.read_text("utf-8")))
    options = ("-Xshare:dump", "-Xlog:disable", f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={made}")
    (folder / "java.args").write_text(arguments(parts.jars, *options), "utf-8")
    subprocess.run([parts.java, f"@{folder / 'java.args'}"], check=True, stdout=subprocess.DEVNULL)
    return made


def main() -> None:
    """Make it where servers are ours to start."""
    settings = Settings()
    if settings.neo4j_uri:
        return
    try:
        with local_neo4j(settings) as local:
            parts = local.parts(SILENT)
    except JavaMissing:
        return  # the tests' servers run in containers
    archive = archive_of(parts.jars)
    if archive.is_file():
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        make(Path(folder), settings, parts).replace(archive)


if __name__ == "__main__":
    main()
