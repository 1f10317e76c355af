"""One graph as an object: load into it, ask it, look into it, take it elsewhere."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Self

from kg_neo4j.errors import NoSuchGraph, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import export_file
from kg_neo4j.pipeline.commands.search import SearchResult, ShownEntity, search_in, show_in
from kg_neo4j.progress import SILENT, Progress
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
    from kg_neo4j.pipeline.commands.resolve import ResolveOptions, ResolveReport
    from kg_neo4j.pipeline.commands.tree import TreeReport
    from kg_neo4j.pipeline.commands.verify import AskedAgain, VerifiedText
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.retrieve.interface import Retriever

QUERY_S = 60.0  # that a query may take


@dataclass(frozen=True, slots=True)
class GraphFrames:
    """The entities of a graph and the relationships between them, as pandas DataFrames."""

    entities: DataFrame  # id, name, type, description, aliases, evidence, community, pagerank
    relationships: DataFrame  # source, type, target (ids in the first and last), evidence, fact_id


class KnowledgeGraph:
    """A knowledge graph in Neo4j, by its name.

        with KnowledgeGraph("notes") as kg:
            kg.load("notes/")
            print(kg.ask("Who was Ada Lovelace?").answer)

    `graph` is the graph's name (default: KG_GRAPH, else "main"). `settings` are those of the environment unless given.
    `chat_model` and `embedding_model` are used instead of those that the settings name (docs/extending.md).
    The database is opened by the first call that needs it, and closed by `close` or at the end of a `with` block.
    """

    def __init__(
        self,
        graph: str | None = None,
        *,
        settings: Settings | None = None,
        chat_model: ChatModel | None = None,
        embedding_model: EmbeddingModel | None = None,
        progress: Progress = SILENT,
    ) -> None:
        settings = (settings or Settings()).with_models(chat_model, embedding_model)
        self.settings = settings if graph is None else settings.model_copy(update={"graph": graph})
        self._progress = progress
        self._database: Database | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeGraph({self.name!r})"

    @property
    def name(self) -> str:
        """The graph's name."""
        return self.settings.graph

    def close(self) -> None:
        """Close the connection to the database. The next call opens another one."""
        if self._database is not None:
            self._database.close()
            self._database = None

    # ------------------------------------------------------------------------------------------------- writing

    def load(
        self,
        *sources: Any,
        map: str | Path | Mapping[str, Any] | None = None,
        options: LoadOptions | None = None,
        documents: Iterable[Document] = (),
        extractor: Extractor | None = None,
    ) -> LoadReport:
        """Load files, folders, sources and what `options.wikipedia` names; see `kg_neo4j.load`.

        With a `map` the sources are tables: files, the address of a database, pandas DataFrames or a mapping of names
        to DataFrames. Repeating it changes nothing.
        """
        from kg_neo4j.pipeline.commands.load import load
        from kg_neo4j.pipeline.options import LoadOptions, documents_of

        options = options or LoadOptions()
        if map is not None:
            options = replace(options, table_map=map)
            return load(sources, settings=self.settings, options=options, progress=self._progress)
        given = [each for each in sources if not isinstance(each, (str, Path))]
        added = (document for each in given for document in documents_of(each, self.settings, options))
        return load(
            [str(each) for each in sources if isinstance(each, (str, Path))],
            settings=self.settings,
            options=options,
            documents=itertools.chain(added, documents),
            extractor=extractor,
            progress=self._progress,
        )

    def unload(self, source: str) -> LoadReport:
        """Remove a document, or those of a folder, and what lost its last support; see `kg_neo4j.unload`."""
        from kg_neo4j.pipeline.commands.load import unload

        return unload(source, settings=self.settings, progress=self._progress)

    def resolve(self, options: ResolveOptions | None = None) -> ResolveReport:
        """Merge entities that are one; see `kg resolve`."""
        from kg_neo4j.pipeline.commands.resolve import resolve

        return resolve(settings=self.settings, options=options, progress=self._progress)

    def tree(self, options: TreeBuildOptions | None = None) -> TreeReport:
        """Build or update narrative trees; see `kg tree`."""
        from kg_neo4j.pipeline.commands.tree import tree

        return tree(settings=self.settings, options=options, progress=self._progress)

    def copy(self, name: str) -> LoadReport:
        """Copy the graph under another name from its stored answers; no model is called. See `kg graphs copy`."""
        from kg_neo4j.pipeline.commands.rebuild import copy_graph

        return copy_graph(name, settings=self.settings, progress=self._progress)

    @property
    def corrections(self) -> Any:
        """Facts and names that a person corrects: `wrong`, `add`, `edit`, `edit_node`, `undo`, `all`; see `kg fact`."""
        return resolve_name("kg_neo4j.rooms.corrections.deciding:Corrections")(self.settings, self._progress)

    # ------------------------------------------------------------------------------------------------- reading

    def ask(
        self,
        question: str,
        *,
        mode: str = "auto",
        filters: Filters | None = None,
        max_context_tokens: int | None = None,
        retriever: Retriever | None = None,
    ) -> Answer:
        """Answer a question, with citations that exist; see `kg_neo4j.ask`."""
        from kg_neo4j.pipeline.commands.ask import ask

        return ask(
            question,
            settings=self.settings,
            mode=mode,
            filters=filters,
            max_context_tokens=max_context_tokens,
            retriever=retriever,
            progress=self._progress,
        )

    def search(self, words: str, *, limit: int = 10) -> SearchResult:
        """Return at most `limit` entities and `limit` passages that fit `words`. No model is called."""
        return search_in(self._open(), words, self.settings, limit)

    def entity(self, name: str) -> ShownEntity:
        """Return what the graph has about one entity. Raises UsageError, with near names, where there is none."""
        return show_in(self._open(), name, self.name)

    def report(self, name: str, /, **parameters: Value) -> DataFrame:
        """Return a canned report, such as "most-connected", as a DataFrame; `kg report` lists them."""
        from kg_neo4j.pipeline.commands.report import report

        return report(name, settings=self.settings, parameters=parameters, progress=self._progress).to_dataframe()

    def query(self, cypher: str, **parameters: Any) -> DataFrame:
        """Run a Cypher query in a READ transaction and return its rows.

        Nodes, relationships and paths become dictionaries. `$graph` is this graph's name unless `parameters` say
        otherwise; a query that does not use it reads all graphs. Raises DatabaseError for a query that Neo4j refuses,
        one that writes, and one that takes over 60 seconds.
        """
        from pandas import DataFrame

        with self._open().reading(timeout_s=QUERY_S, fetch_size=1_000) as transaction:
            result = transaction.run(cypher, {"graph": self.name, **parameters})
            columns = result.keys()
            rows = [[_plain(value) for value in record.values()] for record in result]
        return DataFrame(rows, columns=columns)

    def communities(self, *, level: int | None = None, limit: int = 20) -> tuple[ListedCommunity, ...]:
        """Return the largest communities; see `kg communities`."""
        from kg_neo4j.pipeline.commands.communities import communities

        return communities(settings=self.settings, level=level, limit=limit, progress=self._progress)

    def status(self) -> Status:
        """Return what the graph holds and how complete it is; see `kg status`. Starts no server."""
        from kg_neo4j.pipeline.commands.doctor import status

        return status(settings=self.settings, progress=self._progress)

    def diff(self, before: str | Path) -> tuple[GraphDifference, ...]:
        """Return how the graph differs from an export of before: entities, facts and evidence; see `kg diff`."""
        from kg_neo4j.pipeline.commands.archive import diff

        return diff(before, settings=self.settings, progress=self._progress)

    def check_answers(self, file: str | Path, *, save: bool = False) -> tuple[AskedAgain, ...]:
        """Ask the saved questions of a file of JSON lines again; see `kg test`."""
        from kg_neo4j.pipeline.commands.verify import check_answers

        return check_answers(file, settings=self.settings, save=save, progress=self._progress)

    def verify(self, text_or_path: str | Path, *, filters: Filters | None = None) -> VerifiedText:
        """Check the claims of a text against the graph; a Path, or a name of a file that exists, means the file.

        Each claim is "stated", "contradicted" or "not found", with quotes; see `kg verify`.
        """
        from kg_neo4j.pipeline.commands.verify import verify, verify_text

        text = str(text_or_path)
        is_name = "\n" not in text and len(text) < 1_000  # characters of a file's name
        if isinstance(text_or_path, Path) or (is_name and Path(text).is_file()):
            return verify(text_or_path, settings=self.settings, filters=filters, progress=self._progress)
        return verify_text(text, settings=self.settings, filters=filters, progress=self._progress)

    # ----------------------------------------------------------------------------------------------- elsewhere

    def to_pandas(self) -> GraphFrames:
        """Return all entities and relationships as DataFrames."""
        from pandas import DataFrame

        database = self._open()
        entities = database.read(queries.get("retrieve/all_entities"), graph=self.name)
        relationships = database.read(queries.get("retrieve/all_relationships"), graph=self.name)
        return GraphFrames(DataFrame(entities), DataFrame(relationships))

    def to_networkx(self) -> MultiDiGraph:
        """Return the entities and relationships as a networkx graph; nodes are ids. Needs the package networkx."""
        try:
            from networkx import MultiDiGraph
        except ImportError as error:
            raise UsageError("networkx is not installed: pip install networkx") from error
        frames, graph = self.to_pandas(), MultiDiGraph(name=self.name)
        graph.add_nodes_from(frames.entities.set_index("id").to_dict("index").items())
        for source, type_, target, evidence, fact_id in frames.relationships.itertuples(index=False):
            graph.add_edge(source, target, key=fact_id, type=type_, evidence=evidence)
        return graph

    def plot(self, target: str | Path, *, colour_by: str = "type", limit: int = 150) -> PlotReport:
        """Draw the `limit` most connected nodes into a .png, .svg or .html file."""
        from kg_neo4j.organise.plot import plot

        return plot(self._open(), self.name, Path(target), colour_by=colour_by, limit=limit)

    def export(self, target: str | Path) -> int:
        """Write the graph as sorted JSON lines and return their number. Equal graphs give equal bytes."""
        return export_file(self._open(), self.name, Path(target))

    def _repr_html_(self) -> str:
        """Return a table of what the graph has, for notebooks."""
        try:
            size = self._open().read(queries.get("write/count_graph"), graph=self.name)[0]
        except NoSuchGraph as error:
            return f"<p>{html.escape(str(error))}</p>"
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{value:,}</td></tr>" for name, value in size.items())
        return f"<table><caption>{html.escape(repr(self))}</caption>{rows}</table>"

    def _open(self) -> Database:
        if self._database is None:
            self._database = connect(self.settings, self._progress)
        self._database.indexes = None  # another program may have loaded meanwhile
        return self._database


def _plain(value: Any) -> Any:
    """Return a value of the driver as plain data; dates and times as Python has them."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {**value, "labels": sorted(value.labels)}
    if isinstance(value, Relationship):
        return {**value, "type": value.type}
    if isinstance(value, Path):
        return {"nodes": _plain([*value.nodes]), "relationships": _plain([*value.relationships])}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.to_native() if hasattr(value, "to_native") else value
