"""kg study: measured comparisons."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from kg_neo4j._cli.chunk_length import SeveralValues, chunk_length
from kg_neo4j._cli.narrative import narrative
from kg_neo4j._cli.options import ChunkTokensOption, GleaningsOption, JsonOption, ModelOption, settings_for, tokens_of
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, remark
from kg_neo4j.errors import UsageError

app = typer.Typer(help="Measure on your own text what a choice is worth.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measure on your own text what a choice is worth."""


app.command("chunk-length", cls=SeveralValues)(chunk_length)
app.command("narrative")(narrative)


@app.command(cls=SeveralValues)
def aggregation(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Files and folders.")],
    chunk_tokens: Annotated[
        list[int] | None,
        typer.Option(
            "--chunk-tokens", metavar="N ...", help="Chunk sizes in tokens [default: 300 800 1200 2000].", min=1
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what aggregating small pieces saves.

    Counts the calls and embeddings of several chunk sizes.
    """
    from kg_neo4j.eval import aggregation as study

    measured = study.measure_sources(sources, chunk_tokens=chunk_tokens or study.TARGETS)
    if as_json:
        print_json(measured)
        return
    print_facts(
        {
            "documents": measured.documents,
            "tokens": f"{measured.tokens} ({measured.tokeniser})",
            "pieces": f"{measured.pieces} headings, paragraphs, lists and tables",
        }
    )
    rows: dict[str, list[object]] = {
        "Chunks": [each.chunks for each in measured.targets],
        "Chunks / pieces": [f"{each.chunks_ratio:.2f}" for each in measured.targets],
        "Calls without": [each.calls_without for each in measured.targets],
        "Calls with": [each.calls_with for each in measured.targets],
        "Calls saved": [f"{each.calls_saved:.0%}" for each in measured.targets],
        "Embedded without": [each.embedding_pieces_without for each in measured.targets],
        "Embedded with": [each.embedding_pieces_with for each in measured.targets],
        "Embedded with / without": [f"{each.embedding_ratio:.2f}" for each in measured.targets],
        "Calls and embedded without": [each.total_without for each in measured.targets],
        "Calls and embedded with": [each.total_with for each in measured.targets],
        "Calls and embedded saved": [f"{each.total_saved:.0%}" for each in measured.targets],
    }
    heads = ["Tokens a chunk", *(str(each.chunk_tokens) for each in measured.targets)]
    print_table(heads, [(name, *values) for name, values in rows.items()])


@app.command(cls=SeveralValues)
def averaging(
    corpora: Annotated[list[str], typer.Argument(metavar="CORPUS...", help="Passages: idx, title, text; JSON lines.")],
    questions: Annotated[
        list[str], typer.Option("--questions", metavar="FILE", help="Questions: id, question, gold; one file a corpus.")
    ],
    chunk_tokens: Annotated[
        list[int] | None,
        typer.Option("--chunk-tokens", metavar="N ...", help="Sizes of joined texts in tokens [default: 1200].", min=1),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Also send whole texts to a server.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Fuse each ranking with a full-text ranking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show texts to embed and cost; call no model.")] = False,
    output: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|markdown", help="Output format.")
    ] = "table",
) -> None:
    """Measure what averaging vectors of long texts costs.

    Compares recall of texts embedded averaged, whole, truncated, or by pieces.
    """
    from kg_neo4j.eval.retrieval import averaging as study
    from kg_neo4j.graph.report_format import FORMATS, render

    if output not in FORMATS:
        raise UsageError(f"there is no format {output[:40]!r}", hint=f"one of {', '.join(FORMATS)}")
    options = study.AveragingOptions(tuple(chunk_tokens or study.AveragingOptions().chunk_tokens), whole, words)
    settings = settings_for()
    found: study.AveragingStudy | tuple[study.AveragingPlan, ...]
    if dry_run:
        found = study.plan_averaging(corpora, questions, settings=settings, options=options)
        table = study.averaging_plan_table(found)
    else:
        with progress(quiet=output != "table") as bars:
            found = study.study_averaging(corpora, questions, settings=settings, options=options, progress=bars)
        table = study.averaging_table(found)
    if output == "json":
        print_json(found)
    elif output == "table":
        print_table(table.columns, table.rows, table.title)
    else:
        print_text(render(table, output))
    remark("note", table.notes)


@app.command()
def context(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Files and folders.")],
    chunk_tokens: ChunkTokensOption = "200",
    wave: Annotated[int, typer.Option("--wave", metavar="N", help="Chunks per batch.", min=1)] = 8,
    gleanings: GleaningsOption = 0,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what context from earlier chunks is worth.

    Counts components, duplicates and links of pronouns.
    """
    from kg_neo4j.eval import context as study
    from kg_neo4j.pipeline import LoadOptions

    options = LoadOptions(chunk_tokens=tokens_of(chunk_tokens), wave=wave, gleanings=gleanings)
    with progress(quiet=as_json) as bars:
        found = study.study_context(sources, settings=settings_for(model=model), options=options, progress=bars)
    if as_json:
        print_json(asdict(found))
        return
    measures: dict[str, list[object]] = {
        "Chunks": [each.chunks for each in found.variants],
        "Nodes": [each.nodes for each in found.variants],
        "Relationships": [each.relationships for each in found.variants],
        "Components": [each.components for each in found.variants],
        "Nodes in the largest": [f"{each.largest:.0%}" for each in found.variants],
        "Duplicates": [each.duplicates for each in found.variants],
        "Pronoun links": [each.pronoun_links for each in found.variants],
        "Calls": [each.usage.calls for each in found.variants],
        "Input tokens": [each.usage.input_tokens for each in found.variants],
    }
    named = [f"in waves of {each.wave}" if each.wave else "nothing" for each in found.variants]
    print_table(["Carried over", *named], [(name, *values) for name, values in measures.items()])
    if not found.uses_context:
        typer.echo(f"note: {found.model} reads each chunk by itself; configure a model to see a difference", err=True)
