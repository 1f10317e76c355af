"""Records as people read them: as text, and as HTML for a notebook. All text of documents is escaped.

Ids, and values that are as by default, are left out.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.errors import NoSuchGraph
from kg_neo4j.graph import queries
from kg_neo4j.knowledge_graph import KnowledgeGraph
from kg_neo4j.organise.plot import DrawnGraph
from kg_neo4j.records import Answer, Usage

_WORDS = data_files.beside(__file__)
_LINES = _WORDS.table("lines")
_HIDDEN = _WORDS.word_set("hidden")
_LONGEST = 400  # characters of a record in one line
_FRAME = 'width="100%" height="640" style="border:0"'
_LEFT = 'style="text-align:left"'  # notebooks align cells right
_SURE = ("supported", "quoted")  # claims without a mark
NO_GRAPH = "there is no such graph; load makes it"
NOT_FOUND = "No answer found. The passages that fit best:"


def text(value: Any) -> str:
    """Return a record, or several one a line; an answer reads as `kg ask` prints it."""
    if isinstance(value, tuple):
        return "\n".join(map(in_line, value))
    if isinstance(value, KnowledgeGraph):
        return f"{value!r}: {', '.join(f'{count:,} {what}' for what, count in _size(value).items()) or NO_GRAPH}"
    return "\n".join(_answer(value) if isinstance(value, Answer) else _lines(value))


def page(value: Any) -> str:
    """Return the same as HTML."""
    if isinstance(value, tuple):
        return _table(value)
    if isinstance(value, Answer):
        return _answer_page(value)
    if isinstance(value, KnowledgeGraph):
        cells = "".join(f"<tr><th>{what}</th><td {_LEFT}>{count:,}</td></tr>" for what, count in _size(value).items())
        return f"<table><caption>{html.escape(repr(value))}</caption>{cells or NO_GRAPH}</table>"
    if isinstance(value, DrawnGraph):
        return f'<iframe srcdoc="{html.escape(value.page)}" title="{_escaped(value.caption)}" {_FRAME}></iframe>'
    rows, blocks = "", ""
    for name, each in _values(value).items():
        if (block := _block(each)) is None:
            rows += f"<tr><th>{_said(name)}</th><td {_LEFT}>{_escaped(each)}</td></tr>"
        else:
            blocks += f"<p>{_said(name)}</p>{block}"
    return f"<table>{rows}</table>{blocks}"


def in_line(value: Any) -> str:
    """Return a value in one line: a record by its form in drawing.toml, else its fields with their names."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{_said(str(name))} {in_line(each)}" for name, each in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(in_line, value))
    if form := _LINES.get(type(value).__name__):
        return _short(form.format(value))
    return in_line(_values(value)) if is_dataclass(value) else _plain(str(value))


def _size(graph: KnowledgeGraph) -> dict[str, int]:
    try:
        database, own = graph._open(), {"graph": graph.name}
    except NoSuchGraph:
        return {}
    size = database.read(queries.get("write/count_graph"), **own)[0]
    documents = len(database.read(queries.get("write/documents"), **own))
    return {"documents": documents, "entities": size["nodes"], "relationships": size["relationships"]}


def _answer(answer: Answer) -> Iterator[str]:
    yield from _said_lines(answer)
    yield from (f"  ! {in_line(each)}" for each in answer.claims if each.support not in _SURE)
    yield from (f"  [{number}] {in_line(each)}" for number, each in enumerate(answer.sources, 1))
    yield from (f"note: {_plain(each)}" for each in answer.limits)


def _answer_page(answer: Answer) -> str:
    parts = [f"<p>{html.escape(each)}</p>" for each in _said_lines(answer)]
    parts += [f"<p><mark>{_escaped(each)}</mark></p>" for each in answer.claims if each.support not in _SURE]
    sources = (f"<li><b>{_escaped(each.titled)}</b>: <q>{_escaped(each.quote)}</q></li>" for each in answer.sources)
    return "".join([*parts, "<ol>", *sources, "</ol>", *(f"<p><i>{_escaped(each)}</i></p>" for each in answer.limits)])


def _said_lines(answer: Answer) -> Iterator[str]:
    yield from map(_plain, answer.text.splitlines() if answer.found or not answer.passages else [NOT_FOUND])


def _lines(record: Any) -> Iterator[str]:
    """Yield a line for each value, and further ones for records that it holds."""
    if type(record).__name__ in _LINES:
        yield in_line(record)
        return
    found = _values(record)
    width = max(map(len, found), default=0)
    for name, value in found.items():
        if _block(value) is None:
            yield f"{_said(name):<{width}}  {in_line(value)}"
        else:
            yield f"{_said(name)}:"
            yield textwrap.indent(text(value) if isinstance(value, tuple) else str(value), "  ")


def _block(value: Any) -> str | None:
    """Return the table of what is a block of its own: records, DataFrames; None for other values."""
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return _table(value)
    return str(value._repr_html_()) if hasattr(value, "_repr_html_") else None


def _table(records: Iterable[Any]) -> str:
    rows = [_values(each) for each in records]
    columns = dict.fromkeys(name for row in rows for name in row)
    cells = ("".join(f"<td {_LEFT}>{_escaped(row.get(name, ''))}</td>" for name in columns) for row in rows)
    head = "".join(f"<th>{_said(name)}</th>" for name in columns)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _values(record: Any) -> dict[str, Any]:
    """Return the values that are shown, by their names."""
    found = {each: getattr(record, each.name) for each in fields(record) if each.repr and each.name not in _HIDDEN}
    return {
        each.name: value
        for each, value in found.items()
        if value is not None and not (type(value) is type(each.default) and value == each.default)
        if not (isinstance(value, str | tuple | Mapping) and not value)
        if not (isinstance(value, Usage) and not value.calls)
    }


def _plain(words: str) -> str:
    """Return text of a document in one line, without what a terminal obeys."""
    return " ".join("".join(char if char.isprintable() else " " for char in words).split())


def _short(words: str) -> str:
    return textwrap.shorten(_plain(words), _LONGEST, placeholder=" …")


def _said(name: str) -> str:
    return name.replace("_", " ")


def _escaped(value: Any) -> str:
    return html.escape(_short(in_line(value)))
