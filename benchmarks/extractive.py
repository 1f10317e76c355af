"""How often sentences taken from the gold passages of multi-hop questions hold the answer, without a model.

    python benchmarks/extractive.py ../shared/data/multihop

For each set: of the questions whose answer is words, how many were answered and how many answers hold these words; of
the yes-or-no questions, how many were answered; and of all questions, how many were answered from passages that belong
to other questions (there is nothing to find). Every question sees its gold passages and eight of other questions.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.retrieve.interface import Found, FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.words import fold, split_words
from kg_neo4j_offline.extracting.extractive import extract

SETS = ("2wiki_dev", "hotpotqa_dev", "musique_dev")
OTHERS = 8  # passages of other questions beside the gold ones


@dataclass
class Tally:
    asked: int = 0
    answered: int = 0
    right: int = 0
    yes_no: int = 0
    yes_no_answered: int = 0
    nothing: int = 0
    nothing_answered: int = 0


def measure(folder: Path) -> Tally:
    passages = {row["idx"]: row for row in rows(folder / "corpus.jsonl")}
    questions = rows(folder / "questions.jsonl")
    tally = Tally()
    for number, question in enumerate(questions):
        gold = [passages[index] for index in question["gold"]]
        before = [index for back in range(1, OTHERS) for index in questions[number - back]["gold"]]
        others = [passages[index] for index in before if index not in question["gold"]][:OTHERS]
        text = answer(question["question"], gold + others)
        if fold(question["answer"]) in ("yes", "no"):
            tally.yes_no += 1
            tally.yes_no_answered += bool(text)
        else:
            tally.asked += 1
            tally.answered += bool(text)
            tally.right += holds(text, question["answer"])
        tally.nothing += 1
        tally.nothing_answered += bool(answer(question["question"], others))
    return tally


def answer(question: str, given: list[dict[str, str]]) -> str:
    chunks = tuple(FoundChunk(f"c{row['idx']}", row["text"], 0, "", row["title"], 1.0) for row in given)
    return extract(read(question), Found("naive", chunks)).text


def holds(text: str, words: str) -> bool:
    """Tell whether `words` stand in `text` one after another, letter case and accents aside."""
    have, wanted = ([fold(word) for word in split_words(each)] for each in (text, words))
    return any(have[start : start + len(wanted)] == wanted for start in range(len(have) - len(wanted) + 1))


def rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    total = Tally()
    for name in SETS:
        tally = measure(Path(sys.argv[1]) / name)
        show(name, tally)
        for field in vars(total):
            setattr(total, field, getattr(total, field) + getattr(tally, field))
    show("all", total)


def show(name: str, tally: Tally) -> None:
    of_answers, of_questions = tally.right / max(1, tally.answered), tally.right / max(1, tally.asked)
    print(
        f"{name:13} answered {tally.answered:3} of {tally.asked:3}, right {tally.right:3} "
        f"({of_answers:.0%} of the answers, {of_questions:.0%} of the questions); "
        f"yes or no: answered {tally.yes_no_answered} of {tally.yes_no}; "
        f"nothing to find: answered {tally.nothing_answered} of {tally.nothing}"
    )


if __name__ == "__main__":
    main()
