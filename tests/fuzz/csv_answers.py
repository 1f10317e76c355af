"""Feeds bytes to the CSV reader and the validator until something breaks (test plan, group A).

    python tests/fuzz/csv_answers.py -max_total_time=3600 [CORPUS]     with atheris, which is not among the dev tools
    python tests/fuzz/csv_answers.py --plain 100000                   without it: so many mutations of good answers

A break is an exception, a count that does not add up, a row that the schema does not allow, or a second's silence.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import random
import sys
import time

if importlib.util.find_spec("atheris"):
    import atheris

    instrumented = atheris.instrument_imports(include=["kg_neo4j"])
else:
    instrumented = contextlib.nullcontext()

with instrumented:
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.extract.rows import read
    from kg_neo4j.extract.validation import validate
    from kg_neo4j.extract.values import TYPE_PATTERN

SCHEMA = schemas.load("described")
KEYS = {column.name for column in (*SCHEMA.node_properties, *SCHEMA.relationship_properties)}
LIMIT_S = 1.0
SLICES = ["\n", ",", '"', '""', "\r\n", "\r", "\0", "\ud800", "```\n", "<think>", "</think>\n", "n1", "null", ";"]


def try_answer(data: bytes) -> None:
    """Read and validate one answer; AssertionError or any other exception is a find."""
    text = data[1:].decode("utf-8", "surrogateescape")  # what is no UTF-8 becomes lone surrogates
    finish_reason = ("stop", "length", None)[data[0] % 3 if data else 0]
    started = time.monotonic()
    raw = read(text, SCHEMA, finish_reason=finish_reason)
    valid = validate(raw, SCHEMA, SCHEMA.example_text, evidence="flag")
    assert time.monotonic() - started < LIMIT_S + len(text) / 500_000, "too slow"
    assert len(valid.nodes) + len(valid.relationships) + len(valid.rejections) == raw.count
    ids = {node.node_id for node in valid.nodes}
    for node in valid.nodes:
        assert TYPE_PATTERN.fullmatch(node.type)
        assert 0 < len(node.name) <= 500
    for row in (*valid.nodes, *valid.relationships):
        assert set(row.properties) <= KEYS
        repr(row).encode()
    assert all({row.source_id, row.target_id} <= ids for row in valid.relationships)


def mutate(chance: random.Random) -> bytes:
    """Return a good answer with up to eight cuts, doublings and insertions."""
    text = SCHEMA.example_answer * chance.randrange(1, 3)
    for _ in range(chance.randrange(9)):
        first, second = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        part = text[first : min(second, first + chance.choice([1, 5, 200]))]
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:first] + text[first + len(part) :]
        elif kind == 1:
            text = text[:second] + part + text[second:]
        elif kind == 2:
            text = text[:first] + chance.choice(SLICES) * chance.choice([1, 1, 3]) + text[first:]
        else:
            text = text[:first] + chr(chance.randrange(0x3000)) + text[first + 1 :]
    return bytes([chance.randrange(256)]) + text.encode("utf-8", "surrogatepass")


def main() -> None:
    """Run plainly or under atheris."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--plain", type=int)
    parser.add_argument("--seed", type=int, default=1)
    known, others = parser.parse_known_args()
    if known.plain:
        chance = random.Random(known.seed)
        started = time.monotonic()
        for _ in range(known.plain):
            data = mutate(chance)
            try:
                try_answer(data)
            except Exception:
                print(f"broken by {data!r}", file=sys.stderr)  # noqa: T201 (a script)
                raise
        print(f"{known.plain} answers, no break, {time.monotonic() - started:.0f} s")  # noqa: T201 (a script)
        return
    atheris.Setup([sys.argv[0], *others], try_answer)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
