"""Answers of a large model to the question which types are one, read as the command reads them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from kg_neo4j._models import prompts
from kg_neo4j._models.protocols import Completion
from kg_neo4j.records import Usage
from kg_neo4j.rooms.types.deciding import NODE, RELATIONSHIP, ListedType
from kg_neo4j.rooms.types.proposing import SHARE, GroupTypes

RECORDED = Path(__file__).parents[3] / "data" / "recorded"


def rows_of(document: str) -> tuple[dict[str, str], list[tuple[tuple[str, str], str, tuple[str, str]]]]:
    """Return the types of a document's nodes by name, and its relationships, as a large model wrote them."""
    types: dict[str, str] = {}
    found = []
    for line in (RECORDED / "extraction_copied_quotes.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        if answer["document"] != document or answer["task"] != "extract":
            continue
        header: list[str] = []
        nodes: dict[str, tuple[str, str]] = {}
        for row in csv.reader(io.StringIO(answer["answer"])):
            if "node_type" in row or "relationship_type" in row:
                header = row
            elif row and len(row) == len(header):
                given = dict(zip(header, row, strict=True))
                if "name" in given:
                    nodes[given["node_id"]] = (given["name"], given["node_type"])
                    types[given["name"]] = given["node_type"]
                elif (ends := [nodes.get(given[end]) for end in ("node_id_1", "node_id_2")]) and all(ends):
                    found.append((nodes[given["node_id_1"]], given["relationship_type"], nodes[given["node_id_2"]]))
    return types, found


def listed(document: str) -> list[ListedType]:
    types, rows = rows_of(document)
    firsts: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {}
    for source, kind, target in rows:
        firsts.setdefault(kind, (source, target))
    names = {kind: name for name, kind in reversed(types.items())}
    nodes = sorted(Counter(types.values()).items(), key=lambda each: (-each[1], each[0]))
    relationships = sorted(Counter(kind for _, kind, _ in rows).items(), key=lambda each: (-each[1], each[0]))
    found = [ListedType(NODE, kind, count, names[kind], "", "", False, ()) for kind, count in nodes]
    for kind, count in relationships:
        source, target = firsts[kind]
        example = f"{source[0]} -> {target[0]}"
        found.append(ListedType(RELATIONSHIP, kind, count, example, source[1], target[1], False, ()))
    return found


@pytest.mark.parametrize(("document", "before", "after"), [("harbour", 104, 45), ("curie", 172, 78)])
def test_recorded_answers_leave_fewer_types_and_none_too_large(document: str, before: int, after: int) -> None:
    lines = (RECORDED / "type_groups.jsonl").read_text(encoding="utf-8").splitlines()
    (answer,) = (each for each in map(json.loads, lines) if each["document"] == document)
    task = GroupTypes(listed(document), phrased=True)
    mark = hashlib.sha256(task.values()["types"].encode()).hexdigest()[:12]  # as it was when the answer was made
    shown = prompts.load(task.prompt_name).render(**task.values(), boundary=mark)[1]
    assert hashlib.sha256(shown.encode()).hexdigest() == answer["prompt"]
    changes = task.accept(Completion(answer["answer"], "stop", Usage()))
    assert isinstance(changes, list)
    becomes = {each.type: each.becomes for each in changes if each.kind == RELATIONSHIP}
    rows = [kind for _, kind, _ in rows_of(document)[1]]
    sizes = Counter(becomes.get(kind, kind) for kind in rows)
    assert (len(set(rows)), len(sizes)) == (before, after)
    assert max(sizes[kind] for kind in becomes.values()) <= SHARE * len(rows)
