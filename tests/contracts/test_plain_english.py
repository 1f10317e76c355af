"""README, docs, help and messages of errors are plain English: short sentences, without the words of a bad translation.

Blocks of code and block quotations are not read. Words between back-ticks or quotation marks are those of a program or
of another author: they may be any words, and a code span counts as one. Headings, items of lists and cells of tables
each end a sentence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import kg_neo4j
from kg_neo4j import errors
from kg_neo4j._cli import app as command_line

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = sorted(Path(kg_neo4j.__file__).resolve().parents[1].rglob("*.py"))
LONGEST = 35
"""Words of a sentence."""

INSTEAD = {  # word -> what to write
    r"mend(?:s|ed|ing)?": "repair",
    r"gone on with": "continued",
    r"told": "mentioned, listed, reported",
    r"(?:says?|said) so": "reports it",
    r"in vain": "matches nothing",
    r"nobody": "no model is called; no user",
    r"cannot be meant": "is invalid",
    r"anew": "again; rebuilt",
    r"found ones|(?:the|its|of|these|all|further|\d+) finds": "hits, results",
    r"read off": "derived from",
    r"who is who": "entity resolution",
    r"st(?:ands?|anding|ood) (?:in|on|over)": "is in, is attached to, covers",
    r"the way there": "the path",
    r"beside": "compared with; next to; in addition to",
    r"wanted": "target",
    r"W[1-5]": "the work's title (docs/background.md)",
}
UNWANTED = {re.compile(rf"\b(?:{word})\b", re.IGNORECASE): better for word, better in INSTEAD.items()}
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|c|Dr|Mr|Mrs|St)|\b[A-Z])\.$")
MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def paragraphs(page: str) -> Iterator[str]:
    """Yield the prose of a Markdown page: paragraphs, items of lists, headings and cells of tables."""
    page = re.sub(r"(?ms)^\s*```.*?^\s*```\s*$|<!--.*?-->", "\n", page)
    lines: list[str] = []
    in_list = False
    for line in [*page.splitlines(), ""]:
        item = MARKER.match(line)
        whole = line.lstrip().startswith(("|", "#", ">", "<"))
        if lines and (item or whole or not line.strip()):
            yield " ".join(lines)
            lines = []
        if not line.strip():
            continue
        code = line.startswith("    ") and not lines and not item and not (in_list and not line.startswith("     "))
        in_list = bool(item) or (in_list and line.startswith(" "))
        if whole:
            yield from () if line.lstrip().startswith((">", "<")) else line.strip("# ").split("|")
        elif not code:
            lines.append(line[item.end() :] if item else line.strip())


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, code spans as one word, links as their text."""
    text = re.sub(r"(`+)[^`].*?\1", "code", " ".join(text.split()))
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    text = re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[.!?:](?=.)", "", quoted[0]), text)
    begin = 0
    for end in re.finditer(r"[.!?]+[\"')\]*_]*\s", text):
        if not ABBREVIATION.search(text[begin : end.start() + 1]):
            yield text[begin : end.end()].strip()
            begin = end.end()
    yield text[begin:].strip()


def faults(text: str) -> Iterator[str]:
    """Yield what is wrong with a paragraph."""
    for sentence in sentences(text):
        if (words := len(re.findall(r"\S*\w\S*", sentence))) > LONGEST:
            yield f"{words} words: {sentence}"
        own = re.sub(r'"[^"]*"', "", sentence)
        yield from (
            f"{found[0]!r}, better {better}: {sentence}"
            for word, better in UNWANTED.items()
            for found in word.finditer(own)
        )


def helps() -> dict[str, str]:
    """Return the help of every command and option, by its name."""
    found: dict[str, str] = {}

    def walk(command: Any, name: str, parent: Any) -> None:
        context = command.make_context(name, [], parent=parent, resilient_parsing=True)
        found[name] = command.help or ""
        found.update((f"{name} {each.name}", getattr(each, "help", None) or "") for each in command.params)
        for below in command.list_commands(context) if hasattr(command, "list_commands") else ():
            walk(command.get_command(context, below), f"{name} {below}", context)

    walk(typer.main.get_command(command_line.app), "kg", None)
    return found


def literals(node: ast.AST) -> Iterator[str]:
    """Yield the texts of an argument; values that are put into them are one word."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(each.value) if isinstance(each, ast.Constant) else "value" for each in node.values)
    elif isinstance(node, ast.Constant):
        yield from (node.value,) if isinstance(node.value, str) else ()
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def messages() -> Iterator[tuple[str, str]]:
    """Yield where it is, and the text, of each literal that is given to an error of ours, or to any that is raised."""
    ours = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    maybe = re.compile(rf"\braise\b|\b(?:{'|'.join(ours)})\(")
    for path, source in ((path, path.read_text(encoding="utf-8")) for path in SOURCES):
        for node in ast.walk(ast.parse(source)) if maybe.search(source) else ():
            call = node.exc if isinstance(node, ast.Raise) else node
            if isinstance(call, ast.Call) and (call is not node or getattr(call.func, "id", "") in ours):
                for argument in (*call.args, *(each.value for each in call.keywords)):
                    yield from ((f"{path.name}:{argument.lineno}", text) for text in literals(argument))


def test_pages_are_plain_english() -> None:
    pages = [page for name in ("README.md", "CONTRIBUTING.md", "docs/**/*.md") for page in CHECKOUT.glob(name)]
    assert len(pages) > 70
    texts = ((page.name, text) for page in pages for text in paragraphs(page.read_text(encoding="utf-8")))
    assert [(name, fault) for name, text in texts for fault in faults(text)] == []


def test_help_is_plain_english() -> None:
    found = helps()
    assert len(found) > 400
    assert [(name, fault) for name, text in found.items() for fault in faults(text)] == []


def test_messages_of_errors_are_plain_english() -> None:
    found = list(messages())
    assert len(found) > 800
    assert [(where, fault) for where, text in found for fault in faults(text)] == []


def test_what_is_read_and_what_is_not() -> None:
    page = "\n".join(
        (
            "# Anew",
            "Told of `anew code` and",
            'on, "anew". It ends. See [one](anew.md).',
            "",
            "    anew in code",
            "",
            "| told | cell |",
            "- an item",
            "  of two lines",
            "```text",
            "anew",
            "```",
            "> anew",
            f"{'word ' * 36}.",
        )
    )
    assert list(paragraphs(page))[:2] == ["Anew", 'Told of `anew code` and on, "anew". It ends. See [one](anew.md).']
    found = [fault.partition(",")[0].partition(":")[0] for text in paragraphs(page) for fault in faults(text)]
    assert found == ["'Anew'", "'Told'", "'told'", "36 words"]
    assert list(sentences("About c. 570, J. S. Bach. No. It ends?")) == ["About c. 570, J. S. Bach.", "No.", "It ends?"]
