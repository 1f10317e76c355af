"""What a community report is made from: members and relationships, ranked and numbered, within a budget. Pure.

Importance is counted within the community alone (rows of evidence for its relationships), so that a document that
says nothing of a community changes nothing in what is asked about it. The numbers are ranks: entity 1 is the most
central one. All members have one, whether they are shown or not, so that a report on a part of the community can be
shown in place of its rows, with the numbers of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.sentences import cut_at_word
from kg_neo4j.organise.report_references import Numbers, renumber
from kg_neo4j.organise.stored_reports import CommunityReport

RULES_VERSION = 1  # of what a report is made from and how its answer is read
ROW_TOKENS = 160  # of a description in a row: a summary has about 150
CHILD_SHARE = 0.6  # of the budget for reports on parts, where not all of them fit

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


@dataclass(frozen=True, slots=True)
class ReportMember:
    """An entity of a community."""

    id: str
    name: str
    type: str
    description: str
    evidence_count: int = 0
    years: tuple[int, ...] = ()  # of birth and death
    child: str | None = None  # community of the next finer level; None: it is in none there


@dataclass(frozen=True, slots=True)
class MemberLink:
    """A relationship between two members."""

    id: str  # of the fact
    source: str
    type: str
    target: str
    description: str = ""
    start_date: str = ""
    evidence_count: int = 1
    strength: float = 0  # 1 to 10 as the model said; 0: it did not


@dataclass(frozen=True)
class ReportMaterial:
    """Everything about one community."""

    id: str
    members: tuple[ReportMember, ...]
    links: tuple[MemberLink, ...]
    documents: tuple[str, ...] = ()  # titles of those that mention most members
    documents_total: int = 0

    @cached_property
    def digest(self) -> str:
        """What a stored report is known by: members, relationships and what is said of them."""
        members = sorted(
            (each.id, each.name, each.type, each.description, *map(str, each.years)) for each in self.members
        )
        links = sorted(
            (each.id, each.source, each.type, each.target, each.description, each.start_date) for each in self.links
        )
        return hash_id("report", str(RULES_VERSION), *(value for row in (*members, *links) for value in (*row, "\n")))

    @cached_property
    def weights(self) -> Mapping[str, int]:
        """Entity -> rows of evidence for its relationships within the community."""
        weights = dict.fromkeys((each.id for each in self.members), 0)
        for link in self.links:
            for end in {link.source, link.target}:
                weights[end] = weights.get(end, 0) + link.evidence_count
        return weights

    @cached_property
    def ranked(self) -> tuple[ReportMember, ...]:
        """Members, the most central one first."""
        return tuple(sorted(self.members, key=lambda each: (-self.weights[each.id], each.name, each.type, each.id)))

    @cached_property
    def ranked_links(self) -> tuple[MemberLink, ...]:
        """Relationships: most evidence first, then the strongest, then those between the most central members."""

        def rank(link: MemberLink) -> tuple[int, float, int, str, str, str, str]:
            weight = self.weights[link.source] + self.weights[link.target]
            words = (self.names[link.source], link.type, self.names[link.target])  # ids differ between graphs
            return (-link.evidence_count, -link.strength, -weight, *words, link.id)

        return tuple(sorted(self.links, key=rank))

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Id of an entity or a fact -> its number, from 1 in its data set."""
        entities = {each.id: number for number, each in enumerate(self.ranked, 1)}
        return entities | {each.id: number for number, each in enumerate(self.ranked_links, 1)}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Entity -> its name."""
        return {each.id: each.name for each in self.members}

    @cached_property
    def years(self) -> tuple[int, ...]:
        """Years that are said of members and relationships, ascending."""
        found = {year for each in self.members for year in each.years}
        found |= {int(year) for link in self.links for year in _YEAR.findall(link.start_date)}
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class PackedCommunity:
    """What of a community is shown."""

    text: str
    shown: Numbers  # that may be cited


@dataclass(slots=True)
class _Page:
    """Rows that were chosen, as far as there is room."""

    material: ReportMaterial
    tokeniser: Tokeniser
    room: int
    reports: list[str] = field(default_factory=list)
    members: dict[int, str] = field(default_factory=dict)
    links: dict[int, str] = field(default_factory=dict)
    cited: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))

    def fits(self, *rows: str) -> bool:
        """Take what `rows` cost off the room, where there is enough."""
        cost = sum(self.tokeniser.count(row) + 1 for row in rows)
        if cost > self.room:
            return False
        self.room -= cost
        return True

    def cite(self, report: CommunityReport) -> None:
        """Allow citing what a report on a part rests on, with the numbers of the whole."""
        numbers = self.material.numbers
        for finding in report.findings:
            for cited, ids in zip(self.cited, (finding.entities, finding.relationships), strict=True):
                cited.update(numbers[each] for each in ids.values() if each in numbers)

    def fill(self, rows: Mapping[str, str], part_of: Mapping[str, str | None], replaced: set[str]) -> int:
        """Add relationships with their ends, best first, then other members; return how many did not fit."""
        numbers = self.material.numbers
        left_out = 0
        for link in self.material.ranked_links:
            inside = {part_of[link.source], part_of[link.target]}
            if len(inside) == 1 and inside <= replaced:
                continue
            new = {end for end in (link.source, link.target) if numbers[end] not in self.members}
            if not self.fits(rows[link.id], *(rows[end] for end in sorted(new))):
                left_out += 1
                continue
            self.links[numbers[link.id]] = rows[link.id]
            self.members |= {numbers[end]: rows[end] for end in new}
        for member in self.material.ranked:
            if numbers[member.id] in self.members or member.child in replaced:
                continue
            if self.fits(rows[member.id]):
                self.members[numbers[member.id]] = rows[member.id]
            else:
                left_out += 1
        return left_out

    def packed(self, left_out: int) -> PackedCommunity:
        """Return the rows in the order of their numbers."""
        blocks = {
            "Reports on parts of this community": self.reports,
            "Entities": [self.members[number] for number in sorted(self.members)],
            "Relationships": [self.links[number] for number in sorted(self.links)],
        }
        text = "\n\n".join(f"{title}\n" + "\n".join(rows) for title, rows in blocks.items() if rows)
        if left_out:
            text += f"\n\n{left_out} further entities and relationships are not shown."
        entities, relationships = self.cited[0] | self.members.keys(), self.cited[1] | self.links.keys()
        return PackedCommunity(text, Numbers(frozenset(entities), frozenset(relationships)))


def pack(
    material: ReportMaterial, children: Sequence[CommunityReport], tokeniser: Tokeniser, budget: int
) -> PackedCommunity:
    """Choose what is shown of a community within `budget` tokens: everything where it fits.

    Else reports on its parts stand for the rows of these parts, the largest part first, as many as it takes. What does
    not fit even then is left out, the least important first.
    """
    page = _Page(material, tokeniser, budget)
    rows = {each.id: _member_row(material, each, tokeniser) for each in material.members}
    rows |= {each.id: _link_row(material, each, tokeniser) for each in material.links}
    costs = {key: tokeniser.count(row) + 1 for key, row in rows.items()}
    total = sum(costs.values())
    replaced: set[str] = set()
    part_of = {each.id: each.child for each in material.members}
    parts = set(part_of.values())
    for report in sorted((each for each in children if each.id in parts), key=lambda each: (-each.size, each.id)):
        if total <= budget:
            break
        text = _child_text(material, report)
        inside = [each.id for each in material.members if each.child == report.id]
        inside += [each.id for each in material.links if part_of[each.source] == part_of[each.target] == report.id]
        cost, saved = tokeniser.count(text) + 1, sum(costs[each] for each in inside)
        if cost >= saved or budget - page.room + cost > CHILD_SHARE * budget:
            continue
        page.room -= cost
        page.reports.append(text)
        replaced.add(report.id)
        total += cost - saved
        page.cite(report)
    return page.packed(page.fill(rows, part_of, replaced))


def _child_text(material: ReportMaterial, report: CommunityReport) -> str:
    numbers = material.numbers
    lines = [f"* {report.title}: {renumber(report.summary, {}, {})}"]
    for finding in report.findings:
        entities = {number: numbers[each] for number, each in finding.entities.items() if each in numbers}
        relationships = {number: numbers[each] for number, each in finding.relationships.items() if each in numbers}
        said = " ".join(finding.explanation.split())
        lines.append(f"  - {finding.summary} {renumber(said, entities, relationships)}")
    return "\n".join(lines)


def _member_row(material: ReportMaterial, member: ReportMember, tokeniser: Tokeniser) -> str:
    said = cut_at_word(" ".join(member.description.split()), tokeniser, ROW_TOKENS)
    lived = f", {'–'.join(map(str, member.years))}" if member.years else ""
    return f"{material.numbers[member.id]}. {_line(member.name)} ({member.type}{lived})" + (f": {said}" if said else "")


def _link_row(material: ReportMaterial, link: MemberLink, tokeniser: Tokeniser) -> str:
    said = cut_at_word(" ".join(link.description.split()), tokeniser, ROW_TOKENS)
    when = f" ({_line(link.start_date)})" if link.start_date else ""
    ends = (_line(material.names[link.source]), _line(material.names[link.target]))
    often = f" [{link.evidence_count} statements]" if link.evidence_count > 1 else ""
    return f"{material.numbers[link.id]}. {ends[0]} {link.type} {ends[1]}{when}{often}" + (f": {said}" if said else "")


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
