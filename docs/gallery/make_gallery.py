"""Make the gallery: load its texts with recorded answers, ask its questions, write its pages and pictures.

    make gallery

uses the database of the settings, in graphs of its own, and calls no model. `python docs/gallery/make_gallery.py --ask`
asks the model of the settings for what is not recorded, and records it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j import Answer, KnowledgeGraph, LoadOptions
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import chat_model
from kg_neo4j.records import Citation
from kg_neo4j.settings import Settings
from recorded_answers import FILES, RecordedAnswers

GALLERY = Path(__file__).resolve().parent
CHECKOUT = GALLERY.parents[1]
MADE = "Made with recorded answers of a large model; `make gallery` makes it again."


@dataclass(frozen=True, slots=True)
class Shown:
    """One graph of gallery.toml, with the answers to its questions."""

    given: Mapping[str, Any]  # the table of gallery.toml
    nodes: int
    facts: int
    answers: tuple[Answer, ...]  # in the order of the questions


def graphs() -> list[dict[str, Any]]:
    """Return the tables of gallery.toml."""
    listed: list[dict[str, Any]] = tomllib.loads((GALLERY / "gallery.toml").read_text(encoding="utf-8"))["graphs"]
    return listed


def load(kg: KnowledgeGraph, given: Mapping[str, Any]) -> None:
    """Load the tables and texts of a graph."""
    if "map" in given:  # tables need no model
        kg.load(map=str(CHECKOUT / given["map"]))
    kg.load(*(str(CHECKOUT / source) for source in given["sources"]), options=LoadOptions(rebuild=True))


def ask(kg: KnowledgeGraph, given: Mapping[str, Any], at_a_time: int = 1) -> tuple[Answer, ...]:
    """Return the answers to the questions of a graph, in their order."""
    with ThreadPoolExecutor(at_a_time) as pool:
        return tuple(pool.map(kg.ask, [each["ask"] for each in given["questions"]]))


def show(
    given: Mapping[str, Any], settings: Settings, model: RecordedAnswers, target: Path, at_a_time: int = 1
) -> Shown:
    """Load a graph, draw it into the folder `target`, and ask its questions; the judge checks each claim."""
    settings = settings.model_copy(update={"answer_cache": False, "judge": True})
    with KnowledgeGraph(given["graph"], settings=settings, chat_model=model) as kg:
        load(kg, given)
        status = kg.status()
        answers = ask(kg, given, at_a_time)
        kg.plot(target / f"{given['name']}.html", limit=given["limit"])
        return Shown(given, status.entities, status.relationships, answers)


# ---------------------------------------------------------------------------------------------------------- the page


def page(shown: Shown) -> str:
    """Return the page of a graph, as Markdown."""
    given = shown.given
    name, limit = given["name"], given["limit"]
    drawn = "them" if shown.nodes <= limit else f"the {limit} most connected"
    return "\n".join(
        (
            f"# {given['title']}\n",
            given["intro"],
            f"[![The graph: {shown.nodes} nodes, {shown.facts} facts]({name}.webp)]({name}.html)\n",
            f"{shown.nodes} nodes and {shown.facts} facts. [A page of `kg plot`]({name}.html) shows {drawn}, with the\n"
            f"sentences behind each. {MADE}\n",
            *(
                line
                for number, (asked, answer) in enumerate(zip(given["questions"], shown.answers, strict=True), 1)
                for line in _answered(number, asked, answer)
            ),
        )
    )


def _answered(number: int, asked: Mapping[str, str], answer: Answer) -> Iterator[str]:
    """Yield the lines of a question, its answer and the sentences that this rests on."""
    yield f"## {number}. {asked['ask']}\n"
    yield from quoted(answer.answer if answer.found else "No answer: nothing that was loaded says it.")
    if answer.found and answer.limits:
        yield ">"
        yield from quoted("\n".join(answer.limits))
    yield ""
    for place, citation in enumerate(answer.citations if answer.found else (), 1):
        yield from quoted(f"[{place}] *{citation.titled}*: {words_of(citation)}")
        yield ""
    if remark := asked.get("remark"):
        yield f"A reader's remark: {remark}\n"


def words_of(citation: Citation) -> str:
    """Return the words of a citation in one line, between quotation marks, without a heading above them."""
    lines = citation.quote.splitlines()
    words = [line for line in lines if not line.startswith("#")] or lines
    return "“" + " ".join(" ".join(words).split()).lstrip("# ").replace("*", "") + "”"


def quoted(text: str) -> Iterator[str]:
    """Yield the lines of a text as a block quotation, each one a line of its own."""
    lines = text.strip().splitlines()
    for place, line in enumerate(lines, 1):
        yield f"> {line}" + "\\" * (place < len(lines) and bool(line.strip()) and bool(lines[place].strip()))


# -------------------------------------------------------------------------------------------------------- the command


def record(model: RecordedAnswers) -> None:
    """Add new answers to the files of recorded ones."""
    for name, path in FILES.items():
        rows = [row for row in model.new if (name == "answers") == ("question" in row)]
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """Make all pages, or those of the graphs that are named."""
    parser = argparse.ArgumentParser(description="Make the gallery.")
    parser.add_argument("names", nargs="*", help="graphs of gallery.toml; none: all")
    parser.add_argument("--ask", action="store_true", help="ask the model of the settings for what is not recorded")
    arguments = parser.parse_args()
    settings = Settings()
    other = chat_model(settings) if arguments.ask else None
    if arguments.ask and other is None:
        raise UsageError("no model is set: set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL")
    model = RecordedAnswers(other=other)
    try:
        for given in graphs():
            if not arguments.names or given["name"] in arguments.names:
                shown = show(given, settings, model, GALLERY, at_a_time=10 if arguments.ask else 1)
                (GALLERY / f"{given['name']}.md").write_text(page(shown), encoding="utf-8")
                sys.stdout.write(f"docs/gallery/{given['name']}.md\n")
    finally:
        record(model)


if __name__ == "__main__":
    main()
