"""What a person without a key gets on ordinary texts: answers, facts and checks, held against written answers.

    python benchmarks/keyless.py benchmarks/keyless/open             every text of a folder
    python benchmarks/keyless.py benchmarks/keyless/kept.zip         the half that nothing is chosen by
    python benchmarks/keyless.py FOLDER --texts news_open --show     one text, every case printed
    python benchmarks/keyless.py FOLDER --wrap 72                    lines of at most 72 characters

A folder holds texts, and beside each NAME.txt, .md or .html the files NAME.questions.jsonl, NAME.facts.jsonl and
NAME.claims.jsonl; NAME.source names a text of ../shared/data in place of one. Each text is loaded into a graph of its
own. What an answer states is right where it has an accepted form. An answerable question is shown where the answer or
one of its passages has an accepted form, or the quote. Relations read by eye, with whether their sentence states them,
stand in FOLDER.relations.jsonl.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import textwrap
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kg_neo4j import Settings, factory, load
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.commands.ask import AskOptions, answerer
from kg_neo4j.progress import SILENT
from kg_neo4j.records import Answer
from kg_neo4j.retrieve.checking.support import CitedPassage, supports
from kg_neo4j.retrieve.sentences import split_sentences

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
DRAWN = Query(
    "drawn",
    "",
    "",
    "read",
    (),
    (),
    "",
    "",
    """
MATCH (a:Entity {graph: $graph})-[r]->(b:Entity {graph: $graph}) WHERE r.fact_id IS NOT NULL
RETURN [a.name] + coalesce(a.aliases, []) AS source, type(r) AS type, [b.name] + coalesce(b.aliases, []) AS target
""",
)
PARTS = ("questions", "facts", "claims")
VAGUE = (None, "", "No", "Yes")  # in a passage these say nothing
AROUND = 1_000  # characters on both sides of a quote: about a chunk
Row = Mapping[str, Any]


def main() -> None:
    options = _options()
    judged = read_by_eye(options.folder)
    with unpacked(options.folder) as folder:
        options.folder = folder
        with tempfile.TemporaryDirectory() as copies:
            measure(options, judged, Path(copies))


def read_by_eye(folder: Path) -> list[Row]:
    """Return the judged relations that belong to a folder or a ZIP file; none where there are none."""
    path = folder.with_suffix(".relations.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def measure(options: argparse.Namespace, judged: Sequence[Row], copies: Path) -> Counter[str]:
    """Load, ask and print; return the counts of all texts. `copies` is an empty folder, for wrapped texts."""
    total: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = {}
    for name, text in _texts(options.folder, options.texts):
        if options.wrap and text.suffix in (".txt", ".md"):
            text = wrapped(text, copies / text.name, options.wrap)
        settings = Settings(graph=f"{options.prefix}-{name}".replace("_", "-"))
        counts = Counter({"words": len(text.read_text(encoding="utf-8-sig").split())})
        if {"questions", "facts"} & set(options.only):
            load([str(text)], settings=settings)
            with connect(settings, SILENT) as database:
                asked = _rows(options.folder, name, "questions") if "questions" in options.only else []
                for row in asked:
                    answer = answerer(settings, database, factory.door(settings)).answer(row["question"], AskOptions())
                    outcome = judge(row, answer)
                    counts.update([outcome, "answerable" if row["answers"] else "unanswerable"])
                    counts["shown"] += shows(row, answer)
                    by_kind.setdefault(row["kind"], Counter()).update([outcome])
                    if options.show:
                        _show(row, answer, outcome)
                if "facts" in options.only:
                    found = drawn(database, settings.graph)
                    counts.update(facts(_rows(options.folder, name, "facts"), found, options.show))
                    counts.update(relations(found, [row for row in judged if row["text"] == name], options.show))
        if "claims" in options.only:
            rows = _rows(options.folder, name, "claims")
            counts.update(claims(rows, text.read_text("utf-8-sig"), options.show))
        total.update(counts)
        print(f"{name:20}", line(counts), flush=True)
    print(f"{'all':20}", line(total))
    for kind, counts in sorted(by_kind.items()):
        print(f"  {kind:18}", dict(sorted(counts.items())))
    if options.json:
        options.json.write_text(json.dumps(total, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return total


def wrapped(text: Path, copy: Path, columns: int) -> Path:
    """Write a copy of a text whose paragraphs are wrapped, as in many plain files; headings and lists stay."""
    paragraphs = [
        paragraph
        if paragraph.lstrip().startswith(("#", "|", "-", "*", ">", "`")) or paragraph.count("\n") > 1
        else textwrap.fill(paragraph, columns, break_long_words=False, break_on_hyphens=False)
        for paragraph in re.split(r"\n\s*\n", text.read_text("utf-8-sig"))
    ]
    copy.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return copy


def judge(row: Row, answer: Answer) -> str:
    """Return "right", "wrong" or "not stated"; without an accepted form "refused" or "answered"."""
    if not row["answers"]:
        return "answered" if answer.found else "refused"
    if not answer.found:
        return "not stated"
    said = plain(answer.short or answer.answer)
    return "right" if any(plain(each) in said for each in row["answers"]) else "wrong"


def shows(row: Row, answer: Answer) -> bool:
    """Return whether an answerable question is shown an accepted form, or the quote."""
    passages = (f"{each.before} {each.citation.quote} {each.after}" for each in answer.passages)
    told = [plain(each) for each in (answer.answer, *passages)]
    accepted = [plain(each) for each in (*row["answers"], row.get("quote")) if each not in VAGUE]
    return any(each in text for each in accepted for text in told)


def drawn(database: Database, graph: str) -> list[tuple[list[str], str, list[str]]]:
    """Return the relationships of a graph: all names of the source, type, all names of the target."""
    rows = database.read(DRAWN, graph=graph)
    return [(row["source"], row["type"], row["target"]) for row in rows]


def facts(rows: Iterable[Row], relations: Sequence[tuple[list[str], str, list[str]]], show: bool) -> Counter[str]:
    """Return how many listed facts, true and false, are drawn."""
    counts: Counter[str] = Counter()
    for row in rows:
        kind = "true fact" if row["true"] else "false fact"
        ways = [(row["subject"], row["types"], row["object"])]
        ways += [(row["object"], row["inverse_types"], row["subject"])] if row.get("inverse_types") else []
        found = any(
            _named(source, one) and _named(other, target) and any(word.upper() in kind_ for word in types)
            for one, kind_, target in relations
            for source, types, other in ways
        )
        counts.update([kind] + [f"{kind} drawn"] * found)
        if show and found != row["true"]:
            print(f"    {kind}, {'drawn' if found else 'missing'}: {row['subject']} {row['relation']} {row['object']}")
    return counts


def relations(found: Sequence[tuple[list[str], str, list[str]]], rows: Iterable[Row], show: bool) -> Counter[str]:
    """Return how many relations are drawn, how many of these were read by eye, and how many are stated."""
    stated = {(row["source"], row["type"], row["target"]): row["stated"] for row in rows}
    keys = [(source[0], kind, target[0]) for source, kind, target in found]
    counts = Counter({"relation": len(keys), "relation read": sum(key in stated for key in keys)})
    counts["relation stated"] = sum(stated.get(key, False) for key in keys)
    if show:
        print(
            *(
                f"    relation, {'not stated' if key in stated else 'not read'}: {key}"
                for key in keys
                if not stated.get(key)
            ),
            sep="\n",
        )
    return counts


def claims(rows: Iterable[Row], text: str, show: bool) -> Counter[str]:
    """Return how many planted claims, right and wrong, the check calls supported.

    Each is held against its quote, with the sentences next to that.
    """
    counts: Counter[str] = Counter()
    flat = " ".join(text.split())
    for row in rows:
        kind = "right claim" if row["right"] else "wrong claim"
        place = flat.find(" ".join(row["quote"].split()))
        before = [each.text for each in split_sentences(flat[max(0, place - AROUND) : place])][-1:] if place > 0 else []
        after = flat[place + len(" ".join(row["quote"].split())) :][:AROUND] if place >= 0 else ""
        near = " ".join([*before, *[each.text for each in split_sentences(after)][:1]])
        supported = supports(row["claim"], [CitedPassage(row["quote"], near=near)]).supported
        counts.update([kind] + [f"{kind} supported"] * supported)
        if show and supported != row["right"]:
            print(f"    {kind}, {'supported' if supported else 'rejected'}: {row['claim']} | {row['quote']}")
    return counts


def plain(text: str) -> str:
    """Return words and numbers without case, accents and punctuation, one blank around each."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return " ".join(["", *re.findall(r"[^\W_]+", bare.casefold()), ""])


def _named(wanted: str, names: Sequence[str]) -> bool:
    """Return whether one of the names is the wanted one, or the last words of it, or holds it whole."""
    mine = plain(wanted)
    return any(mine.endswith(plain(each)) or plain(each).endswith(mine) for each in names)


def line(counts: Mapping[str, int]) -> str:
    """Return the counts of a text, or of several, on one line."""
    right, wrong, answered = (counts.get(each, 0) for each in ("right", "wrong", "answered"))
    return (
        f"shown {_share(counts.get('shown', 0), counts.get('answerable', 0))} | right {right} wrong {wrong}"
        f" refused {counts.get('refused', 0)}/{counts.get('unanswerable', 0)}"
        f" | precision {_share(right, right + wrong + answered)}"
        f" | facts true {counts.get('true fact drawn', 0)}/{counts.get('true fact', 0)}"
        f" false {counts.get('false fact drawn', 0)}/{counts.get('false fact', 0)}"
        f" | relations stated {_share(counts.get('relation stated', 0), counts.get('relation read', 0))}"
        f" of {counts.get('relation', 0)}"
        f" | claims right {counts.get('right claim supported', 0)}/{counts.get('right claim', 0)}"
        f" wrong {counts.get('wrong claim supported', 0)}/{counts.get('wrong claim', 0)}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}={part / whole:.2f}" if whole else "-"


def _show(row: Row, answer: Answer, outcome: str) -> None:
    outcome += ", shown" * shows(row, answer)
    told = answer.short or answer.answer
    print(f"    {outcome}: {row['question']} -> {told!r}; accepted {row['answers']} [{row['kind']}; {row['trap']}]")


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield the folder, for the time being that of a ZIP file's contents."""
    if path.suffix != ".zip":
        yield path
        return
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(path) as file:
            file.extractall(name)
        yield Path(name)


def _texts(folder: Path, wanted: Sequence[str]) -> Iterable[tuple[str, Path]]:
    for questions in sorted(folder.glob("*.questions.jsonl")):
        name = questions.name.partition(".")[0]
        source = folder / f"{name}.source"
        own = [folder / f"{name}{suffix}" for suffix in (".txt", ".md", ".html")]
        text = DATA / source.read_text(encoding="utf-8").strip() if source.exists() else next(filter(Path.exists, own))
        if not wanted or name in wanted:
            yield name, text


def _rows(folder: Path, name: str, what: str) -> list[Row]:
    lines = (folder / f"{name}.{what}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", nargs="*", default=(), help="names of texts; all without it")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what is measured; all without it")
    parser.add_argument("--wrap", type=int, metavar="COLUMNS", help="wrap the paragraphs of texts, as in plain files")
    parser.add_argument("--prefix", default="keyless", help="of the graphs' names")
    parser.add_argument("--show", action="store_true", help="print every case")
    parser.add_argument("--json", type=Path, help="write the counts to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
