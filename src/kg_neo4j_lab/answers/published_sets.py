"""Reads questions of four formats. All but our own JSON lines come with their texts; `graphrag_bench` has one.

QuALITY (Pang et al. 2022, v1.0.1) has one JSON object a line, an article with the questions of one writer. An article
stands on several lines, one a writer; it is one text. The right option is the golden answer. The files come with HTML
and stripped of it; both are read.

NarrativeQA (Kočiský et al. 2018) is a folder with documents.csv, qaps.csv, summaries.csv and tmp/ID.content. Each
question has two golden answers. The texts are what download_stories.sh of the set fetched: books of Project Gutenberg,
without its header and licence here, and film scripts, most of them HTML; some are packed with gzip.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.decoding import clean, decode, normalise_text
from kg_neo4j.acquire.files import MAX_BYTES
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.acquire.plain_text import read_text
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource
from kg_neo4j_lab.answers import graphrag_bench
from kg_neo4j_lab.answers.questions import AnsweredQuestion, QuestionSet, Story, StorySelection, read_answered

FORMS = LINES, QUALITY, NARRATIVEQA, GRAPHRAG_BENCH = "questions", "quality", "narrativeqa", graphrag_bench.FORM
SETS = ("train", "valid", "test")  # of NarrativeQA
DOCUMENTS, QUESTIONS, SUMMARIES = "documents.csv", "qaps.csv", "summaries.csv"
_COLUMNS = {
    DOCUMENTS: ("document_id", "set", "kind", "story_url"),
    QUESTIONS: ("document_id", "set", "question", "answer1", "answer2"),
    SUMMARIES: ("document_id", "set", "summary"),
}
_MARKUP = re.compile(r"<(?:p|br|div|html|body|h[1-6]|span)\b[^>]*>", re.IGNORECASE)
_NAME = re.compile(r"[0-9A-Za-z_-]{1,80}")  # of a document: it is part of a file's name
_HTML = re.compile(rb"\s*<(?:!doctype html|html|head|script|pre|table|body)\b", re.IGNORECASE)
_GZIP = b"\x1f\x8b"


def guess(path: str) -> str:
    """Return the format of a file or folder, by its name and its first line. Raises as reading it does."""
    if not Path(path).exists():
        raise SourceNotFound(f"no file or folder {path!r}")
    if any(Path(path).glob("*.parquet")):
        return GRAPHRAG_BENCH
    if Path(path).is_dir() or Path(path).suffix.lower() == ".csv":
        return NARRATIVEQA
    for _, row in read_rows(path):
        return QUALITY if {"article", "questions"} <= row.keys() else LINES
    return LINES


def read_set(path: str, form: str | None, selection: StorySelection) -> QuestionSet:
    """Return the questions of a file or folder and their texts; without a format it is guessed.

    Plain questions have no texts: they are asked of the graph. Raises SourceNotFound, UnreadableSource and UsageError.
    """
    form = form or guess(path)
    if form not in FORMS:
        raise UsageError(f"no format {form!r}", hint=f"the formats are {', '.join(FORMS)}")
    if form == QUALITY:
        return _read_quality(path, selection)
    if form == NARRATIVEQA:
        return _read_narrativeqa(path, selection)
    if form == GRAPHRAG_BENCH:
        return graphrag_bench.read(path, selection)
    if {selection.kind, selection.split, selection.documents, selection.sample} != {None} or selection.summaries:
        raise UsageError("a file of questions has no texts to choose from", hint="--limit N")
    return QuestionSet(form, (), read_answered(path)[: selection.limit])


def _read_quality(path: str, selection: StorySelection) -> QuestionSet:
    """Return the chosen texts of a file. A question without a usable label is refused alone."""
    if selection.split is not None or selection.summaries:
        raise UsageError("QuALITY has one file a set, and no summaries", hint="name the train or the dev file")
    stories: dict[str, Story] = {}
    questions: dict[str, AnsweredQuestion] = {}
    refused: list[SkippedSource] = []
    labelled = False
    for line, row in read_rows(path):
        where = f"{path}, line {line}"
        story, writer, listed = _article(row, where), row.get("set_unique_id"), row.get("questions")
        if not isinstance(writer, str) or not writer.strip():
            raise UnreadableSource(f"{where}: not a line of QuALITY: it needs set_unique_id")
        if not selection.is_of_kind(str(row.get("source") or ""), story.url):
            continue
        if stories.setdefault(story.key, story).stamp != story.stamp:
            raise UnreadableSource(f"{where}: article {story.key} is there twice, with different texts")
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise UnreadableSource(f"{where}: not a line of QuALITY: questions is not a list of objects")
        for number, each in enumerate(listed, 1):
            labelled = labelled or "gold_label" in each
            name = clean(str(each.get("question_unique_id") or f"{writer}_{number}"))
            found = "it is there twice" if name in questions else _question(name, each, story.key)
            if isinstance(found, str):
                refused.append(SkippedSource(f"{where}, question {name}", found))
            else:
                questions[name] = found
    if refused and not labelled:
        raise UnreadableSource(
            f"{path}: no question has a gold_label", hint="the answers of the test file are not published: train or dev"
        )
    return QuestionSet(QUALITY, tuple(stories.values()), tuple(questions.values()), tuple(refused)).cut(selection)


def _article(row: Mapping[str, Any], where: str) -> Story:
    article, key = row.get("article"), row.get("article_id")
    if not isinstance(article, str) or not article.strip() or not isinstance(key, str | int) or not str(key).strip():
        raise UnreadableSource(f"{where}: not a line of QuALITY: it needs article_id, article and questions")
    text = article.strip()
    title = " ".join(clean(str(row.get("title") or key)).split())
    return Story(f"{QUALITY}/{key}", title, lambda: _plain(text), text_hash(text), str(row.get("url") or ""))


def _plain(article: str) -> str:
    """Return an article without markup and without what Project Gutenberg puts around its books."""
    text = clean(normalise_text(article))
    if len(_MARKUP.findall(text[:20_000])) > 2:
        return read_html(text.encode("utf-8")).text
    return read_text(text).text


def _question(name: str, row: Mapping[str, Any], document: str) -> AnsweredQuestion | str:
    """Return a question with its right option as the golden answer, or why it cannot be used."""
    text, options, label, hard = (row.get(field) for field in ("question", "options", "gold_label", "difficult"))
    if not isinstance(text, str) or not text.strip():
        return "it has no question"
    if not isinstance(options, list) or not options or not all(isinstance(each, str) for each in options):
        return "its options are not a list of texts"
    if label is None:
        return "it has no gold_label"
    if isinstance(label, bool) or not isinstance(label, int) or not 1 <= label <= len(options):
        return f"its gold_label is not a number from 1 to {len(options)}: {str(label)[:20]!r}"
    if hard not in (None, 0, 1):
        return f"difficult is neither 0 nor 1: {str(hard)[:20]!r}"
    plain = tuple(" ".join(each.split()) for each in options)
    if not (golden := plain[label - 1]):
        return "its right option is empty"
    asked = " ".join(text.split())
    return AnsweredQuestion(name, asked, (golden,), document=document, is_hard=bool(hard), options=plain)


def _read_narrativeqa(path: str, selection: StorySelection) -> QuestionSet:
    """Return the chosen texts of a folder, or of the folder that a named file of the set is in.

    A text that is not there is refused with its questions.
    """
    if selection.split is not None and selection.split not in SETS:
        raise UsageError(f"no set {selection.split!r}", hint=f"the sets are {', '.join(SETS)}")
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    stories: dict[str, Story] = {}
    known: dict[str, int] = {}  # document -> questions so far
    refused: list[SkippedSource] = []
    summaries = _summaries(folder) if selection.summaries else None
    for where, row in _rows(folder / DOCUMENTS):
        name, title = row["document_id"], " ".join(clean(row.get("wiki_title") or "").split()) or row["document_id"]
        if not _NAME.fullmatch(name) or name in known:
            raise UnreadableSource(f"{where}: {name[:90]!r} is no document_id, or is there twice")
        known[name] = 0
        if selection.split in (None, row["set"]) and selection.is_of_kind(row["kind"], row["story_url"]):
            try:
                stories[name] = _story(folder, name, title, row, summaries)
            except UnreadableSource as problem:
                refused.append(SkippedSource(f"{title} ({name})", str(problem)))
    questions: list[AnsweredQuestion] = []
    for where, row in _rows(folder / QUESTIONS):
        name, text = row["document_id"], row["question"].strip()
        if name not in known:
            raise UnreadableSource(f"{where}: no document {name[:90]!r} in {DOCUMENTS}")
        known[name] += 1
        if name not in stories:
            continue
        golden = tuple(dict.fromkeys(said for each in ("answer1", "answer2") if (said := row[each].strip())))
        if not golden or not text:
            refused.append(SkippedSource(where, "the question or both its answers are empty"))
            continue
        asked = f"{name}/{known[name]}"
        questions.append(AnsweredQuestion(asked, text, golden, document=stories[name].key, golden=golden))
    return QuestionSet(NARRATIVEQA, tuple(stories.values()), tuple(questions), tuple(refused)).cut(selection)


def _story(folder: Path, name: str, title: str, row: Mapping[str, str], summaries: Mapping[str, str] | None) -> Story:
    key = f"{NARRATIVEQA}/{name}"
    if summaries is not None:
        if not (summary := summaries.get(name, "").strip()):
            raise UnreadableSource(f"no summary in {SUMMARIES}")
        return Story(f"{key}/summary", title, lambda: summary, text_hash(summary), row.get("wiki_url") or "")
    file = folder / "tmp" / f"{name}.content"
    if not file.is_file():
        raise UnreadableSource(f"no text tmp/{file.name}: download_stories.sh of the set fetches it")
    if not (size := file.stat().st_size):
        raise UnreadableSource(f"tmp/{file.name} is empty: download_stories.sh of the set fetches it again")
    return Story(key, title, lambda: read_content(file), f"{size} bytes", row["story_url"])


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
    is_html = _HTML.match(data[:1_000].lstrip(b"\xef\xbb\xbf"))
    text = read_html(data).text if is_html else read_text(normalise_text(decode(data))).text
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
    """Yield (place, row) of a table of NarrativeQA. Raises SourceNotFound, and UnreadableSource with the line."""
    if not file.is_file():
        raise SourceNotFound(f"no file {str(file)!r}", hint=f"NarrativeQA is a folder with {', '.join(_COLUMNS)}")
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = next(reader, [])
            if missing := [name for name in _COLUMNS[file.name] if name not in header]:
                raise UnreadableSource(f"{file}: no column {', '.join(missing)}")
            for cells in filter(None, reader):
                where = f"{file}, line {reader.line_num}"
                if len(cells) != len(header):
                    raise UnreadableSource(f"{where}: {len(cells)} columns, not {len(header)}")
                yield where, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise UnreadableSource(f"{file}, line {reader.line_num}: {error}") from error
        except UnicodeDecodeError as error:
            raise UnreadableSource(f"{file}: not UTF-8, after line {reader.line_num}") from error
