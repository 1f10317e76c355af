"""Fill pages from the package itself: `<!-- generated: commands -->` becomes a section for each command.

The text is Markdown and replaces the comment before the page is parsed, so its headings are in the contents and in the
search.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sphinx.application import Sphinx
from typer.main import get_command

import kg_neo4j
from kg_neo4j import errors
from kg_neo4j._cli.app import app as command_line
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import list_reports, outside_name

MARK = re.compile(r"<!-- generated: (\w+) -->")
KINDS = {"s": "text", "i": "integer", "n": "number", "b": "true or false", "l": "texts", "w": "integers", "v": "vector"}
RECORDS = Path(kg_neo4j.__file__).parent / "graph" / "archive_records.toml"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the filling of pages."""
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", mark_examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fill(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Replace each mark of a page by what its generator gives."""
    source[0] = MARK.sub(lambda found: "\n".join(GENERATORS[found[1]]()), source[0])


def mark_examples(_app: Sphinx, _kind: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Make a literal block of each indented example: docstrings have no `::` before it."""
    for number in range(len(lines) - 1, 1, -1):
        if lines[number].startswith("    ") and not lines[number - 1] and not lines[number - 2].startswith(" "):
            lines[number:number] = ["::", ""]


def commands() -> Iterator[str]:
    """Yield a section for each command, with its options as `kg COMMAND --help` lists them."""
    root = get_command(command_line)
    context = root.make_context("kg", [], resilient_parsing=True)
    for name in root.list_commands(context):
        yield from _command(root.get_command(context, name), context, name, level=2)


def _command(command, context, name: str, level: int) -> Iterator[str]:
    own = type(context)(command, info_name=name, parent=context)
    yield f"{'#' * level} {own.command_path}\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    if hasattr(command, "list_commands"):
        for each in command.list_commands(own):
            yield from _command(command.get_command(own, each), own, each, level + 1)
        return
    yield f"```text\n{' '.join([own.command_path, *command.collect_usage_pieces(own)])}\n```\n"
    rows = [record for each in command.params if (record := each.get_help_record(own))]
    yield from _table(("argument or option", "meaning"), ((f"`{_plain(names)}`", help_) for names, help_ in rows))


def _plain(names: str) -> str:
    return re.sub(r" <[^<>]*>$", "", names)  # an argument's Python type


def reports() -> Iterator[str]:
    """Yield a section for each canned report, from the header of its file."""
    for query in list_reports():
        yield f"## {outside_name(query)}\n"
        yield f"{query.title}. {query.purpose}\n"
        taken = [each for each in query.params if each.name != "graph"]
        if taken:
            yield from _table(("`--set`", "type", "meaning"), ((f"`{p.name}`", p.type, p.note) for p in taken))
        yield from _table(("column", "type", "meaning"), ((f"`{c.name}`", c.type, c.note) for c in query.columns))
        yield f"Order: {query.order}.\n"


def labels() -> Iterator[str]:
    """Yield the properties of each label and relationship type, from the records that an archive may hold."""
    known = tomllib.loads(RECORDS.read_text("utf-8"))["known"]
    for name, text in known.items():
        yield f"### {name}\n"
        pairs = [each.split(":") for each in text.split()]
        rows = ((f"`{key}`", KINDS[kind[0]], "yes" if kind.endswith("!") else "") for key, kind in pairs)
        yield from _table(("property", "type", "required"), rows)


def relationships() -> Iterator[str]:
    """Yield the relationship types with the labels at their ends."""
    text = tomllib.loads(RECORDS.read_text("utf-8"))["ends"]
    rows = [[f"`{each.strip()}`" for each in line.split("|")] for line in text.split("\n") if line]
    yield from _table(("type", "from", "to"), rows)


def indexes() -> Iterator[str]:
    """Yield the constraints and indexes."""
    found = [queries.get(name) for name in queries.names("schema")]
    statements = ((each.title, f"`{each.text.strip().splitlines()[-1]}`") for each in found)
    yield from _table(("what", "Cypher"), statements)


def exceptions() -> Iterator[str]:
    """Yield the tree of exceptions with their exit codes, from the module that defines them."""
    lines = inspect.cleandoc(errors.__doc__ or "").splitlines()
    tree = [line for line in lines if line.startswith((" ", "│", "├", "└")) and line.strip()]
    yield "```text\n" + inspect.cleandoc("\n" + "\n".join(tree)) + "\n```\n"


def api() -> Iterator[str]:
    """Yield an autodoc directive for each public name, grouped by what it is."""
    groups: dict[str, list[str]] = {title: [] for title in ("The graph", "Functions", "Protocols", "Records", "Errors")}
    for name in kg_neo4j.__all__:
        groups[_group(name)].append(name)
    for title, names in groups.items():
        yield f"## {title}\n"
        for name in names:
            kind = "autofunction" if title == "Functions" else "autoclass"
            members = [] if title == "Functions" or name == "Settings" else ["   :members:"]
            yield "\n".join(["```{eval-rst}", f".. {kind}:: kg_neo4j.{name}", *members, "```", ""])


def _group(name: str) -> str:
    found = getattr(kg_neo4j, name)
    if not inspect.isclass(found):
        return "Functions"
    if issubclass(found, kg_neo4j.KgError):
        return "Errors"
    if name.endswith("KnowledgeGraph"):
        return "The graph"
    return "Protocols" if inspect.isabstract(found) or getattr(found, "_is_protocol", False) else "Records"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


GENERATORS = {each.__name__: each for each in (api, commands, reports, labels, relationships, indexes, exceptions)}
