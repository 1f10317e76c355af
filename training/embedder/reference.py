"""Writes the teacher's vectors of the multi-hop sets, for benchmarks/embedding.py: a measure, nothing is learned."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

import numpy as np
from training.embedder import teacher

SETS = ("2wiki_dev", "musique_dev", "hotpotqa_dev")
_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def main() -> None:
    """Write NAME.npz for each set: "corpus" and "questions"."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        source = options.data / "multihop" / name
        corpus = [f"{row['title']}\n{row['text']}" for row in _rows(source / "corpus.jsonl")]
        questions = [row["question"] for row in _rows(source / "questions.jsonl")]
        vectors = {"corpus": teacher.embed(corpus), "questions": teacher.embed(questions)}
        np.savez(options.folder / f"{name}.npz", **vectors)  # type: ignore[arg-type]


def _rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
