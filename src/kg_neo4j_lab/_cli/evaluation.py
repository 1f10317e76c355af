"""kg eval: scorecards against what people annotated."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.terminal import print_json, print_text, progress, remark, show
from kg_neo4j.errors import UsageError
from kg_neo4j_lab._cli import scorecards

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings
    from kg_neo4j_lab.answers.comparison import ComparisonOptions

_COMPARED = "form whole_graph judge score choose as_built graph corpus chunk_tokens context_tokens ragas save".split()
_SELECTED = ("kind", "split", "documents", "limit", "summaries", "sample")

app = continues(typer.Typer(help="Measure quality against annotated data.", no_args_is_help=True))


@app.command()
def extraction(
    context: typer.Context,
    gold: str,
    types: str | None = None,
    split: str = "all",
    limit: int | None = None,
    schema: str = "lean",
    gleanings: int = 1,
    model: str | None = None,
    budget_usd: float | None = None,
    as_json: bool = False,
) -> None:
    """Score extraction against annotated passages.

    Scores mentions, entities, relations, entity resolution, evidence and cost.
    """
    from kg_neo4j_lab.extraction.scorecard import ScorecardOptions, score_extraction

    settings = _settings_for(model)
    options = ScorecardOptions(split, limit, types, schema, gleanings, budget_usd)
    with progress(quiet=as_json) as bars:
        card = score_extraction(gold, settings=settings, options=options, progress=bars)
    if as_json:
        print_json(scorecards.extraction_shape(card))
    else:
        scorecards.show_extraction(card)
        _print_again(context, "--budget-usd")
        remark("note", (*card.failed, *card.notes))
    if card.failed:
        raise typer.Exit(PARTLY_DONE)


@app.command()
def retrieval(
    context: typer.Context,
    corpus: str,
    questions: str,
    modes: list[str] = ["naive", "local"],  # noqa: B006
    depths: list[int] = [1, 2, 5, 10, 20],  # noqa: B006
    limit: int | None = None,
    triples: str | None = None,
    saved: str | None = None,
    as_json: bool = False,
) -> None:
    """Score retrieval, compared with flat search.

    Measures recall of the passages that a question needs.
    """
    from kg_neo4j_lab.retrieval.scorecard import RetrievalOptions, score_retrieval

    earlier = scorecards.read_saved(saved) if saved else {}
    options = RetrievalOptions(tuple(dict.fromkeys(modes)), tuple(sorted(set(depths))), limit, triples)
    with progress(quiet=as_json) as bars:
        card = score_retrieval(corpus, questions, settings=settings_for(), options=options, progress=bars)
    differences = scorecards.against(card, earlier)
    if as_json:
        print_json(card)
    else:
        scorecards.show_retrieval(card, differences)
        _print_again(context)
    remark("note", card.notes)


@app.command()
def answers(
    context: typer.Context,
    questions: str,
    corpus: str | None = None,
    mode: str = "auto",
    systems: str | None = None,
    form: str | None = None,
    kind: str | None = None,
    split: str | None = None,
    documents: int | None = None,
    limit: int | None = None,
    sample: int | None = None,
    summaries: bool = False,
    whole_graph: bool = False,
    judge: str | None = None,
    score: str | None = None,
    choose: bool = False,
    as_built: bool = False,
    chunk_tokens: int | None = None,
    context_tokens: int | None = None,
    save: str | None = None,
    cases: str | None = None,
    ragas: bool = False,
    dry_run: bool = False,
    model: str | None = None,
    budget_usd: float | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Score answers of one mode or of several systems.

    Measures similarity, correctness, exact match, F1 and supported claims.
    """
    from kg_neo4j_lab.answers.published_sets import LINES, guess

    given = _given_options(context).keys() - {"--questions", "--json"}
    settings = _settings_for(model, graph)
    one_mode = {"--corpus", "--mode", "--format", "--limit", "--save", "--model", "--budget-usd", "--graph"}
    if given <= one_mode and (form or guess(questions)) == LINES:
        if corpus is not None and graph is not None:
            raise UsageError("a corpus is loaded into a graph of its own", hint="give --corpus or --graph")
        _of_one_mode(context, questions, settings, mode, as_json=as_json)
    else:
        if systems is not None and "--mode" in given:
            raise UsageError("--systems names the modes", hint="give --systems or --mode")
        _of_systems(context, questions, settings, _options(context.params), dry_run=dry_run, as_json=as_json)


@app.command("graphrag-bench")
def graphrag_bench(
    context: typer.Context,
    questions: str,
    systems: str = "auto,none",
    sample: int | None = None,
    budget_usd: float | None = None,
    model: str | None = None,
    judge: str | None = None,
    as_built: bool = False,
    save: str | None = None,
    cases: str | None = None,
    dry_run: bool = False,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Score answers on GraphRAG-Bench, by type of question.

    Loads its texts and asks its questions, with passages and without. Needs a model.
    """
    from kg_neo4j import factory

    settings = _settings_for(model, graph)
    factory.require_model(settings, "GraphRAG-Bench measures the answers of a model")
    given = dict.fromkeys((*_SELECTED, *_COMPARED)) | context.params | {"form": "graphrag-bench"}
    _of_systems(context, questions, settings, _options(given), dry_run=dry_run, as_json=as_json)


def _of_one_mode(context: typer.Context, questions: str, settings: Settings, mode: str, *, as_json: bool) -> None:
    """Score one mode, as the multi-hop sets are scored."""
    from kg_neo4j_lab.answers.scorecard import score_answers

    options = _options(context.params)
    with progress(quiet=as_json) as bars:
        card = score_answers(questions, mode, settings=settings, options=options, progress=bars)
    if as_json:
        print_json(card)
    else:
        scorecards.show_answers(card)
        _print_again(context)
    remark("note", card.notes)


def _of_systems(
    context: typer.Context,
    questions: str,
    settings: Settings,
    options: ComparisonOptions,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Compare systems on questions with answers."""
    from kg_neo4j_lab.answers.comparison import compare_systems
    from kg_neo4j_lab.answers.plan import plan_comparison
    from kg_neo4j_lab.answers.recalling import check_writable
    from kg_neo4j_lab.answers.scores import write_cases

    if (cases := context.params["cases"]) is not None:
        check_writable(cases)
    with progress(quiet=as_json) as bars:
        if dry_run:
            plan = plan_comparison(questions, settings=settings, options=options, progress=bars)
        else:
            card = compare_systems(questions, settings=settings, options=options, progress=bars)
    if dry_run:
        show(plan, scorecards.show_plan_of_comparison, as_json=as_json)
        return
    if cases is not None:
        write_cases(cases, card.cases)
    if as_json:
        print_json(scorecards.comparison_shape(card))
    else:
        scorecards.show_comparison(card)
        _print_again(context)
        remark("note", scorecards.spent_now(card))


def _options(given: Mapping[str, Any]) -> ComparisonOptions:
    from kg_neo4j_lab.answers.comparison import ComparisonOptions
    from kg_neo4j_lab.answers.questions import StorySelection

    named: str = given["mode"] if given["systems"] is None else given["systems"]
    return ComparisonOptions(
        selection=StorySelection(**{name: given[name] for name in _SELECTED}),
        systems=tuple(name.strip() for name in named.split(",") if name.strip()),
        budget_usd=given["budget_usd"],
        **{name: given[name] for name in _COMPARED if given[name] is not None},
    )


def _settings_for(model: str | None, graph: str | None = None) -> Settings:
    """Return the settings; a model that is named and cannot be asked is an error."""
    settings = settings_for(model=model, graph=graph)
    if model is not None:
        from kg_neo4j import factory

        factory.require_model(settings, f"--model {model}, but no server to ask")
    return settings


def _print_again(context: typer.Context, *unsaid: str) -> None:
    """Print the command that repeats a measurement, without the options that are left `unsaid`."""
    words = ["kg", "eval", str(context.info_name)]
    for name, value in _given_options(context).items():
        if name not in (*unsaid, "--json"):
            for each in value if isinstance(value, list) else [value]:
                words += [name] * name.startswith("-") + ([] if each is True else [str(each)])
    print_text(f"again:  {shlex.join(words)}")


def _given_options(context: typer.Context) -> dict[str, Any]:
    """Return the values of options that are not the default, by the option's name, in the order of the help."""
    values = {param: context.params[param.name] for param in context.command.params if param.name in context.params}
    return {
        param.opts[0]: value
        for param, value in values.items()
        if value is not None and value is not False and value != param.default
    }
