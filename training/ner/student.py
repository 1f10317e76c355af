"""Trains spaCy's components by their configuration files, and puts the shipped pipeline together."""

from __future__ import annotations

import hashlib
import logging
import shutil
from pathlib import Path

import numpy as np

from kg_neo4j_offline.networks.trained import convert

CONFIGURATIONS = Path(__file__).parent
_LOG = logging.getLogger(__name__)


def train(name: str, folder: Path, *, check: str) -> Path:
    """Train the components of `name`.cfg on `name`_train.spacy; every so often score them on `check`.spacy.

    The best of them by that score stay in `folder`/`name`/model-best.
    """
    from spacy.cli.train import train as run

    run(
        CONFIGURATIONS / f"{name}.cfg",
        folder / name,
        overrides={
            "paths.train": str(folder / f"{name}_train.spacy"),
            "paths.dev": str(folder / f"{check}.spacy"),
            "paths.vectors": str(folder / "vectors"),
        },
    )
    return folder / name / "model-best"


def assemble(work: Path, target: Path, meta: dict[str, object]) -> None:
    """Write one pipeline of all parts: tags, lemmas, dependencies and sentence borders, names, and types of names.

    Syntax and names keep a network each, so that names can be found without the rest; they share the word vectors.
    Weights are stored in half precision.
    """
    import spacy

    nlp = spacy.load(work / "syntax" / "model-best")
    nlp.add_pipe("ner", source=spacy.load(work / "names" / "model-last"))
    nlp.meta.update(meta)
    nlp.meta.pop("performance", None)
    nlp.config["paths"] = dict.fromkeys(nlp.config["paths"])  # places of the training, of no use to a reader
    nlp.vocab.vectors.data = nlp.vocab.vectors.data.astype(np.float16)
    convert(nlp, np.float16)
    if target.exists():
        shutil.rmtree(target)
    nlp.to_disk(target)
    shutil.copyfile(work / "types.npz", target / "types.npz")
    _LOG.info("%s: %.1f MB", target.name, sum(file.stat().st_size for file in target.rglob("*.*")) / 1e6)


def lock(folder: Path, file: Path) -> None:
    """Write the checksum and the size of every file of `folder`."""
    lines = ["# sha256, bytes and path of every file of the trained pipeline; written by `make train-ner`"]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        lines.append(f"{hashlib.sha256(content).hexdigest()} {len(content)} {path.relative_to(folder).as_posix()}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
