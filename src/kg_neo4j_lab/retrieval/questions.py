"""Reads passages and questions of the multi-hop sets, as JSON lines or as the JSON lists that HippoRAG published.

JSON lines: a passage has `idx`, `title` and `text`; a question `id`, `question`, `gold` (the idx of every passage that
it needs), and where there is one `answer` and `type`.

Lists: a passage has `title` and `text`. A question has passages of its own: `paragraphs`, some of them `is_supporting`,
or `context` and `supporting_facts`. Its gold is what has the same title and text in the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import SourceNotFound, UnreadableSource

Key = int | tuple[str, str]  # idx, or title and text without white space


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """One passage of a corpus."""

    idx: int
    title: str
    text: str

    @property
    def key(self) -> str:
        """Names its document: passages may share a title."""
        return f"{self.idx}/{self.title}"


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and the passages that answer it together."""

    id: str
    text: str
    gold: frozenset[int]
    answer: str = ""
    type: str = ""


def read_passages(path: str) -> tuple[CorpusPassage, ...]:
    """Return the passages of a file. A list numbers them from 0, and what is there twice counts once.

    Raises SourceNotFound, and UnreadableSource for a line that is no passage, or has the idx of another.
    """
    listed, rows = _rows(path)
    found: dict[Key, CorpusPassage] = {}
    for place, row in rows:
        try:
            passage = CorpusPassage(len(found) if listed else int(row["idx"]), str(row["title"]), str(row["text"]))
        except (KeyError, TypeError, ValueError) as error:
            needed = "title and text" if listed else "idx, title and text"
            raise UnreadableSource(f"{path}, {place}: no passage: it needs {needed}") from error
        key = _key(passage, listed)
        if key in found and not listed:
            raise UnreadableSource(f"{path}, {place}: passage {passage.idx} is there twice")
        found.setdefault(key, passage)
    return tuple(found.values())


def read_questions(path: str, passages: Sequence[CorpusPassage]) -> tuple[GoldQuestion, ...]:
    """Return the questions of a file. Raises as `read_passages`, also for a question whose passages are not there."""
    listed, rows = _rows(path)
    known = {_key(passage, listed): passage.idx for passage in passages}
    found = []
    for place, row in rows:
        try:
            needed: list[Key] = list(_supporting(row)) if listed else [int(idx) for idx in row["gold"]]
            id_, text, answer = row["_id" if "_id" in row else "id"], str(row["question"]), row.get("answer") or ""
            answer = answer[0] if isinstance(answer, list) else answer
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            parts = "paragraphs, or context and supporting_facts" if listed else "gold"
            raise UnreadableSource(f"{path}, {place}: no question: it needs id, question and {parts}") from error
        if missing := [str(key[0] if isinstance(key, tuple) else key) for key in needed if key not in known]:
            names = ", ".join(missing)
            raise UnreadableSource(f"{path}, {place}: a question needs passages of the corpus ({names})")
        if not needed:
            raise UnreadableSource(f"{path}, {place}: a question needs passages of the corpus (none named)")
        gold = frozenset(known[key] for key in needed)
        found.append(GoldQuestion(str(id_), text, gold, str(answer), str(row.get("type") or "")))
    return tuple(found)


def _rows(path: str) -> tuple[bool, Iterator[tuple[str, dict[str, Any]]]]:
    """Return whether a file is one JSON list, and its rows: (place in the file, object). Raises SourceNotFound."""
    if not Path(path).is_file():
        raise SourceNotFound(f"no file {path!r}")
    with Path(path).open("rb") as file:
        listed = file.read(100).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    return listed, _entries(path) if listed else ((f"line {number}", row) for number, row in read_rows(path))


def _entries(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path}: not UTF-8", hint="save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableSource(f"{path}: not JSON") from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise UnreadableSource(f"{path}, entry {number}: not a JSON object")
        yield f"entry {number}", row


def _key(passage: CorpusPassage, listed: bool) -> Key:
    return _bare(passage.title, passage.text) if listed else passage.idx


def _bare(title: str, text: str) -> tuple[str, str]:
    """Return a title and a text without white space: sentences of a context are joined with it or without."""
    return "".join(title.split()), "".join(text.split())


def _supporting(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield title and text of the passages that a listed question needs. Raises what a row of another shape does."""
    if "supporting_facts" in row:
        titles = {title for title, _ in row["supporting_facts"]}
        for title, sentences in row["context"]:
            if title in titles:
                yield _bare(title, "".join(sentences))
        return
    for each in row["paragraphs"]:
        if each.get("is_supporting", True):
            yield _bare(each["title"], each["text"] if "text" in each else each["paragraph_text"])


def graph_name(passages: Sequence[CorpusPassage], made_by: str = "") -> str:
    """Return the name of the graph that a corpus is loaded into: the same texts have the same one.

    `made_by` tells apart what another extractor than that of the settings made of them.
    """
    parts = [part for each in passages for part in (str(each.idx), each.title, each.text)]
    return "eval-" + hash_id(*parts, *([made_by] if made_by else []))[:12]
