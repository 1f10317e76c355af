"""Reads passages and questions in the form of the multi-hop sets: one JSON object a line.

A passage has `idx`, `title` and `text`; a question `id`, `question`, `gold` (the idx of every passage that it needs),
and where there is one `answer` and `type`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource


@dataclass(frozen=True, slots=True)
class Passage:
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


def read_passages(path: str) -> tuple[Passage, ...]:
    """Return the passages of a file. Raises SourceNotFound, and UnreadableSource for a line that is none, or again."""
    found: dict[int, Passage] = {}
    for line, row in read_rows(path):
        try:
            passage = Passage(int(row["idx"]), str(row["title"]), str(row["text"]))
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableSource(f"{path}, line {line}: no passage: it needs idx, title and text") from error
        if passage.idx in found:
            raise UnreadableSource(f"{path}, line {line}: passage {passage.idx} is there twice")
        found[passage.idx] = passage
    return tuple(found.values())


def read_questions(path: str, passages: Sequence[Passage]) -> tuple[GoldQuestion, ...]:
    """Return the questions of a file. Raises as `read_passages`, also for a question whose passages are not there."""
    known = {passage.idx for passage in passages}
    found = []
    for line, row in read_rows(path):
        try:
            gold = frozenset(int(idx) for idx in row["gold"])
            question = GoldQuestion(
                str(row["id"]), str(row["question"]), gold, str(row.get("answer") or ""), str(row.get("type") or "")
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableSource(f"{path}, line {line}: no question: it needs id, question and gold") from error
        if not gold or gold - known:
            missing = ", ".join(map(str, sorted(gold - known))) or "none named"
            raise UnreadableSource(f"{path}, line {line}: a question needs passages of the corpus ({missing})")
        found.append(question)
    return tuple(found)


def graph_name(passages: Sequence[Passage], made_by: str = "") -> str:
    """Return the name of the graph that a corpus is loaded into: the same texts have the same one.

    `made_by` tells apart what another extractor than that of the settings made of them.
    """
    parts = [part for each in passages for part in (str(each.idx), each.title, each.text)]
    return "eval-" + hash_id(*parts, *([made_by] if made_by else []))[:12]
