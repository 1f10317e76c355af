"""Trains the embedder that the package ships: python -m training.embedder --help."""

from __future__ import annotations

import argparse
import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from training.embedder import questions, scores, student, teacher, texts
from training.embedder.rarity import rarity
from training.ner.passages import annotated
from training.ner.wordpieces import CLS, SEP, vocabulary
from training.split import place

from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding

SEED = 1
NAME = "static-minilm-384-1"  # raise the last number with every change of the vectors: they cannot be compared
QUESTIONS, CHECKED = 5_000, 600
ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "src" / "kg_neo4j" / "offline" / "data" / "embedder"
_LOG = logging.getLogger("training")


def main() -> None:
    """Ask the teacher, tune the student, write the model, its lock and the titles that it learned from."""
    options = _options()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    learned = texts.read(options.data.resolve())
    if options.without_multihop:
        learned = learned.first(max(learned.home) + 1)
    asked = questions.ask(learned.passages, QUESTIONS, SEED)
    known = vocabulary()
    pieces = [piece for piece in sorted(known, key=lambda each: known[each]) if not piece.startswith("[")]
    alone = _kept(work, "pieces", pieces, lambda: teacher.embed_pieces([[CLS, known[piece], SEP] for piece in pieces]))
    rare = np.array([0.5 if piece.startswith("##") else rarity(piece) for piece in pieces], np.float32)
    numbers = {piece: number for number, piece in enumerate(pieces)}

    def kind(
        name: str, some: Sequence[str], share: float, most: int, home: Sequence[Sequence[int]] = ()
    ) -> student.Kind:
        taught = _kept(work, name, some, lambda: teacher.embed(some, most))
        return student.Kind(student.describe(some, numbers, rare), taught, share, home)

    passages = kind("passages", learned.passages, 0.4, 256)
    sentences = kind("sentences", learned.sentences, 0.25, 128, [(number,) for number in learned.home])
    windows = kind("windows", learned.windows, 0.35, 128)
    questioned = kind("questions", [each.text for each in asked], 0.8, 64, [each.passages for each in asked])
    from_sentences = student.Kind(sentences.features, sentences.taught, 0.2, sentences.passages)
    vectors = student.begin(alone, rare)
    vectors = student.tune(vectors, [passages, sentences, windows], [questioned, from_sentences], passages, SEED)
    model = student.pack(NAME, pieces, vectors, rare)
    _check(work, model, learned, options.data.resolve(), passages.taught)
    model.write(options.model)
    _lock(options.model)
    if options.model == MODEL:
        lines = "".join(f"{place(title):.13f}\n" for title in sorted(set(learned.titles)))
        Path(__file__).with_name("titles.txt").write_text(lines, encoding="utf-8")


def _check(work: Path, model: object, learned: texts.Texts, data: Path, taught: np.ndarray) -> None:
    """Say how well the student agrees with the teacher about questions on passages that neither was tuned on."""
    own = [f"{each.title}\n{each.text}" for each in annotated(data, "validation")]
    asked = questions.ask(own, CHECKED, SEED + 1)
    lines = [each.text for each in asked]
    aim = _kept(work, "checked_questions", lines, lambda: teacher.embed(lines, 64))
    near = np.concatenate([_kept(work, "checked_passages", own, lambda: teacher.embed(own, 256)), taught])
    embedder = StaticEmbedding(model)  # type: ignore[arg-type]
    found = embedder.embed(lines) @ embedder.embed([*own, *learned.passages]).T
    gold = [each.passages for each in asked]
    _LOG.info("validation, of the teacher's nearest ten: %.1f %%", scores.agreement(found, aim @ near.T))
    for name, given in (("student", found), ("teacher", aim @ near.T)):
        _LOG.info("validation, recall@5 of the %s: %.1f %%", name, scores.recall(given, gold, 5))


def _kept(work: Path, name: str, some: Sequence[str], make: Callable[[], np.ndarray]) -> np.ndarray:
    """Return an array made earlier from the same texts, or make and keep it."""
    digest = hashlib.sha256("\0".join(some).encode("utf-8", "surrogatepass")).hexdigest()
    file = work / f"{name}.npz"
    if file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            if str(arrays["texts"]) == digest:
                return arrays["vectors"].astype(np.float32)
    vectors = make()
    np.savez(file, texts=np.array(digest), vectors=vectors)
    return vectors


def _lock(folder: Path) -> None:
    """Write what `trained.verify` checks."""
    lines = ["# sha256, bytes and path of every file of the embedder; written by `make train-embedder`"]
    for file in sorted(folder.iterdir()):
        content = file.read_bytes()
        lines.append(f"{hashlib.sha256(content).hexdigest()} {len(content)} {file.name}")
    folder.with_suffix(".lock").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="where the data sets are")
    parser.add_argument("--work", type=Path, required=True, help="for what the teacher said; kept and used again")
    parser.add_argument("--model", type=Path, default=MODEL, help="where the model is written, its lock beside it")
    parser.add_argument("--without-multihop", action="store_true", help="leave out the passages of the multi-hop sets")
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    _began = time.monotonic()
    main()
    _LOG.info("done in %.0f s", time.monotonic() - _began)
