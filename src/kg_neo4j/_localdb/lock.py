"""The locks: which jars make up a server of each line of Neo4j, with their sizes and checksums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Jar:
    """One locked jar."""

    group: str
    name: str
    version: str
    classifier: str  # "" for none
    sha256: str
    size: int  # bytes

    @property
    def file_name(self) -> str:
        """Name of the file, as Maven repositories have it."""
        return f"{self.name}-{self.version}{'-' + self.classifier if self.classifier else ''}.jar"

    @property
    def plugin(self) -> bool:
        """True for the jars of the plugins: Graph Data Science and APOC."""
        return self.group.startswith(("org.neo4j.gds", "org.neo4j.procedure"))


@dataclass(frozen=True, slots=True)
class JarsLock:
    """All jars of one server."""

    neo4j: str  # version
    main: str  # the class that Java starts
    java: tuple[int, ...]  # versions that it runs on
    gds: str  # version
    apoc: str  # version
    jars: tuple[Jar, ...]
    hash: str  # 16 hexadecimal digits; another lock has another one

    @property
    def size(self) -> int:
        """Bytes of all jars."""
        return sum(jar.size for jar in self.jars)

    @property
    def line(self) -> str:
        """The line of Neo4j ("5.26"), within which stores are compatible in both directions."""
        return ".".join(self.neo4j.split(".")[:2])


@cache
def read(line: str) -> JarsLock:
    """Return the lock for a line of Neo4j, such as "5.26"."""
    return parse(Path(__file__).with_name(f"jars-{line}.lock").read_text(encoding="utf-8"))


def parse(text: str) -> JarsLock:
    """Parse a lock file: `#` comments, `neo4j VERSION`, `main CLASS`, `java 17,21`, `gds` and `apoc`; then jars.

    A jar is `COORDINATES SHA256 BYTES`. Raises ValueError naming the line that is not of this form.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, fields) for number, fields in lines if fields and fields[0] != "#"]
    about = {fields[0]: fields[1] for _, fields in lines if len(fields) == 2}
    jars = tuple(_jar(number, fields) for number, fields in lines if len(fields) != 2)
    content = "\n".join(" ".join(fields) for _, fields in lines)
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    java = tuple(map(int, about["java"].split(",")))
    return JarsLock(about["neo4j"], about["main"], java, about["gds"], about["apoc"], jars, digest)


def _jar(number: int, fields: list[str]) -> Jar:
    parts = fields[0].split(":")
    if len(parts) not in {3, 4} or len(fields) != 3 or len(fields[1]) != 64 or not fields[2].isdigit():
        raise ValueError(f"line {number} of the lock is not COORDINATES SHA256 BYTES: {' '.join(fields)}")
    group, name, version, classifier = (*parts, "")[:4]
    return Jar(group, name, version, classifier, fields[1], int(fields[2]))
