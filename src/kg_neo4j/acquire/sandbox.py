"""Reads untrusted files, and pages of wikis, in a child process that is killed at limits of time and memory.

One child reads file after file; bytes go in and text comes out through pipes, each after a line that gives its length.
If the child runs out of time or memory or crashes, the file is refused and the next one gets a new child. It ends
with its standard input or with the time of a file: a parent that is killed leaves no child behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, replace
from pkgutil import resolve_name
from typing import IO, Any

import psutil

from kg_neo4j.acquire.interface import PLAIN, NeedsMore, ParsedText, ReadOptions
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Section

MAX_TEXT_CHARACTERS = 64_000_000
FILES_A_CHILD = 1_000  # libraries may leak memory
_MODULES = {
    "text": "plain_text",
    "markdown": "plain_text",
    "html": "html_text",
    "wiki": "html_text",
    "docx": "docx_text",
}
_TOLD = ("title", "left_out", "author", "date")
_SPENT_SHARE = 4  # a child that has used a quarter of the memory limit reads no further file


@dataclass(slots=True, eq=False)
class Sandbox(contextlib.AbstractContextManager["Sandbox"]):
    """A child process that reads files. It starts at the first file and ends with the `with` block. Not thread-safe."""

    seconds: float = 120.0  # that one file may take; a 1,000-page PDF takes about 30
    memory_bytes: int = 1 << 30  # of address space, likewise; where the platform can limit it
    _child: _Child | None = None

    def close(self, *_: object) -> None:
        """End the child; a later file starts another one."""
        if self._child is not None:
            self._child.end()
            self._child = None

    __exit__ = close

    def parse(self, kind: str, data: bytes, options: ReadOptions = PLAIN) -> ParsedText:
        """Return the text of a file of `kind`, a value of `readers.kinds`, or of a page ("wiki").

        Raises UnreadableSource with the reason, always in time: that of the file, or what its reader needs more.
        The outcome does not depend on the files before it.
        """
        used, self._child = self._child, None
        try:
            return self._parse(used or _Child(self.seconds, self.memory_bytes), kind, data, options)
        except _Crashed:
            if used is None:
                raise
            # the files before may have left too little memory
            return self._parse(_Child(self.seconds, self.memory_bytes), kind, data, options)

    def _parse(self, child: _Child, kind: str, data: bytes, options: ReadOptions) -> ParsedText:
        with contextlib.ExitStack() as stack:
            stack.callback(child.end)
            outcome, text = child.exchange(kind, data, options)
            if not outcome["spent"]:
                stack.pop_all()
                self._child = child
        if "needs" in outcome:
            kind, *limits = outcome["needs"]
            with Sandbox(*limits) as larger:
                return larger.parse(kind, data, options)
        if "refused" in outcome:
            raise UnreadableSource(outcome["refused"], hint=outcome["hint"])
        sections = tuple(Section(*section) for section in outcome["sections"])
        told = {name: outcome[name] for name in _TOLD}
        attached = tuple((name, b64decode(contents)) for name, contents in outcome["attached"])
        return ParsedText(text, sections=sections, pages=tuple(outcome["pages"]), attached=attached, **told)


class _Crashed(UnreadableSource):
    """The child ended while it read a file, though it had time left."""


class _Child:
    """The process and its pipes."""

    def __init__(self, seconds: float, memory_bytes: int) -> None:
        self._seconds, self._memory_bytes = seconds, memory_bytes
        bootstrap = f"import sys; sys.path[:] = {sys.path!r}; from kg_neo4j.acquire import sandbox; sandbox.main()"
        command = [sys.executable, "-c", bootstrap, str(memory_bytes), str(seconds)]
        try:
            with contextlib.ExitStack() as stack:
                # a file, because a pipe could fill and block the child
                self._errors = stack.enter_context(tempfile.TemporaryFile())
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
                )
                stack.pop_all()
        except OSError as error:
            raise UnreadableSource(f"no process could be started to read it: {error.strerror or error}") from error

    def exchange(self, kind: str, data: bytes, options: ReadOptions) -> tuple[dict[str, Any], str]:
        """Return what the child makes of `data`: its outcome, and the text. Raises UnreadableSource if it ends."""
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._process.kill()

        timer = threading.Timer(self._seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            stdin, stdout = self._process.stdin, self._process.stdout
            if stdin is None or stdout is None:
                raise EOFError("the child has no pipes")
            header = json.dumps([kind, len(data), asdict(options)])
            stdin.write(header.encode("ascii") + b"\n")
            stdin.write(data)
            stdin.flush()
            answer = stdout.readline()
            if not answer.endswith(b"\n"):
                raise EOFError("no answer")
            outcome_bytes, text_bytes = map(int, answer.split())
            return json.loads(_exactly(stdout, outcome_bytes)), _exactly(stdout, text_bytes).decode("utf-8")
        except (BrokenPipeError, EOFError) as error:
            if expired.is_set():
                raise UnreadableSource(f"reading took longer than {self._seconds:g} s") from error
            raise _Crashed(self._last_words()) from error
        finally:
            timer.cancel()

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self._process.kill()
        self._process.communicate()  # also closes them
        self._errors.close()

    def _last_words(self) -> str:
        status = self._process.wait()
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4_096))
        last = self._errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        if "MemoryError" in last or status < 0:
            return f"reading was stopped: more than {self._memory_bytes >> 20} MB of memory, or a crash"
        return f"cannot be read: {last[:200]}"


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """Return the next `size` bytes; raises EOFError if the stream ends before."""
    data = stream.read(size)
    if len(data) != size:
        raise EOFError(f"{len(data)} of {size} bytes")
    return data


def main() -> None:
    """Run in the child: read files from standard input, one after the other, until it ends; answer on standard output.

    What a reader raises, apart from UnreadableSource, ends this process; its last line of standard error is the reason.
    """
    memory_bytes, seconds = int(sys.argv[1]), float(sys.argv[2])
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not get between the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    _limit_memory(memory_bytes)
    process = psutil.Process()
    for number in range(1, FILES_A_CHILD + 1):
        header = stdin.readline()
        if not header:
            return
        _set_alarm(seconds + 1)  # the parent kills at `seconds`, unless it was killed itself
        kind, size, options = json.loads(header)
        outcome, text = _read(kind, _exactly(stdin, size), ReadOptions(**options))
        outcome["spent"] = number == FILES_A_CHILD or process.memory_info().rss * _SPENT_SHARE > memory_bytes
        answer = json.dumps(outcome).encode("ascii")
        stdout.write(b"%d %d\n" % (len(answer), len(text)))
        stdout.write(answer)
        stdout.write(text)
        stdout.flush()
        _set_alarm(0)


def _read(kind: str, data: bytes, options: ReadOptions) -> tuple[dict[str, Any], bytes]:
    """Return the outcome, all but the text, and the text in UTF-8."""
    try:
        parsed = _parsed(kind, data, options)
        if len(parsed.text) > MAX_TEXT_CHARACTERS:
            raise UnreadableSource(f"{len(parsed.text):,} characters; at most {MAX_TEXT_CHARACTERS:,} are read")
    except UnreadableSource as refused:
        return {"refused": str(refused), "hint": refused.hint}, b""
    except NeedsMore as more:
        return {"needs": more.args}, b""
    sections = [(section.title, section.level, section.start, section.end) for section in parsed.sections]
    told = {name: getattr(parsed, name) for name in (*_TOLD, "pages")}
    attached = [(name, b64encode(contents).decode("ascii")) for name, contents in parsed.attached]
    return told | {"sections": sections, "attached": attached}, parsed.text.encode("utf-8")


def _set_alarm(seconds: float) -> None:
    """End this process after `seconds`, 0: never; where the platform can (not on Windows)."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(memory_bytes: int) -> None:
    """Limit the address space, where the platform can (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    for kind, wanted in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(kind, (limit, limit))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS on some versions; the time limit stays
            continue


def _parsed(kind: str, data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of a file; the library that reads it is imported in the child alone."""
    from kg_neo4j.acquire.decoding import DAMAGED, decode, normalise_text

    own = kind in _MODULES
    reader = resolve_name(f"kg_neo4j.acquire.{_MODULES[kind]}:read_{kind}" if own else kind)
    given: list[Any] = [data] if own else [data, options]
    if kind in ("text", "markdown"):
        given = [normalise_text(decode(data, encoding=options.encoding))]
    elif kind == "html":
        given = [data, options.encoding]
    found: ParsedText = reader(*given)
    damaged = found.text.count(DAMAGED) if options.encoding else 0
    if damaged:
        told = f"{damaged:,} character{'s'[: damaged > 1]} cannot be read and {'are' if damaged > 1 else 'is'} U+FFFD"
        found = replace(found, left_out="; ".join(filter(None, (found.left_out, told))))
    return found
