"""Small communities for tests of reports."""

from __future__ import annotations

from kg_neo4j.organise.report_material import MemberLink, ReportMaterial, ReportMember
from kg_neo4j.organise.stored_reports import MODEL, CommunityReport, Finding


def circle(size: int, *, words: int = 3, child: bool = False) -> ReportMaterial:
    """Return a community of `size` members in a ring; member 0 is stated most often. Two halves are its parts."""
    half = size // 2
    members = tuple(
        ReportMember(
            f"e{place}",
            f"Name{place}",
            "PERSON",
            "word " * words,
            1,
            (1800,) if place == 0 else (),
            _part(place, half, child),
        )
        for place in range(size)
    )
    links = tuple(
        MemberLink(
            f"f{place}",
            f"e{place}",
            "KNOWS",
            f"e{(place + 1) % size}",
            "They met. " * words,
            "1820",
            3 if place == 0 else 1,
        )
        for place in range(size if size > 1 else 0)
    )
    return ReportMaterial("c", members, links, ("Letters",), 1)


def _part(place: int, half: int, child: bool) -> str | None:
    if not child:
        return None
    return "left" if place < half else "right"


def report(number: int, about: str, *, method: str = MODEL, rating: float = 5.0) -> CommunityReport:
    """Return a report with two findings on `about`; both cite one fact, each an entity of its own."""
    findings = tuple(
        Finding(
            f"{about} is {place}.",
            f"{about} wrote letter {place} [Data: Entities ({place}); Relationships (1)].",
            {place: f"e{number}-{place}"},
            {1: f"f{number}"} if place == 2 else {},
        )
        for place in (1, 2)
    )
    place = (f"c{number}", 0, number, 4, None)
    return CommunityReport(*place, about, f"About {about}.", rating, "So.", findings, method, f"h{number}")
