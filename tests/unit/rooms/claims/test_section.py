"""The third section of an answer: what becomes of its rows, what is refused, and how a model is asked for it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from hidden_package import needs_room
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.llm_extractor import LlmExtractor, constraint_of
from kg_neo4j.extract.schema_changes import Effect, compare
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, Document, Extraction
from kg_neo4j.rooms.claims.section import COLUMNS

LEAN, CLAIMS = schemas.load("lean"), schemas.load("lean+claims")
TEXT = "Police suspect that Ada Berg took the ledger of the Olsen yard in March 1921. She denies it. Ada met Ole Olsen."
NODES = f"{LEAN.headers[0]}\n1,n1,PERSON,Ada Berg,,,,,\n1,n2,ORGANIZATION,Olsen yard,,,,,\n3,n3,PERSON,Ole Olsen,,,,,\n"
RELATIONSHIPS = f"\n{LEAN.headers[1]}\n3,n1,MET,n3,,,\n"
HEADER = f"\n{','.join(COLUMNS)}\n"
THEFT = "n1,n2,THEFT,SUSPECTED,1921-03,,Ada Berg took the ledger.,1 2\n"


def extracted(llm: FakeLlm, *answers: str, schema: schemas.Schema = CLAIMS) -> Extraction:
    for each in answers:
        llm.say(each)
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=lambda _: asyncio.sleep(0)))
    config = ExtractionConfig(schema, LlmExtractor(door_to(model), schema), gleanings=0)
    document = Document("d", "test", "Thefts", "", "", "", "", "en")
    task = ChunkTask(document, Chunk("c", "d", "test", 0, TEXT, 0, len(TEXT), 30))
    return extract_chunk(task, config)


def test_a_claim_is_a_relationship_that_is_not_stated_and_has_a_status() -> None:
    with FakeLlm() as llm:
        found = extracted(llm, NODES + RELATIONSHIPS + HEADER + THEFT)
        asked = llm.requests[0].prompt
    met, theft = found.relationships
    assert (met.type, met.stated, theft.type, theft.stated) == ("MET", True, "THEFT", False)
    assert (theft.source_id, theft.target_id) == ("n1", "n2")
    assert theft.properties == {
        "status": "SUSPECTED",
        "start_date": "1921-03",
        "description": "Ada Berg took the ledger.",
    }
    assert theft.evidence == TEXT[: TEXT.index(" Ada met")]
    assert (found.rows_read, found.rejections) == (5, ())
    assert ",".join(COLUMNS) in asked
    assert "three sections" in asked


def test_no_one_is_asked_for_claims_by_default() -> None:
    with FakeLlm() as llm:
        extracted(llm, NODES + RELATIONSHIPS, schema=LEAN)
        assert "claim" not in llm.requests[0].prompt
    assert "status" not in {each.name for each in LEAN.relationship_columns}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (THEFT.replace("SUSPECTED", "MAYBE"), "bad_value"),
        (THEFT.replace("n2", "n9"), "missing_end"),
        (THEFT.replace("n2", ""), "empty_field"),
        (THEFT.replace("1 2", "7"), "no_such_sentence"),
    ],
)
def test_a_claim_is_validated_like_other_rows_and_asked_for_once_more(row: str, reason: str) -> None:
    with FakeLlm() as llm:
        found = extracted(llm, NODES + RELATIONSHIPS + HEADER + row, HEADER + THEFT)
        assert row.strip() in llm.requests[1].user
    known = reason not in ("empty_field", "missing_end")  # a row is known by its ends
    assert [(each.reason, each.repaired) for each in found.rejections] == [(reason, known)]
    assert [each.type for each in found.relationships] == ["MET", "THEFT"]


@pytest.mark.parametrize("status", ["true", " True ", '"FALSE"', "**suspected**", "SUSPECTED."])
def test_a_status_is_read_in_any_case_and_marks(status: str) -> None:
    with FakeLlm() as llm:
        found = extracted(llm, NODES + RELATIONSHIPS + HEADER + THEFT.replace("SUSPECTED", status))
    assert found.relationships[1].properties["status"] == status.strip(' *".').upper()


@needs_room("grammar")
@pytest.mark.parametrize("server", ["llama", "ollama"])
def test_a_server_that_holds_an_answer_to_the_schema_allows_claims(server: str) -> None:
    constraint = constraint_of(server, CLAIMS)
    fields = json.dumps(constraint.fields("1 Ada took it."))
    assert "claims" in fields
    assert "claims" not in json.dumps(constraint_of(server, LEAN).fields("1 Ada took it."))
    rows = json.dumps({"nodes": [], "relationships": [], "claims": [THEFT.strip().split(",")]})
    assert THEFT in constraint.csv(rows if constraint.asks else HEADER + THEFT)


def test_a_cut_answer_keeps_its_claims_and_a_section_may_be_missing() -> None:
    with FakeLlm() as llm:
        assert not extracted(llm, NODES + RELATIONSHIPS).rejections
        assert not extracted(llm, NODES + RELATIONSHIPS + HEADER).rejections


def test_a_graph_without_claims_loads_on_with_them_and_a_file_asks_for_them(tmp_path: Path) -> None:
    assert {each.effect for each in compare(LEAN, CLAIMS)} == {Effect.FREE}
    (path := tmp_path / "own.toml").write_text(LEAN.text.replace('"lean"', '"own"', 1), "utf-8")
    own = schemas.load(f"{path}+claims")
    assert (own.name, own.claims, own.hash) == ("own", True, CLAIMS.hash)
    assert schemas.parse(schemas.write(own, []), "written").hash == own.hash
    assert CLAIMS.hash != LEAN.hash


def test_a_schema_that_claims_do_not_fit_is_refused() -> None:
    for name in ("described+claims", "small+claims"):
        with pytest.raises(UsageError, match="claims need a schema in sections"):
            schemas.load(name)
    status = '[[relationships]]\nname = "status"\nkind = "text"\nfold = "join"\nnote = "married or not"\n'
    with pytest.raises(UsageError, match="claims one of their own"):
        schemas.parse(f"claims = true\n{LEAN.text.replace('[example]', status + '[example]')}", "x")
    assert replace(CLAIMS, claims=False).claim == {}
