"""The trained English pipeline that comes with the package: loaded from checked files, never fetched.

docs/models.md says what it was trained on, under which licences, and how good it is.
"""

from __future__ import annotations

import hashlib
import re
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.errors import ModelDamaged
from kg_neo4j_offline.networks.mention_types import MentionSpan, TypeNetwork, agree, settle_types

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread until the context is left; of several threads within, the first one gives them back.

    NumPy's BLAS divides every product among all cores and waits for the slowest of them in a loop. Our products are
    small: that costs several times the processor time, and the time by the clock too (docs/decisions/0013).
    """
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    import numpy  # noqa: F401 - its BLAS has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


FOLDER = Path(__file__).parents[1] / "data" / "en_kg"
LOCK = Path(__file__).parents[1] / "data" / "en_kg.lock"  # "sha256  bytes  path" of every file, and the version

ROW_END = "\x1c"  # a line break for str.splitlines
_LINE_BREAK = re.compile(r"(?<=[^\s])\n(?=[^\s])")
_THREADS = threading.Lock()


@dataclass(frozen=True, slots=True)
class ModelLock:
    """What the model's folder must hold."""

    version: str  # hash of all the lines, twelve hex digits
    files: tuple[tuple[str, int, str], ...]  # sha256, bytes, path


@cache
def read_lock(lock: Path = LOCK) -> ModelLock:
    """Return the list of files that belong to the model."""
    text = lock.read_text(encoding="utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    files = tuple((sha256, int(size), path) for sha256, size, path in rows)
    return ModelLock(hashlib.sha256("\n".join(" ".join(row) for row in rows).encode()).hexdigest()[:12], files)


def verify(folder: Path = FOLDER, lock: Path = LOCK) -> None:
    """Raise ModelDamaged unless `folder` holds exactly the files of `lock`, each with its size and SHA-256."""
    listed = {path for _, _, path in read_lock(lock).files}
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if listed != present:
        first = min(listed ^ present)
        raise ModelDamaged(f"{folder} is not whole: {first} is {'missing' if first in listed else 'not part of it'}")
    for sha256, size, path in read_lock(lock).files:
        content = (folder / path).read_bytes()
        if len(content) != size or hashlib.sha256(content).hexdigest() != sha256:
            raise ModelDamaged(f"{folder / path} is not the file that the package was built with")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What the model's folder holds, ready to use."""

    nlp: Language  # spaCy's components
    types: TypeNetwork


@cache
def load(folder: Path = FOLDER, lock: Path = LOCK) -> Pipeline:
    """Return the pipeline after its files were checked. Raises ModelDamaged.

    spaCy's part is not safe to call from several threads at once; `process` and `names` are.
    """
    import numpy as np
    import spacy
    from thinc.api import NumpyOps

    verify(folder, lock)
    nlp = spacy.load(folder)
    nlp.vocab.vectors.data = nlp.vocab.vectors.data.astype(np.float32)
    convert(nlp, np.float32)
    ops = NumpyOps(use_blis=False)  # spaCy's own BLAS takes three times as long on some processors
    for _, component in nlp.components:
        for node in component.model.walk() if hasattr(component, "model") else ():
            node.ops = ops
    nlp.max_length = 10_000_000
    return Pipeline(nlp, TypeNetwork.read(folder / "types.npz"))


def convert(nlp: Language, dtype: Any) -> None:
    """Give all weights of a pipeline's networks another precision: half on disk, single at work."""
    for _, component in nlp.components:
        for node in component.model.walk() if hasattr(component, "model") else ():
            for name in node.param_names:
                if node.has_param(name):
                    node.set_param(name, node.get_param(name).astype(dtype))


def process(text: str, pipeline: Pipeline | None = None) -> Doc:
    """Return the text with sentences, tags, lemmas and dependencies, and its names in `ents`. One thread at a time.

    Names are found first: they are those of `names`, whatever the parser takes for the end of a sentence.
    """
    pipeline = pipeline or load()
    with _THREADS, one_thread():
        doc = _settle(pipeline.nlp.get_pipe("ner")(pipeline.nlp.make_doc(_unwrap(text))), pipeline)
        for name, component in pipeline.nlp.pipeline:
            doc = component(doc) if name != "ner" else doc
        return doc


def names(text: str, pipeline: Pipeline | None = None) -> tuple[MentionSpan, ...]:
    """Return the names, dates and numbers in `text`, of types PER, LOC, ORG, MISC, TIME and NUM, in its order.

    A string that is a name somewhere in `text` is one wherever it stands, and with the same type. Nothing else of the
    pipeline runs. One thread at a time.
    """
    pipeline = pipeline or load()
    with _THREADS, one_thread(), pipeline.nlp.select_pipes(enable=["ner"]):
        doc = _settle(pipeline.nlp(_unwrap(text)), pipeline)
        return tuple(MentionSpan(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents)


def parse(text: str, pipeline: Pipeline | None = None) -> Doc:
    """Return the text with sentences, tags, lemmas and dependencies, without names. One thread at a time."""
    pipeline = pipeline or load()
    with _THREADS, one_thread(), pipeline.nlp.select_pipes(disable=["ner"]):
        doc: Doc = pipeline.nlp(_unwrap(text))
        return doc


def _unwrap(text: str) -> str:
    """Return `text` with a space for each single line break, so that a name may go over it; as long as before.

    Around the row of a table, `ROW_END` stands for a line break that no name goes over.
    """
    return _LINE_BREAK.sub(" ", text).replace(ROW_END, "\n")


def _settle(doc: Doc, pipeline: Pipeline) -> Doc:
    found = [MentionSpan(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]
    settled = settle_types(doc, agree(doc.text, found), pipeline.types)
    kept: list[Any] = []
    for each in settled:
        span: Any = doc.char_span(each.start, each.end, each.type, alignment_mode="expand")
        if not kept or span.start >= kept[-1].end:  # no name begins inside the one before
            kept.append(span)
    doc.set_ents(kept)
    return doc
