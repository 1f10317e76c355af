"""Answers of a well-behaved model as hypothesis strategies, and ways to wrap and to break them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.rows import ReadRows

SCHEMA = schemas.load("described")
NODE_HEADER, RELATIONSHIP_HEADER = SCHEMA.node_header, SCHEMA.relationship_header

# How many cases a property is tried on: about 2,000 over all properties in every run, more than 10,000 in the long one.
depth = pytest.mark.parametrize(
    "cases", [pytest.param(150, id="quick"), pytest.param(900, id="long", marks=pytest.mark.long)]
)


def holds(check: Callable[[Any], None], strategy: st.SearchStrategy[Any], cases: int) -> None:
    """Try `check` on `cases` values; the quick run is the same every time."""
    quiet = settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=cases < 500,
        suppress_health_check=list(HealthCheck),
    )
    quiet(given(strategy)(check))()


@dataclass(frozen=True)
class CleanAnswer:
    """Rows, and how they are written."""

    nodes: tuple[tuple[str, ...], ...]
    relationships: tuple[tuple[str, ...], ...]
    node_order: tuple[int, ...] = tuple(range(len(NODE_HEADER)))
    relationship_order: tuple[int, ...] = tuple(range(len(RELATIONSHIP_HEADER)))
    line_end: str = "\n"
    quote_all: bool = False
    blank_line: bool = True
    nodes_first: bool = True

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """All rows, in the order in which they are written."""
        both = [*self.nodes, *self.relationships]
        return both if self.nodes_first else [*self.relationships, *self.nodes]

    @property
    def sections(self) -> tuple[str, str]:
        """The node section and the relationship section as CSV."""
        nodes = self.write([NODE_HEADER, *self.nodes], self.node_order)
        return nodes, self.write([RELATIONSHIP_HEADER, *self.relationships], self.relationship_order)

    @property
    def text(self) -> str:
        """The answer."""
        first, second = self.sections if self.nodes_first else reversed(self.sections)
        return first + (self.line_end if self.blank_line else "") + second

    def write(self, rows: list[tuple[str, ...]], order: tuple[int, ...]) -> str:
        """Return rows as CSV with their columns in another order."""
        out = io.StringIO()
        quoting = csv.QUOTE_ALL if self.quote_all else csv.QUOTE_MINIMAL
        writer = csv.writer(out, lineterminator=self.line_end, quoting=quoting)
        writer.writerows([row[place] for place in order] for row in rows)
        return out.getvalue()


CELL_ALPHABET = 'abcXYZ019 ,,,""\n\t;|\'`é—人ñ.<>/-_'
CELLS = st.text(CELL_ALPHABET, max_size=30).map(str.strip)
NAMES = st.text(CELL_ALPHABET, max_size=20).map(lambda text: f"N{text}".strip()).filter(lambda name: name != "N/a")


@st.composite
def clean_answers(draw: st.DrawFn, cells: st.SearchStrategy[str] = CELLS) -> CleanAnswer:
    """Return a clean answer with up to six nodes and six relationships between them."""
    count = draw(st.integers(1, 6))
    nodes = []
    for number in range(1, count + 1):
        years = [draw(st.sampled_from(["", "570", "-44", "c. 600"])) for _ in range(2)]
        node_type = draw(st.sampled_from(["PERSON", "LOCATION", "TRIBE"]))
        texts = [draw(cells) for _ in range(len(NODE_HEADER) - 5)]
        nodes.append((f"n{number}", node_type, draw(NAMES), *years, *texts))
    relationships = []
    for number in range(1, draw(st.integers(0, 6)) + 1):
        ends = [f"n{draw(st.integers(1, count))}" for _ in range(2)]
        kind = draw(st.sampled_from(["SON_OF", "LIVED_IN"]))
        texts = [draw(cells) for _ in range(2)]
        strength = draw(st.sampled_from(["", "1", "10"]))
        relationships.append((f"r{number}", ends[0], kind, ends[1], *texts, strength, draw(cells)))
    return CleanAnswer(
        tuple(nodes),
        tuple(relationships),
        line_end=draw(st.sampled_from(["\n", "\r\n"])),
        quote_all=draw(st.booleans()),
        blank_line=draw(st.booleans()),
        nodes_first=draw(st.booleans()),
    )


@st.composite
def reordered_answers(draw: st.DrawFn) -> CleanAnswer:
    """Return an answer whose header rows have the right columns in any order."""
    answer = draw(clean_answers())
    return replace(
        answer,
        node_order=tuple(draw(st.permutations(answer.node_order))),
        relationship_order=tuple(draw(st.permutations(answer.relationship_order))),
    )


_BEFORE = (
    "",
    "\ufeff",
    "Here is the CSV you asked for:\n\n",
    "Sure! I read the text, found people, places, events, and wrote them down.\n",
    "<think>\nThe text names Muhammad, so node_id n1.\nn9,PERSON,Draft,,,,,,\n</think>\n",
    "<think>nothing</think>",
    "```csv\n",
    "```\n",
    "~~~text\n",
    "<thinking>\nnode_id,node_type,name,birth_year,death_year,role,location,description,evidence\nn1,A,B,,,,,,\n"
    "</thinking>\n\n",
    "I will draft first.\nnode_id,node_type,name,birth_year,death_year,role,location,description,evidence\n"
    "n1,A,Draft,,,,,,\nThat looks right.\n</think>\n\n",
    "# Nodes\n\n",
)
_AFTER = (
    "",
    "\n\n",
    "```\n",
    "```\n\nI hope this helps. Let me know if you need anything else, for example more rows.",
    "\nNote: the relationships follow the text, as asked, and nothing was added.\n",
    "\nEnd of answer",
)
# Every beginning with some ending: more than forty ways to wrap an answer.
TEMPLATES = tuple((before, after) for number, before in enumerate(_BEFORE) for after in _AFTER[number % 3 :])


def fields_of(read: ReadRows) -> list[tuple[str, ...]]:
    """Return the accepted rows' fields."""
    return [row.fields for row in read.rows]


def as_read(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return rows as the reader gives them: one kind of line break, nothing where no model is asked."""
    unasked = {len(RELATIONSHIP_HEADER): ("",) * len(SCHEMA.unasked)}
    return [(*(field.replace("\r\n", "\n") for field in row), *unasked.get(len(row), ())) for row in rows]
