"""Options that several commands share, and the settings and filters that they make."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters

if TYPE_CHECKING:
    from kg_neo4j.pipeline import LoadOptions
    from kg_neo4j.settings import Settings

GraphOption = Annotated[
    str | None, typer.Option("--graph", metavar="NAME", help="Named graph [default: KG_GRAPH or main].")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output and nothing else.")]
SingletonsOption = Annotated[
    bool | None,
    typer.Option(
        "--singletons/--no-singletons",
        help="Also store communities of one entity [default: as in the last run, else no].",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Chat model [default: KG_MODEL]."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def settings_for(**overrides: Any) -> "Settings":
    """Return the settings of the environment with the given ones on top; None leaves a setting alone."""
    from pydantic import ValidationError

    from kg_neo4j.settings import Settings

    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{name}: {first['msg']}", hint="check the option, the environment variable or kg.toml"
        ) from None


def filters_of(
    documents: Annotated[
        list[str] | None,
        typer.Option(
            "--document", metavar="NAME", help="Search only this document: title, id or pattern with *; repeatable."
        ),
    ] = None,
    languages: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="CODE", help="Search only documents in this language; repeatable."),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="file|wikipedia", help="Search only documents of this kind; repeatable."),
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type", metavar="TYPE", help="Use only entities of this type, their facts and passages; repeatable."
        ),
    ] = None,
    since: Annotated[
        int | None,
        typer.Option("--since", metavar="YEAR", help="Use only what is dated in this year or later (BC: negative)."),
    ] = None,
    until: Annotated[
        int | None, typer.Option("--until", metavar="YEAR", help="Use only what is dated in this year or earlier.")
    ] = None,
) -> Filters:
    """Return the filters that the options mean."""
    return Filters(tuple(documents or ()), tuple(languages or ()), tuple(kinds or ()), tuple(types or ()), since, until)


Sources = Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="Files and folders.")]
RootOption = Annotated[
    str | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="Folder that document keys are relative to [default: folder of the nearest kg.toml].",
    ),
]
ChunkTokensOption = Annotated[
    str,
    typer.Option(
        "--chunk-tokens", metavar="N|max", help="Tokens per chunk; max: as many as the model's window allows."
    ),
]
SchemaOption = Annotated[
    str, typer.Option("--schema", metavar="NAME|FILE", help="Schema: graph, wikipedia, or a TOML file.")
]
GleaningsOption = Annotated[
    int, typer.Option("--gleanings", metavar="N", help="Extra extraction rounds per chunk.", min=0)
]
WaveOption = Annotated[
    int,
    typer.Option(
        "--wave", metavar="N", help="Chunks per batch; names found in one batch are given to the next. 0: off.", min=0
    ),
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="PATTERN", help='In folders, read only files like "*.md"; repeatable.'),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="PATTERN", help='In folders, skip files like "drafts" or "old/*.txt"; repeatable.'
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Encoding of text files, such as cp1252 [default: detected]."),
]
BudgetOption = Annotated[
    float | None,
    typer.Option(
        "--budget-usd", metavar="X", help="Stop before the model call that would exceed this many US dollars."
    ),
]
RpmOption = Annotated[
    int | None, typer.Option("--rpm", metavar="N", help="Maximum requests per minute to models [default: KG_RPM].")
]
TpmOption = Annotated[
    int | None,
    typer.Option("--tpm", metavar="N", help="Maximum tokens per minute to and from models [default: KG_TPM]."),
]
CacheOption = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Reuse cached model answers, also across graphs.")
]


def given_options(context: typer.Context) -> dict[str, Any]:
    """Return the values of options that are not the default, by the option's name, in the order of the help."""
    values = {param: context.params[param.name] for param in context.command.params if param.name in context.params}
    return {
        param.opts[0]: value for param, value in values.items() if value not in (None, False) and value != param.default
    }


def tokens_of(text: str) -> int | None:
    """Return the number of tokens that --chunk-tokens means; None for "max"."""
    if text == "max":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--chunk-tokens takes a number of tokens or max, not {text!r}")
    return int(text)


def load_options(
    wikipedia: Annotated[
        list[str] | None, typer.Option("--wikipedia", metavar="TITLE", help="Load this Wikipedia page; repeatable.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", metavar="CODE", help="Language of the Wikipedia, such as de.")] = "en",
    links: Annotated[
        int, typer.Option("--links", metavar="N", help="Also load the N pages that these link to most often.", min=0)
    ] = 0,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="CODE", help="Language of the texts, such as pl [default: detected]."),
    ] = None,
    encoding: EncodingOption = None,
    alias: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Store a single source under this name.")
    ] = None,
    root: RootOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    chunk_tokens: ChunkTokensOption = "1200",
    chunk_overlap: Annotated[
        int,
        typer.Option("--chunk-overlap", metavar="N", help="Tokens that a chunk repeats from the one before.", min=0),
    ] = 0,
    preprocess: Annotated[
        str,
        typer.Option(
            "--preprocess",
            metavar="none|stopwords",
            help="Remove stop words before extraction, or not.",
        ),
    ] = "none",
    schema: SchemaOption = "graph",
    evidence: Annotated[
        str,
        typer.Option("--evidence", metavar="flag|reject", help="What to do with rows whose quote is not in the text."),
    ] = "flag",
    gleanings: GleaningsOption = 1,
    wave: WaveOption = 8,
    output_language: Annotated[
        str, typer.Option("--output-language", metavar="source|en", help="Language of roles and descriptions.")
    ] = "source",
) -> "LoadOptions":
    """Return what the options say of sources, chunks and extraction."""
    from kg_neo4j.pipeline import LoadOptions

    return LoadOptions(
        wikipedia=tuple(wikipedia or ()),
        wiki_language=lang,
        links=links,
        language=language,
        encoding=encoding,
        alias=alias,
        root=root,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        chunk_tokens=tokens_of(chunk_tokens),
        chunk_overlap=chunk_overlap,
        preprocess=preprocess,
        schema=schema,
        evidence=evidence,
        gleanings=gleanings,
        wave=wave,
        output_language=output_language,
    )


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each function that annotates one of its parameters, and hand it what that returns.

    With `kept: Annotated[Filters, filters_of]` the parameters of `filters_of` stand in the place of `kept`.
    """
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        functions = [each for each in getattr(parameter.annotation, "__metadata__", ()) if inspect.isfunction(each)]
        if not functions:
            parameters.append(parameter)
            continue
        own = list(inspect.signature(functions[0]).parameters.values())
        groups[name] = (functions[0], [each.name for each in own])
        parameters += own

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (group, names) in groups.items():
            given[name] = group(**{each: given.pop(each) for each in names})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
