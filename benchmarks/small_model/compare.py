"""How well a small model fills a schema: rows accepted, listed facts true and false, seconds, ended or not.

python benchmarks/small_model/compare.py --url http://127.0.0.1:18800/v1 --schema small --schema lean
    [--prompt FILE ...] [--grammar both] [--half seen] [--text NAME ...] [--log FILE]
python benchmarks/small_model/compare.py --replay FILE     # the same table from the answers of a log, without a model

The texts and their facts are in texts.toml. Each text is one chunk, extracted as `kg load` does it, without a database.
A fact is found if an accepted relationship states it, by names and by a part of its type. `ended`: every answer came to
its own end. `flagged` counts accepted rows that say what their sentences do not say. `on their sentence` counts rows
whose cited sentence holds a word of the second end. With --grammar the server holds the answer to a GBNF made here: the
numbers of the sentences shown, in order, at most three rows for each.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kg_neo4j._models import prompts, tokens
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.protocols import Completion
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.reading import is_cut
from kg_neo4j.extract.schema import Schema
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, Document, Extraction, RelationshipRow, Usage

TEXTS = Path(__file__).with_name("texts.toml")
ROWS_A_SENTENCE = 3  # under the grammar
HEADS = ("way", "texts", "rows read", "accepted", "relationships", "on their sentence", "flagged", "true facts")
HEADS += ("false facts", "tokens out", "seconds", "ended")


@dataclass(frozen=True, slots=True)
class Result:
    """What one text gave under one schema."""

    text: str
    seen: bool
    way: str
    seconds: float
    read: int
    nodes: int
    relationships: int
    rejected: int
    flagged: int  # relationships
    on_sentence: int  # relationships whose cited sentence holds a word of the second end
    true: int
    listed_true: int
    false: int
    listed_false: int
    true_unflagged: int
    false_unflagged: int
    ended: bool
    calls: int
    input_tokens: int
    output_tokens: int
    outcome: str
    detail: str
    reasons: Mapping[str, int]
    found: Sequence[str]
    answers: Sequence[Mapping[str, Any]]


class Constrained(OpenAIChat):
    """Sends a grammar made of the numbers of the sentences in the prompt."""

    schema: Schema

    def complete(self, system: str, user: str, **how: Any) -> Any:
        between = re.search(r"===== begin \w+ =====\n(.*?)\n===== ", user, re.DOTALL)
        numbers = [int(each) for each in re.findall(r"^(\d+) ", between[1] if between else "", re.MULTILINE)]
        options = {**(how.pop("options", None) or {}), "grammar": grammar_of(self.schema, numbers)}
        return super().complete(system, user, options=options, **how)


@dataclass
class Replayed:
    """A model that says again what a log has."""

    answers: list[dict[str, Any]]
    name: str = "small"
    window: int = 16_384

    def complete(self, system: str, user: str, **_how: Any) -> Completion:
        said = self.answers.pop(0)
        return Completion(said["text"], said["finish_reason"], Usage(1, said["input_tokens"], said["output_tokens"]))


def replay(path: Path, texts: Sequence[Mapping[str, Any]]) -> None:
    """Print the table of a log, by the rules of today."""
    ways: dict[str, list[Result]] = {}
    by_name = {text["name"]: text for text in texts}
    for each in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if each["text"] not in by_name:
            continue
        schema = schemas.load(each["way"].split(" ")[0])
        found = measure(
            by_name[each["text"]], schema, LlmExtractor(door_to(Replayed(each["answers"])), schema), each["way"]
        )
        ways.setdefault(each["way"], []).append(replace(found, seconds=each["seconds"]))
    for way, results in ways.items():
        print(line(way, results))


def grammar_of(schema: Schema, numbers: Sequence[int]) -> str:
    """Return a GBNF of the rows of facts: no field is empty but those after the second type."""
    more = "".join(f' "," value{place}' for place in range(len(schema.facts) - 6))
    values = [f'value{place} ::= [^,"\\n]{{0,20}}' for place in range(len(schema.facts) - 6)]
    rows = [f's{each} ::= ("{each}," fact){{0,{ROWS_A_SENTENCE}}}' for each in numbers]
    return "\n".join(
        (
            f'root ::= "{schema.headers[0]}\\n" ' + " ".join(f"s{each}" for each in numbers),
            *rows,
            f'fact ::= name "," type "," type "," name "," type{more} "\\n"',
            'name ::= [^,"\\n -] [^,"\\n]{0,60}',
            "type ::= [A-Z] [A-Z_]{1,30}",
            *values,
        )
    )


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def states(fact: str, row: RelationshipRow, names: Mapping[str, str]) -> bool:
    """Return whether a relationship states a listed fact."""
    first, kinds, second = (part.strip() for part in fact.split("|"))
    either = kinds.endswith("<->")
    wanted = [kind.strip() for kind in kinds.removesuffix("<->").split(",")]
    ends = (words(names[row.source_id]), words(names[row.target_id]))
    fits = [words(first) <= ends[0] and words(second) <= ends[1]]
    fits += [words(first) <= ends[1] and words(second) <= ends[0]] * either
    denied = {"NOT", "NEVER", "NO"} & {*row.type.split("_")}
    return any(fits) and not denied and any(kind in row.type or kind == "*" for kind in wanted)


def measure(text: Mapping[str, Any], schema: Schema, extractor: LlmExtractor, way: str) -> Result:
    """Extract one text and compare."""
    passage = text["text"].strip()
    document = Document("d", "compare", text["name"], "", "", "", "", text.get("language", "en"))
    chunk = Chunk("c", "d", "compare", 0, passage, 0, len(passage), tokens.load().count(passage))
    started = time.monotonic()
    found: Extraction = extract_chunk(ChunkTask(document, chunk), ExtractionConfig(schema, extractor))
    seconds = time.monotonic() - started
    names = {node.node_id: node.name for node in found.nodes}
    clean = [row for row in found.relationships if not row.flags]
    counts = [
        sum(any(states(fact, row, names) for row in rows) for fact in text[kind])
        for rows in (found.relationships, clean)
        for kind in ("true", "false")
    ]
    reasons: dict[str, int] = {}
    for each in found.rejections:
        reasons[str(each.reason)] = reasons.get(str(each.reason), 0) + 1
    said = [f"{names[row.source_id]} {row.type} {names[row.target_id]}" for row in found.relationships]
    return Result(
        text["name"],
        text["seen"],
        way,
        round(seconds, 1),
        found.rows_read,
        len(found.nodes),
        len(found.relationships),
        len(found.rejections),
        len(found.relationships) - len(clean),
        sum(bool(words(names[row.target_id]) & words(row.evidence or "")) for row in found.relationships),
        counts[0],
        len(text["true"]),
        counts[1],
        len(text["false"]),
        counts[2],
        counts[3],
        bool(found.answers) and not any(map(is_cut, found.answers)),
        found.usage.calls,
        found.usage.input_tokens,
        found.usage.output_tokens,
        str(found.outcome),
        found.detail,
        reasons,
        said,
        [
            {
                "text": answer.text,
                "finish_reason": answer.finish_reason,
                "input_tokens": answer.usage.input_tokens,
                "output_tokens": answer.usage.output_tokens,
            }
            for answer in found.answers
        ],
    )


def ways(arguments: argparse.Namespace) -> Iterator[tuple[str, Schema, LlmExtractor]]:
    """Yield each schema, with each prompt, with and without the grammar."""
    for name in arguments.schema:
        schema = schemas.load(name)
        for path in arguments.prompt or [None]:
            for held in (False, True) if arguments.grammar == "both" else (arguments.grammar == "yes",):
                kind = type("Held", (Constrained,), {"schema": schema}) if held else OpenAIChat
                model = kind("small", Endpoint(arguments.url, timeout_s=1800, retries=0))
                extractor = LlmExtractor(door_to(model), schema)
                if path:
                    extractor._prompt = prompts.load_file(Path(path))
                parts = (schema.name, Path(path).stem if path else "", "grammar" if held else "")
                yield " ".join(filter(None, parts)), schema, extractor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="base URL of the model's server")
    parser.add_argument("--schema", action="append", default=[], help="a built-in schema or a file; may be repeated")
    parser.add_argument("--prompt", action="append", help="a prompt file instead of the schema's own; may be repeated")
    parser.add_argument("--grammar", choices=("no", "yes", "both"), default="no")
    parser.add_argument("--half", choices=("seen", "unseen", "all"), default="all")
    parser.add_argument("--text", action="append", help="only this text; may be repeated")
    parser.add_argument("--log", type=Path, help="a file that gets one line of JSON for each text")
    parser.add_argument("--replay", type=Path, help="a log to read again")
    arguments = parser.parse_args()
    texts = tomllib.loads(TEXTS.read_text(encoding="utf-8"))["texts"]
    halves = {"seen": (True,), "unseen": (False,), "all": (True, False)}[arguments.half]
    texts = [
        each for each in texts if each["seen"] in halves and (not arguments.text or each["name"] in arguments.text)
    ]
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}", flush=True)
    if arguments.replay:
        replay(arguments.replay, texts)
    for way, schema, extractor in ways(arguments):
        results = []
        for text in texts:
            results.append(measure(text, schema, extractor, way))
            if arguments.log:
                with arguments.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(asdict(results[-1]), ensure_ascii=False) + "\n")
        print(line(way, results), flush=True)


def line(way: str, results: Sequence[Result]) -> str:
    """Return a row of the table."""
    names = ("read", "rejected", "relationships", "on_sentence", "flagged")
    read, rejected, stated, placed, flagged = (sum(getattr(each, name) for each in results) for name in names)
    true = f"{sum(each.true for each in results)} of {sum(each.listed_true for each in results)}"
    false = f"{sum(each.false for each in results)} of {sum(each.listed_false for each in results)}"
    out, seconds = sum(each.output_tokens for each in results), sum(each.seconds for each in results)
    ended = f"{sum(each.ended for each in results)} of {len(results)}"
    cells = (
        way,
        len(results),
        read,
        read - rejected,
        stated,
        placed,
        flagged,
        true,
        false,
        out,
        f"{seconds:.0f}",
        ended,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
