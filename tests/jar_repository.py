"""Jars of a few bytes, a Maven repository on loopback that can misbehave, and a progress that remembers."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from neo4j_local.jars import Jar, JarsLock


@dataclass
class Recorder:
    notes: list[str] = field(default_factory=list)
    totals: list[int | None] = field(default_factory=list)
    units: int = 0

    def start(self, stage: str, total: int | None = None) -> None:
        self.totals.append(total)

    def advance(self, stage: str, units: int = 1) -> None:
        self.units += units

    def finish(self, stage: str) -> None:
        pass

    def note(self, message: str) -> None:
        self.notes.append(message)


def content(number: int) -> bytes:
    return f"jar {number} ".encode() * 50


def small_lock(count: int) -> JarsLock:
    jars = tuple(
        Jar(
            group="org.neo4j.gds" if number == 0 else "org.example",
            name=f"part{number}",
            version="1.0",
            classifier="linux-x86_64" if number == 1 else "",
            sha256=hashlib.sha256(content(number)).hexdigest(),
            size=len(content(number)),
        )
        for number in range(count)
    )
    return JarsLock("5.26.30", "org.neo4j.Main", (21,), "2.13.9", "5.26.19", jars, "0123456789abcdef")


@dataclass
class Repository:
    """Serves the small jars; `script[file]` holds what it does instead, one entry a request, the last one for ever."""

    url: str
    requests: Counter[str] = field(default_factory=Counter)
    script: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def next_act(self, file: str) -> str:
        acts = self.script[file]
        return (acts.pop(0) if len(acts) > 1 else acts[0]) if acts else "serve"
