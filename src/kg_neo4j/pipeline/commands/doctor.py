"""What a graph holds and how far it is; and what hinders work, each with the command that repairs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j import factory
from kg_neo4j._models.prices import price_of
from kg_neo4j.display import Readable
from kg_neo4j.errors import KgError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect, no_such_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.organise import analytics, search_indexes
from kg_neo4j.pipeline.commands.archive import StoredGraph, stored_graphs
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import SECRETS, Settings

# Counts of `kg report checks` that are no defect, or that another check explains.
EXPLAINED = (
    *("rows of evidence without a quote", "rows of evidence whose quote is not in the text", "chunks not done"),
    *("entities, facts and decisions not settled", "entities without a community"),
)


@dataclass(frozen=True, slots=True)
class Status(Readable):
    """What one graph holds, and where it is."""

    graph: str
    model: str | None  # that extracts and answers; None: the built-in rules
    server: str | None  # the database's address; None: the local one does not run
    neo4j: str | None = None  # its version
    chunks: int = 0
    entities: int = 0
    relationships: int = 0
    stored: StoredGraph | None = None  # None: no document is in the graph


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one check of `diagnose` found."""

    subject: str
    is_ok: bool
    message: str
    repair: str | None = None  # what to do, where something is wrong


def status(*, settings: Settings, progress: Progress = SILENT) -> Status:
    """Return what the graph of the settings holds. Starts no server. Raises DatabaseError, NoSuchGraph."""
    model = factory.model_and_server(settings)[0] or None
    if not _is_running(settings):
        return Status(settings.graph, model, None)
    with connect(settings, progress, as_it_is=True) as database:
        missing = no_such_graph(database, settings.graph)
        if missing.known and settings.graph not in missing.known:
            raise missing
        size = database.read(queries.get("write/count_graph"), graph=settings.graph)[0]
        return Status(
            settings.graph,
            model,
            database.address.shown,
            database.verify(),
            sum(each.chunks for each in list_documents(database, settings.graph)),
            size["nodes"],
            size["relationships"],
            next(iter(stored_graphs(database, settings.graph)), None),
        )


def diagnose(*, settings: Settings, progress: Progress = SILENT) -> Iterator[Diagnosis]:
    """Yield what each check found: the machine, the database, the graph, the models. Starts nothing, changes nothing.

    A model's server is asked for its list of models, which costs nothing.
    """
    is_running = _is_running(settings)
    if not settings.neo4j_uri:
        yield _found("Java", lambda: _java(settings))
        yield _found("Neo4j", lambda: _jars(settings))
        yield _found("disk", lambda: _disk(settings))
    if is_running:
        yield from _of_database(settings, progress)
    else:
        yield _found("local server", lambda: _ports(settings))
    yield _found("chat model", lambda: _chat_model(settings))
    yield _found("embedding model", lambda: _embedding_model(settings))


def _of_database(settings: Settings, progress: Progress) -> Iterator[Diagnosis]:
    try:
        database = connect(settings, progress, makes=[])
    except KgError as error:
        yield Diagnosis("database", False, str(error), error.hint)
        return
    with database:
        yield Diagnosis("database", True, f"{database.address.shown} runs Neo4j {database.verify()}")
        yield _found("Graph Data Science", lambda: analytics.engine(database)[0])
        yield _found("indexes", lambda: _indexes(database, settings))
        yield _found("documents", lambda: _documents(database, settings.graph))
        yield _found("communities", lambda: _communities(database, settings.graph))
        yield _found("consistency", lambda: _consistency(database, settings.graph))


def _found(subject: str, check: Callable[[], str]) -> Diagnosis:
    try:
        return Diagnosis(subject, True, check())
    except KgError as error:
        return Diagnosis(subject, False, str(error), error.hint)


def _is_running(settings: Settings) -> bool:
    if settings.neo4j_uri:
        return True
    with local_neo4j(settings) as local:
        return local.status().running


def _java(settings: Settings) -> str:
    with local_neo4j(settings) as local:
        return str(local.find_java())


def _jars(settings: Settings) -> str:
    with local_neo4j(settings) as local:
        missing, version = local.missing(), local.lock.neo4j
    if settings.jars_dir is not None:
        return f"{version}, from {settings.jars_dir}"
    size = sum(each.size for each in missing)
    return f"{version}; the first start fetches {size / 1e6:,.0f} MB" if missing else version


def _disk(settings: Settings) -> str:
    with local_neo4j(settings) as local:
        return f"{local.free_bytes() / 1e9:,.1f} GB free for {settings.home.absolute()}"


def _ports(settings: Settings) -> str:
    with local_neo4j(settings) as local:
        bolt, http = local.choose_ports()
    return f"does not run; commands start it on ports {bolt} and {http}"


def _indexes(database: Database, settings: Settings) -> str:
    # how long a server's vectors are, only a paid call tells
    model = factory.embedding_model(settings) if factory.embeds_built_in(settings) else None
    found = search_indexes.usable_indexes(database, settings.graph, model)
    former = len(search_indexes.outdated(database))
    again = f"; `kg db indexes` makes {former} again, to search inside a graph" if former else ""
    return f"online: {len(found)}{again}"


def _documents(database: Database, graph: str) -> str:
    if (stored := next(iter(stored_graphs(database, graph, analysed=False)), None)) is None:
        return f"graph {graph!r} is empty"
    if stored.unfinished:
        first, more = stored.unfinished[0], len(stored.unfinished) - 1
        others = f" and {more:,} more" if more else ""
        raise KgError(f"not finished: {first}{others}", hint="`kg status` lists them; load them again")
    if stored.unsettled:
        raise KgError(f"{stored.unsettled:,} entities and facts are not up to date", hint="the next `kg load` does it")
    return f"{stored.documents:,}, all finished"


def _communities(database: Database, graph: str) -> str:
    current = analytics.is_current(database, graph)
    if current is False:
        raise KgError("the graph has changed since communities were computed", hint="`kg communities`")
    return "up to date" if current else "not computed"


def _consistency(database: Database, graph: str) -> str:
    rows = database.read(queries.get("reports/checks"), graph=graph)
    wrong = [f"{row['Count']:,} {row['Check']}" for row in rows if row["Count"] and row["Check"] not in EXPLAINED]
    if wrong:
        raise KgError("; ".join(wrong), hint="`kg rebuild` makes the graph from its stored answers")
    return "all counts of `kg report checks` are right"


def _chat_model(settings: Settings) -> str:
    factory.chat_model(settings)  # raises for settings that make none
    name, server = factory.model_and_server(settings)
    if not name:
        return "none; the built-in rules extract and answer"
    return _served(name, server, factory.unserved_models(settings), settings)


def _embedding_model(settings: Settings) -> str:
    name = factory.embedding_model(settings).name
    if factory.embeds_built_in(settings):
        return name
    own = settings.embedding_base_url
    missing = factory.unserved_models(settings, embeds=True) if own else ()
    return _served(name, own or settings.openai_base_url or "", missing, settings)


def _served(name: str, server: str, missing: Sequence[str], settings: Settings) -> str:
    """Return where a model is, and what is to know of its price. Raises KgError where its server lacks it."""
    where = SECRETS.sub("***", server) or "OpenAI"
    if missing:
        raise KgError(f"{where} does not list {', '.join(missing)}", hint="check KG_MODEL and KG_EMBEDDING_MODEL")
    price = price_of(name, settings)
    if price is None:
        return f"{name} at {where}; its price is not known: a budget needs --price or KG_PRICES"
    age = f"; its price is of {price.as_of}, over a year old: check it (KG_PRICES)" if price.is_old else ""
    return f"{name} at {where}{age}"
