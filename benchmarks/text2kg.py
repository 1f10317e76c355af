"""Text2KGBench (Mihindukulasooriya et al. 2023): facts of single sentences, in the types of an ontology.

    python benchmarks/text2kg.py FOLDER                                   every test sentence, without a model
    python benchmarks/text2kg.py FOLDER --sample 100 --record FILE        drawn sentences, with KG_MODEL
    python benchmarks/text2kg.py FOLDER --sample 100 --recorded FILE      the same, from recorded answers

FOLDER holds the sentences, the ontologies and `run_eval.py` of the set. Schemas are made by `kg schema import` of
its .ttl files, with the columns of `lean` and nothing added. A triple is a relationship that a load would store,
with the name of its first node, its type and the name of its second one. The official script counts. A sample is drawn
of the sentences that people verified, as many of each ontology, by the SHA-256 of their id.

The script's tokenizer needs a download; the one of NLTK that it begins with is used instead, which cuts sentences no
differently but at a full stop within one. `pip install nltk`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import runpy
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j import Settings, factory
from kg_neo4j.acquire.identity import document_id, hash_id
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk, show
from kg_neo4j.extract.reading import interpret
from kg_neo4j.extract.schema import Schema
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.records import Chunk, Document, Extraction, ModelAnswer
from kg_neo4j.rooms.ontology.reading import as_schema, read

MEASURES = ("precision", "recall", "f1", "onto_conf", "sub_halluc", "rel_halluc", "obj_halluc")


@dataclass(frozen=True)
class Ontology:
    """One of the set's: its files, and the schema that is made of it."""

    id: str  # ont_1_movie
    description: Path  # .json
    schema: Schema
    labels: Mapping[str, str]  # type of a relationship -> its name in the set


def ontologies(folder: Path) -> Iterator[Ontology]:
    """Yield the ontologies that are there."""
    for turtle in sorted(folder.glob("ont_*.ttl")):
        number, name = turtle.stem.split("_")[1:]
        text = as_schema(read(turtle), schemas.load("lean"), name)
        description = folder / f"{number}_{name}_ontology.json"
        relations = json.loads(description.read_text("utf-8"))["relations"]
        labels = {each["label"].upper().replace(" ", "_"): each["label"].replace(" ", "_") for each in relations}
        yield Ontology(turtle.stem, description, schemas.parse(text, str(turtle)), labels)


def rows(file: Path) -> list[dict[str, Any]]:
    """Return the objects of a file, one a line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def drawn(folder: Path, ontology: Ontology, count: int) -> set[str]:
    """Return the ids of so many verified sentences; all sentences for 0."""
    if not count:
        return {row["id"] for row in rows(folder / f"{ontology.id}_test.jsonl")}
    ids = (folder / f"selected_{ontology.id}.txt").read_text("utf-8").split()
    return set(sorted(ids, key=lambda each: hashlib.sha256(each.encode()).hexdigest())[:count])


def task_of(row: Mapping[str, str]) -> ChunkTask:
    """Return what an extractor is asked about a sentence: a document of its own, without a title."""
    document = Document(document_id("text2kg", "test", row["id"]), "text2kg", "", "", "", "", "", "en")
    text = row["sent"]
    return ChunkTask(document, Chunk(hash_id(row["id"]), document.id, "text2kg", 0, text, 0, len(text), len(text) // 4))


def triples(found: Extraction, ontology: Ontology) -> list[list[str]]:
    """Return the relationships that a load would store, as the set writes them."""
    names = {node.node_id: node.name for node in found.nodes}
    stated = [row for row in found.relationships if row.stated]
    return [[names[row.source_id], ontology.labels.get(row.type, row.type), names[row.target_id]] for row in stated]


def from_model(config: ExtractionConfig, sentences: Sequence[Mapping[str, str]]) -> Iterator[Extraction]:
    """Yield the extraction of each sentence; several are asked about at a time."""
    with ThreadPoolExecutor(config.concurrency) as pool:
        yield from pool.map(lambda row: extract_chunk(task_of(row), config), sentences)


def from_record(config: ExtractionConfig, row: Mapping[str, str], known: Mapping[str, Any]) -> Extraction:
    """Return the extraction that recorded answers give, through the same reader."""
    chunk = task_of(row).chunk
    assert hashlib.sha256(chunk.text.encode()).hexdigest() == known["sha256"], row["id"]
    answers = [ModelAnswer(**{**each, "offsets": tuple(map(tuple, each["offsets"]))}) for each in known["answers"]]
    shown = show(chunk, "none", "en", config.schema.evidence, answers)
    return interpret(chunk, answers, config.reading, shown)


def scored(folder: Path, work: Path, said: Mapping[str, Mapping[str, list[list[str]]]]) -> dict[str, list[float]]:
    """Return the means of the official script for each ontology, and of all of them, over the sentences in `said`."""
    found = {}
    for ontology in ontologies(folder):
        mine = said[ontology.id]
        truth = [row for row in rows(folder / f"{ontology.id}_ground_truth.jsonl") if row["id"] in mine]
        files = {"sys": work / "system.jsonl", "gt": work / "truth.jsonl", "output": work / "output.jsonl"}
        files["sys"].write_text("".join(json.dumps({"id": key, "triples": t}) + "\n" for key, t in mine.items()))
        files["gt"].write_text("".join(f"{json.dumps(row)}\n" for row in truth))
        patterns = {**files, "onto": ontology.description}
        (averages := work / "averages.jsonl").unlink(missing_ok=True)
        config = {"onto_list": [ontology.id], "path_patterns": {k: str(v) for k, v in patterns.items()}}
        (work / "config.json").write_text(json.dumps({**config, "avg_out_file": str(averages)}))
        _run_official(folder / "run_eval.py", work / "config.json")
        official = json.loads(averages.read_text().splitlines()[0])
        found[ontology.id] = [float(official[f"avg_{name}"]) for name in MEASURES]
    found["all"] = [sum(column) / len(column) for column in zip(*found.values(), strict=True)]
    return found


def _run_official(script: Path, config: Path) -> None:
    import nltk.tokenize

    nltk.tokenize.word_tokenize = nltk.tokenize.NLTKWordTokenizer().tokenize
    arguments, sys.argv = sys.argv, [str(script), "--eval_config_path", str(config)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = arguments


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="sentences, in equal parts of each ontology; 0: all")
    parser.add_argument("--record", type=Path, help="file for the model's answers")
    parser.add_argument("--recorded", type=Path, help="answers instead of a model's")
    options = parser.parse_args()
    settings, kept = Settings(), list[dict[str, Any]]()
    known = {row["id"]: row for row in rows(options.recorded)} if options.recorded else {}
    door = factory.door(settings) if not known else factory.without_model()
    said: dict[str, dict[str, list[list[str]]]] = {}
    parts = list(ontologies(options.folder))
    for ontology in parts:
        config = extraction_config(settings, LoadOptions(gleanings=0), door, schema=ontology.schema)
        ids = drawn(options.folder, ontology, options.sample // len(parts))
        sentences = [row for row in rows(options.folder / f"{ontology.id}_test.jsonl") if row["id"] in ids]
        if known:
            found = (from_record(config, row, known[row["id"]]) for row in sentences)
        else:
            found = from_model(config, sentences)
        said[ontology.id] = {}
        for row, each in zip(sentences, found, strict=True):
            said[ontology.id][row["id"]] = triples(each, ontology)
            kept.append(_recorded(row, each))
        print(f"{ontology.id}: {len(sentences)} sentences", file=sys.stderr, flush=True)
    if options.record:
        options.record.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept), "utf-8")
    with tempfile.TemporaryDirectory() as work:
        means = scored(options.folder, Path(work), said)
    print(f"{'':16}{'sentences':>10}" + "".join(f"{name:>12}" for name in MEASURES))
    for name, values in means.items():
        count = len(said[name]) if name in said else sum(map(len, said.values()))
        print(f"{name:16}{count:10}" + "".join(f"{value:12.2f}" for value in values))


def _recorded(row: Mapping[str, str], found: Extraction) -> dict[str, Any]:
    names = ("text", "finish_reason", "offsets", "round", "step", "around")
    answers = [{name: getattr(each, name) for name in names} for each in found.answers]
    answers = [{**each, "model": "", "prompt_hash": ""} for each in answers]
    return {"id": row["id"], "sha256": hashlib.sha256(row["sent"].encode()).hexdigest(), "answers": answers}


if __name__ == "__main__":
    main()
