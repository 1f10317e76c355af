"""A chat model that repeats recorded answers of a large model: for the gallery, the notebooks and the tests.

    from recorded_answers import RecordedAnswers

    with KnowledgeGraph("notes", chat_model=RecordedAnswers()) as kg:
        kg.load("docs/gallery/minutes")

It needs no key and no network. It knows an answer by what it is about: a chunk by its words, a question by its words, a
verdict by the claim. The numbers of sentences in an answer are those of the sentences that are shown now. Where nothing
is recorded, or a cited sentence is not shown, it raises NotRecorded.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j.records import Usage

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "recorded"
FILES = {"extraction": FOLDER / "gallery.extraction.jsonl", "answers": FOLDER / "gallery.answers.jsonl"}
TASKS = {  # words of a prompt -> what it asks for; the first that fits
    "these nodes stand already": "repair",
    "these rows stand already": "glean",
    "Your answer was cut off": "continue",
    "You read a text and write down the knowledge graph": "extract",
    "You check whether claims are supported": "judge",
    "You answer questions from the evidence": "answer",
}
_SHOWN = re.compile(
    r"===== begin \w+ =====\n(?P<text>.*?)\n===== from the document \w+ =====\nDocument: (?P<document>[^\n]*)",
    re.DOTALL,
)
_LINE = re.compile(r"^(?P<mark>\d+\.\d+|F\d+) (?P<text>.+)$", re.MULTILINE)  # of the evidence
_HEADING = re.compile(r"^\[(?P<passage>\d+)\] (?P<heading>.+)$", re.MULTILINE)
_BRACKETS = re.compile(r"\[[F\d][F\d.,;\s–-]*\]")  # in an answer
_CLAIM = re.compile(r"^Claim (?P<number>\d+): (?P<text>.+)\nAsked: (?P<question>.+)$", re.MULTILINE)

Row = dict[str, Any]


class NotRecorded(LookupError):
    """No recorded answer fits a prompt."""


class RecordedAnswers:
    """Repeats the answers of `files`; safe to call from several threads.

    `other` is a model that is asked for what is not recorded; `new` then has the rows to record.
    """

    window = 8_000  # as that of a model whose window is not known, so that chunks are as they were

    def __init__(self, files: Mapping[str, Path] = FILES, other: ChatModel | None = None) -> None:
        """Read the files."""
        read = (path.read_text(encoding="utf-8") for path in files.values() if path.exists())
        rows = [json.loads(line) for text in read for line in text.splitlines()]
        self.other, self.new = other, list[Row]()
        self._known = {_key(row): row for row in rows}
        self._lock = threading.Lock()
        self.name = "recorded-" + hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:8]

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Return the recorded answer to what a prompt is about; NotRecorded where there is none."""
        about = about_of(system, user)
        row = self._known.get(_key(about))
        if row is None and self.other is not None:
            said = self.other.complete(system, user, max_tokens=max_tokens, temperature=temperature).text
            row = about | {"prompt": hashlib.sha256(f"{system}\n\n{user}".encode()).hexdigest(), "answer": said}
            if about["task"] == "answer":
                row["cited"] = _cited(said, user)
            with self._lock:
                self._known[_key(row)] = row
                self.new.append(row)
        if row is None:
            raise NotRecorded(f"no answer is recorded for {json.dumps(about, ensure_ascii=False)[:400]}")
        text = _renumbered(row, user) if row["task"] == "answer" else row["answer"]
        return Completion(text, "stop", Usage(calls=1))


def about_of(system: str, user: str) -> Row:
    """Return what a prompt is about: its task, and the chunk, the question or the claims."""
    task = next((name for words, name in TASKS.items() if words in system + user), "")
    if shown := _SHOWN.search(user):
        sha256 = hashlib.sha256(shown["text"].encode()).hexdigest()
        return {"task": task, "document": shown["document"], "sha256": sha256}
    if task == "judge":
        claims = list(_CLAIM.finditer(user))
        return {"task": task, "question": claims[0]["question"], "claims": [found["text"] for found in claims]}
    if task == "answer":
        return {"task": task, "question": user.rpartition("\nQuestion: ")[2].strip()}
    raise NotRecorded(f"answers to such prompts are not recorded: {system[:200]!r}")


def _key(row: Row) -> str:
    return json.dumps([row[name] for name in ("task", "sha256", "question", "claims") if name in row])


def _shown(user: str) -> dict[str, list[str]]:
    """Return the numbered lines of the evidence: the heading of the passage, empty for a fact, and the sentence."""
    headings = {found["passage"]: found["heading"] for found in _HEADING.finditer(user)}
    lines = ((found["mark"], found["text"]) for found in _LINE.finditer(user))
    return {mark: [headings.get(mark.partition(".")[0], ""), text] for mark, text in lines}


def _cited(answer: str, user: str) -> dict[str, list[str]]:
    """Return what an answer cites, by the numbers that it has in the prompt."""
    shown, marks = _shown(user), [each[1:-1] for each in _BRACKETS.findall(answer)]
    if wrong := [mark for mark in marks if mark not in shown]:
        raise NotRecorded(f"an answer has marks that are no numbers of sentences: {wrong}")
    return {mark: shown[mark] for mark in marks}


def _renumbered(row: Row, user: str) -> str:
    """Return a recorded answer with the numbers that its cited sentences have in this prompt."""
    shown, now = _shown(user), dict[str, str]()
    for mark, words in row["cited"].items():
        places = [each for each in shown if shown[each] == words]
        if not places:
            raise NotRecorded(f"the answer to {row['question']!r} cites what is not shown now: {words[1]}")
        now[mark] = mark if mark in places else places[0]
    return _BRACKETS.sub(lambda found: f"[{now[found[0][1:-1]]}]", row["answer"])
