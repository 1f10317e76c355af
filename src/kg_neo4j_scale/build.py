"""Build: files of extractions become a whole store by Neo4j's importer.

    read -> names -> fold -> import -> schema -> summaries -> vectors -> communities

The first three make files in a folder beside the extractions, in tasks that processes share. A build that was stopped
goes on with the tasks that are missing; the store says by a mark whether it holds the import and is not whole yet.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shlex
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from kg_neo4j.errors import DiskFull, NotEnoughMemory, UsageError, cannot_write
from kg_neo4j.extract import exchange
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema import Schema
from kg_neo4j.factory import embeds_built_in
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.lease import Lease, wait_for_writers
from kg_neo4j.local_server import has_store, local_store
from kg_neo4j.organise import search_indexes, vectors
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.run import Run
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import RowCounts, RunCounts
from kg_neo4j.settings import Settings
from kg_neo4j_scale.build_work import DUCKDB_MB, BuildPart, BuildWork, Names, parts
from kg_neo4j_scale.bulk.folding import FoldTask, tasks
from kg_neo4j_scale.bulk.importer_files import arguments, write_mark
from kg_neo4j_scale.bulk.tables import opened
from kg_neo4j_scale.engines import local, processes
from kg_neo4j_scale.engines.choice import usable_cores

VERSION = 2  # of the files that a build leaves behind when it is stopped
WORKER_MB = 1_200  # that a worker may take: DuckDB's part, and the rows that Python holds
WORK_SHARE, STORE_SHARE = 1.5, 3.0  # bytes of the work folder and of the store, for a byte of extractions
VECTOR_SHARE = 1.5  # bytes of the work folder more, where it holds vectors of chunks
SAMPLE_S = 0.2
VECTORS = {"all": vectors.LABELS, "chunks": ("Chunk",), "none": ()}  # labels of nodes that get one
FINISHED = "finished"  # in the work folder: the store is whole, but for what is derived


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build."""

    workers: int | None = None  # processes; None: one a core, as far as there is memory
    overwrite: bool = False  # replace a store that holds graphs
    vectors: str = "all"  # or "chunks", or "none"; a later load adds those that are missing
    analytics: bool = True
    budget_usd: float | None = None  # for summaries of long descriptions, where there is a model; None: no limit

    def __post_init__(self) -> None:
        if self.vectors not in VECTORS:
            raise UsageError(f"vectors {self.vectors!r}", hint=f"one of {', '.join(VECTORS)}")


@dataclass(frozen=True, slots=True)
class BuildStage:
    """What one stage of a build took."""

    stage: str  # "read", "names", "fold", "import", "schema", "summaries", "vectors" or "communities"
    seconds: float
    peak_mb: float  # of memory, in our processes; Neo4j's is not among it
    disk_mb: float  # that the build's files and the store take after it


@dataclass(frozen=True, slots=True)
class BuildReport(RunCounts):
    """What a build in bulk did; what the extraction cost is in its own report.

    With `commands` the graph is not there yet: they are to be run where the server is.
    """

    graph: str
    nodes: int
    relationships: int
    communities: int
    stages: tuple[BuildStage, ...]  # that this run went through
    commands: tuple[str, ...] = ()


def build(
    folder: str | Path, *, settings: Settings, options: BuildOptions | None = None, progress: Progress = SILENT
) -> BuildReport:
    """Build the graph of the files of extractions in `folder` in bulk; the export is that of loading them.

    The managed server's store is replaced, and must hold no graph unless `options.overwrite`. For another server the
    importer's files are written and the report has the commands; a second call, when they have been run, ends the
    work. Raises UsageError for files that belong to no one graph, DiskFull, NotEnoughMemory, and what `load` raises.
    """
    run = _BuildRun(Path(folder), settings, progress, options or BuildOptions())
    started = time.monotonic()
    run.check()
    if not run.is_imported():
        run.write_files()
        if settings.neo4j_uri:
            return run.report(started, commands=run.commands())
        run.fill_store()
    return run.finish(started)


class _BuildRun:
    def __init__(self, source: Path, settings: Settings, progress: Progress, options: BuildOptions) -> None:
        self.source, self.settings, self.progress, self.options = source, settings, progress, options
        self.files = exchange.files_in(source)
        self.schema = _schema_of(self.files, source, settings.graph)
        self.work = source / f".build-{settings.graph}"  # the folder of what the build makes on its way
        self.size = sum(path.stat().st_size for path in self.files)
        named = [[path.name, path.stat().st_size] for path in self.files]  # another set of files is another build
        self.fingerprint = hashlib.sha256(json.dumps([VERSION, settings.graph, named]).encode()).hexdigest()
        # of the built-in embedding model, where chunks get their vectors on the way
        self.embedding = settings if options.vectors != "none" and embeds_built_in(settings) else None
        self.stages: list[BuildStage] = []
        self.stage = ""  # the one that runs

    # ------------------------------------------------------------------------------------------------- before

    def check(self) -> None:
        """Refuse what disk or memory cannot hold, and drop what a build of other files left."""
        mark = self.work / "fingerprint"
        if self.work.is_dir() and not (mark.is_file() and mark.read_text() == self.fingerprint):
            shutil.rmtree(self.work)
        self._check_disk()
        workers, free = self.options.workers or 1, psutil.virtual_memory().available // 2**20
        if free < workers * WORKER_MB:
            raise NotEnoughMemory(
                f"{workers:,} workers take {workers * WORKER_MB:,} MB of memory; {free:,} MB are free",
                hint="end other programs" if workers == 1 else "--workers 1",
            )
        try:
            self.work.mkdir(exist_ok=True)
            mark.write_text(self.fingerprint)
        except OSError as error:
            raise cannot_write(self.work, error) from error

    def _check_disk(self) -> None:
        made = _folder_size(self.work)
        store = 0 if self.settings.neo4j_uri else STORE_SHARE * self.size
        work = (WORK_SHARE + (VECTOR_SHARE if self.embedding else 0)) * self.size
        home = self.settings.home.absolute()
        there = next(each for each in (home, *home.parents) if each.is_dir())
        needed = {self.source: max(0.0, work - made), there: store}
        for folder in needed:
            alike = [size for each, size in needed.items() if each.stat().st_dev == folder.stat().st_dev]
            if (free := shutil.disk_usage(folder).free) < sum(alike):
                raise DiskFull(
                    f"{folder} has {free / 1e6:,.0f} MB free; {sum(alike) / 1e6:,.0f} MB are needed",
                    hint="free some space, or set KG_HOME and KG_CACHE to a larger disk",
                )

    def is_imported(self) -> bool:
        """Return whether the database holds what these files gave; UsageError where it holds other graphs."""
        if not self.settings.neo4j_uri and not has_store(self.settings):
            return False
        with connect(self.settings, self.progress, as_it_is=True) as database:
            wait_for_writers(database, self.progress)
            marks = database.read(queries.get("write/unfinished_import"), graph=self.settings.graph)
            graphs = [row["graph"] for row in database.read(queries.get("write/graphs"))]
        is_whole = self.settings.graph in graphs and (self.work / FINISHED).is_file()
        if is_whole or any(row["sha256"] == self.fingerprint for row in marks):
            return True
        if graphs and not self.options.overwrite and not self.settings.neo4j_uri:
            raise UsageError(
                f"the local database holds {', '.join(map(repr, graphs))}; a build in bulk replaces all of it",
                hint="`kg db backup FILE` keeps it, --yes replaces it; KG_HOME names another place; `kg load` adds",
            )
        return False

    # -------------------------------------------------------------------------------------------------- files

    def write_files(self) -> None:
        """Write the importer's files, as far as they are not there."""
        room = int(psutil.virtual_memory().available // 2**20 // WORKER_MB)
        workers = self.options.workers or max(1, min(usable_cores(), room))
        with self._stage("read"):
            self._do(list(parts(self.files)), self.work / "tables", workers, self.embedding)
        with self._stage("names"):
            self._do([Names(workers)], self.work, workers)
        with self._stage("fold"):
            with opened(self.work, self.schema, memory_mb=DUCKDB_MB) as connection:
                mentions, statements = (
                    connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]  # noqa: S608 - our own names
                    for name in ("mentions", "statements")
                )
            self._do(tasks(mentions, statements, workers), self.work / "csv", workers)
            write_mark(self.work / "csv", self.settings.graph, self.fingerprint, f"kg build {self.source} --bulk")

    def _do(
        self,
        wanted: Sequence[BuildPart | Names] | Sequence[FoldTask],
        folder: Path,
        workers: int,
        embedding: Settings | None = None,
    ) -> None:
        """Do the tasks whose folder is not there yet."""
        for leftover in folder.glob("*.partial"):
            shutil.rmtree(leftover)
        waiting = [task for task in wanted if not (folder / task.name).is_dir()]
        work = BuildWork(self.work, self.settings.graph, self.schema, embedding)
        self.progress.start(self.stage, len(waiting))
        if workers == 1:
            outcomes = local.run(work, waiting)
        else:
            outcomes = processes.run(work, iter(waiting), min(workers, len(waiting)))
        for done in outcomes:
            if done.error is not None:
                raise done.error
            self.progress.advance(self.stage)
        self.progress.finish(self.stage)

    # -------------------------------------------------------------------------------------------------- store

    def fill_store(self) -> None:
        """Put a new store in the place of the managed server's."""
        report, size = (self.work / "import.report").absolute(), round(STORE_SHARE * self.size)
        with self._stage("import"):
            given = arguments((self.work / "csv").absolute())  # the tool runs in the folder of the server
            with local_store(self.settings) as store:
                store.import_full(given, report, size, self.progress, overwrite=True)

    def commands(self) -> tuple[str, ...]:
        """Return what to run where another server is, one command each."""
        name = self.settings.neo4j_database or "neo4j"
        tool = ["neo4j-admin", "database", "import", "full", name]
        again = ["kg", "build", str(self.source), "--bulk", "--graph", self.settings.graph]
        return shlex.join([*tool, *arguments(self.work / "csv")]), shlex.join(again)

    def finish(self, started: float) -> BuildReport:
        """Make constraints and indexes, then what is derived from the graph; remove the folder of the work."""
        options, tally, communities = self.options, Tally(), 0
        with ExitStack() as stack:
            with self._stage("schema"):
                database = stack.enter_context(connect(self.settings, self.progress, to_write=True, as_it_is=True))
                lease = stack.enter_context(Lease(database, self.settings.graph))
                search_indexes.create_fulltext(database)
                finish = queries.get("write/import_finish")
                (self.work / FINISHED).touch()
                lease.write(finish, graph=self.settings.graph, sha256=self.fingerprint, state={})
            budget = budget_of(options.budget_usd)
            run = Run(database, lease, self.settings, tally, self.progress, "load", budget)
            with self._stage("summaries"):
                run.describe()
            if options.vectors != "none":
                with self._stage("vectors"):
                    run.embed(VECTORS[options.vectors])
            if options.analytics:
                with self._stage("communities"):
                    communities = run.analyse()
            size = database.read(queries.get("write/count_graph"), graph=self.settings.graph)[0]
        report = self.report(
            started, size["nodes"], size["relationships"], communities, notes=(*tally.notes, *tally.unfinished)
        )
        shutil.rmtree(self.work)
        return report

    def report(
        self,
        started: float,
        nodes: int = 0,
        relationships: int = 0,
        communities: int = 0,
        *,
        notes: tuple[str, ...] = (),
        commands: tuple[str, ...] = (),
    ) -> BuildReport:
        """Return what was built; what was extracted is counted in the tables."""
        with opened(self.work, self.schema, memory_mb=DUCKDB_MB) as connection:
            documents = connection.execute("SELECT count(*) FROM documents").fetchall()[0][0]
            chunks, read, rejected = connection.execute(_COUNTED).fetchall()[0]
            failed = connection.execute(_FAILED).fetchall()
        return BuildReport(
            graph=self.settings.graph,
            documents=documents,
            chunks=chunks,
            rows=RowCounts(read, read - rejected, rejected),
            nodes=nodes,
            relationships=relationships,
            communities=communities,
            seconds=time.monotonic() - started,
            stages=tuple(self.stages),
            failed_chunks=tuple(f"chunk {index + 1} of {title!r}: {outcome}" for title, index, outcome in failed),
            notes=notes,
            commands=commands,
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        """Time a stage, and note the most memory that our processes had and the disk that is taken after it."""
        self.stage = name
        started = time.monotonic()
        with _peak_memory() as peak_mb:
            yield
        taken = _folder_size(self.work) + (0 if self.settings.neo4j_uri else _folder_size(self.settings.home))
        self.stages.append(BuildStage(name, time.monotonic() - started, peak_mb[0], taken / 1e6))


_COUNTED = "SELECT count(*), coalesce(sum(rows_read), 0)::BIGINT, coalesce(sum(rows_rejected), 0)::BIGINT FROM chunks"
_FAILED = """
SELECT title, "index", outcome FROM chunks JOIN documents ON documents.id = document_id
WHERE outcome NOT IN ('done', 'empty') ORDER BY title, "index"
"""


def _folder_size(folder: Path) -> int:
    """Return the bytes that the files below `folder` take; 0 where there is no such folder."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # Neo4j deletes logs and segments at any time
            total += path.lstat().st_size if path.is_file() else 0
    return total


@contextmanager
def _peak_memory() -> Iterator[list[float]]:
    """Look now and then at the MB of this process and its workers; the most is the one number. Java's are not in it."""
    peak_mb, stop = [0.0], threading.Event()

    def sample() -> None:
        this = psutil.Process()
        while True:
            total = 0
            for process in (this, *this.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    total += 0 if process.name().startswith("java") else process.memory_info().rss
            peak_mb[0] = max(peak_mb[0], total / 1e6)
            if stop.wait(SAMPLE_S):
                return

    thread = threading.Thread(target=sample, name="kg-memory", daemon=True)
    thread.start()
    try:
        yield peak_mb
    finally:
        stop.set()
        thread.join()


def _schema_of(files: Sequence[Path], source: Path, graph: str) -> Schema:
    """Return the schema of the first document that the files hold. Raises UsageError where there is none."""
    for path in files:
        for header in exchange.documents(path):
            exchange.refuse_other_graph(path, header.document, graph)
            name, text = str(header.configuration["schema"]), header.configuration["schema_text"]
            return schemas.parse(text, name) if isinstance(text, str) else schemas.load(name)
    raise UsageError(f"{source} holds no extractions", hint="`kg extract SOURCE... --to DIR` writes them")
