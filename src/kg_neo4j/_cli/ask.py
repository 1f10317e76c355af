"""kg ask."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.answers import draft, is_streamed, show_answer, show_notes
from kg_neo4j._cli.options import (
    GraphOption,
    JsonOption,
    ModelOption,
    filters_of,
    settings_for,
    with_groups,
)
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.startup import without_collection
from kg_neo4j._cli.terminal import print_json, print_text, progress
from kg_neo4j.records import Filters

NO_ANSWER = 6  # exit code


@without_collection()
@with_groups
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Question in plain words.")],
    mode: Annotated[
        str, typer.Option("--mode", metavar="auto|local|global|tree|naive|cypher", help="How to retrieve evidence.")
    ] = "auto",
    level: Annotated[
        int | None,
        typer.Option(
            "--level", metavar="N", min=0, help="With --mode global: level of the communities; 0 is the coarsest."
        ),
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k", metavar="N", min=1, help="With --mode tree or naive: number of nodes or chunks to read."
        ),
    ] = None,
    cosine: Annotated[
        bool, typer.Option("--cosine", help="With --mode tree or naive: search by vectors only.")
    ] = False,
    traversal: Annotated[
        str | None,
        typer.Option("--traversal", metavar="walk|top-down|bottom-up", help="With --mode tree: how to traverse it."),
    ] = None,
    tree: Annotated[
        str | None,
        typer.Option("--tree", metavar="NAME", help="With --mode tree: name of the trees [default: narrative]."),
    ] = None,
    aspect: Annotated[
        list[str] | None,
        typer.Option(
            "--aspect", metavar="NAME", help="With --mode tree: read only summaries of this aspect; repeatable."
        ),
    ] = None,
    context_tokens: Annotated[
        int | None,
        typer.Option(
            "--context-tokens", metavar="N", min=1, help="Maximum evidence tokens [default: 6000; mode tree: 1700]."
        ),
    ] = None,
    filters: Annotated[Filters, filters_of] = Filters(),  # noqa: B008
    show: Annotated[
        bool,
        typer.Option(
            "--show", help="Print paths, ids, notes, the check of each claim, and all evidence that was read."
        ),
    ] = False,
    cypher: Annotated[
        bool,
        typer.Option("--cypher", help="Print a Cypher query that shows the cited part of the graph in Neo4j Browser."),
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print time, model calls, tokens and cost.")] = False,
    stream: Annotated[
        bool | None,
        typer.Option("--stream/--no-stream", help="Show the model's answer as it arrives [default: on a terminal]."),
    ] = None,
    unsupported: Annotated[
        str | None,
        typer.Option(
            "--unsupported",
            metavar="mark|drop",
            help="What to do with claims that their sources do not support [default: mark].",
        ),
    ] = None,
    judge: Annotated[
        bool | None, typer.Option("--judge/--no-judge", help="Also let the model judge the claims (one more call).")
    ] = None,
    decompose: Annotated[
        bool,
        typer.Option("--decompose", help="Let the model split the question before the search (one more call)."),
    ] = False,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Let the model rerank the passages (one more call).")
    ] = False,
    exit_status: Annotated[
        bool, typer.Option("--exit-status", help=f"Exit with {NO_ANSWER} if no answer is found.")
    ] = False,
    model: ModelOption = None,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the graph, and cite the sources."""
    from kg_neo4j import pipeline
    from kg_neo4j.retrieve.interface import CHUNKS, ChunkChoice
    from kg_neo4j.retrieve.subgraph import browser_text
    from kg_neo4j.retrieve.tree.choice import COLLAPSED, TOP_K, TreeChoice

    is_naive = mode == "naive"
    nodes, by_cosine = (None, False) if is_naive else (top_k, cosine)
    chosen = TreeChoice(
        tree or TreeChoice().name, nodes or TOP_K, traversal or COLLAPSED, tuple(aspect or ()), cosine=by_cosine
    )
    with progress(quiet=as_json) as bars:
        settings = settings_for(graph=graph, model=model, unsupported=unsupported, judge=judge)
        with draft(stream=is_streamed(stream, as_json)) as hear:
            answer = pipeline.ask(
                question,
                settings=settings,
                mode=mode,
                level=level,
                filters=filters,
                max_context_tokens=context_tokens,
                tree=chosen,
                chunks=ChunkChoice(top_k or CHUNKS, cosine) if is_naive else None,
                decompose=decompose,
                rerank=rerank,
                progress=bars,
                hear=hear,
            )
    if as_json:
        print_json(plain(answer) | ({"cypher": browser_text(answer, settings.graph)} if cypher else {}))
    else:
        show_answer(answer, evidence=show, stats=stats)
        if cypher and answer.citations:
            print_text(browser_text(answer, settings.graph))
        show_notes(answer, evidence=show)
    if exit_status and not answer.found:
        raise typer.Exit(NO_ANSWER)
