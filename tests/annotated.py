"""One annotated passage and one answer about it, whose scores were worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kg_neo4j_lab.extraction import gold as gold_files
from kg_neo4j_lab.extraction.gold import GoldPassage

SENTENCES = (
    "Ada Byron was born in London .",
    "She married William King in 1835 .",
    "Byron lived in Paris .",
)
ENTITIES = (  # (sentence, first token, last token + 1, type)
    ((0, 0, 2, "PER"), (2, 0, 1, "PER")),
    ((0, 5, 6, "LOC"),),
    ((1, 2, 4, "PER"),),
    ((1, 5, 6, "TIME"),),
    ((2, 3, 4, "LOC"),),
)
LABELS = ((0, "P19", 1, (0,)), (0, "P26", 2, (1,)), (0, "P551", 4, (2,)))  # the second one crosses sentences
NAMES = {"P19": "place of birth", "P26": "spouse", "P551": "residence", "P40": "child"}
ANSWER = """node_id,node_type,name,birth_year,death_year,role,location,description,evidence
n1,PERSON,Ada Byron,,,,,,Ada Byron was born in London
n2,LOCATION,London,,,,,,born in London
n3,PERSON,William King,,,,,,married William King
n4,ORGANIZATION,Paris,,,,,,lived in Paris
n5,PERSON,Byron,,,,,,Byron lived in Paris
n6,EVENT,Waterloo,,,,,,the battle that nobody mentions

relationship_id,node_id_1,relationship_type,node_id_2,start_date,description,strength,evidence
r1,n1,BORN_IN,n2,,,9,Ada Byron was born in London
r2,n1,MARRIED_TO,n3,1835,,9,Ada Byron was born
r3,n5,LIVED_IN,n4,,,8,Byron lived in Paris
r4,n1,ADMIRED,n3,,,2,married William King
r5,n1,BORN_IN,n6,,,1,
"""


def row(
    title: str = "Ada",
    sentences: tuple[str, ...] = SENTENCES,
    entities: tuple[tuple[tuple[int, int, int, str], ...], ...] = ENTITIES,
    labels: tuple[tuple[int, str, int, tuple[int, ...]], ...] = LABELS,
) -> dict[str, Any]:
    """Return a passage as the data set has it; tokens are what spaces part."""
    tokens = [sentence.split() for sentence in sentences]
    return {
        "title": title,
        "sents": tokens,
        "vertexSet": [
            [
                {"name": " ".join(tokens[at][first:last]), "sent_id": at, "pos": [first, last], "type": kind}
                for at, first, last, kind in mentions
            ]
            for mentions in entities
        ],
        "labels": [{"h": h, "r": r, "t": t, "evidence": list(evidence)} for h, r, t, evidence in labels],
    }


def passage() -> GoldPassage:
    """Return the passage, read."""
    return gold_files.passage(row())


def write(folder: Path, *rows: dict[str, Any], names: dict[str, str] | None = NAMES) -> str:
    """Write a file of passages, by default of the one, and the names of relations beside it; return its path."""
    file = folder / "passages.json"
    file.write_text(json.dumps(rows or [row()]), "utf-8")
    if names is not None:
        (folder / "rel_info.json").write_text(json.dumps(names), "utf-8")
    return str(file)
