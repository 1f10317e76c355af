"""Reads NarrativeQA (Kočiský et al. 2018): a folder with documents.csv, qaps.csv, summaries.csv and tmp/ID.content.

Each question has two golden answers. The texts are what download_stories.sh of the set fetched: books of Project
Gutenberg, without its header and licence here, and film scripts, most of them HTML; some are packed with gzip.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from kg_neo4j.acquire.decoding import clean, decode, normalise_text
from kg_neo4j.acquire.files import MAX_BYTES
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.acquire.plain_text import read_text
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.stories import QuestionSet, Story, StorySelection, cut, is_of_kind
from kg_neo4j.records import SkippedSource

FORM = "narrativeqa"
SETS = ("train", "valid", "test")
DOCUMENTS, QUESTIONS, SUMMARIES = "documents.csv", "qaps.csv", "summaries.csv"
_COLUMNS = {
    DOCUMENTS: ("document_id", "set", "kind", "story_url"),
    QUESTIONS: ("document_id", "set", "question", "answer1", "answer2"),
    SUMMARIES: ("document_id", "set", "summary"),
}
_NAME = re.compile(r"[0-9A-Za-z_-]{1,80}")  # of a document: it is part of a file's name
_HTML = re.compile(rb"\s*<(?:!doctype html|html|head|script|pre|table|body)\b", re.IGNORECASE)
_GZIP = b"\x1f\x8b"


def read_narrativeqa(path: str, selection: StorySelection) -> QuestionSet:
    """Return the chosen texts of a folder, or of the folder that a named file of the set is in.

    Raises SourceNotFound, UnreadableSource for a file that is none of the format, and UsageError for a set that there
    is not. A text that is not there is refused with its questions.
    """
    if selection.split is not None and selection.split not in SETS:
        raise UsageError(f"no set {selection.split!r}", hint=f"the sets are {', '.join(SETS)}")
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    summaries = _summaries(folder) if selection.summaries else None
    stories: dict[str, Story] = {}
    known: set[str] = set()
    refused: list[SkippedSource] = []
    for where, row in _rows(folder / DOCUMENTS):
        name = row["document_id"]
        if not _NAME.fullmatch(name) or name in known:
            raise UnreadableSource(f"{where}: {name[:90]!r} is no document_id, or is there twice")
        known.add(name)
        if selection.split not in (None, row["set"]) or not is_of_kind(selection.kind, row["kind"], row["story_url"]):
            continue
        try:
            stories[name] = _story(folder, name, row, summaries)
        except UnreadableSource as problem:
            refused.append(SkippedSource(f"{_title(row)} ({name})", str(problem)))
    questions: list[AnsweredQuestion] = []
    numbers: dict[str, int] = {}
    for where, row in _rows(folder / QUESTIONS):
        name = row["document_id"]
        if name not in known:
            raise UnreadableSource(f"{where}: no document {name[:90]!r} in {DOCUMENTS}")
        numbers[name] = numbers.get(name, 0) + 1
        if name not in stories:
            continue
        golden = tuple(dict.fromkeys(said for each in ("answer1", "answer2") if (said := row[each].strip())))
        if not golden or not row["question"].strip():
            refused.append(SkippedSource(where, "the question or both its answers are empty"))
            continue
        asked = f"{name}/{numbers[name]}"
        questions.append(
            AnsweredQuestion(asked, row["question"].strip(), golden, document=stories[name].key, golden=golden)
        )
    return cut(QuestionSet(FORM, tuple(stories.values()), tuple(questions), tuple(refused)), selection)


def _story(folder: Path, name: str, row: Mapping[str, str], summaries: Mapping[str, str] | None) -> Story:
    title = _title(row)
    if summaries is not None:
        if not (summary := summaries.get(name, "").strip()):
            raise UnreadableSource(f"no summary in {SUMMARIES}")
        return Story(f"{FORM}/{name}/summary", title, lambda: summary, text_hash(summary), row.get("wiki_url") or "")
    file = folder / "tmp" / f"{name}.content"
    if not file.is_file():
        raise UnreadableSource(f"no text tmp/{file.name}: download_stories.sh of the set fetches it")
    if not (size := file.stat().st_size):
        raise UnreadableSource(f"tmp/{file.name} is empty: download_stories.sh of the set fetches it again")
    return Story(f"{FORM}/{name}", title, lambda: read_content(file), f"{size} bytes", row["story_url"])


def _title(row: Mapping[str, str]) -> str:
    """Return the title, without what a terminal obeys."""
    return " ".join(clean(row.get("wiki_title") or "").split()) or row["document_id"]


def read_content(file: Path) -> str:
    """Return the text of a downloaded story. Raises UnreadableSource with the reason where it has none."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableSource(f"{file.name}: {(error.strerror or str(error)).lower()}") from error
    if data.startswith(_GZIP):
        data = _unpacked(data, file.name)
    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"{file.name}: larger than {MAX_BYTES:,} bytes")
    if _HTML.match(data[:1_000].lstrip(b"\xef\xbb\xbf")):
        text = read_html(data).text
    else:
        text = read_text(normalise_text(decode(data))).text
    if not text.strip():
        raise UnreadableSource(f"{file.name}: no text")
    return text


def _unpacked(data: bytes, name: str) -> bytes:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise UnreadableSource(f"{name}: damaged gzip") from error
    if not unpacking.eof and len(found) <= MAX_BYTES:
        raise UnreadableSource(f"{name}: damaged gzip")
    return found


def _summaries(folder: Path) -> Mapping[str, str]:
    """Return the summaries by document, from where the set has them or from beside the other files."""
    usual = folder / "third_party" / "wikipedia" / SUMMARIES
    file = usual if usual.is_file() else folder / SUMMARIES
    return {row["document_id"]: row["summary"] for _, row in _rows(file)}


def _rows(file: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield (place, row) of a table of the set. Raises SourceNotFound and UnreadableSource with the line."""
    if not file.is_file():
        raise SourceNotFound(f"no file {str(file)!r}", hint=f"NarrativeQA is a folder with {', '.join(_COLUMNS)}")
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = next(reader, [])
            if missing := [name for name in _COLUMNS[file.name] if name not in header]:
                raise UnreadableSource(f"{file}: no column {', '.join(missing)}")
            for cells in reader:
                if cells and len(cells) != len(header):
                    raise UnreadableSource(f"{file}, line {reader.line_num}: {len(cells)} columns, not {len(header)}")
                if cells:
                    yield f"{file}, line {reader.line_num}", dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise UnreadableSource(f"{file}, line {reader.line_num}: {error}") from error
        except UnicodeDecodeError as error:
            raise UnreadableSource(f"{file}: not UTF-8, after line {reader.line_num}") from error
