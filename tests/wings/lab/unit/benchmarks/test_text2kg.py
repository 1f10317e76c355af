"""Text2KGBench: a schema from an ontology of the set's form, triples as it writes them, and answers read again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from kg_neo4j import LoadOptions, Settings, factory
from kg_neo4j.pipeline.options import extraction_config

CHECKOUT = Path(__file__).resolve().parents[5]
ONTOLOGY = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<x#film> a owl:Class ; rdfs:label "film" .
<x#human> a owl:Class ; rdfs:label "human" .
<x#cast> a owl:ObjectProperty ; rdfs:label "cast member" ; rdfs:domain <x#film> ; rdfs:range <x#human> .
"""
SENTENCE = {"id": "ont_1_movie_test_1", "sent": "Ada Berg plays in The Lamp, which Ole made."}
NODES = "sentences,node_id,node_type,name\n1,n1,FILM,The Lamp\n1,n2,HUMAN,Ada Berg\n1,n3,HUMAN,Ole\n"
ANSWER = f"{NODES}\nsentences,node_id_1,relationship_type,node_id_2\n1,n1,CAST_MEMBER,n2\n1,n3,MADE,n1\n"


@pytest.fixture
def text2kg(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CHECKOUT / "benchmarks"))
    import text2kg

    return text2kg


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ont_1_movie.ttl").write_text(ONTOLOGY, "utf-8")
    relations = {"relations": [{"label": "cast member"}], "concepts": []}
    (tmp_path / "1_movie_ontology.json").write_text(json.dumps(relations), "utf-8")
    (tmp_path / "ont_1_movie_test.jsonl").write_text(f"{json.dumps(SENTENCE)}\n", "utf-8")
    (tmp_path / "selected_ont_1_movie.txt").write_text("ont_1_movie_test_1\nont_1_movie_test_9\n", "utf-8")
    return tmp_path


@pytest.mark.needs("kg_neo4j_offline")
def test_relationships_are_triples_with_the_names_of_the_set(text2kg: ModuleType, folder: Path) -> None:
    (ontology,) = text2kg.ontologies(folder)
    assert (ontology.id, ontology.labels) == ("ont_1_movie", {"CAST_MEMBER": "cast_member"})
    assert dict(ontology.schema.preferred_relationship_types) == {"CAST_MEMBER": "FILM to HUMAN"}
    config = extraction_config(Settings(), LoadOptions(gleanings=0), factory.without_model(), schema=ontology.schema)
    answer = {"text": ANSWER, "model": "", "prompt_hash": "", "finish_reason": "stop", "offsets": [[0, 43]]}
    known = {"sha256": hashlib.sha256(SENTENCE["sent"].encode()).hexdigest(), "answers": [answer]}
    found = text2kg.from_record(config, SENTENCE, known)
    assert text2kg.triples(found, ontology) == [["The Lamp", "cast_member", "Ada Berg"], ["Ole", "MADE", "The Lamp"]]
    with pytest.raises(AssertionError):
        text2kg.from_record(config, {**SENTENCE, "sent": "Another."}, known)


def test_a_sample_is_drawn_of_verified_sentences(text2kg: ModuleType, folder: Path) -> None:
    (ontology,) = text2kg.ontologies(folder)
    assert text2kg.drawn(folder, ontology, 0) == {"ont_1_movie_test_1"}
    assert len(text2kg.drawn(folder, ontology, 1)) == 1
    assert text2kg.drawn(folder, ontology, 5) == {"ont_1_movie_test_1", "ont_1_movie_test_9"}
