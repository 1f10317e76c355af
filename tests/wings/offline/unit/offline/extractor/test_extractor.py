"""The offline extractor as an extractor: its CSV, its schemas, the example texts, and what it promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.errors import UsageError
from kg_neo4j.extract import rows
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask, DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.validation import validate
from kg_neo4j.records import ChunkOutcome
from kg_neo4j_offline.extractor.extractor import OfflineExtractor
from kg_neo4j_offline.extractor.relation_types import TYPES
from offline_reading import answer, chunk, document, parse, read

EXAMPLES = Path(__file__).resolve().parents[6] / "examples"
NODE_TYPES = frozenset("PERSON PLACE ORGANIZATION WORK LAW EVENT AWARD PRODUCT".split())
TEXT = 'Ada Brandt, a chemist, was born in Oslo in 1871. She married Otto Lind.\nOtto "Nils" Lind, a cook, left Oslo.'


def article() -> str:
    return (EXAMPLES / "alexander_von_humboldt.md").read_text(encoding="utf-8")


def quarters(text: str, count: int = 4) -> list[str]:
    parts = text.split("\n## ")
    step = -(-len(parts) // count)
    return ["\n## ".join(parts[start : start + step]) for start in range(0, len(parts), step)]


def test_it_is_an_extractor_that_stops_and_costs_nothing():
    extractor: Extractor = OfflineExtractor(schemas.load("described"))
    given_answer = extractor.answer(ChunkTask(document(TEXT), chunk(TEXT)), TEXT)
    assert (extractor.name, given_answer.model, given_answer.finish_reason) == ("offline-1", "offline-1", "stop")
    assert given_answer.usage.calls == 0
    assert given_answer.prompt_hash == extractor.config_hash


@pytest.mark.parametrize("name", schemas.BUILT_IN)
def test_every_row_of_every_chunk_passes_the_validation_of_a_models_rows(name):
    schema = schemas.load(name)
    for text in quarters(article()):
        read_rows = rows.read(answer(text, schema=schema), schema, finish_reason="stop")
        valid = validate(read_rows, schema, text, evidence="reject")
        assert valid.rejections == ()
        assert len(valid.nodes) > 5


def test_evidence_is_exactly_the_words_of_the_chunk():
    for text in quarters(article()):
        found = parse(answer(text), schemas.load("described"))
        for row in [*found.nodes, *found.relationships]:
            assert row["evidence"] in text
            assert 1 <= len(row["evidence"].split()) <= 20


def test_evidence_of_a_node_names_it():
    found = read("It rained. Otto Lind lived in Oslo.")
    assert "Otto Lind" in found.node("Otto Lind")["evidence"]


def test_the_engine_takes_it_as_it_takes_a_model():
    schema = schemas.load("described")
    config = ExtractionConfig(schema, OfflineExtractor(schema), evidence="reject")
    ((_, extraction),) = extract_all([DocumentJob(document(TEXT), (chunk(TEXT),), (chunk(TEXT),))], config)
    assert extraction.outcome is ChunkOutcome.DONE
    assert {node.name for node in extraction.nodes} == {"Ada Brandt", "Oslo", "Otto Lind"}
    assert extraction.rejections == ()


def test_a_text_without_names_gives_the_two_headers_alone():
    schema = schemas.load("wikipedia")
    assert answer("nothing happened.", schema=schema) == (
        "node_id,node_type,name,birth_year,death_year,role,location\n"
        "\n"
        "relationship_id,node_id_1,relationship_type,node_id_2,start_date\n"
    )


def test_the_columns_of_w1_are_filled():
    found = read(TEXT, schema=schemas.load("wikipedia"))
    assert found.node("Ada Brandt") | {"node_id": ""} == {
        "node_id": "",
        "node_type": "PERSON",
        "name": "Ada Brandt",
        "birth_year": "1871",
        "death_year": "",
        "role": "chemist",
        "location": "Oslo",
    }
    assert "1871" in {row["start_date"] for row in found.relationships}


CUSTOM = """
name = "small"
version = 1
description = "two types"
node_types = ["PERSON", "LOCATION"]
relationship_types = ["BORN_IN"]
[[nodes]]
name = "node_id"
kind = "id"
note = "id"
[[nodes]]
name = "node_type"
kind = "type"
note = "type"
[[nodes]]
name = "name"
kind = "name"
note = "name"
[[nodes]]
name = "colour"
kind = "text"
fold = "mode"
note = "unknown to the rules"
[[relationships]]
name = "relationship_id"
kind = "id"
note = "id"
[[relationships]]
name = "node_id_1"
kind = "source"
note = "from"
[[relationships]]
name = "relationship_type"
kind = "type"
note = "type"
[[relationships]]
name = "node_id_2"
kind = "target"
note = "to"
[example]
text = "-"
answer = \"\"\"
node_id,node_type,name,colour

relationship_id,node_id_1,relationship_type,node_id_2
\"\"\"
"""


def test_a_custom_schema_gets_its_columns_and_types_only():
    found = read(TEXT, schema=schemas.parse(CUSTOM, "small"))
    assert {(node["name"], node["node_type"], node["colour"]) for node in found.nodes} == {
        ("Ada Brandt", "PERSON", ""),
        ("Otto Lind", "PERSON", ""),
        ("Oslo", "LOCATION", ""),
    }
    assert found.facts == {("Ada Brandt", "BORN_IN", "Oslo")}


def test_a_schema_with_its_own_relationship_types_gets_those_of_the_rules():
    schema = schemas.parse(CUSTOM.replace('["BORN_IN"]', '["DAUGHTER_OF", "APPLAUD"]'), "small")
    found = read("Ada Brandt was the daughter of Otto Brandt. Ada Brandt applauded Paul Roux.", schema=schema)
    assert found.facts == {("Ada Brandt", "DAUGHTER_OF", "Otto Brandt"), ("Ada Brandt", "APPLAUD", "Paul Roux")}


def test_the_example_article_gives_a_graph_worth_looking_at():
    names, facts, kinds, degrees = set(), set(), set(), Counter()
    for text in quarters(article()):
        found = read(text, title="Alexander von Humboldt")
        names |= found.names
        facts |= found.facts
        kinds |= {row["relationship_type"] for row in (*found.relationships, *found.likely)}
        assert set(found.types.values()) <= NODE_TYPES
    assert kinds <= set(TYPES)
    for source, _, target in facts:
        degrees.update((source, target))
    assert len(names) >= 30
    assert len(facts) >= 15
    assert degrees.most_common(1)[0][0] == "Alexander von Humboldt"
    assert facts >= {
        ("Alexander von Humboldt", "BORN_IN", "Berlin"),
        ("Alexander von Humboldt", "SIBLING_OF", "Wilhelm von Humboldt"),
        ("Alexander von Humboldt", "MET", "Aimé Bonpland"),
        ("Alexander von Humboldt", "VISITED", "Chimborazo"),
        ("Frederic Edwin Church", "CREATED", "Heart of the Andes"),
        ("Wilhelm von Humboldt", "DIED_IN", "Tegel"),
    }


def test_the_example_story_gives_its_people_and_places():
    text = (EXAMPLES / "the_lamp_at_skarnes.md").read_text(encoding="utf-8")
    found = [read(part, title="The Lamp at Skarnes") for part in (text[: len(text) // 2], text[len(text) // 2 :])]
    names = found[0].names | found[1].names
    facts = found[0].facts | found[1].facts
    assert names >= {"Ragna Tveit", "Halvor Tveit", "Anselm Quist", "Ottilie Marr", "Skarnes", "Vardal", "Gull Rock"}
    assert ("Sigurd Brandvold", "OWNED", "Northern Salvage Company") in facts


@pytest.mark.parametrize("columns", [56, 66, 76])
def test_names_and_facts_do_not_depend_on_where_lines_are_wrapped(columns):
    paragraphs = [" ".join(each.split()) for each in article().split("\n\n")[:11]]
    wrapped = "\n\n".join(textwrap.fill(each, columns, break_on_hyphens=False) for each in paragraphs)
    first, second = (read(text, title="Alexander von Humboldt") for text in ("\n\n".join(paragraphs), wrapped))
    assert (second.names, second.facts) == (first.names, first.facts)
    assert len(first.facts) > 5


@pytest.mark.parametrize("file", [pytest.param("kirito_Muhammad.txt", marks=pytest.mark.long), "kirito_MarieCurie.txt"])
def test_real_articles_lose_no_row(shared_data, file):
    text = (shared_data / "wikipedia" / file).read_text(encoding="utf-8")
    schema = schemas.load("described")
    for start in range(0, len(text), 8000):
        part = text[start : start + 8000]
        read_rows = rows.read(answer(part), schema, finish_reason="stop")
        assert validate(read_rows, schema, part, evidence="reject").rejections == ()


def test_the_first_thing_said_of_muhammad(shared_data):
    text = (shared_data / "wikipedia" / "kirito_Muhammad.txt").read_text(encoding="utf-8")[:6000]
    found = read(text)
    assert ("Amina bint Wahb", "PARENT_OF", "Muhammad") in found.facts
    assert (found.node("Muhammad")["birth_year"], found.node("Muhammad")["death_year"]) == ("570", "632")


@pytest.mark.parametrize("seed", ["0", pytest.param("7", marks=pytest.mark.long)])  # here it is another one
def test_the_answer_does_not_depend_on_the_hash_seed(seed):
    here = Path(__file__).resolve().parents[4]
    code = (
        f"import sys; sys.path.insert(0, {str(here)!r});"
        "from offline_reading import answer;"
        f"sys.stdout.buffer.write(answer(open({str(EXAMPLES / 'the_lamp_at_skarnes.md')!r}).read()).encode())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
    text = (EXAMPLES / "the_lamp_at_skarnes.md").read_text(encoding="utf-8")
    assert run.stdout.decode() == answer(text)


def test_threads_get_the_answers_that_one_gets():
    texts = quarters(article())
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(answer, texts * 2)) == [answer(text) for text in texts] * 2


def test_it_pickles():
    extractor = OfflineExtractor(schemas.load("described"))
    copy = pickle.loads(pickle.dumps(extractor))
    assert copy.config_hash == extractor.config_hash
    assert copy.answer(ChunkTask(document(TEXT), chunk(TEXT)), TEXT) == extractor.answer(
        ChunkTask(document(TEXT), chunk(TEXT)), TEXT
    )


def test_the_configuration_hash_covers_schema_and_pipeline():
    graph, wikipedia = schemas.load("described"), schemas.load("wikipedia")
    hashes = {
        OfflineExtractor(graph).config_hash,
        OfflineExtractor(wikipedia).config_hash,
        OfflineExtractor(graph, spacy_model="en_core_web_sm").config_hash,
    }
    assert len(hashes) == 3


def test_a_pipeline_that_is_not_installed_is_a_usage_error():
    extractor = OfflineExtractor(schemas.load("described"), spacy_model="xx_no_such_pipeline")
    with pytest.raises(UsageError, match="xx_no_such_pipeline") as caught:
        extractor.answer(ChunkTask(document(TEXT), chunk(TEXT)), TEXT)
    assert "spacy download" in (caught.value.hint or "")


def test_an_installed_pipeline_names_the_entities(tmp_path):
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "ada brandt"}, {"label": "GPE", "pattern": "oslo"}])
    nlp.to_disk(tmp_path / "pipeline")
    text = "ada brandt was born in oslo. Otto Lind was not seen."
    extractor = OfflineExtractor(schemas.load("described"), spacy_model=str(tmp_path / "pipeline"))
    found = parse(extractor.answer(ChunkTask(document(text), chunk(text)), text).text, schemas.load("described"))
    assert found.types == {"ada brandt": "PERSON", "oslo": "PLACE"}


AWKWARD = st.text(
    alphabet=st.sampled_from("abc ABC.,;:!?\"“”‘’()[]{}*_#|-–—\n\t\r'1234567890/\\$€éŁßİıﬁ  \u200b\u202e🙂عمد北"),
    max_size=300,
)


@given(AWKWARD, st.sampled_from([None, "en"]))
def test_no_text_breaks_it(text, language):
    schema = schemas.load("described")
    read_rows = rows.read(answer(text, language=language), schema, finish_reason="stop")
    assert validate(read_rows, schema, text, evidence="reject").rejections == ()
