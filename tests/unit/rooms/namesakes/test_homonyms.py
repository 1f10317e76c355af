"""Pairs of rows with one bearer or two, with recorded answers of a large model to what `kg resolve` asks."""

from __future__ import annotations

import json
from collections import Counter

from benchmarks.homonyms import NAMES, judge, outcome


def test_namesakes_are_parted_and_names_of_one_bearer_joined() -> None:
    lines = (NAMES / "homonyms_5.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    outcomes = [outcome(pair["rows"]) for pair in pairs]
    answers = judge(outcomes, NAMES / "homonyms_5.answers.jsonl")
    counts = Counter((pair["kind"], each.after(answers)) for pair, each in zip(pairs, outcomes, strict=True))
    assert counts["two", "apart"] == 40
    assert counts["one", "joined"] >= 34
