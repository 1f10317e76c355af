"""Texts that say plainly what they state, and the rules by which a scripted model reads them.

A sentence reads "Ada Marlow (PERSON, 1815) KNEW Kraków (PLACE) in 1843.": two nodes, a birth year, a relationship
with a start date. Every paragraph is a chunk where chunks have few tokens.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("Ada Marlow", "ada marlow", "Ben Okoro", "Łucja Wrona", "Zoë O’Hara", "Zoë O'Hara", "Kraków", "Dara")
TYPES = ("PERSON", "PLACE", "person")
RELATIONS = ("KNEW", "LIVED_IN", "TAUGHT")

_MARKED = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_HEADER = re.compile(r"^(?:node_id|relationship_id)(?:,[a-z_0-9]+)+$", re.MULTILINE)
_SENTENCE = re.compile(r"([^().]+) \((\w+)(?:, (-?\d+))?\) (\w+) ([^().]+) \((\w+)(?:, (-?\d+))?\)(?: in (\d+))?\.")


@dataclass(frozen=True)
class Statement:
    """One sentence."""

    source: tuple[str, str, int | None]
    relation: str
    target: tuple[str, str, int | None]
    year: int | None

    def __str__(self) -> str:
        ends = [f"{name} ({kind}{f', {born}' if born else ''})" for name, kind, born in (self.source, self.target)]
        return f"{ends[0]} {self.relation} {ends[1]}{f' in {self.year}' if self.year else ''}."


def ends() -> st.SearchStrategy[tuple[str, str, int | None]]:
    """Names that meet under several spellings, types and birth years."""
    born = st.one_of(st.none(), st.integers(1800, 1803))
    return st.tuples(st.sampled_from(NAMES), st.sampled_from(TYPES), born)


def corpora() -> st.SearchStrategy[dict[str, str]]:
    """One to four small documents, file name -> text; paragraphs may repeat within and across documents."""
    year = st.one_of(st.none(), st.integers(1900, 1902))
    statement = st.builds(Statement, ends(), st.sampled_from(RELATIONS), ends(), year).map(str)
    paragraph = st.lists(statement, min_size=1, max_size=3).map(" ".join)
    text = st.lists(paragraph, min_size=1, max_size=5).map("\n\n".join)
    return st.dictionaries(st.sampled_from(["a.txt", "b.txt", "c.txt", "d.txt"]), text, min_size=1, max_size=4)


def read_statements(prompt: str, user: str) -> str:
    """Answer an extraction prompt; a further question with the two header rows alone, but for gleaned years."""
    marked = _MARKED.search(user)
    headers = _HEADER.findall(prompt)[:2]
    assert marked
    if "stand already" in user:
        return "\n\n".join(headers) + "\n"
    nodes: list[dict[str, str]] = []
    relationships: list[dict[str, str]] = []
    for found in _SENTENCE.finditer(marked[2]):
        first, second = f"n{len(nodes)}", f"n{len(nodes) + 1}"
        for node_id, name, kind, born in ((first, *found.group(1, 2, 3)), (second, *found.group(5, 6, 7))):
            node = {"node_id": node_id, "node_type": kind, "name": name.strip(), "birth_year": born or ""}
            nodes.append({**node, "description": f"{name.strip()} of {found[4]}", "evidence": found[0]})
        row = {"relationship_id": f"r{len(relationships)}", "node_id_1": first, "node_id_2": second}
        stated = {"relationship_type": found[4], "start_date": found[8] or "", "description": found[0], "strength": "5"}
        relationships.append({**row, **stated, "evidence": found[0]})
    return _section(headers[0], nodes) + "\n" + _section(headers[1], relationships)


def _section(header: str, rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = header.split(",")
    writer.writerow(columns)
    writer.writerows([row.get(column, "") for column in columns] for row in rows)
    return out.getvalue()
