"""kg search, show, test, verify, report: what the graph has for words, an entity, questions, claims; canned reports."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kg_neo4j._cli.options import filters_of, settings_for
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, remark, wordiness
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters

if TYPE_CHECKING:
    from kg_neo4j.pipeline.commands.verify import VerifiedText

NOT_FOUND = "not found means: not in these words; no model reads the claims, so other words for it are not recognised"
SHOWN = 300  # characters of a passage


def search(words: list[str], limit: int = 10, graph: str | None = None, as_json: bool = False) -> None:
    """Search entities by name, and passages by words and meaning.

    No model is called.
    """
    from kg_neo4j.pipeline.commands.search import search as find
    from kg_neo4j.retrieve.excerpts import excerpt

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars:
        found = find(" ".join(words), settings=settings, limit=limit, progress=bars)
    if as_json:
        print_json(found)
        return
    remark("note", found.notes)
    if entities := [hit for hit in found.hits if hit.kind == "entity"]:
        rows = [(each.name, each.type, each.evidence, each.text) for each in entities]
        print_table(["Entity", "Type", "Evidence", "Description"], rows)
    for hit in found.hits:
        if hit.kind == "passage":
            print_text(f"{hit.name}: {''.join(each.text for each in excerpt(hit.text, found.words))}\n")
    if not found.hits:
        print_text(f"No results in graph {settings.graph!r}.")


def show(name: list[str], facts: int = 20, passages: int = 5, graph: str | None = None, as_json: bool = False) -> None:
    """Show an entity with its facts, quotes and passages.

    If no entity has the name, similar names are listed.
    """
    from kg_neo4j.pipeline.commands.search import show as look

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars:
        found = look(" ".join(name), settings=settings, facts=facts, passages=passages, progress=bars)
    if as_json:
        print_json(found)
        return
    tables = f", {found.tables:,} of them {'a table' if found.tables == 1 else 'tables'}" if found.tables else ""
    facts_shown = {
        "entity": f"{found.name} ({found.type})",
        "also called": ", ".join(found.aliases),
        "description": found.description,
        "near names": ", ".join(found.near),
        "mentions": f"{found.evidence:,} in {found.documents:,} documents{tables}",
    }
    print_facts({name: value for name, value in facts_shown.items() if value})
    rows = []
    for f in found.facts:
        counted = [(f.in_tables, "in tables"), (f.by_hand, "by hand")]
        evidence = ", ".join([f"{f.evidence:,}", *(f"{count:,} {where}" for count, where in counted if count)])
        place = f"{f.document}, line {f.line}" if f.line else f.document
        rows.append((f"{f.source} {f.type} {f.target}", evidence, _short(f.quote), place, f.id[:8]))
    if rows:
        print_table(["Fact", "Evidence", "Quote", "Document", "Id"], rows)
    for passage in found.passages:
        print_text(f"{passage.document}: {_short(passage.text)}\n")


def ask_again(
    file: Path, save: bool = False, budget_usd: float | None = None, graph: str | None = None, as_json: bool = False
) -> None:
    """Ask saved questions again, and list wrong or changed answers.

    Each change names the documents behind it. Exits with 1 if an answer is wrong, or changed.
    """
    from kg_neo4j.pipeline.commands.verify import check_answers

    with progress(quiet=as_json) as bars:
        found = check_answers(file, settings=settings_for(graph=graph), save=save, budget_usd=budget_usd, progress=bars)
    count = Counter(each.change for each in found)
    if as_json:
        print_json(found)
    else:
        for each in (each for each in found if each.change in ("wrong", "changed")):
            signs = ("~", "-") if each.change == "changed" else ("!", "expected:")
            print_text(f"{signs[0]} {each.question}\n    {signs[1]} {_short(each.before)}\n    + {_short(each.after)}")
            for document in each.documents:
                print_text(f"    {document.document}: {document.change}")
        shown = ("right", "wrong") * bool(count["right"] + count["wrong"]) + ("changed", "new")
        counts = (f"{name}: {count[name]:,}" for name in shown)
        if not wordiness.is_quiet:
            print_text(f"questions: {len(found):,}, {', '.join(counts)}" + (", saved" * save))
        if count["new"] and not save and not wordiness.is_quiet:
            print_text("--save writes the current answers to the file; later runs compare with them.")
    if count["wrong"] or (count["changed"] and not save):
        raise typer.Exit(1)


def verify(
    file: str,
    filters: Annotated[Filters, filters_of] = Filters(),  # noqa: B008
    encoding: str | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Check the claims of a text against the graph.

    A claim is stated, contradicted or not found, with quotes. Exits with 1 unless all are stated.
    """
    from kg_neo4j.acquire.decoding import check_encoding, decode, normalise_text
    from kg_neo4j.pipeline.commands import verify

    encoding = check_encoding(encoding) if encoding else None
    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars:
        if file == "-":
            text = normalise_text(decode(sys.stdin.buffer.read(), encoding=encoding))
            found = verify.verify_text(text, settings=settings, filters=filters, progress=bars)
        else:
            found = verify.verify(file, settings=settings, filters=filters, encoding=encoding, progress=bars)
    if as_json:
        print_json(found)
    else:
        _print_claims(found)
        remark("note", found.notes)
        if found.count("not found"):
            remark("note", [NOT_FOUND])
    if found.count("stated") < len(found.claims):
        raise typer.Exit(1)


def _print_claims(found: VerifiedText) -> None:
    for each in found.claims:
        said = f" ({each.reason})" if each.reason else ""
        print_text(f"{each.verdict:<12}  {each.claim}{said}")
        if each.read_as:
            print_text(f"{'':<14}read as: {each.read_as}")
        for quote in each.citations:
            print_text(f"{'':<14}{quote.titled}: “{_short(quote.quote)}”")
            if quote.correction:
                print_text(f"{'':<14}{_short(quote.correction)}")
    counts = ", ".join(f"{kind}: {found.count(kind):,}" for kind in ("stated", "contradicted", "not found"))
    print_text(f"claims: {len(found.claims):,}, {counts}")
    if found.left_out:
        print_text(f"questions and headings left out: {found.left_out:,}")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[:SHOWN].rsplit(' ', 1)[0]} ..."


def report(
    name: str | None = None,
    values: list[str] | None = None,
    output: str = "table",
    browser: bool = False,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Run a report, or list all reports.

    A report is a ready-made Cypher query. Its parameters are options: `--limit 5`.
    """
    from kg_neo4j.graph import canned_reports
    from kg_neo4j.graph.report_format import render
    from kg_neo4j.pipeline.commands import report

    settings = settings_for(graph=graph)
    output = "json" if as_json else output
    if name is None:
        _print_reports(output)
        return
    parameters = dict(_pair(value) for value in values or ())
    if browser:
        print_text(canned_reports.browser_text(name, settings.graph, parameters))
        return
    with progress(quiet=output != "table") as bars:
        found = report.report(name, settings=settings, parameters=parameters, progress=bars)
    remark("note", found.notes)
    if output == "table":
        print_table(found.columns, found.rows, found.title)
        if not found.rows:
            typer.echo(f"note: no results in graph {settings.graph!r}", err=True)
    else:
        print_text(render(found, output))


def _print_reports(output: str) -> None:
    from kg_neo4j.graph import canned_reports

    listed = canned_reports.list_reports()
    if output == "json":
        print_json([{"name": canned_reports.outside_name(each), "purpose": each.purpose} for each in listed])
        return
    rows = []
    for each in listed:
        names = [f"{p.name}={'' if p.default is None else p.default}" for p in each.params if p.name != "graph"]
        rows.append((canned_reports.outside_name(each), each.title, " ".join(names)))
    print_table(["Report", "What it shows", "Parameters"], rows)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--set takes NAME=VALUE, not {text!r}")
    return name, value
