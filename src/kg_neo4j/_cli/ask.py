"""kg ask."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, ModelOption, settings_for
from kg_neo4j._cli.shapes import answer_shape
from kg_neo4j._cli.terminal import print_json, print_text, progress


def ask(
    question: Annotated[str, typer.Argument(help="A question in plain words.")],
    mode: Annotated[
        str, typer.Option("--mode", metavar="auto|local|global|naive", help="How to find the evidence.")
    ] = "auto",
    level: Annotated[
        int | None, typer.Option("--level", min=0, help="With --mode global: of the communities; 0 is the coarsest.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the evidence that was read, too.")] = False,
    model: ModelOption = None,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the graph, with citations that exist."""
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        settings = settings_for(graph=graph, model=model)
        answer = pipeline.ask(question, settings=settings, mode=mode, level=level, progress=bars)
    if as_json:
        print_json(answer_shape(answer))
        return
    print_text(answer.answer)
    for number, citation in enumerate(answer.citations, 1):
        place = f"chunk {citation.chunk_id} [{citation.start}:{citation.end}]"
        print_text(f"  [{number}] {citation.document}, {place}: “{' '.join(citation.quote.split())}”")
        if answer.paths:
            path = answer.paths[number - 1]
            report = f"community {path.number} of level {path.level} ({path.title})"
            print_text(f"      by the report on {report}, by its {path.kind} {path.name}")
    if show:
        for evidence in answer.evidence:
            print_text(f"  {evidence.kind} {evidence.id} ({evidence.score:.3f}): {' '.join(evidence.text.split())}")
    for note in answer.notes:
        typer.echo(f"note: {note}", err=True)
