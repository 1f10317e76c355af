"""Trains the English pipeline that the package ships: python -m training.ner --help."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from pathlib import Path

from training.ner import silver, student, teacher, treebank, type_network, vectors
from training.ner.passages import Passage, annotated, unannotated
from training.ner.scores import score, show
from training.split import place

SEED = 0
ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "src" / "kg_neo4j" / "offline" / "data" / "en_kg"
META = {
    "lang": "en",
    "name": "kg",
    "version": "1.0.0",
    "description": "English for kg-neo4j: tags, lemmas, dependencies, sentence borders, names, dates and numbers.",
    "license": "CC BY-SA 4.0",
    "author": "kg-neo4j",
    "email": "",
    "url": "",
    "sources": [
        {"name": "Re-DocRED (dev, without the test split)", "license": "MIT; text CC BY-SA"},
        {"name": "UD English EWT", "license": "CC BY-SA 4.0"},
        {"name": "2WikiMultiHopQA, MuSiQue, HotpotQA (passages)", "license": "Apache-2.0, CC BY 4.0, CC BY-SA 4.0"},
        {"name": "all-MiniLM-L6-v2", "license": "Apache-2.0"},
    ],
}
_LOG = logging.getLogger("training")


def main() -> None:
    """Run every step whose result is not there yet, in order."""
    options = _options()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    options.data = options.data.resolve()
    parts = ("train",) if options.hold_out else ("train", "validation")
    gold = annotated(options.data, *parts)
    plain = unannotated(options.data)
    _step(work / "teacher.pkl", lambda file: teacher.save(teacher.teach(gold, SEED), file))
    taught = teacher.restore(work / "teacher.pkl")
    if options.hold_out:
        validation = annotated(options.data, "validation")
        found = [silver.consistent(each.text, taught.find(each)) for each in validation]
        _LOG.info("teacher on the validation split\n%s", show(score(validation, found)))
    _step(work / "vectors", lambda folder: vectors.write(folder, options.data, taught, [*gold, *plain]))
    for name in ("train", "dev"):
        _step(work / f"syntax_{name}.spacy", lambda file, name=name: treebank.write(options.data, name, file))
    _step(work / "names_train.spacy", lambda file: silver.write(file, taught, gold, plain))
    checked = annotated(options.data, "validation")
    _step(work / "names_dev.spacy", lambda file: silver.write_gold(file, checked))
    _step(work / "types.npz", lambda file: type_network.train(work / "vectors", work / "names_train.spacy", file, SEED))
    for name in ("syntax", "names"):
        _step(work / name / "model-best", lambda _, name=name: student.train(name, work, check=f"{name}_dev"))
    student.assemble(work, options.model, META)
    student.lock(options.model, options.model.with_suffix(".lock"))
    titles = sorted({passage.title for passage in (*gold, *plain)})
    options.titles.write_text("".join(f"{place(title):.13f}\n" for title in titles), encoding="utf-8")
    _LOG.info("%s", show(score(checked, [_names(options.model, each) for each in checked])))


def _names(model: Path, passage: Passage) -> list[tuple[int, int, str]]:
    from kg_neo4j_offline.networks import trained

    pipeline = trained.load(model, model.with_suffix(".lock"))
    return [(span.start, span.end, span.type) for span in trained.names(passage.text, pipeline)]


def _step(target: Path, make: Callable[[Path], object]) -> None:
    """Make `target` unless it is there, and say how long that took."""
    if target.exists():
        _LOG.info("%s is there already", target.name)
        return
    start = time.monotonic()
    make(target)
    _LOG.info("%s took %.1f minutes", target.name, (time.monotonic() - start) / 60)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.ner", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for what the steps leave for each other")
    parser.add_argument("--model", type=Path, default=MODEL, help="folder that the pipeline is written to")
    parser.add_argument(
        "--titles", type=Path, default=Path(__file__).with_name("titles.txt"), help="file of their hashes"
    )
    parser.add_argument("--hold-out", action="store_true", help="do not learn from the validation split")
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    main()
