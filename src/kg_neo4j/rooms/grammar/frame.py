"""What rows on one text may hold, and how many there can be. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kg_neo4j.extract.schema import ColumnKind, Schema

LONGEST = {ColumnKind.NAME: 160, ColumnKind.TEXT: 300}  # characters; recorded answers have 95 and 144
LEAST_ROWS = 6  # that may begin with one sentence
CHARACTERS_A_ROW = 15  # of a sentence, for each row more
OPTIONAL = (ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.YEAR, ColumnKind.NUMBER)
_FORMS = {  # fields without words, as the right side of a rule of llama.cpp's grammars
    ColumnKind.TYPE: "[A-Z] [A-Z0-9_]{1,40}",
    ColumnKind.SOURCE: '"n" [1-9] [0-9]{0,3}',
    ColumnKind.TARGET: '"n" [1-9] [0-9]{0,3}',
    ColumnKind.DATE: '"-"? [0-9]{3,4} ("-" [01] [0-9] ("-" [0-3] [0-9])?)?',
    ColumnKind.YEAR: '"-"? [0-9]{1,4}',
    ColumnKind.NUMBER: '"-"? [0-9]{1,12} ("." [0-9]{1,6})?',
}
_NUMBERED = re.compile(r"^(\d+) (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SectionFrame:
    """The rows of one kind."""

    name: str
    header: tuple[str, ...]
    kinds: tuple[ColumnKind, ...]  # of its columns; words that are copied are a text
    forms: Mapping[ColumnKind, str]  # of fields without words: the right sides of their rules


@dataclass(frozen=True, slots=True)
class Frame:
    """What the sections of an answer on one text may have."""

    sections: tuple[SectionFrame, ...]
    sentences: Mapping[int, int]  # number -> rows of a section that may begin with it; empty: they have no numbers
    rows: int  # of a section, at most


def frame(schema: Schema, shown: str) -> Frame:
    """Return the frame of a text as the model sees it: one line for each numbered sentence, or plain."""
    found = _NUMBERED.findall(shown) if schema.evidence == "sentences" else []
    rows = {int(number): LEAST_ROWS + len(words) // CHARACTERS_A_ROW for number, words in found}
    most = sum(rows.values()) or LEAST_ROWS + len(shown) // CHARACTERS_A_ROW
    return Frame(tuple(_sections(schema, rows)), rows, most)


def _sections(schema: Schema, sentences: Mapping[int, int]) -> Iterator[SectionFrame]:
    copied = None if sentences else ColumnKind.EVIDENCE
    number = f"({numbers(sentences)})"
    cited = f'{number} ([ -] {number} (" " {number})?)?'
    nodes, links = ({each.name: each.kind for each in columns} for columns in (schema.nodes, schema.relationships))
    both = (schema.node_types, schema.relationship_types)
    found = [("nodes", nodes, both[0]), ("relationships", links, both[1])]
    if facts := schema.facts:  # one section, whose rows have both ends
        found = [("facts", facts, sum(both, ()) if all(both) else ())]
    for name, columns, types in found + [("claims", schema.claim, ())] * schema.claims:
        kinds = (ColumnKind.TEXT if each is copied else each for each in columns.values())
        forms = _FORMS | {ColumnKind.ID: f'"{name[0]}" [1-9] [0-9]{{0,3}}', ColumnKind.EVIDENCE: cited}
        if types:
            forms[ColumnKind.TYPE] = " | ".join(json.dumps(each, ensure_ascii=False) for each in types)
        yield SectionFrame(name, tuple(columns), tuple(kinds), forms)


def numbers(given: Iterable[int]) -> str:
    """Return the right side of a rule for neighbouring numbers: 8 to 12 are `[8-9] | "1" [0-2]`."""
    tens: dict[int, list[int]] = {}
    for number in given:
        tens.setdefault(number // 10, []).append(number % 10)
    return " | ".join((f'"{ten}" ' if ten else "") + f"[{last[0]}-{last[-1]}]" for ten, last in tens.items())
