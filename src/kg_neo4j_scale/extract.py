"""Extract to files: from sources or a manifest, through an engine, to a folder that a load records."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg_neo4j import jsonl_log
from kg_neo4j._models.answer_log import logs
from kg_neo4j.acquire import files
from kg_neo4j.acquire.folders import FilePatterns
from kg_neo4j.errors import KgError, UnreadableSource, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.pipeline.options import LoadOptions, read_pages
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, RunCounts, SkippedSource
from kg_neo4j.settings import Settings
from kg_neo4j_scale import manifest as manifests
from kg_neo4j_scale.engines import choice, shards
from kg_neo4j_scale.engines.choice import EngineOptions
from kg_neo4j_scale.engines.shards import ExtractionWork, Shard
from kg_neo4j_scale.manifest import Entry


@dataclass(frozen=True, slots=True)
class ExtractReport(RunCounts):
    """What one extraction to files did."""

    folder: str
    files: int  # written or changed


def extract(
    sources: Sequence[str] = (),
    *,
    to: str,
    settings: Settings,
    options: LoadOptions | None = None,
    manifest: str | None = None,
    engine: EngineOptions | None = None,
    progress: Progress = SILENT,
) -> ExtractReport:
    """Extract `sources`, or the documents of a `manifest`, into files in the folder `to`; no database.

    `kg load` of that folder gives the graph that `kg load` of the sources would have given. A second call asks only
    about chunks that are new, changed, or failed. Raises BudgetReached before models cost more in this folder than
    `options.budget_usd`, and any other error that every shard would meet; what was finished and paid for before is
    kept in the folder.
    """
    options, engine, tally = options or LoadOptions(), engine or EngineOptions(), Tally()
    files.check_language(options.language)
    work = ExtractionWork(settings, options, Path(to))
    shaped_by = " ".join(filter(None, (work.configuration.config_hash, str(options.language), options.encoding)))
    entries, pages = _listed(sources, manifest, settings, options, tally)

    def planned() -> Iterator[Shard]:
        return shards.plan(entries(), pages, graph=settings.graph, shaped_by=shaped_by, limit=limit)

    numbers, limit = shards.part_of(engine.part), shards.limit_of(entries())
    run = _ExtractRun(work.folder, settings.graph, planned, numbers, tally)
    chosen = choice.choose(engine, count=run.count, size=run.size, waits=work.waits)
    tally.notes += chosen.notes
    errors: list[KgError] = []
    written = 0
    jsonl_log.note_written(settings.home, "extraction", settings.graph, Path(to))
    progress.start("extract", run.count)
    with contextlib.closing(work):
        for report in choice.run(chosen, work, work.shared_out(chosen.workers), run.shards(errors)):
            written += report.written
            tally.add(report.tally)
            errors += [report.error] if report.error else []
            progress.advance("extract")
    progress.finish("extract")
    if errors:
        raise errors[0]
    run.remove_superseded()
    return tally.counted(ExtractReport(to, written))


def write_manifest(
    sources: Sequence[str],
    *,
    alias: str | None = None,
    root: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[Entry | SkippedSource]:
    """Yield the lines of a manifest as entries, and what is left out; see `acquire.manifest.entries`."""
    return manifests.entries(sources, alias=alias, root=root, chosen=FilePatterns(tuple(include), tuple(exclude)))


def _listed(
    sources: Sequence[str], manifest: str | None, settings: Settings, options: LoadOptions, tally: Tally
) -> tuple[Callable[[], Iterable[Entry]], Sequence[Document]]:
    """Return what gives the entries, as often as it is called, and the pages of a wiki."""
    if manifest is not None:
        if sources or options.wikipedia:
            raise UsageError("a manifest and other sources", hint="write a manifest of these, or leave it out")
        return (lambda: manifests.read(manifest)), ()
    pages: dict[str, Document] = {}
    for page in read_pages(settings, options, tally):
        if pages.setdefault(page.id, page) is not page:
            tally.notes.append(f"{page.source}: already read as {page.title!r}")
    entries: list[Entry] = []
    chosen = FilePatterns(options.include, options.exclude)
    for each in manifests.entries(sources, alias=options.alias, root=options.root, chosen=chosen):
        if isinstance(each, Entry):
            entries.append(each)
        else:
            tally.skipped.append(each)
    return (lambda: entries), tuple(pages.values())


class _ExtractRun:
    """What a run is to do, and what stands in its folder already; files of shards that are whole count as done."""

    def __init__(
        self, folder: Path, graph: str, planned: Callable[[], Iterator[Shard]], numbers: tuple[int, int], tally: Tally
    ) -> None:
        self._folder, self._graph = folder, graph
        self._ours: Callable[[], Iterator[Shard]] = lambda: shards.part(planned(), numbers)
        self._todo: set[str] = set()
        self.count = self.size = 0  # shards that are to be extracted, and bytes of their sources
        self._superseded: dict[Path, dict[str, str]] = {}  # file -> document -> shard that has it now
        names: set[str] = set()
        for shard in self._ours():
            names.add(shard.name)
            said = exchange.summary(exchange.file_of(folder, shard.name))
            if said is None or said.unfinished:
                self._todo.add(shard.name)
                self.count += 1
                self.size += shard.size
            else:
                tally.documents += said.documents
                tally.chunks += said.chunks
        if numbers[1] > 1:
            names = {shard.name for shard in planned()}
        # answers that runs of other shards left, and document -> files of other runs that have it; a torn file has none
        self._answers = tuple(path for name, path in logs(folder / shards.ANSWERS) if name not in names)
        self._earlier: dict[str, list[Path]] = {}
        for path in exchange.files_in(folder):
            if path.name.removesuffix(exchange.SUFFIX) in names:
                continue
            try:
                for header in exchange.documents(path):
                    self._earlier.setdefault(header.document.id, []).append(path)
            except UnreadableSource:
                tally.notes.append(f"{path} is not whole: remove it")

    def shards(self, errors: Sequence[KgError]) -> Iterator[Shard]:
        """Yield the shards that are to be extracted, until there are `errors`."""
        for shard in self._ours():
            if errors:
                return
            earlier: dict[Path, None] = {}
            for document in shard.ids(self._graph) if self._earlier else ():
                for path in self._earlier.get(document, ()):
                    earlier[path] = None
                    self._superseded.setdefault(path, {})[document] = shard.name
            if shard.name in self._todo:
                yield replace(shard, earlier=tuple(earlier), answers=self._answers)

    def remove_superseded(self) -> None:
        """Remove from files of other runs the documents that files of this one have, and the answers they left."""
        for path in self._answers:
            path.unlink(missing_ok=True)
        for path, documents in self._superseded.items():
            ours = (exchange.file_of(self._folder, shard) for shard in dict.fromkeys(documents.values()))
            gone = {each.document.id for file in ours if file.is_file() for each in exchange.documents(file)}
            every = list(exchange.read(path))
            left = [each for each in every if each[0].document.id not in gone]
            if left and len(left) < len(every):
                exchange.write(self._folder, path.name.removesuffix(exchange.SUFFIX), left, unfinished=1)
            elif not left:
                path.unlink()
