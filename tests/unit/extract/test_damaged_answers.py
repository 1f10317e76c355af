"""Five hundred answers, damaged as servers and models damage them: no row is lost without a word."""

from __future__ import annotations

import random
import re

import pytest

from csv_grammar import NODE_HEADER, RELATIONSHIP_HEADER, SCHEMA
from kg_neo4j.extract.reading import Reading, Shown, interpret
from kg_neo4j.extract.rows import SEPARATORS, read
from kg_neo4j.extract.validation import FLAG
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, ModelAnswer

HEADERS = (",".join(NODE_HEADER), ",".join(RELATIONSHIP_HEADER))
CHATTER = ("Here are the two sections:", "Sure! I read the text with care.", "Let me know if you need more.")
DAMAGES = ("cut", "separator", "thoughts", "orphan", "chatter", "quotes", "draft", "section", "reason")


def written(chance: random.Random) -> tuple[str, int]:
    """Return an answer of a model, and how many rows it has."""
    people = chance.randint(1, 12)
    nodes = [f"n{i},PERSON,Person {i}{chance.choice(['', ' of Ulm'])},,,,,," for i in range(people)]
    pairs = [(chance.randrange(people), chance.randrange(people)) for _ in range(chance.randint(0, 9))]
    rows = [f"r{place},n{a},KNEW,n{b},,,," for place, (a, b) in enumerate(pairs)]
    return "\n".join((HEADERS[0], *nodes, "", HEADERS[1], *rows, "")), len(nodes) + len(rows)


def damaged(text: str, damage: str, chance: random.Random) -> tuple[str, str | None]:
    """Return what arrives of an answer, and the finish reason."""
    lines = text.split("\n")
    reason: str | None = "stop"
    if damage == "cut":
        place = chance.randrange(len(text))
        reason = chance.choice(["length", "MAX_TOKENS", "error", None if text[place - 1] != "\n" else "length"])
        text = text[:place] if reason or text[place] != "\n" else text[: place - 1]
    elif damage == "separator":
        other = chance.choice(SEPARATORS[1:] + "~")
        start = chance.choice([0, 1, lines.index(HEADERS[1]) + 1])
        text = "\n".join((*lines[:start], *(line.replace(",", other) for line in lines[start:])))
    elif damage in ("thoughts", "orphan"):
        first, last = chance.choice([("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<thinking>", "</thinking>")])
        draft = chance.choice(["hm, let me see", text.replace("Person", "Draft")])
        text = f"{first if damage == 'thoughts' else ''}\n{draft}\n{last}\n{text}"
    elif damage == "chatter":
        for _ in range(chance.randint(1, 4)):
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(CHATTER))
        text = "\n".join(lines)
    elif damage == "quotes":
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(['"', '"', "\u201c"]) + text[place:]
    elif damage == "draft":
        text = f"{text.replace('Person', 'Draft')}\nThat was a draft.\n{text}"
    elif damage == "section":
        text = "\n".join(lines[: lines.index(HEADERS[1])])
    else:
        reason = chance.choice([None, "", "OTHER", "eos", "end_turn"])
    return text, reason


def read_of(text: str, reason: str | None) -> Extraction:
    """Return what the reader makes of one answer."""
    chunk = Chunk("0" * 32, "d" * 32, "main", 0, "Person 1 knew Person 2.", 6, 0, 23, "")
    answer = ModelAnswer(text, "fake", "p", reason)
    return interpret(chunk, (answer,), Reading(SCHEMA, FLAG, "c"), Shown(chunk.text))


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_row_is_lost_quietly(damage: str) -> None:
    chance = random.Random(f"44 {damage}")
    for _ in range(500 // len(DAMAGES) + 1):
        text, rows = written(chance)
        arrived, reason = damaged(text, damage, chance)
        found = read_of(arrived, reason)
        parts = read(arrived, SCHEMA, finish_reason=reason).parts
        assert "".join(arrived[part.start : part.end] for part in parts) == arrived
        accepted = len(found.nodes) + len(found.relationships)
        assert accepted + len(found.rejections) == found.rows_read
        if found.outcome in (ChunkOutcome.DONE, ChunkOutcome.EMPTY):
            assert found.rows_read >= rows, (arrived, reason, found.rejections)
            assert not re.search("Draft", " ".join(node.name for node in found.nodes))
