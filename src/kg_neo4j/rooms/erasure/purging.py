"""Documents that leave the graph with all that is known to quote them: files first, the documents last.

The words of a document tell what quotes it, so they stay until the files are gone: a run that was stopped is repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import HAND, list_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.resolution.showing import StoredDecision, all_decisions
from kg_neo4j.pipeline.commands.load import named, unload
from kg_neo4j.pipeline.commands.resolve import Decided, decided
from kg_neo4j.pipeline.run import Run
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.rooms.erasure import traces
from kg_neo4j.settings import Settings

OURS = "deleted text stays in the files of the local store until `kg db compact`"
FOREIGN = (
    "the server of NEO4J_URI is not ours: deleted text stays in its store until a store copy, in its transaction logs "
    "until they are pruned (CALL db.checkpoint(), db.tx_log.rotation.retention_policy), and in backups and replicas"
)
OTHERS = "files that were moved, printed or sent, and programs that still run, such as `kg serve`, are not reached"


def purge(
    source: str,
    *,
    root: str | None = None,
    settings: Settings,
    progress: Progress = SILENT,
    confirm: Callable[[Sequence[str]], None] = lambda lines: None,
) -> LoadReport:
    """Remove documents as `unload` does, and what is known to quote them; the notes say what went and what did not.

    `confirm` gets a line for each file and store of answers before anything is deleted, and raises to stop. Raises
    what `unload` raises. A run that was stopped is repeated by the same call.
    """
    graph = settings.graph
    with connect(settings, progress, to_write=True) as database:
        documents = named(list_documents(database, graph), source, root)
        if not documents:
            hint = "`kg documents` lists what is loaded; what was unloaded is loaded again first: its words are needed"
            raise SourceNotFound(f"no document {source!r} in graph {graph!r}", hint=hint)
        if any(each.kind == HAND for each in documents):
            raise UsageError(f"{source!r} was stated by hand", hint="`kg fact list`, then `kg fact undo ID`")
        asked: dict[str, Any] = {"graph": graph, "documents": [each.id for each in documents]}
        texts = database.read(queries.get("erasure/texts"), **asked)
        hashes = sorted({row["sha256"] for row in texts})
        others = database.read(queries.get("erasure/elsewhere"), graph=graph, hashes=hashes)
        own = database.read(queries.get("erasure/own_names"), **asked)
        quoted = traces.Quoted((row["text"] for row in texts), (name for row in own for name in row["names"]))
        files, folders = traces.written(settings, asked["documents"])
        files += traces.kept(settings, documents, texts)
        questions = traces.questions(settings, quoted)
        confirm(
            [
                *(f"{each.what}: {each.path}" for each in files),
                *([f"{questions} saved questions"] if questions else []),
                f"all stored answers of models in {settings.cache}, which are paid for again",
            ]
        )
        for each in files:
            each.remove()
        traces.questions(settings, quoted, remove=True)
        for answers in settings.cache.glob("answers.sqlite3*"):  # and what SQLite keeps of them
            answers.unlink(missing_ok=True)  # SQLite itself may have removed its log
        _change_decisions(database, quoted, asked)
        with Lease(database, graph) as lease:
            reports = lease.write(queries.get("erasure/forget_reports"), **asked)[0]["forgotten"]
        erased = [each for each in all_decisions(database, graph) if _is_about(each, {row["key"] for row in own})]
    if erased:
        _revoke(settings, erased, progress)
    report = unload(source, root=root, settings=settings, progress=progress)
    notes = [
        *(f"removed {each.what}: {each.path}" for each in files),
        f"removed {questions} saved questions, {len(erased)} decisions, all stored answers in KG_CACHE",
        *([f"removed {reports} reports: `kg communities --reports` makes them again"] if reports else []),
        *(f"not removed: {row['title']!r} in the graph {row['graph']!r}, which is the same text" for row in others),
        *(f"not removed: {each.what} {each.path}, which holds other documents, too" for each in folders),
        f"not removed: {FOREIGN if settings.neo4j_uri else OURS}",
        f"not removed: {OTHERS}",
    ]
    return replace(report, notes=(*report.notes, *notes))


def _is_about(stored: StoredDecision, keys: set[str]) -> bool:
    decision = stored.decision
    return not stored.derived and not keys.isdisjoint((decision.left_key, decision.right_key))


def _revoke(settings: Settings, erased: Sequence[StoredDecision], progress: Progress) -> None:
    """Take decisions back, so that the graph does not show them, and delete them."""
    ids = [each.decision.id for each in erased]

    def revoked(run: Run, schema: Schema) -> Decided:
        taken = [replace(each, decision=replace(each.decision, revoked=True)) for each in erased]
        return Decided(decisions=tuple(taken))

    decided(revoked, settings, False, None, progress)
    with connect(settings, progress, to_write=True) as database, Lease(database, settings.graph) as lease:
        lease.write(queries.get("erasure/delete_decisions"), graph=settings.graph, ids=ids)


def _change_decisions(database: Database, quoted: traces.Quoted, asked: dict[str, Any]) -> None:
    """Take the sentences of the documents, and reasons that quote them, out of decisions."""
    rows = []
    for each in (stored.decision for stored in all_decisions(database, asked["graph"])):
        content = json.loads(each.content) if each.content else None
        left, reason = _without(content, asked["documents"]), "" if quoted.is_in(each.reason) else each.reason
        if left != content or reason != each.reason:
            said = json.dumps(left, ensure_ascii=False, sort_keys=True) if left else None
            rows.append({"id": each.id, "content": said, "reason": reason})
    if rows:
        with Lease(database, asked["graph"]) as lease:
            lease.write(queries.get("erasure/change_decisions"), graph=asked["graph"], rows=rows)


def _without(value: Any, ids: Sequence[str]) -> Any:
    """Return a content without the sentences of documents."""
    if isinstance(value, dict):
        return {name: found for name, each in value.items() if (found := _without(each, ids)) != []}
    if isinstance(value, list):
        return [_without(each, ids) for each in value if not (isinstance(each, dict) and each.get("document") in ids)]
    return value
