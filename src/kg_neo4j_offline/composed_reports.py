"""Community reports without a model: facts of the graph in fixed sentences, and descriptions word for word. Pure.

Everything in such a report stands in the graph. The rating is no judgement: it counts statements, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kg_neo4j.organise.report_material import MemberLink, ReportMaterial, ReportMember
from kg_neo4j.organise.report_questions import MOST, ReportDraft, fewest_findings
from kg_neo4j.organise.report_references import LARGEST, mark
from kg_neo4j.organise.stored_reports import Finding

CENTRAL = 6  # members with a finding of their own
NAMED = 3  # members in a title
STRONGEST = 5  # relationships that are named together


def compose(material: ReportMaterial) -> ReportDraft:
    """Return a report on `material` from the graph alone."""
    central = material.ranked
    findings = [_about_member(material, each) for each in central[:CENTRAL]]
    if len(central) > 1:
        findings += _about_relationships(material)
    missing = max(0, fewest_findings(material) - len(findings))
    findings += [_about_member(material, each) for each in central[CENTRAL : CENTRAL + missing]]
    statements = sum(each.evidence_count for each in material.links)
    rating = min(10.0, round(math.log2(1 + statements), 1))
    counted = f"{statements} statements of relationships"
    explained = f"Not a judgement: the base-2 logarithm of one more than the {counted}, at most 10."
    return ReportDraft(_title(central), _summary(material), rating, explained, tuple(findings[:MOST]), ())


def _title(central: Sequence[ReportMember]) -> str:
    names = [" ".join(each.name.split())[:60] for each in central[:NAMED]]
    return f"{', '.join(names)} and others" if len(central) > NAMED else " and ".join(names)


def _summary(material: ReportMaterial) -> str:
    central = material.ranked
    if len(central) == 1:
        said = " ".join(central[0].description.split())
        return f"{_called(central[0])}, related to nothing else in the graph.{f' {said}' if said else ''}"
    names = ", ".join(_called(each) for each in central[:LARGEST])
    sentences = [
        f"{len(central)} entities with {len(material.links)} relationships between them.",
        f"Most central: {names}.",
    ]
    if material.ranked_links:
        strongest = "; ".join(_stated(material, each) for each in material.ranked_links[:NAMED])
        sentences.append(f"Most often stated: {strongest}.")
    if material.years:
        first, last = material.years[0], material.years[-1]
        span = f"Years that are named: {first} to {last}" if first != last else f"Year that is named: {first}"
        sentences.append(f"{span}.")
    if material.documents:
        more = material.documents_total - len(material.documents)
        sentences.append(f"From {', '.join(material.documents)}{f' and {more} more documents' if more > 0 else ''}.")
    return " ".join(sentences)


def _about_member(material: ReportMaterial, member: ReportMember) -> Finding:
    links = [each for each in material.ranked_links if member.id in (each.source, each.target)]
    shown = links[:LARGEST]
    numbers = material.numbers
    count = f"{len(links)} relationship{'' if len(links) == 1 else 's'} within the community"
    paragraphs = [" ".join(member.description.split())] if member.description.strip() else []
    if shown:
        stated = "; ".join(_stated(material, each) for each in shown)
        paragraphs.append(f"{stated}{'; and more' if len(links) > LARGEST else ''}.")
    entities = {numbers[member.id]: member.id}
    cited = {numbers[each.id]: each.id for each in shown}
    text = "\n\n".join(paragraphs) or f"{member.name} is named in the documents."
    marked = f"{text} {mark(entities, cited, more=len(links) > LARGEST)}"
    return Finding(f"{_called(member)}: {count}.", marked, entities, cited)


def _about_relationships(material: ReportMaterial) -> list[Finding]:
    """Say which relationships are stated most often, with what is said of them."""
    shown = material.ranked_links[:STRONGEST]
    if len(shown) < 2:
        return []
    numbers = material.numbers
    lines = []
    for each in shown:
        said = " ".join(each.description.split())
        reference = mark(relationships=[numbers[each.id]])
        lines.append(f"{_stated(material, each)}{f': {said}' if said else ''} {reference}")
    cited = {numbers[each.id]: each.id for each in shown}
    return [Finding("The relationships that are stated most often.", "\n\n".join(lines), {}, cited)]


def _called(member: ReportMember) -> str:
    return f"{' '.join(member.name.split())} ({member.type})"


def _stated(material: ReportMaterial, link: MemberLink) -> str:
    names = material.names
    when = f" ({link.start_date})" if link.start_date else ""
    often = f", {link.evidence_count} times" if link.evidence_count > 1 else ""
    return f"{names[link.source]} {link.type} {names[link.target]}{when}{often}"
