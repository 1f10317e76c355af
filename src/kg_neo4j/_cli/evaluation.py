"""kg eval: scorecards against what people annotated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.eval_answers import answers
from kg_neo4j._cli.options import (
    BudgetOption,
    CacheOption,
    GleaningsOption,
    JsonOption,
    ModelOption,
    SchemaOption,
    given_options,
    settings_for,
)
from kg_neo4j._cli.scorecards import scorecard_shape, show_scorecard
from kg_neo4j._cli.terminal import print_json, progress, remark

app = typer.Typer(help="Measure quality against annotated data.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measure quality against annotated data."""


@app.command()
def extraction(
    context: typer.Context,
    gold: Annotated[str, typer.Option("--gold", metavar="FILE", help="Annotated passages in the format of Re-DocRED.")],
    types: Annotated[
        str | None,
        typer.Option("--types", metavar="FILE", help="TOML file that maps types, in addition to the built-in map."),
    ] = None,
    split: Annotated[
        str,
        typer.Option(
            "--split", metavar="all|train|validation|test", help="Part of the passages, by the hash of the title."
        ),
    ] = "all",
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Maximum number of passages.", min=1)
    ] = None,
    schema: SchemaOption = "graph",
    gleanings: GleaningsOption = 1,
    model: ModelOption = None,
    budget_usd: BudgetOption = None,
    cache: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Score extraction against annotated passages.

    Scores mentions, entities, relations, entity resolution, evidence and cost.
    """
    from kg_neo4j.eval.extraction.scorecard import ScorecardOptions, score_extraction

    settings = settings_for(model=model, answer_cache=None if cache else False)
    if model is not None:
        from kg_neo4j import factory

        factory.require_model(settings, f"--model {model}, but no server to ask")
    options = ScorecardOptions(
        split=split, limit=limit, types=types, schema=schema, gleanings=gleanings, budget_usd=budget_usd
    )
    with progress(quiet=as_json) as bars:
        card = score_extraction(gold, settings=settings, options=options, progress=bars)
    if as_json:
        print_json(scorecard_shape(card))
    else:
        unsaid = ("--budget-usd", "--cache")
        given = {name: value for name, value in given_options(context).items() if name not in unsaid}
        show_scorecard(card, ["kg", "eval", "extraction", *_words(given)])
        remark("note", (*card.failed, *card.notes))
    if card.failed:
        raise typer.Exit(PARTLY_DONE)


@app.command()
def retrieval(
    context: typer.Context,
    corpus: Annotated[
        str, typer.Option("--corpus", metavar="FILE", help="Passages: idx, title, text; JSON lines or HippoRAG's list.")
    ],
    questions: Annotated[
        str,
        typer.Option(
            "--questions", metavar="FILE", help="Questions: id, question, gold; JSON lines or HippoRAG's list."
        ),
    ],
    modes: Annotated[list[str], typer.Option("--mode", metavar="naive|local", help="Mode; repeatable.")] = [  # noqa: B006
        "naive",
        "local",
    ],
    depths: Annotated[list[int], typer.Option("--k", metavar="N", help="Depth; repeatable.", min=1)] = [  # noqa: B006
        *(1, 2, 5, 10, 20)
    ],
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Maximum number of questions.", min=1)
    ] = None,
    triples: Annotated[
        str | None, typer.Option("--triples", metavar="FILE", help="Graph of the passages by another extractor.")
    ] = None,
    saved: Annotated[
        str | None,
        typer.Option("--against", metavar="FILE", help="Output of an earlier run with --json, to compare with."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score retrieval, compared with flat search.

    Measures recall of the passages that a question needs.
    """
    from kg_neo4j._cli.retrieval_scorecards import against, read_saved, show_retrieval
    from kg_neo4j.eval.retrieval.scorecard import RetrievalOptions, score_retrieval

    earlier = read_saved(saved) if saved else {}
    options = RetrievalOptions(tuple(dict.fromkeys(modes)), tuple(sorted(set(depths))), limit, triples)
    with progress(quiet=as_json) as bars:
        card = score_retrieval(corpus, questions, settings=settings_for(), options=options, progress=bars)
    differences = against(card, earlier)
    if as_json:
        print_json(card)
    else:
        show_retrieval(card, ["kg", "eval", "retrieval", *_words(given_options(context))], differences)
    remark("note", card.notes)


app.command("answers")(answers)


def _words(given: Mapping[str, Any]) -> list[str]:
    listed = ((name, value if isinstance(value, list) else [value]) for name, value in given.items())
    return [word for name, values in listed for value in values for word in (name, str(value))]
