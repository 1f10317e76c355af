"""kg unload --purge and kg db compact: they ask first."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j._cli.terminal import confirm, remark, show
from kg_neo4j._cli.terminal import progress as shown
from kg_neo4j.progress import Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.rooms.erasure import compacting, purging
from kg_neo4j.settings import Settings


def purge(source: str, *, root: str | None, settings: Settings, progress: Progress, yes: bool) -> LoadReport:
    """Return what purging a document did."""

    def ask(lines: Sequence[str]) -> None:
        remark("is deleted", [] if yes else lines)
        confirm(f"Delete this, and {source!r} in the graph {settings.graph!r}?", yes=yes)

    return purging.purge(source, root=root, settings=settings, progress=progress, confirm=ask)


def compact(settings: Settings, yes: bool, as_json: bool) -> None:
    """Write the local store again."""
    size = compacting.size(settings)
    room = f"It takes up to {size / 1e6:,.0f} MB more for that time, and the memory of a second server."
    confirm(f"Write the store in {settings.home} again, {size / 1e6:,.0f} MB? {room}", yes=yes)
    with shown(quiet=as_json) as bars:
        report = compacting.compact(settings=settings, progress=bars)
    sizes = f"{report.bytes_before / 1e6:.1f} before, {report.bytes / 1e6:.1f} now"
    facts = {"nodes": report.nodes, "relationships": report.relationships, "MB": sizes}
    show(report, facts | {"seconds": round(report.seconds, 1)}, as_json=as_json)
