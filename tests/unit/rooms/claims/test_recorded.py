"""Answers of a large model with claims and without, over the chunks of one story, through the reader."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

from kg_neo4j.extract import facts
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.validation import ValidRows, validate

DATA = Path(__file__).resolve().parents[3] / "data"
ROWS = [json.loads(line) for line in (DATA / "recorded" / "claims.jsonl").read_text("utf-8").splitlines()]
STORY: str = json.loads((DATA / "stories" / "stories.jsonl").read_text("utf-8").splitlines()[0])["article"]


def read(form: str) -> list[ValidRows]:
    schema, found = schemas.load(form), []
    for row in ROWS:
        if row["form"] == form and "step" not in row:
            text = STORY[row["start"] : row["end"]]
            assert hashlib.sha256(text.encode()).hexdigest() == row["sha256"]
            spans = (each.split(":") for each in row["offsets"].split())
            offsets = tuple((int(start), int(end)) for start, end in spans)
            rows = facts.read(row["answer"], schema, finish_reason="stop", sentences=len(offsets))
            found.append(validate(rows, schema, text, offsets=offsets))
    return found


def test_claims_of_a_story_are_read_with_status_and_sentences() -> None:
    found = read("lean+claims")
    claims = [row for valid in found for row in valid.relationships if not row.stated]
    assert Counter(str(row.properties["status"]) for row in claims) == {"SUSPECTED": 8, "FALSE": 5, "TRUE": 3}
    assert all(row.span and row.properties["description"] for row in claims)
    assert Counter(each.reason for valid in found for each in valid.rejections) == {
        "too_many_sentences": 2,
        "missing_end": 1,
    }


def test_about_as_much_is_stated_as_without_claims() -> None:
    plain, claiming = (
        (
            sum(len(valid.nodes) for valid in found),
            sum(row.stated for valid in found for row in valid.relationships),
        )
        for found in map(read, ("lean", "lean+claims"))
    )
    assert (plain, claiming) == ((184, 266), (181, 249))
