"""Runs: the loads of this server, how far the documents are, what was spent; and loading files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from kg_neo4j._serve import limits, staging
from kg_neo4j._serve.jobs import ENDED
from kg_neo4j._serve.lookups import checked, start_of
from kg_neo4j._serve.rendering import Action, ServedPage
from kg_neo4j._serve.service import Service
from kg_neo4j.graph import queries


@dataclass(frozen=True, slots=True)
class Spending:
    """What models have cost since the server started; nothing where none is called."""

    limit_usd: float
    spent_usd: float
    left_usd: float


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much a graph holds."""

    nodes: int
    relationships: int


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the loads of this server, and a page of the documents with how far each is."""
    sizes = service.database().read(queries.get("write/count_graph"), graph=service.graph)[0]
    cursor = given.get("cursor")
    return {
        "jobs": service.status().jobs,
        "spending": _spending(service),
        "size": GraphCounts(sizes["nodes"], sizes["relationships"]),
        "found": service.documents(cursor=cursor),
        "is_first": start_of(cursor) == 0,
    }


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return one load, by its id."""
    job = service.jobs.find(checked(given.get("id", ""), "id"))
    return {"job": job, "ended": job.state in ENDED, "spending": _spending(service)}


def upload(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the plan of an upload; without one, what may be uploaded."""
    from kg_neo4j.acquire.folders import SUFFIXES

    id = given.get("plan", "")
    return {
        "plan": staging.planned(service, id) if id else None,
        "spending": _spending(service),
        "suffixes": tuple(SUFFIXES),
        "most_files": limits.MOST_FILES,
        "most_bytes": limits.MOST_UPLOAD,
    }


def _spending(service: Service) -> Spending | None:
    if service.budget is None:
        return None
    limit, spent = service.budget.limit_usd, service.budget.spent_usd
    return Spending(limit, spent, max(0.0, limit - spent))


def receive(service: Service, form: Mapping[str, Any]) -> str:
    """Keep the files of a form, and lead to their plan."""
    chosen = [(each.filename or "", each.file) for each in form["files"] if getattr(each, "filename", "")]
    return f"/load?{urlencode({'plan': staging.keep(service, chosen)})}"


def begin(service: Service, form: Mapping[str, Any]) -> str:
    """Load an upload, and lead to its progress."""
    return f"/run?{urlencode({'id': staging.begin(service, str(form.get('plan', ''))).id})}"


def drop(service: Service, form: Mapping[str, Any]) -> str:
    """Delete an upload, and lead to the next one."""
    staging.drop(service, str(form.get("plan", "")))
    return "/load"


PAGES = (
    ServedPage("/runs", "runs.html", listed, title="Runs", rank=80),
    ServedPage("/run", "run.html", shown),
    ServedPage("/load", "load.html", upload, title="Load", writes=True, rank=90),
)
ACTIONS = (
    Action("/load", receive, max_files=limits.MOST_FILES),
    Action("/load/begin", begin),
    Action("/load/drop", drop),
)
