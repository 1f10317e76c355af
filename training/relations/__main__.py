"""Trains the relation model that the package ships: python -m training.relations --help."""

from __future__ import annotations

import argparse
import logging
import os
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np
from training.relations import passages, reader, shipping, silver, student, teacher
from training.relations.passages import Passage
from training.relations.reader import Reading
from training.relations.student import Example
from training.split import place

from kg_neo4j_offline.networks import relation_model, trained
from kg_neo4j_offline.networks.relation_features import PieceVocabulary, Window, describe, windows

SEED = 0
STEPS = 700  # of the student, batches of up to ten passages
ROUNDS = 2  # of the reader
GOLD_TIMES = 3  # how often an annotated passage counts in a round of the reader
ROOT = Path(__file__).resolve().parents[2]
_LOG = logging.getLogger("training")


def main() -> None:
    """Run every step whose result is not there yet, in order."""
    options = _options()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    data = options.data.resolve()
    relations = list(passages.relations(data).items())
    count = len(relations)
    gold, checked = passages.annotated(data, "train"), passages.annotated(data, "validation")
    gold, checked = ([each for each in some if len(each.entities) > 1] for some in (gold, checked))
    plain = _step(work / "plain.pkl", lambda: [each for each in passages.unannotated(data) if silver.is_usable(each)])
    examples, validation = ([example_of(each, count) for each in some] for some in (gold, checked))
    taught = _step(work / "teacher.pkl", lambda: teacher.teach(gold, count, SEED))
    net = _step(work / "student.pkl", lambda: student.train(examples, count, SEED, steps=STEPS))
    judged = [example_of(each, count) for each in plain]
    fitting = [number for number, each in enumerate(judged) if student.fits(each)]
    plain, judged = [plain[number] for number in fitting], [judged[number] for number in fitting]
    soft = _step(work / "silver.pkl", lambda: label(taught, net, (plain, judged), (checked, validation)))
    vocabulary = PieceVocabulary(reader.latin_pieces())
    readings = [reading_of(*pair, vocabulary) for pair in zip(gold, examples, strict=True)]
    more = [
        reading_of(passage, Example(each.features, right.astype(np.float32)), vocabulary)
        for passage, each, right in zip(plain, judged, soft, strict=True)
    ]
    small = _step(work / "reader.pkl", lambda: read(taught, readings, more, vocabulary))
    shown = [(pair[1], windows_of(*pair, vocabulary)) for pair in zip(checked, validation, strict=True)]
    ship(options.model, (list(vocabulary.numbers), small, [net]), relations, examples, shown)
    titles = sorted({each.title for each in (*gold, *plain)})
    options.titles.write_text("".join(f"{place(title):.13f}\n" for title in titles), encoding="utf-8")


def example_of(passage: Passage, relations: int) -> Example:
    """Return a passage as the student reads it, with what is right of each pair."""
    entities = [(each.type, each.mentions) for each in passage.entities]
    features = describe(trained.parse(passage.text), passage.sentences, entities, reach=relation_model.FAR)
    numbers = {(source, target): row for row, (source, target, _) in enumerate(features.pairs.tolist())}
    right = np.zeros((len(features.pairs), relations), np.float32)
    for source, kind, target in passage.relations:
        if source != target:
            right[numbers[source, target], kind] = 1
    return Example(features, right)


def reading_of(passage: Passage, example: Example, vocabulary: PieceVocabulary) -> Reading:
    """Return a passage as the reader reads it: what is beyond its first window is left out."""
    return Reading(example.features, windows_of(passage, example, vocabulary)[0], example.right)


def windows_of(passage: Passage, example: Example, vocabulary: PieceVocabulary) -> list[Window]:
    """Return the pieces of a passage."""
    return windows(trained.load().nlp.make_doc(trained._unwrap(passage.text)), example.features, vocabulary)


def label(
    taught: Any,
    net: student.Parameters,
    plain: tuple[Sequence[Passage], Sequence[Example]],
    checked: tuple[Sequence[Passage], Sequence[Example]],
) -> list[np.ndarray]:
    """Return the probability of every relation for the pairs of passages that nobody annotated."""
    judge = teacher.Teacher(taught)
    scale, shift = silver.fit(silver.blend(judge, net, *checked), checked[1])
    _LOG.info("log odds of teacher and student: scale %.3f, shift %.3f", scale, shift)
    return [silver.chance(each * scale + shift).astype(np.float16) for each in silver.blend(judge, net, *plain)]


def read(
    taught: Any, readings: Sequence[Reading], more: Sequence[Reading], vocabulary: PieceVocabulary
) -> tuple[np.ndarray, reader.Parameters]:
    """Return the vectors and the weights of the reader."""
    counts = reader.count_pieces([each.window for each in (*readings, *more)], vocabulary)
    vectors, net = reader.begin(taught, list(vocabulary.numbers), counts)
    return vectors, reader.train(vectors, net, [*list(readings) * GOLD_TIMES, *more], SEED, epochs=ROUNDS)


def ship(
    folder: Path,
    weights: tuple[Sequence[str], tuple[np.ndarray, reader.Parameters], Sequence[student.Parameters]],
    relations: Sequence[tuple[str, str]],
    examples: Sequence[Example],
    checked: Sequence[tuple[Example, list[Window]]],
) -> None:
    """Write the model, with all that is chosen on the validation split: `checked`."""
    allowed = shipping.constraints(examples)
    shipping.write_weights(folder, *weights)
    shipping.write_settings(folder, relations, allowed, shipping.Settings(1.0, 1.0, 0.0, 0.5))
    model = _reload(folder)
    apart = []
    for example, read in checked:
        own = model.reader.score(example.features, read)
        others = [network.score(example.features) for network in model.networks]
        apart.append((own, np.mean(others, axis=0) if others else own))
    settings = shipping.choose(apart, [example for example, _ in checked], allowed)
    shipping.write_settings(folder, relations, allowed, settings)
    _LOG.info("%s", settings)


def _reload(folder: Path) -> relation_model.RelationModel:
    relation_model.load.cache_clear()
    trained.read_lock.cache_clear()
    return relation_model.load(folder, folder.with_suffix(".lock"))


def _step(target: Path, make: Callable[[], Any]) -> Any:
    """Return what stands in the file `target`; make it first if it is not there, and say how long that took."""
    if not target.exists():
        start = time.monotonic()
        target.write_bytes(pickle.dumps(make()))
        _LOG.info("%s took %.1f minutes", target.stem, (time.monotonic() - start) / 60)
    return pickle.loads(target.read_bytes())  # noqa: S301 - written by this training


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.relations", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for what the steps leave for each other")
    parser.add_argument("--model", type=Path, default=relation_model.FOLDER, help="folder that the model is written to")
    parser.add_argument(
        "--titles", type=Path, default=Path(__file__).with_name("titles.txt"), help="file of their hashes"
    )
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    main()
