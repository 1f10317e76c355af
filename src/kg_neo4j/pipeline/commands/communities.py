"""Communities and their reports: list them, plan what reports cost, write them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door
from kg_neo4j.display import Readable
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise import analytics
from kg_neo4j.organise.community_reports import (
    BASE_TOKENS,
    FINDING_TOKENS,
    LONGEST_DOMAIN,
    ChooseDomain,
    CommunityReportsPlan,
    CommunityReportsReport,
    Domain,
    Wanted,
    plan_reports,
    write_reports,
)
from kg_neo4j.organise.report_questions import SMALLEST
from kg_neo4j.organise.stored_reports import CommunityReport, read_reports
from kg_neo4j.pipeline.budget import budget_of, priced
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings

FIND_DOMAIN, NO_DOMAIN = "auto", "none"


@dataclass(frozen=True, slots=True)
class ListedCommunity(Readable):
    """A community as it is listed. The report's part is None or empty where it has none."""

    id: str
    level: int  # 0 is the coarsest
    number: int
    size: int
    parent: int | None  # number of the community of the next coarser level
    title: str | None
    rating: float | None
    method: str | None  # "model" or "composed"
    flags: tuple[str, ...]
    members: tuple[str, ...]  # names of the most central ones


@dataclass(frozen=True, slots=True)
class CommunityReportOptions:
    """How to write community reports."""

    domain: str | None = None  # "auto": found from a sample; "none"; None: as the reports so far
    budget_usd: float | None = None  # asking stops before it would cost more; None: no limit
    smallest: int = SMALLEST  # members of a community that a model is asked about
    singletons: bool | None = None  # store a community for an entity that is alone; None: as before, at first not


def communities(
    *,
    settings: Settings,
    level: int | None = None,
    smallest: int = 2,
    members: int = 5,
    limit: int = 20,
    progress: Progress = SILENT,
) -> tuple[ListedCommunity, ...]:
    """Return the communities of a graph, by level and size; of all levels where `level` is None."""
    with connect(settings, progress) as database:
        found = communities_in(database, settings.graph, level, limit, smallest, members)
        if not found:
            _check(database, settings.graph)
    return found


def communities_in(
    database: Database, graph: str, level: int | None, limit: int, smallest: int = 2, members: int = 5
) -> tuple[ListedCommunity, ...]:
    """Return the communities of a graph of an open database, as `communities`; nothing where there are none."""
    query = queries.get("analytics/listed_communities")
    rows = database.read(query, graph=graph, level=level, smallest=smallest, members=members, limit=limit)
    return tuple(
        ListedCommunity(**{**row, "flags": tuple(row["flags"]), "members": tuple(row["members"])}) for row in rows
    )


def community_report(
    number: int, *, settings: Settings, level: int = 0, progress: Progress = SILENT
) -> CommunityReport:
    """Return the report on one community. Raises UsageError where there is none."""
    with connect(settings, progress) as database:
        found = [each for each in read_reports(database, settings.graph, level=level) if each.number == number]
    if not found:
        raise UsageError(
            f"no report on a community {number} of level {level} in graph {settings.graph!r}",
            hint="`kg communities` lists what there is; `kg communities --reports` writes reports",
        )
    return found[0]


def community_reports(
    *, settings: Settings, options: CommunityReportOptions | None = None, progress: Progress = SILENT
) -> CommunityReportsReport:
    """Bring the reports on all communities up to date; a repeat calls no model and changes nothing.

    Without a model reports are composed from the graph, and so are those on small communities. Communities that are out
    of date are computed first. If the budget is used up or the model fails, `unfinished` has the reason. Raises
    UsageError for a graph without communities, LeaseHeld and DatabaseError.
    """
    options = options or CommunityReportOptions()
    started, budget = time.monotonic(), budget_of(options.budget_usd)
    door = factory.door(settings, budget=budget)
    notes = factory.note_without_model(settings, "composed from the graph: no model is configured")
    with connect(settings, progress, to_write=True) as database, Lease(database, settings.graph) as lease:
        analysed = analytics.refresh(database, settings.graph, progress, lease=lease, singletons=options.singletons)
        notes += analysed.notes
        _check(database, settings.graph)
        domain = _domain(database, settings, door, options.domain)
        notes += [domain.note] if domain.note else []
        done = write_reports(
            *(database, settings.graph, door, tokens.load(), Wanted(domain.value, options.smallest), progress),
            lease=lease,
        )
    seconds = time.monotonic() - started
    return replace(done, usage=done.usage + domain.usage, seconds=seconds, notes=tuple(notes))


def plan_community_reports(
    *, settings: Settings, options: CommunityReportOptions | None = None, progress: Progress = SILENT
) -> CommunityReportsPlan:
    """Estimate what `community_reports` with the same arguments would ask. Nothing is asked, nothing is written."""
    options = options or CommunityReportOptions()
    door = factory.door(settings)
    with connect(settings, progress) as database:
        _check(database, settings.graph)
        domain = _domain(database, settings, door, None if options.domain == FIND_DOMAIN else options.domain)
        planned = plan_reports(database, settings.graph, door, tokens.load(), Wanted(domain.value, options.smallest))
    asked = planned.usage
    usage = priced(door.name, settings, asked.calls, asked.input_tokens, asked.output_tokens)
    return replace(planned, usage=usage, assumptions=_assumptions(planned, options.domain) if asked.calls else ())


def _assumptions(planned: CommunityReportsPlan, domain: str | None) -> tuple[str, ...]:
    length = f"a report has {BASE_TOKENS} tokens and {FINDING_TOKENS} for each of as many findings as it may have"
    if planned.measured:
        length = f"a report is as long as the {planned.measured} that this model wrote for this graph"
    found = ("one short call more finds the domain",) if domain == FIND_DOMAIN else ()
    return (length, "no answer has to be asked for once more", *found)


def _domain(database: Database, settings: Settings, door: Door, domain: str | None) -> Domain:
    """Return the domain that an option means, for the prompt; of no option as the reports so far."""
    given = None
    if domain is not None and domain != FIND_DOMAIN:
        given = " ".join(domain.split())
        if len(given) > LONGEST_DOMAIN:
            raise UsageError(f"a domain of {len(given)} characters", hint=f"at most {LONGEST_DOMAIN}: a few words")
        given = "" if given == NO_DOMAIN else given
    return door.do(ChooseDomain(database, settings.graph, tokens.load(), given, domain == FIND_DOMAIN))


def _check(database: Database, graph: str) -> None:
    """Raise UsageError for a graph that has no communities."""
    if database.read(queries.get("analytics/graph_state"), graph=graph):
        return
    if nodes := database.read(queries.get("write/count_graph"), graph=graph)[0]["nodes"]:
        raise UsageError(
            f"the {nodes} entities of graph {graph!r} are in no communities",
            hint="`kg load` without --no-analytics computes them, with GDS or with kg-neo4j[analytics]",
        )
    raise UsageError(f"graph {graph!r} holds no entities", hint="`kg load` first, or name another with --graph")
