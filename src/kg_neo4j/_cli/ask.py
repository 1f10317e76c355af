"""kg ask."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.answers import draft, is_streamed, show_answer, show_notes
from kg_neo4j._cli.options import filters_of, settings_for
from kg_neo4j._cli.process import without_collection
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import print_json, print_text, progress
from kg_neo4j.records import Filters

NO_ANSWER = 6  # exit code


@without_collection()
def ask(
    question: list[str],
    mode: str = "auto",
    level: int | None = None,
    top_k: int | None = None,
    cosine: bool = False,
    embedding: str = "passage",
    traversal: str | None = None,
    tree: str | None = None,
    aspect: list[str] | None = None,
    context_tokens: int | None = None,
    filters: Annotated[Filters, filters_of] = Filters(),  # noqa: B008
    show: bool = False,
    cypher: bool = False,
    stats: bool = False,
    stream: bool | None = None,
    exit_status: bool = False,
    model: str | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Answer a question from the graph, and cite the sources."""
    from kg_neo4j.pipeline.commands import ask
    from kg_neo4j.retrieve.interface import CHUNKS, ChunkChoice
    from kg_neo4j.retrieve.subgraph import browser_text
    from kg_neo4j.retrieve.tree.choice import COLLAPSED, TOP_K, TreeChoice

    is_naive = mode == "naive"
    nodes, by_cosine = (None, False) if is_naive else (top_k, cosine)
    chosen = TreeChoice(
        tree or TreeChoice().name, nodes or TOP_K, traversal or COLLAPSED, tuple(aspect or ()), cosine=by_cosine
    )
    chunks = ChunkChoice(top_k or CHUNKS if is_naive else CHUNKS, is_naive and cosine, embedding)
    with progress(quiet=as_json) as bars:
        settings = settings_for(graph=graph, model=model)
        with draft(stream=is_streamed(stream, as_json)) as on_token:
            answer = ask.ask(
                " ".join(question),
                settings=settings,
                mode=mode,
                level=level,
                filters=filters,
                max_context_tokens=context_tokens,
                tree=chosen,
                chunks=chunks,
                progress=bars,
                on_token=on_token,
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
