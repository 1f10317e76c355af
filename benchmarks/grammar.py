"""What does a grammar accept, and what does it stop? Recorded answers of a large model, whole and damaged.

    python benchmarks/grammar.py                 recorded answers, then 500 damaged ones
    python benchmarks/grammar.py --damaged 100   ten of each kind

Each answer has the grammar of its schema and chunk. `llguidance`, one of the two engines of vLLM, reads it byte by
byte. A damaged answer is read as `kg load` reads it, and a row is right where the answer was meant to say it. Under the
grammar a model cannot write the first wrong byte: the rows before it are certain, what would follow is not known.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llguidance import LLMatcher, LLTokenizer, grammar_from

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j.extract import schema as schemas  # noqa: E402 - after the path is set
from kg_neo4j.extract.reading import Reading, Shown, interpret  # noqa: E402
from kg_neo4j.records import Chunk, Extraction, ModelAnswer  # noqa: E402
from kg_neo4j.rooms.grammar.constraint import Constraint  # noqa: E402

RECORDED = HERE.parent / "tests" / "data" / "recorded"
FILES = ("numbered_sentences", "unseen", "ordinary", "identity", "names_so_far")
LEAN = schemas.load("lean")
SEED = 52
TOUCHED = 5  # rows of an answer that are damaged, where single rows are
Rows = list[list[str]]
Change = Callable[[list[str], random.Random], tuple[str, list[str]]]  # a row -> its damaged line, and what is meant
Damage = Callable[["RecordedAnswer", random.Random], tuple[str, str]]  # the damaged text, and what is meant


@dataclass(frozen=True)
class RecordedAnswer:
    """An answer with `lean`, and the places of its numbered sentences."""

    name: str
    text: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def sections(self) -> tuple[Rows, Rows]:
        """The rows of both sections, with their headers."""
        nodes, relationships = (list(csv.reader(io.StringIO(part))) for part in self.text.strip().split("\n\n"))
        return nodes, relationships


def recorded() -> list[RecordedAnswer]:
    """Return all recorded answers to the first question with `lean`."""
    found = []
    for name in FILES:
        for line in (RECORDED / f"extraction_{name}.jsonl").read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            if said["schema"] == "lean" and said["task"] == "extract":
                offsets = tuple((start, end) for start, end in said["offsets"])
                found.append(RecordedAnswer(f"{said['document']} {said['chunk']}", said["answer"], offsets))
    return found


def shown(offsets: tuple[tuple[int, int], ...]) -> str:
    """Return what a model sees of a chunk; of its sentences only the length matters."""
    return "\n".join(f"{number} {'x' * (end - start)}" for number, (start, end) in enumerate(offsets, 1))


@cache
def compiled(offsets: tuple[tuple[int, int], ...]) -> str:
    """Return the grammar of a chunk."""
    return str(grammar_from("gbnf", Constraint("llama", LEAN).fields(shown(offsets))["grammar"]))


def stop(text: str, offsets: tuple[tuple[int, int], ...]) -> int | None:
    """Return the offset of the first byte that the grammar does not allow, or where more is missing; None: accepted."""
    matcher = LLMatcher(LLTokenizer("byte"), compiled(offsets), log_level=0)
    said = list(text.encode())
    if (taken := matcher.validate_tokens(said)) < len(said):
        return taken
    matcher.consume_tokens(said)
    return None if matcher.is_accepting() else taken


def read(text: str, offsets: tuple[tuple[int, int], ...]) -> Extraction:
    """Read an answer as a load does; the words of the chunk are not needed."""
    chunk = Chunk("c" * 32, "d" * 32, "main", 0, "x" * offsets[-1][1], 0, 0, offsets[-1][1])
    given = ModelAnswer(text, "model", "prompt", "stop", offsets=offsets)
    return interpret(chunk, [given], Reading(LEAN, "flag", "c"), Shown(chunk.text, offsets=offsets))


def rows(found: Extraction) -> Counter[str]:
    """Return what the accepted rows say, by names instead of ids."""
    names = {node.node_id: node.name for node in found.nodes}
    nodes = (repr((each.name, each.type, each.properties, each.span)) for each in found.nodes)
    ends = (
        repr((names[each.source_id], each.type, names[each.target_id], each.properties, each.span))
        for each in found.relationships
    )
    return Counter((*nodes, *ends))


# ------------------------------------------------------------------------------------------------------- damage


def _written(nodes: Sequence[str], relationships: Sequence[str]) -> str:
    return "\n".join([*nodes, "", *relationships, ""])


def _line(row: Sequence[str]) -> str:
    csv.writer(file := io.StringIO(), lineterminator="").writerow(row)
    return file.getvalue()


def _in_rows(change: Change) -> Damage:
    """Return a damage of some rows of an answer."""

    def damage(answer: RecordedAnswer, draw: random.Random) -> tuple[str, str]:
        lines, meant = [], []
        for section in answer.sections:
            touched = draw.sample(range(1, len(section)), min(TOUCHED, len(section) - 1))
            both = [change(row, draw) if at in touched else (_line(row), row) for at, row in enumerate(section)]
            lines.append([line for line, _ in both])
            meant.append([_line(row) for _, row in both])
        return _written(*lines), _written(*meant)

    return damage


def _whole(change: Callable[[RecordedAnswer, random.Random], str]) -> Damage:
    """Return a damage of an answer that changes nothing of what is meant."""
    return lambda answer, draw: (change(answer, draw), answer.text)


def _unquoted(row: list[str], draw: random.Random) -> tuple[str, list[str]]:
    place = 3 if len(row) == 9 else len(row) - 1
    meant = [*row[:place], f"{row[place]}, the {draw.choice(['elder', 'first', 'great'])}", *row[place + 1 :]]
    return ",".join(meant), meant


def _mistyped(row: list[str], draw: random.Random) -> tuple[str, list[str]]:
    plain = row[2].replace("_", " ").lower()
    return _line([*row[:2], draw.choice([plain, plain.capitalize(), f"{row[2]} (?)", ""]), *row[3:]]), row


def _cut_quote(row: list[str], draw: random.Random) -> tuple[str, list[str]]:
    place = draw.randrange(3, len(row)) if len(row) == 9 else len(row) - 1
    return ",".join([*row[:place], f'"{row[place]}', *row[place + 1 :]]), row


def _lacking(row: list[str], draw: random.Random) -> tuple[str, list[str]]:
    place = draw.randrange(len(row))
    return _line(row[:place] + row[place + 1 + draw.randrange(2) :]), row


def _miscited(row: list[str], draw: random.Random) -> tuple[str, list[str]]:
    return _line([draw.choice(["0", "977", "1-9", "1 2 3 4", "the first"]), *row[1:]]), row


def _prose(answer: RecordedAnswer, draw: random.Random) -> str:
    before = draw.choice(
        ["Here is the graph, as strict CSV:\n\n", "I read the text, found people, and list them.\n", ""]
    )
    after = draw.choice(["\nNote: the dates, where stated, are ISO.\n", "\nI hope this helps!\n"])
    between = draw.choice(["", "Now the relationships, in order:\n"])
    return before + answer.text.replace("\n\n", f"\n\n{between}", 1) + after


def _fenced(answer: RecordedAnswer, draw: random.Random) -> str:
    both = answer.text.strip().split("\n\n")
    mark = draw.choice(["```csv\n", "```\n", "~~~\n"])
    close = mark[:3]
    return (
        "\n\n".join(f"{mark}{each}\n{close}" for each in both) if draw.random() < 0.5 else f"{mark}{answer.text}{close}"
    )


def _repeated(answer: RecordedAnswer, draw: random.Random) -> str:
    nodes, relationships = answer.sections
    again = [row for row in nodes[1:] if row[2] != "EVENT"][-draw.randrange(1, 4) :]
    copies = [[row[0], f"n{len(nodes) + at}", *row[2:]] for at, row in enumerate(again * 30)]
    return _written([_line(row) for row in (*nodes, *copies)], [_line(row) for row in relationships])


def _tabbed(answer: RecordedAnswer, draw: random.Random) -> str:
    return _written(*(["\t".join(row) for row in section] for section in answer.sections))


def _table(answer: RecordedAnswer, draw: random.Random) -> str:
    tables = []
    for head, *body in answer.sections:
        tables.append([f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body)])
    return _written(*tables)


DAMAGES: dict[str, Damage] = {
    "unquoted commas": _in_rows(_unquoted),
    "prose": _whole(_prose),
    "code fences": _whole(_fenced),
    "wrong types": _in_rows(_mistyped),
    "cut quotes": _in_rows(_cut_quote),
    "missing fields": _in_rows(_lacking),
    "wrong sentence numbers": _in_rows(_miscited),
    "repeated rows": _whole(_repeated),
    "tabs": _whole(_tabbed),
    "Markdown tables": _whole(_table),
}


def damaged(count: int) -> Iterator[tuple[str, RecordedAnswer, str, str]]:
    """Yield so many damaged answers, of each kind as many: kind, answer, its damaged text, and what is meant."""
    answers = [each for each in recorded() if stop(each.text, each.offsets) is None]
    draw = random.Random(SEED)
    for number in range(count):
        kind = [*DAMAGES][number % len(DAMAGES)]
        answer = draw.choice(answers)
        yield kind, answer, *DAMAGES[kind](answer, draw)


def measure(count: int) -> dict[str, Counter[str]]:
    """Return, for each kind of damage, how many rows are kept and wrong without and with the grammar."""
    found: dict[str, Counter[str]] = {}
    for kind, answer, text, meant in damaged(count):
        right = rows(read(meant, answer.offsets))
        counts = found.setdefault(kind, Counter())
        counts["answers"] += 1
        counts["rows"] += right.total()
        without = rows(read(text, answer.offsets))
        counts["kept"] += (without & right).total()
        counts["wrong"] += (without - right).total()
        at = stop(text, answer.offsets)
        counts["stopped"] += at is not None
        written = text if at is None else text.encode()[:at].decode(errors="ignore")
        certain = rows(read(written[: written.rfind("\n") + 1], answer.offsets))
        counts["certain"] += (certain & right).total()
        counts["wrong with"] += (certain - right).total()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--damaged", type=int, default=500, metavar="N", help="damaged answers")
    options = parser.parse_args(arguments)
    answers = recorded()
    stops = {each.name: (each, at) for each in answers if (at := stop(each.text, each.offsets)) is not None}
    print(f"{len(answers) - len(stops)} of {len(answers)} recorded answers are accepted. The others, where they stop:")
    for name, (each, at) in stops.items():
        line = each.text.encode()[:at].decode(errors="ignore").count("\n")
        print(f"  {name}, line {line + 1}: {' / '.join(each.text.splitlines()[line - 1 : line + 1])[:110]}")
    columns = ("answers", "rows", "kept", "wrong", "stopped", "certain", "wrong with")
    print(f"\n{'damage':<24}" + "".join(f"{name:>12}" for name in columns))
    found = measure(options.damaged)
    for kind, counts in (*found.items(), ("together", sum(found.values(), Counter[str]()))):
        print(f"{kind:<24}" + "".join(f"{counts[name]:>12,}" for name in columns))


if __name__ == "__main__":
    main()
