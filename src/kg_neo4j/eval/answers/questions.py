"""Questions with their answers, one JSON object a line: `id`, `question`, `answer`, maybe `answer_aliases` and `type`.

More than one answer may be given as a list; the best match counts. `document` is the key of the text that a question is
about (of a file: its name), or its title or id, where it is about one.
"""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and the answers that are right."""

    id: str
    text: str
    answers: tuple[str, ...]  # one at least: any of them is right
    type: str = ""
    document: str = ""  # key of the text that it is about; empty: the whole graph
    golden: tuple[str, ...] = ()  # what an answer is held against whole; empty: the first of `answers`
    is_hard: bool = False

    @property
    def held_against(self) -> tuple[str, ...]:
        """The golden answers: the better score of them counts."""
        return self.golden or self.answers[:1]


def read_answered(path: str) -> tuple[AnsweredQuestion, ...]:
    """Return the questions of a file. Raises SourceNotFound, and UnreadableSource for a line that is none, or again."""
    found: dict[str, AnsweredQuestion] = {}
    for line, row in read_rows(path):
        try:
            answer = row["answer"]
            answers = [*answer] if isinstance(answer, list) else [answer]
            answers += row.get("answer_aliases") or []
            said = tuple(dict.fromkeys(str(each) for each in answers if str(each).strip()))
            golden = tuple(str(each) for each in answer if str(each).strip()) if isinstance(answer, list) else said[:1]
            kind = str(row.get("type") or "")
            about = str(row.get("document") or "")
            question = AnsweredQuestion(str(row["id"]), str(row["question"]), said, kind, about, golden)
        except (KeyError, TypeError) as error:
            raise UnreadableSource(f"{path}, line {line}: no question: it needs id, question and answer") from error
        if not said or not question.text.strip():
            raise UnreadableSource(f"{path}, line {line}: the question or its answer is empty")
        if question.id in found:
            raise UnreadableSource(f"{path}, line {line}: question {question.id} is there twice")
        found[question.id] = question
    return tuple(found.values())
