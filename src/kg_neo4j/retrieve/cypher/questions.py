"""Questions that a canned query answers: names linked to the graph, the query run, its rows put in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.records import Cell, CellParameter
from kg_neo4j.retrieve.cypher.templates import FURTHEST, Form, recognise, relationships_of, types_of
from kg_neo4j.retrieve.filtered import held
from kg_neo4j.retrieve.interface import Linked, Scope
from kg_neo4j.retrieve.linking import can_link, link, look_up, near_query, suggest
from kg_neo4j.retrieve.name_fits import NameFit, bearers, fit, say_missing
from kg_neo4j.retrieve.question import Question, read
from kg_neo4j.words import fold, is_stop_word, split_words

FETCHED = 201  # rows; those beyond the ones that are shown are counted
PATHS = 6
_LINES = data_files.beside(__file__).table("lines")


@dataclass(frozen=True, slots=True)
class CannedRows:
    """What a canned query gave. `columns` and `rows` leave out the ids, of which there is a tuple for each row."""

    query: str  # name in cypher/questions
    cypher: str
    parameters: Mapping[str, CellParameter]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ids: tuple[tuple[str, ...], ...]
    heading: str
    lines: tuple[str, ...]  # one for each row
    named: tuple[NamedPart, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether the query stopped at its bound, so that there may be more rows."""
        return len(self.rows) >= FETCHED


@dataclass(frozen=True, slots=True)
class NamedPart:
    """What a part of a question names."""

    words: str  # of the question
    name: str  # in the graph; of several bearers all, at most three
    ids: tuple[str, ...]
    others: str = ""  # further bearers of the name, as far as the words go


def ask_canned(database: Database, graph: str, question: Question, scope: Scope | None = None) -> CannedRows | str:
    """Return the rows of the first canned query that fits `question`; no rows are an answer, too.

    Where none fits, return what was not understood; "" where the question has no form that is known.

    Names are those of what `scope` leaves, and the rows tell of nothing else; relationships have both their ends.
    """
    reason = ""
    for form in recognise(question.text):
        found = _run(database, graph, form, scope)
        if isinstance(found, CannedRows):
            return found
        reason = reason or found
    return reason


def _run(database: Database, graph: str, form: Form, scope: Scope | None) -> CannedRows | str:
    """Look up what `form` leaves open and run its query."""
    known = database.read(queries.get("retrieve/types"), graph=graph)
    types = types_of(form.kind, [row["NodeType"] for row in known])
    if types is None:
        if form.query not in ("relations", "in_common", "stated"):
            return f"the graph has no entities of the kind {form.kind!r}"
        types = ()  # "who" in a graph without persons
    named: dict[str, NamedPart] = {}
    for place, words in (("x", form.x), ("y", form.y)):
        if words:
            found = _name(database, graph, words, scope)
            if found is None:
                return say_missing(words, suggest(database, graph, words) if can_link(database, graph) else ())
            named[place] = found
    relationships: tuple[str, ...] = ()
    direction = form.direction
    if form.query == "stated" or form.verb:
        drawn = database.read(queries.get("reports/relationships_by_type"), graph=graph)
        known_types = [row["RelationshipType"] for row in drawn]
        relationships, direction = relationships_of(form.verb, form.direction, known_types)
        if not relationships:
            return f"no relationship type of the graph matches {form.verb!r}"
    values: dict[str, CellParameter] = {
        "x": list(named["x"].ids) if "x" in named else [],
        "y": list(named["y"].ids) if "y" in named else [],
        "types": list(types),
        "events": list(form.events),
        "from": form.years[0] if form.years else None,
        "to": form.years[1] if form.years else None,
        "relationships": list(relationships),
        "direction": direction,
        "filtered": scope is not None,
        "limit": PATHS if form.query == "connections" else 5 if form.query == "most_connected" else FETCHED,
    }
    query = held(scope, f"questions/{form.query}")
    given = {each.name: values[each.name] for each in query.params if each.name != "graph"}
    tested = scope.values if scope else {}
    rows = database.read(query, graph=graph, **tested, **given)
    if not rows and "types" in given and types and form.query in ("relations", "in_common", "stated"):
        given["types"] = []  # "Who was born in Berlin?" is asked of what the graph may not know to be persons
        rows = database.read(query, graph=graph, **tested, **given)
    return _worded(form, query, {"graph": graph, **tested, **given}, rows, named)


def _name(database: Database, graph: str, words: str, scope: Scope | None) -> NamedPart | None:
    """Return the entities that `words` name; None where a word that says something is no part of a name."""
    linked = link(database, graph, read(words), scope) if can_link(database, graph) else Linked()
    if not linked.entities:
        return None
    named = {fold(word) for name in linked.names for word in split_words(name)}
    if any(fold(word) not in named and not is_stop_word(fold(word)) for word in split_words(words)):
        return None
    name = linked.names[0]
    rows = look_up(database, graph, [near_query(name)], scope)[0] if len(linked.names) == 1 else []
    fits = {} if bearers(name, rows) else _fits(name, rows)
    known = named_rows(database, graph, list(dict.fromkeys((*linked.entities, *fits))))
    parts = [each for each in fits if each in known]
    if len(parts) < 2:
        return NamedPart(
            words, _listed([known[each]["Name"] for each in linked.entities if each in known]), linked.entities
        )
    ranked = sorted(parts, key=lambda each: (fits[each], -known[each]["Relationships"], each))
    names = [known[each]["Name"] for each in ranked]
    return NamedPart(words, names[0], (ranked[0],), _listed(names[1:]))


def _fits(words: str, rows: Sequence[Row]) -> dict[str, NameFit]:
    """Return the entities that have all of `words` in one of their names: "Humboldt" is Alexander's and Wilhelm's."""
    fits = {row["id"]: fit(words, row) for row in rows if row["kind"] == "entity"}
    return {each: how for each, how in fits.items() if how is not None and how <= NameFit.PART}


def named_rows(database: Database, graph: str, ids: Sequence[str]) -> dict[str, Row]:
    """Return the rows on entities, with their names and types, by id."""
    return {row["Id"]: row for row in database.read(queries.get("questions/names"), graph=graph, ids=list(ids))}


def _listed(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(name or "" for name in names))
    return ", ".join(different[:3]) + (", ..." if len(different) > 3 else "")


# ------------------------------------------------------------------------------------------------------- in words


def _worded(
    form: Form,
    query: queries.Query,
    given: Mapping[str, CellParameter],
    rows: Sequence[Row],
    named: Mapping[str, NamedPart],
) -> CannedRows:
    columns = tuple(column.name for column in query.columns if column.name != "Ids")
    return CannedRows(
        query=form.query,
        cypher=query.text,
        parameters=given,
        columns=columns,
        rows=tuple(tuple(_cell(row[column]) for column in columns) for row in rows),
        ids=tuple(tuple(each for each in row["Ids"] if each) for row in rows),
        heading=_heading(form, rows, {place: each.name for place, each in named.items()}),
        lines=tuple(_line(form.query, row) for row in rows),
        named=tuple(named.values()),
    )


def _cell(value: object) -> Cell:
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _heading(form: Form, rows: Sequence[Row], names: Mapping[str, str]) -> str:
    """Return one sentence that says what the rows are; it claims nothing that the rows do not say."""
    x, y = names.get("x", ""), names.get("y", "")
    when = "" if form.years is None else _years(*form.years)
    dated = f", {when}" if when else ""
    if not rows:
        return {
            "connections": f"No path of at most six steps leads from {x} to {y} in the graph.",
            "in_common": f"The graph relates nothing to both {x} and {y}.",
            "year": f"The graph holds nothing {'of ' + x + ' ' if x else ''}that is dated {when}.",
            "life": f"The graph does not say when that was for {x}.",
        }.get(form.query, f"No answer found{' about ' + x if x else ''}.")
    total = sum(row["Count"] for row in rows) if form.query.startswith("number") else len(rows)
    many = f"{total:,}{'+' if total >= FETCHED and not form.query.startswith('number') else ''}"
    if form.query == "number_related" and form.verb:
        return f"{form.kind.capitalize()} related to {x} in this way{dated}: {many}"
    return {
        "relations": f"The graph relates {x} to the following ({many}):",
        "connections": f"{x} and {y} are connected by {rows[0].get('Steps')} step{'s' * (rows[0].get('Steps') != 1)}:",
        "in_common": f"{x} and {y} have in common ({many}):",
        "year": f"{when}{' ' + x + ':' if x else ':'}",
        "life": f"{x}:",
        "number": f"The graph knows {many} {form.kind or 'entities'}:",
        "number_related": f"{x} is related to {many} {form.kind or 'entities'}:",
        "most_connected": "Most relationships in the graph:",
        "mentions": f"{x} is mentioned in {many} document{'s' * (total != 1)}:",
        "entities": f"The graph knows {many} {'people' if form.kind in ('who', '') else form.kind}:",
        "stated": f"The graph says{dated} ({many}):",
    }[form.query]


def _years(first: int, last: int) -> str:
    shown = [f"{-year} BC" if year < 0 else str(year) for year in (first, last)]
    if last == FURTHEST:
        return f"since {shown[0]}"
    return shown[0] if first == last else f"{shown[0]} to {shown[1]}"


def _line(query: str, row: Row) -> str:
    """Return a row in words: names as they are, relationships as arrows."""
    if query == "connections":
        steps = [f" {arrow} {node}" for arrow, node in zip(row["Relationships"], row["Nodes"][1:], strict=True)]
        return str(row["Nodes"][0]) + "".join(steps)
    said = {"dated": f" ({row['Date']})" if row.get("Date") else "", "examples": ", ".join(row.get("Examples", ()))}
    said |= {"times": _many(row.get("Mentions", 0), "time"), "chunks": _many(row.get("Chunks", 0), "chunk")}
    for name, before in (("Target", " "), ("Role", ", ")):
        said[name.lower()] = f"{before}{row[name]}" if row.get(name) else ""
    return _LINES[query].format(**row, **said)


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"
