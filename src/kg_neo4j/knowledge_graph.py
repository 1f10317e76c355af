"""One graph as an object: load into it, ask it, look into it, take it elsewhere."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

from kg_neo4j import jsonl_log
from kg_neo4j.display import Listed, Readable, advising
from kg_neo4j.graph import export
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.search import SearchResult, ShownEntity, search_in, show_in
from kg_neo4j.progress import Progress, chosen
from kg_neo4j.records import Answer, Document, Filters, LoadReport
from kg_neo4j.settings import Settings

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

    from kg_neo4j._models.protocols import ChatModel, EmbeddingModel
    from kg_neo4j.extract.interface import Extractor
    from kg_neo4j.graph.archive import GraphDifference
    from kg_neo4j.graph.canned_reports import Value
    from kg_neo4j.organise.plot import PlotReport
    from kg_neo4j.organise.tree.interface import TreeBuildOptions
    from kg_neo4j.pipeline.commands.communities import ListedCommunity
    from kg_neo4j.pipeline.commands.doctor import Status
    from kg_neo4j.pipeline.commands.graphs import DeletedGraph
    from kg_neo4j.pipeline.commands.resolve import ResolveOptions, ResolveReport
    from kg_neo4j.pipeline.commands.tree import TreeReport
    from kg_neo4j.pipeline.commands.verify import AskedAgain, VerifiedText
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.retrieve.interface import Retriever


@dataclass(frozen=True, slots=True, repr=False)
class GraphFrames(Readable):
    """The entities of a graph and the relationships between them, as pandas DataFrames: `nodes, edges = frames`."""

    entities: DataFrame  # name, type, types, description, aliases, evidence, community, pagerank, id
    relationships: DataFrame  # source, type, target (names), quote, document, dates, evidence, by_hand, then ids

    def __iter__(self) -> Iterator[DataFrame]:
        return iter((self.entities, self.relationships))


@advising
class KnowledgeGraph(Readable):
    """A knowledge graph in Neo4j, by its name.

        with KnowledgeGraph("notes") as kg:
            kg.load("notes/")
            print(kg.ask("Who was Ada Lovelace?"))

    `graph` is its name (default: KG_GRAPH, else "main"). `settings` are those of the environment unless given; `more`
    are some of them by name, as in `model="gpt-5-mini"`. `chat_model` and `embedding_model` are used instead of those
    that the settings name (docs/extending.md). `progress` is True, False, a `Progress`, or None: a line in notebooks.
    The first call that needs the database opens it; `close` or the end of a `with` block closes it. All methods raise
    DatabaseError where it does not answer, and UsageError for an argument that is invalid.
    """

    __iter__ = None  # it is no list of what `kg[NAME]` gives

    def __init__(
        self,
        graph: str | None = None,
        *,
        settings: Settings | None = None,
        chat_model: ChatModel | None = None,
        embedding_model: EmbeddingModel | None = None,
        progress: bool | Progress | None = None,
        **more: Any,
    ) -> None:
        settings = self._by("sources:settings_with", settings, more) if more else settings or Settings()
        settings = settings.with_models(chat_model, embedding_model)
        self.settings = settings if graph is None else settings.model_copy(update={"graph": graph})
        self._progress = chosen(progress)
        self._database: Database | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeGraph({self.name!r})"

    def __getitem__(self, name: str) -> ShownEntity:
        return self.entity(name)

    @property
    def name(self) -> str:
        """The graph's name."""
        return self.settings.graph

    def close(self) -> None:
        """Close the connection to the database. The next call opens another one."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def load(
        self,
        *sources: Any,
        map: str | Path | Mapping[str, Any] | None = None,
        options: LoadOptions | None = None,
        documents: Iterable[Document] = (),
        extractor: Extractor | None = None,
        progress: bool | Progress | None = None,
        **more: Any,
    ) -> LoadReport:
        """Load files, folders, web addresses, each `Source`, lists or generators of these; a repeat changes nothing.

        With a `map` (a file, or what `map` returns) the sources are tables: files, the address of a database, pandas
        DataFrames or a mapping of names to DataFrames. `options` say how; `more` are some of them by name, as in
        `load("notes/", language="de")`. `documents` are further ones; `extractor` reads texts instead of the model.
        Raises SourceError for what cannot be read, LeaseHeld while another run writes, and ModelError.
        """
        from kg_neo4j.pipeline.commands.load import load
        from kg_neo4j.pipeline.options import LoadOptions, documents_of

        options = self._by("sources:options_with", options or LoadOptions(), more)
        shown = self._progress if progress is None else chosen(progress)
        given = self._by("sources:flat", sources, map is not None)
        if map is not None:
            return load(given, settings=self.settings, options=replace(options, table_map=map), progress=shown)
        others = [each for each in given if not isinstance(each, str | Path)]
        added = (document for each in others for document in documents_of(each, self.settings, options))
        return load(
            [str(each) for each in given if isinstance(each, str | Path)],
            settings=self.settings,
            options=options,
            documents=itertools.chain(added, documents),
            extractor=extractor,
            progress=shown,
        )

    def load_text(self, text: str, name: str, **more: Any) -> LoadReport:
        """Load a text as the document `name`, in place of one that was loaded so before; `more` is as of `load`."""
        from kg_neo4j.acquire.decoding import normalise_text
        from kg_neo4j.acquire.interface import SourceText

        texts = [SourceText(name, normalise_text(text))]
        return self.load(SimpleNamespace(name="text", texts=lambda: texts), **more)

    def map(self, *sources: Any) -> Mapping[str, Any]:
        """Propose the map of tables for `load`: of files, DataFrames, or a mapping of names to DataFrames.

        Tables that belong together go into one call. Printed, it is the text of a file of `kg map`, to be edited.
        """
        return resolve_name("kg_neo4j.rooms.tables.proposing:proposed")(self._by("sources:flat", sources, True))

    def unload(self, source: str, *, purge: bool = False) -> LoadReport:
        """Remove a document, or those of a folder, and what lost its last support.

        `source` is a document's source, title, key or id, or the path of its file. With `purge`, what is known to quote
        it leaves, too, unasked: exports, archives, backups, all answers in KG_CACHE. Raises SourceNotFound.
        """
        if purge:
            erase = resolve_name("kg_neo4j.rooms.erasure.purging:purge")
            return erase(source, settings=self.settings, progress=self._progress)
        return self._run("load:unload", source)

    def resolve(self, options: ResolveOptions | None = None) -> ResolveReport:
        """Merge entities that are one, by files of links, rules and, where there is one, a model; can be undone."""
        return self._run("resolve:resolve", options=options)

    def tree(self, options: TreeBuildOptions | None = None) -> TreeReport:
        """Build or update narrative trees of documents, which answer questions about a whole text."""
        return self._run("tree:tree", options=options)

    def copy(self, name: str) -> LoadReport:
        """Copy the graph under another name from its stored answers; no model is called."""
        return self._run("rebuild:copy_graph", name)

    def delete(self) -> DeletedGraph:
        """Delete the graph with its documents, facts, decisions and stored answers, unasked. Other graphs stay."""
        return self._run("graphs:delete_graph")

    @property
    def corrections(self) -> Any:
        """Facts and names that a person corrects: `wrong`, `add`, `edit`, `edit_node`, `undo`, `all`; see `kg fact`."""
        return resolve_name("kg_neo4j.rooms.corrections.deciding:Corrections")(self.settings, self._progress)

    def ask(
        self,
        question: str,
        *,
        mode: str = "auto",
        filters: Filters | None = None,
        max_context_tokens: int | None = None,
        retriever: Retriever | None = None,
        **more: Any,
    ) -> Answer:
        """Answer a question, with citations that exist.

        `mode` is "auto", "local", "naive", "global", "tree" or "cypher"; `filters` limit what the answer may rest on,
        `max_context_tokens` what is read, and a `retriever` searches instead of a mode. `more` is as of `kg_neo4j.ask`:
        `on_token=print` gets a model's words as they come. `found` is False where the graph holds no answer.
        """
        given = {"filters": filters, "max_context_tokens": max_context_tokens, "retriever": retriever}
        return self._run("ask:ask", question, mode=mode, **given, **more)

    def search(self, words: str, *, limit: int = 10) -> SearchResult:
        """Return at most `limit` entities and `limit` passages that fit `words`, the best first. No model is called."""
        return search_in(self._open(), words, self.settings, limit)

    def entity(self, name: str) -> ShownEntity:
        """Return what the graph has about one entity, by any of its names: facts, quotes, passages. `kg[name]` does so.

        Raises UsageError, with near names, where there is none.
        """
        return show_in(self._open(), name, self.name)

    def entities(self, type: str | None = None) -> DataFrame:
        """Return the entities, or those of one type, the most often mentioned first; columns as in `GraphFrames`.

        Raises UsageError, with near names, for a type that no entity has.
        """
        return self._by("tables:entities", type)

    def relationships(self, type: str | None = None, entity: str | None = None) -> DataFrame:
        """Return the relationships, or those of one type or one entity, with quotes; columns as in `GraphFrames`.

        Raises UsageError, with near names, for a type or an entity that is not there.
        """
        return self._by("tables:relationships", type, entity)

    def documents(self) -> DataFrame:
        """Return a row for each document: what was loaded, how far, and how many entities and facts it gave."""
        return self._by("tables:documents")

    def types(self) -> DataFrame:
        """Return the types of nodes and relationships, the most frequent first, each with its count and an example."""
        return self._by("tables:types")

    def schema(self) -> DataFrame:
        """Return which families of types are related, by what, how often, with an example."""
        return self._by("tables:plain_report", "schema")

    def graphs(self) -> DataFrame:
        """Return a row for each graph of the database, with its size."""
        return self._by("tables:graphs")

    def reports(self) -> DataFrame:
        """Return the name of each canned report, what it shows, and its parameters with their defaults."""
        return self._by("tables:reports")

    def report(self, name: str | None = None, /, **parameters: Value) -> DataFrame:
        """Return a canned report, as in `report("neighbours", name="Ada Lovelace")`; without a name, the list of them.

        Raises UsageError, with near names, for an unknown report, parameter or entity.
        """
        return self._run("report:report", name, parameters=parameters).to_dataframe() if name else self.reports()

    def query(self, cypher: str, /, **parameters: Any) -> DataFrame:
        """Run a Cypher query in a READ transaction and return its rows.

        Nodes, relationships and paths become dictionaries. `$graph` is this graph's name unless `parameters` say
        otherwise; a query that does not use it reads all graphs. Raises DatabaseError for a query that Neo4j refuses,
        one that writes, and one that takes over 60 seconds.
        """
        return self._by("tables:query", cypher, parameters)

    def communities(self, *, level: int | None = None, limit: int = 20) -> tuple[ListedCommunity, ...]:
        """Return at most `limit` communities by level (0 is the coarsest; None: all) and size, with their members."""
        return Listed(self._run("communities:communities", level=level, limit=limit))

    def status(self) -> Status:
        """Return what the graph holds and how complete it is. Starts no server."""
        return self._run("doctor:status")

    def diff(self, before: str | Path) -> tuple[GraphDifference, ...]:
        """Return how the graph differs from the file of an export: entities, facts, evidence. Raises BadArchive."""
        return Listed(self._run("archive:diff", before))

    def check_answers(self, file: str | Path, *, save: bool = False) -> tuple[AskedAgain, ...]:
        """Ask the saved questions of a file of JSON lines again; with `save` the new answers are written to it."""
        return Listed(self._run("verify:check_answers", file, save=save))

    def verify(self, text_or_path: str | Path, *, filters: Filters | None = None) -> VerifiedText:
        """Check the claims of a text against the graph; a Path, or a name of a file that exists, means the file.

        Each claim is "stated", "contradicted" or "not found", with quotes.
        """
        text = str(text_or_path)
        is_name = "\n" not in text and len(text) < 1_000  # characters of a file's name
        is_file = isinstance(text_or_path, Path) or (is_name and Path(text).is_file())
        return self._run("verify:verify" if is_file else "verify:verify_text", text_or_path, filters=filters)

    def to_pandas(self) -> GraphFrames:
        """Return all entities and relationships as DataFrames."""
        return GraphFrames(*self._by("tables:frames"))

    def to_networkx(self) -> MultiDiGraph:
        """Return the entities and relationships as a networkx graph that GraphML can hold. Needs the package networkx.

        Nodes are names; entities that share one have their type and the beginning of their id behind it.
        """
        return self._by("tables:network")

    def show(self, name: str | None = None, *, limit: int = 150) -> ShownEntity | PlotReport:
        """Return one entity, as `entity`; without a name a picture of the graph, which a notebook shows."""
        return self.plot(limit=limit) if name is None else self.entity(name)

    def plot(self, target: str | Path | None = None, *, colour_by: str = "type", limit: int = 150) -> PlotReport:
        """Draw the `limit` most connected nodes into a .png, .svg or .html file; without one, a notebook shows them.

        `colour_by` is "type" or "community". Raises UsageError for a graph without a relationship.
        """
        from kg_neo4j.organise.plot import plot

        path = None if target is None else Path(target)
        jsonl_log.note_written(self.settings.home, "picture", self.name, *filter(None, [path]))
        return plot(self._open(), self.name, path, colour_by=colour_by, limit=limit)

    def export(self, target: str | Path) -> int:
        """Write the graph to a file, and return the number of its lines or rows.

        The suffix is .jsonl (sorted: equal graphs give equal bytes), .graphml or .csv, which gives two files. Raises
        UsageError for another suffix, and where the file cannot be written. `export_archive` keeps everything.
        """
        path = Path(target)
        export.check_suffix(path)
        if path.suffix.lower() not in export.TABLES:
            jsonl_log.note_written(self.settings.home, "export", self.name, path)
            return export.export_file(self._open(), self.name, path)
        written = export.export_tables(self._open(), self.name, path)
        jsonl_log.note_written(self.settings.home, "table", self.name, *written.paths)
        return written.nodes + written.relationships

    def _run(self, command: str, *given: Any, **options: Any) -> Any:
        """Return what a command does with this graph."""
        run = resolve_name(f"kg_neo4j.pipeline.commands.{command}")
        return run(*given, settings=self.settings, progress=self._progress, **options)

    def _by(self, what: str, *given: Any) -> Any:
        """Return what a function of the room `notebooks` makes of this graph."""
        return resolve_name(f"kg_neo4j.rooms.notebooks.{what}")(self, *given)

    def _open(self) -> Database:
        with self._lock:
            if self._database is None:
                self._database = connect(self.settings, self._progress)
        self._database.indexes = None  # another program may have loaded meanwhile
        return self._database
