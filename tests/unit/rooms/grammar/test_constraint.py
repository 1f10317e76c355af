"""Constrained output: recorded and damaged answers under the grammar, and what is sent to each kind of server."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer, grammar_from

from fake_llm import FakeLlm
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import ModelRefused, RequestRefused
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.llm_extractor import LlmExtractor, constraint_of
from kg_neo4j.extract.schema import Schema
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, ChunkOutcome, Document
from kg_neo4j.rooms.grammar.constraint import Constraint
from kg_neo4j.rooms.grammar.json_rows import as_csv

LEAN = schemas.load("lean")
TEXT = "Ada met Ben in 1883. They wrote a book."
SHOWN = "1 Ada met Ben in 1883.\n2 They wrote a book."
NODES, RELATIONSHIPS = ",".join(LEAN.node_header), ",".join(LEAN.relationship_header)
ANSWER = f"{NODES}\n1,n1,PERSON,Ada,,,,,\n1,n2,PERSON,Ben,,,,,\n\n{RELATIONSHIPS}\n1,n1,MET,n2,1883,,\n"
ROWS = {
    "nodes": [["1", "n1", "PERSON", "Ada", "", "", "", "", ""], ["1", "n2", "PERSON", "Ben", "", "", "", "", ""]],
    "relationships": [["1", "n1", "MET", "n2", "1883", "", ""]],
}


def taken(fields: dict[str, Any], text: str) -> int | None:
    """Return the offset of the first byte that is not allowed, or where more is missing; None: all is allowed."""
    if "response_format" in fields:
        schema = fields["response_format"]["json_schema"]["schema"]
        grammar = LLMatcher.grammar_from_json_schema(json.dumps(schema))
    else:
        grammar = grammar_from("gbnf", fields.get("grammar") or fields["structured_outputs"]["grammar"])
    matcher = LLMatcher(LLTokenizer("byte"), grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    said = list(text.encode())
    if (count := matcher.validate_tokens(said)) < len(said):
        return count
    matcher.consume_tokens(said)
    return None if matcher.is_accepting() else count


def in_json(answer: str) -> str:
    """Return the sections of a CSV as rows in JSON; a single one has facts."""
    sections = [list(csv.reader(io.StringIO(part)))[1:] for part in answer.strip().split("\n\n")]
    names = ("nodes", "relationships") if len(sections) == 2 else ("facts",)
    return json.dumps(dict(zip(names, sections, strict=True)), ensure_ascii=False)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parents[4] / "benchmarks"), *sys.path])
    import grammar

    return grammar


def test_recorded_answers_are_accepted(script: ModuleType) -> None:
    """Seven of the others have a row that is out of order, which the prompt forbids; two cite more than a row may."""
    stops = {each.name: (each, at) for each in script.recorded() if (at := script.stop(each.text, each.offsets))}
    assert len(script.recorded()) == 55
    assert len(stops) == 9
    for each, at in stops.values():
        before = each.text.encode()[:at].decode(errors="ignore").splitlines()
        line = each.text.splitlines()[each.text.encode()[:at].count(b"\n")]
        first = int("".join(line.replace("-", " ").split(",")[0].split()[:1]))
        previous = next(row for row in reversed(before) if row.count(",") > 3 and not line.startswith(row))
        is_early = first < int(previous.replace("-", " ").split(",")[0].split()[0])
        assert is_early or line.split(",")[0] in ("13-18", "40-43")


def test_no_damaged_answer_can_be_written(script: ModuleType) -> None:
    found = script.measure(50)
    assert len(found) == 10
    for kind, counts in found.items():
        assert counts["stopped"] == counts["answers"] == 5
        assert counts["rows"] > 250
        assert counts["certain"] + counts["wrong with"] > 0 or kind in ("code fences", "tabs", "Markdown tables")
        assert counts["wrong with"] == 0 or kind == "repeated rows"
    repeated = found["repeated rows"]
    assert 0 < repeated["wrong with"] < repeated["wrong"] / 4


@pytest.mark.parametrize("name", schemas.BUILT_IN)
@pytest.mark.parametrize("server", ["vllm", "llama", "ollama", "json_schema"])
def test_the_example_of_each_schema_is_accepted(name: str, server: str) -> None:
    schema = schemas.load(name)
    answer = schema.example_answer
    shown = "\n".join(f"{number} {'x' * 200}" for number in range(1, 5))
    fields = dict(Constraint(server, schema).fields(shown))
    assert taken(fields, answer if server in ("vllm", "llama") else in_json(answer)) is None
    assert as_csv(in_json(answer), schema) == answer


def in_place(old: str, new: str) -> tuple[str, int]:
    """Return the answer with a change, and the offset of the first byte that differs."""
    changed = ANSWER.replace(old, new, 1)
    assert changed != ANSWER
    return changed, next(at for at, (one, other) in enumerate(zip(changed, ANSWER, strict=False)) if one != other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ada,", ","),  # a name is needed
        ("1,n1,PERSON", "3,n1,PERSON"),  # there are two sentences
        ("1,n1,PERSON", "1-3,n1,PERSON"),
        ("1,n1,PERSON", "1 2 3,n1,PERSON"),
        ("n2,PERSON", "b2,PERSON"),
        ("PERSON", "person"),
        ("1883", "spring"),
        ("1883", "1883-23"),
        ("MET", ""),
        ("n2,1883", ",1883"),
        (f"\n{RELATIONSHIPS}", RELATIONSHIPS),
    ],
)
def test_the_grammar_stops_at_the_first_wrong_byte(old: str, new: str) -> None:
    changed, at = in_place(old, new)
    stopped = taken(dict(Constraint("llama", LEAN).fields(SHOWN)), changed)
    assert stopped is not None
    assert at <= stopped <= at + len(new)


def test_rows_stand_in_the_order_of_their_sentences_after_the_first_three() -> None:
    def answer(*numbers: int) -> str:
        rows = "".join(f"{number},n{at},PERSON,Ada{at},,,,,\n" for at, number in enumerate(numbers, 1))
        return f"{NODES}\n{rows}\n{RELATIONSHIPS}\n"

    fields = dict(Constraint("llama", LEAN).fields(SHOWN))
    assert taken(fields, answer(2, 2, 2, 1, 1, 2)) is None
    assert taken(fields, answer(1, 1, 1, 1, 2, 1)) == len(answer(1, 1, 1, 1, 2)) - len(f"\n{RELATIONSHIPS}\n")


def test_facts_have_both_ends_in_the_row() -> None:
    small = schemas.load("small")
    header = ",".join(small.facts)
    rest = "," * (len(small.facts) - 6)
    fields = dict(Constraint("llama", small).fields(SHOWN))
    right = f"{header}\n1,Ada,PERSON,MET,Ben,PERSON{rest}\n"
    assert taken(fields, right) is None
    assert taken(fields, right.replace(",Ben,", ",,")) == right.index("Ben")
    assert taken(fields, right.replace("\n1,", "\n3,")) == len(header) + 1
    assert '{"facts": [["...", "..."]]}' in Constraint("ollama", small).asks


def test_an_answer_that_repeats_itself_comes_to_an_end() -> None:
    row = "1,n{},PERSON,Torrealba,,,,,\n"
    endless = f"{NODES}\n" + "".join(row.format(number) for number in range(1, 400))
    stopped = taken(dict(Constraint("llama", LEAN).fields(SHOWN)), endless)
    assert stopped is not None
    assert endless[:stopped].count("Torrealba") == 3 + 6 + 1  # free rows, and those of a sentence of 20 characters


def test_closed_types_are_closed() -> None:
    closed = replace(LEAN, node_types=("PERSON", "PLACE"), relationship_types=("MET",))
    fields = dict(Constraint("llama", closed).fields(SHOWN))
    assert taken(fields, ANSWER) is None
    for old, new in (("PERSON", "PERSONA"), ("MET", "METRE")):
        assert taken(fields, ANSWER.replace(old, new)) == ANSWER.index(old) + len(old)
    typed = dict(Constraint("ollama", closed).fields(SHOWN))
    assert taken(typed, json.dumps(ROWS)) is None
    assert taken(typed, json.dumps(ROWS).replace("PERSON", "PERSONA")) is not None


def test_halves_of_a_text_keep_their_numbers() -> None:
    fields = dict(Constraint("llama", LEAN).fields("118 Ada met Ben.\n119 Ben left.\n120 He came back."))
    moved = ANSWER.replace("\n1,", "\n119-120,")
    assert taken(fields, moved) is None
    assert taken(fields, ANSWER) is not None
    typed = dict(Constraint("ollama", LEAN).fields("118 Ada met Ben.\n119 Ben left.\n120 He came back."))
    assert taken(typed, in_json(moved)) is None
    assert taken(typed, json.dumps(ROWS)) is not None


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (json.dumps(ROWS), 3),
        (json.dumps(ROWS, indent=2), 3),
        (f"```json\n{json.dumps(ROWS)}\n```", 3),
        (json.dumps(ROWS)[: json.dumps(ROWS).index('"Ben"')], 1),  # it was cut
        (json.dumps(ROWS)[:-3], 2),
        ('{"nodes": [["1", "n1", "WORK", "a, \\"b\\" [c]", "", "", "", "", ""]], "relationships": []}', 1),
    ],
)
def test_rows_in_json_become_csv(text: str, rows: int) -> None:
    written = as_csv(text, LEAN)
    lines = list(csv.reader(io.StringIO(written)))
    assert sum(bool(line) for line in lines) - written.count("sentences,") == rows
    assert lines[0] == list(LEAN.node_header)
    assert ("relationships" in text) is (RELATIONSHIPS in written)
    assert as_csv(written, LEAN) == written  # what is stored is read again


@pytest.mark.parametrize("text", ["", "I cannot.", ANSWER, '{"nodes": [{"node_id": "n1"}], "relationships": []}'])
def test_other_answers_stay_as_they_are(text: str) -> None:
    assert as_csv(text, LEAN) == text


Configure = Callable[..., ExtractionConfig]


@pytest.fixture
def configure(llm: FakeLlm, tmp_path: Path) -> Configure:
    def make(constrain: str, schema: Schema = LEAN, **options: Any) -> ExtractionConfig:
        model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=lambda _: asyncio.sleep(0)))
        door = door_to(model, AnswerCache(tmp_path / "answers"))
        return ExtractionConfig(
            schema, LlmExtractor(door, schema, constraint=constraint_of(constrain, schema)), **options
        )

    return make


def task_of(text: str = TEXT) -> ChunkTask:
    document = Document("d" * 32, "main", "file", "ada.txt", "Ada", "ada.txt", text, "0" * 64)
    return ChunkTask(document, Chunk("c" * 32, "d" * 32, "main", 0, text, 20, 0, len(text)))


@pytest.mark.parametrize("server", ["vllm", "llama", "ollama", "json_schema"])
def test_what_is_sent_and_what_is_stored(llm: FakeLlm, configure: Configure, server: str) -> None:
    says = ANSWER if server in ("vllm", "llama") else json.dumps(ROWS)
    llm.say(says)
    found = extract_chunk(task_of(), configure(server))
    [asked] = llm.requests
    sent = {
        name: asked.body[name] for name in ("grammar", "structured_outputs", "response_format") if name in asked.body
    }
    assert [*sent] == [{"vllm": "structured_outputs", "llama": "grammar"}.get(server, "response_format")]
    assert taken(sent, says) is None
    assert ('"relationships": [[' in asked.user) is (server not in ("vllm", "llama"))
    assert found.outcome is ChunkOutcome.DONE
    assert found.answers[0].text == ANSWER
    assert [each.name for each in found.nodes] == ["Ada", "Ben"]
    again = extract_chunk(task_of(), configure(server))  # from the cache
    assert llm.calls == 1
    assert again.answers[0].text == ANSWER


def test_further_questions_are_constrained_too(llm: FakeLlm, configure: Configure) -> None:
    cut = json.dumps(ROWS)
    llm.say(cut[: cut.index('"relationships"')], "length")
    llm.say(json.dumps({"nodes": [], "relationships": ROWS["relationships"]}))
    found = extract_chunk(task_of(), configure("ollama"))
    assert [each.step for each in found.answers] == ["whole", "continue"]
    assert (len(found.nodes), len(found.relationships)) == (2, 1)
    assert found.answers[1].text == f"{NODES}\n\n{RELATIONSHIPS}\n1,n1,MET,n2,1883,,\n"
    assert all("response_format" in each.body for each in llm.requests)
    assert llm.requests[1].user.endswith('An empty field is "".')


@pytest.mark.parametrize(("server", "field"), [("llama", "grammar"), ("json_schema", "response_format")])
def test_a_server_that_refuses_the_field_stops_the_run(
    llm: FakeLlm, configure: Configure, server: str, field: str
) -> None:
    llm.fail(400, message=f"Unrecognized request argument supplied: {field}", param=field)
    with pytest.raises(ModelRefused, match=f"Unrecognized request argument supplied: {field}") as caught:
        extract_chunk(task_of(), configure(server))
    assert caught.value.hint == "unset KG_CONSTRAIN, which sends it"
    assert llm.calls == 1
    said = {"error": {"message": "this type of text is not served"}}  # a word of the JSON schema, not its field
    llm.faults = lambda _: llm.json(said, 400)
    with pytest.raises(RequestRefused):
        configure(server).extractor.answer(task_of(), SHOWN)


def test_an_endless_answer_in_json_is_stopped(llm: FakeLlm, configure: Configure) -> None:
    rows = [["1", f"n{number}", "PERSON", "Torrealba", "", "", "", "", ""] for number in range(1, 200)]
    llm.say(json.dumps({"nodes": rows, "relationships": []}))
    found = extract_chunk(task_of(), configure("ollama", repair=False))
    assert found.answers[0].finish_reason == "runaway"
    assert found.answers[0].text.count("Torrealba") < 60


def test_the_way_is_part_of_the_configuration(configure: Configure) -> None:
    hashes = {server: configure(server).config_hash for server in ("none", "vllm", "llama", "ollama", "json_schema")}
    assert len(set(hashes.values())) == 5
    model = OpenAIChat("fake", Endpoint("http://127.0.0.1:9/v1"))
    assert LlmExtractor(door_to(model), LEAN).config_hash == configure("none").extractor.config_hash
