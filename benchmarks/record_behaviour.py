"""Record what the product does, and compare two recordings byte for byte.

    PYTHONPATH=src python benchmarks/record_behaviour.py record FOLDER [--only PART ...]
    python benchmarks/record_behaviour.py compare BEFORE AFTER

It runs the command line on six texts of ../shared/data (two parts of Wikipedia's scientists, a composer, a prophet,
a story in English and a novel in Polish, each cut to its first pages), in two worlds: offline, and with a scripted
model (chat and embeddings) behind a real HTTP server. PYTHONPATH decides which checkout is recorded. Each world has a
Neo4j of its own, each part a cache of its own, all in a temporary folder.

A part is WORLD-NAME, such as model-answers; `record --help` lists them. A part that rests on others brings them
along. FOLDER/PART has out/ (what each command printed, and its exit code), calls/ (the requests that each command
made: task, hash of the messages, room, temperature; sorted), cache.txt (what is in the folder of the cache after each
command: keys of answers, other files), graph/ (sorted exports, archives) and made/ (files that commands wrote).
FOLDER/PART/requests has the requests by hash, to read; it is not compared.

A load writes after so many rows, not seconds. Normalised: the folder of the recording is <work>, the server's address
<uri>; times that were measured are <time> (the keys and columns in recording/masks.py, and numbers before ms, s and
words/s in text; the estimates of plans stay). Runs of spaces and rules in printed tables are one. Strings of JSON over
300 characters are cut and hashed. In archives `recorded` (the id of a run) is left out, and a vector is its hash;
`origin` (a hash of the folder) is <place>, and the packed size of an archive is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(1, str(ROOT / "tests"))

from recording import masks, parts, scripted_answers  # noqa: E402

from fake_llm import FakeLlm, Reply, Request  # noqa: E402 - a module of the tests

SHOWN_DIFFERENCES = 12  # lines a file
PORT = 48_123  # of the scripted model: a study names its graph after the address, too
NOT_COMPARED = ("requests", "recorded.json")
PRICES = '["scripted"]\ninput = 1\noutput = 4\n\n["fake-embedding"]\ninput = 0.1\n'


class ScriptedModel(FakeLlm):
    """The scripted model: it counts tokens as four characters each, keeps to max_tokens, and can have faults."""

    window = 0  # tokens of a prompt at most; 0: any
    flaky = False  # some requests fail the first time

    def reply_to(self, request: Request) -> Reply:
        """Return the answer of the rules, or a fault that depends on the request."""
        if self.flaky and self._fails_first(request):
            self.requests.append(request)
            return self.json({"error": {"message": "busy"}}, 503, headers=(("Retry-After", "0"),))
        if self.window and len(request.prompt) > 4 * self.window:
            self.requests.append(request)
            error = {"message": "the prompt is too long", "code": "context_length_exceeded"}
            return self.json({"error": error}, 400)
        return super().reply_to(request)

    def _fails_first(self, request: Request) -> bool:
        mark = request_hash(request)
        return scripted_answers.hashed(mark) % 6 == 0 and all(request_hash(each) != mark for each in self.requests)

    def _counted(self, request: Request, reply: Reply) -> Reply:
        data = json.loads(reply.body)
        choice = data["choices"][0]
        said, room = choice["message"]["content"], 4 * (request.body.get("max_tokens") or 1_000_000)
        kind = scripted_answers.kind_of(request.prompt, request.user)
        if kind in ("extract", "glean") and scripted_answers.hashed(request.user, "cut") % 9 == 0:
            room = min(room, len(said) * 2 // 3)
        if len(said) > room:
            choice["message"]["content"], choice["finish_reason"] = said[:room], "length"
        counts = {"prompt_tokens": len(request.prompt) // 4, "completion_tokens": min(len(said), room) // 4}
        return self.json({**data, "usage": {**counts, "total_tokens": sum(counts.values())}})


def request_hash(request: Request) -> str:
    """Return a hash of what was asked: the messages, or the texts to embed."""
    asked = request.body.get("messages") or request.body.get("input")
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def request_line(request: Request) -> str:
    """Return a request in one line: the task, and everything but the text itself."""
    is_chat = "messages" in request.body
    kind = scripted_answers.kind_of(request.prompt, request.user) if is_chat else "embedding"
    rest = {name: value for name, value in sorted(request.body.items()) if name not in ("messages", "input")}
    return f"{kind} {request_hash(request)} {json.dumps(rest)}"


class Recording:
    """One part's folder, its cache, and the server and the model that its commands use."""

    def __init__(self, folder: Path, work: Path, world: str, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.work = work
        self.world = world
        self.llm: ScriptedModel | None = None
        self._environment = dict(environment)
        self._cache = Path(environment["KG_CACHE"])
        self._known: set[str] = set()

    @property
    def is_offline(self) -> bool:
        """Whether there is no model."""
        return self.world == "offline"

    def graph(self, name: str) -> str:
        """Return the name of a graph of this world."""
        return f"{self.world}-{name}"

    def run(self, name: str, *words: str, stdin: str = "", **environment: str) -> str:
        """Run a command, record what it printed, asked and cached as `name`, and return its standard output."""
        with self._model(environment) as calls:
            code, out, err = run_command(words, {**self._environment, **calls, **environment}, stdin)
            asked = [*self.llm.requests] if self.llm else []
        measured = "--dry-run" not in words or words[0] == "resolve"  # its proposals are no estimate
        shown = [self._plain(" ".join(["$ kg", *words])), f"exit {code}", self._normal(out, measured), "-- errors"]
        self._write(f"out/{name}.txt", "\n".join([*shown, self._normal(err, measured)]))
        if not self.is_offline:
            lines = sorted(map(request_line, asked))
            self._write(f"calls/{name}.txt", "\n".join([f"{len(lines)} requests", *lines]))
            for request in asked:
                self._write(f"requests/{request_hash(request)}.json", json.dumps(request.body, indent=1))
        self._note_cache(name)
        return out

    def twice(self, name: str, *words: str, **environment: str) -> None:
        """Run a command, and once more: what it made is there."""
        self.run(name, *words, **environment)
        self.run(f"{name}-again", *words, **environment)

    def planned(self, name: str, *words: str, **environment: str) -> None:
        """Plan a command, run it twice, and plan it again."""
        self.run(f"{name}-plan", *words, "--dry-run", **environment)
        self.twice(name, *words, **environment)
        self.run(f"{name}-plan-again", *words, "--dry-run", **environment)

    def export(self, name: str, graph: str) -> None:
        """Record the sorted export of a graph, and its archive without the ids of runs."""
        target, archive = self.work / "export.jsonl", self.work / "archive.jsonl.gz"
        self.run(f"export-{name}", "export", str(target), "--graph", graph)
        self.run(f"archive-{name}", "export", "--archive", str(archive), "--graph", graph)
        self._write(f"graph/{name}.jsonl", self._plain(target.read_text("utf-8")))
        with gzip.open(archive, "rt", encoding="utf-8") as file:
            self._write(f"graph/{name}.archive.jsonl", self._plain("\n".join(map(masks.archive_line, file))))

    def keep(self, name: str, file: Path) -> None:
        """Record a file that a command made; of pictures the hash."""
        if file.suffix in (".png", ".svg", ".html"):
            text = hashlib.sha256(self._plain(file.read_text("utf-8")).encode()).hexdigest()
        else:
            text = self._normal(file.read_text("utf-8"), True) if file.is_file() else "no such file"
        self._write(f"made/{name}", text)

    @contextlib.contextmanager
    def _model(self, given: Mapping[str, str]) -> Iterator[dict[str, str]]:
        if self.llm is None:
            yield {}
            return
        self.llm.requests.clear()
        self.llm.window, self.llm.flaky = int(given.get("FAKE_WINDOW", 0)), "FAKE_FLAKY" in given
        models = {"KG_MODEL": "scripted", "KG_EMBEDDING_MODEL": "fake-embedding"}
        yield {"OPENAI_BASE_URL": self.llm.url, "OPENAI_API_KEY": "k", **models}

    def _note_cache(self, name: str) -> None:
        """Write what is new in the folder of the cache."""
        keys = set()
        for file in sorted(each for each in self._cache.rglob("*") if each.is_file()):
            if file.suffix == ".sqlite3":
                keys |= {f"{file.name} {row}" for row in _rows(file)}
            elif not file.name.endswith(("-wal", "-shm", ".lock")):
                keys.add(f"file {file.relative_to(self._cache)}")
        new, gone = sorted(keys - self._known), sorted(self._known - keys)
        self._known = keys
        lines = [f"# {name}: {len(keys)}", *(f"+ {key}" for key in new), *(f"- {key}" for key in gone)]
        with (self.folder / "cache.txt").open("a", encoding="utf-8") as record:
            record.write("\n".join(lines) + "\n")

    def _normal(self, text: str, measured: bool) -> str:
        """Return what a command printed, without what differs from run to run."""
        return masks.normal(self._plain(text), measured)

    def _plain(self, text: str) -> str:
        for shown, word in ((str(self.work), "<work>"), (self._environment["NEO4J_URI"], "<uri>")):
            text = text.replace(shown, word)
        return text.replace(self.llm.url, "<model>") if self.llm else text

    def _write(self, name: str, text: str) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.rstrip("\n") + "\n", "utf-8")


def run_command(words: Sequence[str], environment: Mapping[str, str], stdin: str) -> tuple[Any, str, str]:
    """Run `kg WORDS` in this process; return its exit code, standard output and standard error."""
    from kg_neo4j._cli import app

    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
    before = sys.argv, sys.stdin
    out, err = io.StringIO(), io.StringIO()
    sys.argv, sys.stdin = ["kg", *words], io.StringIO(stdin)
    try:
        with (
            mock.patch.dict(os.environ, {**kept, **environment}, clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            app.main()
    except SystemExit as done:
        return done.code, out.getvalue(), err.getvalue()
    except Exception as fault:  # noqa: BLE001 - a fault of a command is recorded, too
        return "fault", out.getvalue(), err.getvalue() + "".join(traceback.format_exception_only(fault))
    finally:
        sys.argv, sys.stdin = before
    return 0, out.getvalue(), err.getvalue()


def _rows(file: Path) -> list[str]:
    """Return the rows of a database in a cache: the keys of answers, of other tables the number of rows."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = []
        for table in sorted(set(tables) - {"sqlite_sequence"}):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if "key" in columns:
                found += [f"{table} {key}" for (key,) in database.execute(f"SELECT key FROM {table}")]
            else:
                found += [f"{table}: {database.execute(f'SELECT count(*) FROM {table}').fetchone()[0]}"]
        return found


# ------------------------------------------------------------------------------------------------- record, compare


def record(folder: Path, only: Sequence[str]) -> None:
    """Record the parts in `only`, or all, and what they rest on."""
    wanted = parts.with_needs(only)
    write_by_rows()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    took: dict[str, float] = {}
    with working_folder() as made:
        for world in ("offline", "model"):
            some = [part for part in wanted if part.startswith(world)]
            if not some:
                continue
            with own_server(Path(made) / f"home-{world}") as server:
                for part in some:
                    started = time.monotonic()
                    record_part(part, folder / part, Path(made), server)
                    took[part] = round(time.monotonic() - started, 1)
                    print(f"{part}: {took[part]} s", file=sys.stderr, flush=True)
    (folder / "recorded.json").write_text(json.dumps({"parts": took}, indent=1), "utf-8")


@contextlib.contextmanager
def working_folder() -> Iterator[str]:
    """Yield a folder of the same path in each recording: the names of studies' graphs hash it, and so do all their ids.

    FileExistsError where another recording runs, or was killed: then delete it.
    """
    made = Path(tempfile.gettempdir()) / "kg-record"
    made.mkdir()
    try:
        yield str(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def write_by_rows() -> None:
    """Let a load write after so many rows, never after so many seconds, which differ from run to run.

    What is written at once shows in the number of changes, and in the statistics of Neo4j's full-text indexes.
    """
    import kg_neo4j

    _ = kg_neo4j.load  # loads the modules of a load
    for module in [each for name, each in sys.modules.items() if name.startswith("kg_neo4j.")]:
        if hasattr(module, "BATCH_S"):
            vars(module)["BATCH_S"] = 1e6
            return
    print("no BATCH_S: what a load writes at once depends on the time", file=sys.stderr)


def record_part(part: str, folder: Path, work: Path, server: Mapping[str, str]) -> None:
    """Record one part with a cache of its own."""
    world, _, name = part.partition("-")
    folder.mkdir()
    for left in [each for each in work.iterdir() if not each.name.startswith(("home-", "cache-"))]:
        shutil.rmtree(left) if left.is_dir() else left.unlink()  # what other parts made
    parts.write_texts(work)
    (work / "prices.toml").write_text(PRICES, "utf-8")
    calls = {"KG_MODEL_CONCURRENCY": "1", "KG_MODEL_RETRIES": "1", "KG_PRICES": str(work / "prices.toml")}
    environment = {**server, **calls, "KG_CACHE": str(work / f"cache-{part}"), "KG_HOME": str(work / "unused")}
    recording = Recording(folder, work, world, environment)
    with contextlib.ExitStack() as opened:
        if world == "model":
            recording.llm = opened.enter_context(ScriptedModel(PORT, rules=scripted_answers.say))
        opened.enter_context(contextlib.chdir(work))
        parts.PARTS[name].record(recording)


@contextlib.contextmanager
def own_server(home: Path) -> Iterator[Mapping[str, str]]:
    """Yield the address of a Neo4j that is started for this recording, and stopped after it."""
    ports = {"KG_DB_BOLT_PORT": "0", "KG_DB_HTTP_PORT": "0", "KG_DB_HEAP_MB": "768", "KG_DB_PAGECACHE_MB": "128"}
    usual = {name: value for name, value in os.environ.items() if name in ("KG_CACHE", "KG_JARS_DIR", "KG_JAVA_HOME")}
    settings = {**usual, **ports, "KG_HOME": str(home)}
    with short_lived():
        code, out, err = run_command(["db", "start", "--json"], settings, "")
    if code:
        sys.exit(f"no server: {out}{err}")
    try:
        started = json.loads(out)
        password = Path(started["password_file"]).read_text("utf-8").strip()
        yield {"NEO4J_URI": started["uri"], "NEO4J_USERNAME": started["username"], "NEO4J_PASSWORD": password}
    finally:
        run_command(["db", "stop"], settings, "")


@contextlib.contextmanager
def short_lived() -> Iterator[None]:
    """Start a server without Java's second compiler and with plans that last: it takes half of the processor time."""
    from neo4j_local import configuration, java

    def command(executable: Path, *given: Any) -> list[str]:
        first, *others = usual(executable, *given)
        return [first, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *others]

    usual, lasting = java.command, {"dbms.cypher.min_replan_interval": "1h"}
    with mock.patch.dict(configuration.SECURITY, lasting), mock.patch.object(java, "command", command):
        yield


def compare(before: Path, after: Path) -> int:
    """Print how two recordings differ; return 0 where they are equal in all parts that both have, else 1."""
    for side in (before, after):
        if not (side / "recorded.json").is_file():
            sys.exit(f"{side} is no whole recording")
    sides = [{each.name for each in side.iterdir() if each.is_dir()} for side in (before, after)]
    for part in sorted(sides[0] ^ sides[1]):
        print(f"not compared: {part} is in {before if part in sides[0] else after} alone")
    found: dict[str, int] = {}
    both = sorted(sides[0] & sides[1])
    for part in both:
        names = sorted(_files(before / part) | _files(after / part))
        if not names:
            found[f"{part} is empty"] = 0
        for name in names:
            one, two = (_lines(side / part / name) for side in (before, after))
            if one == two:
                continue
            kind = f"{part} {name.partition('/')[0]}"
            found[kind] = found.get(kind, 0) + 1
            lines = difflib.unified_diff(one, two, f"{before}/{part}/{name}", f"{after}/{part}/{name}", "", "", 1)
            print("\n".join(line.rstrip("\n")[:400] for line, _ in zip(lines, range(SHOWN_DIFFERENCES), strict=False)))
    print(*(f"{count} files differ: {kind}" for kind, count in found.items()), sep="\n")
    print(f"{len(both)} parts compared: {'different' if found or not both else 'equal'}")
    return 1 if found or not both else 0


def _files(folder: Path) -> set[str]:
    names = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}
    return {name for name in names if name.partition("/")[0] not in NOT_COMPARED}


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines(keepends=True) if file.is_file() else ["no such file\n"]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="record what the product does, and compare two recordings")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", epilog=f"parts: {' '.join(parts.NAMES)}")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--only", nargs="+", metavar="PART", choices=parts.NAMES, default=[])
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "record":
        record(given.folder.absolute(), given.only)
    else:
        sys.exit(compare(given.before, given.after))


if __name__ == "__main__":
    main()
