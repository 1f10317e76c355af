"""Parses untrusted files in a child process that is killed at limits of time and memory.

The file's bytes go in through a pipe, JSON comes out of one; nothing else passes. A child that runs out of memory,
crashes or hangs costs one skipped file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Section

MAX_TEXT_CHARACTERS = 64_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost."""

    seconds: float = 120.0  # a 1,000-page PDF takes about 30
    memory_bytes: int = 1 << 30  # of address space; where the platform can limit it


LIMITS = Limits()


def parse(kind: str, data: bytes, limits: Limits = LIMITS) -> ParsedText:
    """Return the text of a file of `kind` ("pdf", "docx"). Raises UnreadableSource with the reason, always in time."""
    bootstrap = f"import sys; sys.path[:] = {sys.path!r}; from kg_neo4j.acquire import sandbox; sandbox.main()"
    command = [sys.executable, "-c", bootstrap, kind, str(limits.memory_bytes), str(int(limits.seconds) + 1)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limits.seconds, check=False)  # noqa: S603 - our own interpreter and code
    except subprocess.TimeoutExpired as error:
        raise UnreadableSource(f"parsing took longer than {limits.seconds:g} s") from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        if "MemoryError" in last or done.returncode < 0:
            raise UnreadableSource(f"parsing was stopped: more than {limits.memory_bytes >> 20} MB, or a crash")
        raise UnreadableSource(f"cannot be parsed: {last[:200]}")
    return _received(done.stdout)


def main() -> None:
    """Run in the child: limit this process, read the file from standard input, write the outcome as JSON."""
    kind, memory_bytes, seconds = sys.argv[1:4]
    _limit(int(memory_bytes), int(seconds))
    readers = {"pdf": _pdf, "docx": _docx}
    try:
        parsed = readers[kind]()(sys.stdin.buffer.read())
        if len(parsed.text) > MAX_TEXT_CHARACTERS:
            raise UnreadableSource(f"{len(parsed.text):,} characters; at most {MAX_TEXT_CHARACTERS:,} are read")
        outcome = json.dumps(asdict(parsed))
    except UnreadableSource as refused:
        outcome = json.dumps({"refused": str(refused), "hint": refused.hint})
    sys.stdout.write(outcome)


def _received(output: bytes) -> ParsedText:
    outcome = json.loads(output)
    if "refused" in outcome:
        raise UnreadableSource(outcome["refused"], hint=outcome["hint"])
    return ParsedText(
        text=outcome["text"],
        title=outcome["title"],
        sections=tuple(Section(**section) for section in outcome["sections"]),
        pages=tuple(outcome["pages"]),
    )


def _limit(memory_bytes: int, seconds: int) -> None:
    """Limit address space and processor time, where the platform knows them (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    for kind, wanted in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(kind, (limit, limit))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS on some versions; the time limit stays
            continue


def _pdf() -> Callable[[bytes], ParsedText]:
    from kg_neo4j.acquire.pdf_text import read_pdf

    return read_pdf


def _docx() -> Callable[[bytes], ParsedText]:
    from kg_neo4j.acquire.docx_text import read_docx

    return read_docx
