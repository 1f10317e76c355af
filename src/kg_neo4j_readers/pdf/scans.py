"""Pages without a text layer are read from their picture, with RapidOCR (extra `ocr`). Results are kept on disk.

Of 100 words of degraded pages in English, German and Polish, RapidOCR 3.10 with its own models read 98 and tesseract 93
(`python benchmarks/scans.py`). It was not given the language.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any

import pypdfium2

from kg_neo4j.acquire import pictures
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j_readers.pdf.pieces import Piece

if TYPE_CHECKING:
    import numpy as np

MISSING = "pip install 'kg-neo4j[ocr]' reads scans"
SURE = 0.97  # confidence below which a page is named. Pages that were read well had 0.98 and more, others 0.95 at most
MEMORY_BYTES = 3 << 30  # of address space; a page takes 1.7 GB
SECONDS = 3_600.0  # for the pages of one file; those that are left are read by the next load
_LEAST = 0.6  # below it what is read are no words
_DOTS = 200 / 72  # a point: 200 dpi
_MOST = 3_000  # dots of a side
_UNSURE = 0.8  # from which a page is turned upside down
_SHOWN = 100 / 72  # dots a point of the picture that is shown
_INK = 40  # of 255: a dot that is so much darker than the paper is of a letter, or of a speck
_SPECKS = 3  # dots in a row that are no letters
_GLANCE, _WHITE = 0.5, 220  # dots a point; of 255: paper without a word has no darker dot
_BORDER = 40  # dots around the letters
_ENGINE = "rapidocr 3"


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What a page was read as, in points of the page, and how sure that is, from 0 to 1."""

    lines: list[tuple[str, float, float, float, float]]  # text, left, base, right, top
    confidence: float

    def pieces(self) -> list[Piece]:
        """Return the lines as pieces of the page, from its top."""
        return [Piece(text, left, base, right, top, line=base) for text, left, base, right, top in self.lines]


def is_installed() -> bool:
    """Return whether scans can be read."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def has_ink(page: pypdfium2.PdfPage) -> bool:
    """Return whether a page is more than white paper."""
    return bool(min(page.render(scale=_GLANCE, grayscale=True).buffer) < _WHITE)


@dataclass(slots=True)
class Scanner:
    """Reads pages of one file. Below `home` it keeps what it read, so that no page is read twice."""

    data: bytes = field(repr=False)
    home: str | None
    read: dict[int, float] = field(default_factory=dict)  # pages, from 0, and how sure each is
    late: list[int] = field(default_factory=list)  # pages for which no time was left
    _end: float = field(default_factory=lambda: monotonic() + SECONDS - 120)

    def pieces(self, page: pypdfium2.PdfPage, number: int) -> list[Piece]:
        """Return the lines of a page, from 0."""
        folder = pictures.folder(self.home, hashlib.sha256(self.data).hexdigest()) if self.home else None
        kept = folder / f"{number + 1}.json" if folder else None
        found = _kept(kept) if kept else None
        if found is None:
            if monotonic() > self._end:
                self.late.append(number)
                return []
            found = _read(_dots(page, _DOTS), page.get_height())
            if kept:
                _write(kept, json.dumps({"engine": _ENGINE, **asdict(found)}).encode())
        if found.lines:
            self.read[number] = found.confidence
        return found.pieces()

    def keep_pictures(self, pdf: pypdfium2.PdfDocument, text: str) -> None:
        """Keep pictures of the pages that were read, for those who look at the text."""
        if self.home is None:
            return
        for number in self.read:
            path = pictures.of_page(self.home, text_hash(text), number + 1)
            if not path.exists():
                _write(path, _jpeg(_dots(pdf[number], _SHOWN)))


def _kept(path: Path) -> ScannedPage | None:
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    if found.pop("engine") != _ENGINE:
        return None
    return ScannedPage([(text, *box) for text, *box in found["lines"]], found["confidence"])


def _write(path: Path, data: bytes) -> None:
    """Write a file that no one sees half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)


def _dots(page: pypdfium2.PdfPage, scale: float) -> np.ndarray[Any, Any]:
    """Return the picture of a page, rows of dots of blue, green and red."""
    dots: np.ndarray[Any, Any] = page.render(scale=min(scale, _MOST / max(page.get_size()))).to_numpy()
    return dots[:, :, :3]


def _jpeg(dots: np.ndarray[Any, Any]) -> bytes:
    import cv2

    done, found = cv2.imencode(".jpg", dots, [cv2.IMWRITE_JPEG_QUALITY, 70])
    if not done:
        raise ValueError("a page cannot be drawn")
    return found.tobytes()


@cache
def _engine() -> Callable[[np.ndarray[Any, Any]], Any]:
    from rapidocr import RapidOCR

    engine: Callable[[np.ndarray[Any, Any]], Any] = RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,  # it turns lines, not pages
            "Global.text_score": 0.0,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    return engine


def _read(dots: np.ndarray[Any, Any], height: float) -> ScannedPage:
    """Return what a picture says, turned as it is read best: a quarter where lines are upright, else upside down.

    The borders are cut off: few words on a large page are not found.
    """
    import numpy as np

    inked = dots.min(axis=2) < np.median(dots) - _INK
    rows, columns = (np.flatnonzero(inked.sum(axis=axis) > _SPECKS) for axis in (1, 0))
    if not len(rows) or not len(columns):
        return ScannedPage([], 0.0)
    top, left = max(0, rows[0] - _BORDER), max(0, columns[0] - _BORDER)
    inner = np.ascontiguousarray(dots[top : rows[-1] + _BORDER, left : columns[-1] + _BORDER])
    scale = height / dots.shape[0]
    found = _at(inner, scale, height - top * scale)
    if not found.lines:
        inner = dots
        found = _at(inner, scale, height)
    upright = [line[4] - line[2] > 1.5 * (line[3] - line[1]) for line in found.lines if len(line[0]) > 3]
    is_upright = 2 * sum(upright) > len(upright)
    turns = [1, 3] if is_upright else [2] if found.confidence < _UNSURE else []
    turned = [_at(np.ascontiguousarray(np.rot90(inner, turn)), scale, height) for turn in turns]
    best = max(turned if is_upright else [found, *turned], key=lambda each: each.confidence)
    return best if best.confidence >= _LEAST else ScannedPage([], best.confidence)


def _at(dots: np.ndarray[Any, Any], scale: float, top: float) -> ScannedPage:
    """Return the lines of a picture whose upper edge is at the height `top` of a page, with `scale` points a dot."""
    result = _engine()(dots)
    if result.txts is None:
        return ScannedPage([], 0.0)
    quads = [[(float(x), float(y)) for x, y in box] for box in result.boxes]
    slant = median(math.atan2(box[1][1] - box[0][1], box[1][0] - box[0][0]) for box in quads)
    boxes = [[_unturned(point, slant) for point in box] for box in quads]
    lines = [(text, *_box(box, scale, top)) for text, box in zip(result.txts, boxes, strict=True) if text.strip()]
    weights = [len(text) for text in result.txts]
    sure = sum(weight * float(score) for weight, score in zip(weights, result.scores, strict=True))
    return ScannedPage(sorted(lines, key=lambda line: (-line[2], line[1])), sure / max(1, sum(weights)))


def _unturned(point: tuple[float, float], slant: float) -> tuple[float, float]:
    """Return where a point of a page that lies aslant would be if it lay straight."""
    x, y = point
    return x * math.cos(slant) + y * math.sin(slant), y * math.cos(slant) - x * math.sin(slant)


def _box(box: Sequence[tuple[float, float]], scale: float, top: float) -> tuple[float, float, float, float]:
    """Return left, base, right and top in points."""
    xs, ys = zip(*box, strict=True)
    return min(xs) * scale, top - max(ys) * scale, max(xs) * scale, top - min(ys) * scale
