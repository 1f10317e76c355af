"""kg eval answers: one mode on a file of questions, or several systems on a published set."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kg_neo4j._cli.options import BudgetOption, GraphOption, JsonOption, ModelOption, given_options, settings_for
from kg_neo4j._cli.terminal import print_json, progress, remark
from kg_neo4j.errors import UsageError

Changed = dict[str, Any]  # option -> value, of those that are not the default


def answers(
    context: typer.Context,
    questions: Annotated[
        str,
        typer.Option(
            "--questions", metavar="PATH", help="Questions: JSON lines, a QuALITY file, a NarrativeQA folder."
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", metavar="FILE", help="Passages to load first into their own graph; JSON lines."),
    ] = None,
    mode: Annotated[
        str, typer.Option("--mode", metavar="auto|local|global|naive|cypher", help="How to retrieve evidence.")
    ] = "auto",
    systems: Annotated[
        str | None,
        typer.Option(
            "--systems",
            metavar="LIST",
            help="Systems to compare, separated by commas: naive,raptor,tree,local,global,auto.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="questions|quality|narrativeqa", help="Format of the questions [default: detected]."
        ),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="NAME", help="Only texts of one source, such as gutenberg.")
    ] = None,
    split: Annotated[
        str | None, typer.Option("--set", metavar="train|valid|test", help="One set of NarrativeQA.")
    ] = None,
    documents: Annotated[
        int | None, typer.Option("--documents", metavar="N", help="Maximum number of texts.", min=1)
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Maximum number of questions.", min=1)
    ] = None,
    summaries: Annotated[
        bool, typer.Option("--summaries", help="NarrativeQA: use the summaries instead of the texts.")
    ] = False,
    whole_graph: Annotated[
        bool, typer.Option("--whole-graph", help="Search the whole graph, not only the text that a question is about.")
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge", metavar="auto|model|words", help="Judge of statements [default: the model, if there is one]."
        ),
    ] = None,
    chunk_tokens: Annotated[
        int | None, typer.Option("--chunk-tokens", metavar="N", help="Tokens per chunk [default: 160].", min=1)
    ] = None,
    context_tokens: Annotated[
        int | None,
        typer.Option(
            "--context-tokens", metavar="N", help="Maximum evidence tokens for every system [default: 1700].", min=1
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="FILE", help="File that keeps each answer; a stopped run continues from it."),
    ] = None,
    cases: Annotated[
        str | None, typer.Option("--cases", metavar="FILE.csv", help="Write all cases with their scores.")
    ] = None,
    ragas: Annotated[bool, typer.Option("--ragas", help="Also compute the scores of ragas (extra `ragas`).")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show calls, tokens and cost; call no model.")] = False,
    model: ModelOption = None,
    budget_usd: BudgetOption = None,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score answers of one mode or of several systems.

    Measures similarity, correctness, exact match, F1 and supported claims.
    """
    from kg_neo4j.eval.answers.published_sets import LINES, guess

    given = {name: value for name, value in given_options(context).items() if name not in ("--questions", "--json")}
    settings = settings_for(model=model, graph=graph)
    if model is not None:
        from kg_neo4j import factory

        factory.require_model(settings, f"--model {model}, but no server to ask")
    one_mode = {"--corpus", "--mode", "--format", "--limit", "--save", "--model", "--budget-usd", "--graph"}
    if given.keys() <= one_mode and (form or guess(questions)) == LINES:
        _of_one_mode(questions, settings, given, as_json=as_json)
    else:
        _of_systems(questions, settings, given, as_json=as_json)


def _of_one_mode(questions: str, settings: Any, given: Changed, *, as_json: bool) -> None:
    """Score one mode, as the multi-hop sets are scored."""
    from kg_neo4j._cli.answer_scorecards import show_answers
    from kg_neo4j.eval.answers.scorecard import AnswersOptions, score_answers

    if "--corpus" in given and "--graph" in given:
        raise UsageError("a corpus is loaded into a graph of its own", hint="give --corpus or --graph")
    options = AnswersOptions(
        corpus=given.get("--corpus"),
        mode=given.get("--mode", "auto"),
        limit=given.get("--limit"),
        save=given.get("--save"),
        budget_usd=given.get("--budget-usd"),
    )
    with progress(quiet=as_json) as bars:
        card = score_answers(questions, settings=settings, options=options, progress=bars)
    if as_json:
        print_json(card)
    else:
        show_answers(card, _command(questions, given))
    remark("note", card.notes)


def _of_systems(questions: str, settings: Any, given: Changed, *, as_json: bool) -> None:
    """Compare systems on questions with answers."""
    from kg_neo4j._cli import answer_scorecards as shown
    from kg_neo4j.eval.answers.comparison import compare_systems
    from kg_neo4j.eval.answers.plan import plan_comparison
    from kg_neo4j.eval.answers.recalling import check_writable
    from kg_neo4j.eval.answers.scores import write_cases

    options = _options(given)
    if "--cases" in given:
        check_writable(given["--cases"])
    with progress(quiet=as_json) as bars:
        if "--dry-run" in given:
            plan = plan_comparison(questions, settings=settings, options=options, progress=bars)
        else:
            card = compare_systems(questions, settings=settings, options=options, progress=bars)
    if "--dry-run" in given:
        if as_json:
            print_json(plan)
        else:
            shown.show_plan_of_comparison(plan)
        return
    if "--cases" in given:
        write_cases(given["--cases"], card.cases)
    if as_json:
        print_json(shown.comparison_shape(card))
    else:
        shown.show_comparison(card, _command(questions, given))
        remark("note", shown.spent_now(card))


def _options(given: Changed) -> Any:
    from kg_neo4j.eval.answers.comparison import ComparisonOptions
    from kg_neo4j.eval.answers.questions import StorySelection

    if "--systems" in given and "--mode" in given:
        raise UsageError("--systems names the modes", hint="give --systems or --mode")
    usual = ComparisonOptions()
    named = str(given.get("--systems", given.get("--mode", "auto")))
    return ComparisonOptions(
        form=given.get("--format"),
        selection=StorySelection(
            given.get("--kind"),
            given.get("--set"),
            given.get("--documents"),
            given.get("--limit"),
            "--summaries" in given,
        ),
        systems=tuple(name.strip() for name in named.split(",") if name.strip()),
        whole_graph="--whole-graph" in given,
        judge=given.get("--judge", usual.judge),
        graph=given.get("--graph"),
        corpus=given.get("--corpus"),
        chunk_tokens=given.get("--chunk-tokens", usual.chunk_tokens),
        context_tokens=given.get("--context-tokens", usual.context_tokens),
        ragas="--ragas" in given,
        save=given.get("--save"),
        budget_usd=given.get("--budget-usd"),
    )


def _command(questions: str, given: Changed) -> list[str]:
    words = [word for name, value in given.items() for word in ((name,) if value is True else (name, str(value)))]
    return ["kg", "eval", "answers", "--questions", questions, *words]
