"""Options of the commands that read sources: what to read, how to cut it, what to ask."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j.errors import UsageError

Sources = Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="Files, folders.")]
WikipediaOption = Annotated[
    list[str] | None, typer.Option("--wikipedia", metavar="TITLE", help="A Wikipedia page; repeatable.")
]
LinksOption = Annotated[
    int, typer.Option("--links", metavar="N", help="Also the N pages that these link to most.", min=0)
]
LanguageOption = Annotated[
    str | None, typer.Option("--language", metavar="CODE", help="Of the files, such as pl; else it is found.")
]
LangOption = Annotated[str, typer.Option("--lang", help="Language of the Wikipedia.")]
AliasOption = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Name the one source given, where its own is taken.")
]
RootOption = Annotated[
    str | None,
    typer.Option("--root", metavar="DIR", help="Folder that keys are relative to; else that of the nearest kg.toml."),
]
ChunkTokensOption = Annotated[
    str, typer.Option("--chunk-tokens", metavar="N|max", help="Tokens a chunk; max: what the window allows.")
]
ChunkOverlapOption = Annotated[int, typer.Option("--chunk-overlap", metavar="N", help="Tokens repeated.", min=0)]
PreprocessOption = Annotated[str, typer.Option("--preprocess", metavar="none|stopwords", help="W1's A2 or A1.")]
SchemaOption = Annotated[str, typer.Option("--schema", metavar="NAME|FILE", help="graph, wikipedia, or a file.")]
EvidenceOption = Annotated[
    str, typer.Option("--evidence", metavar="flag|reject", help="Rows whose evidence is not in the text.")
]
GleaningsOption = Annotated[
    int, typer.Option("--gleanings", metavar="N", help="Rounds that ask a model what is missing.", min=0)
]
WaveOption = Annotated[
    int, typer.Option("--wave", metavar="N", help="Chunks asked together; names carry over. 0: none do.", min=0)
]
OutputLanguageOption = Annotated[
    str, typer.Option("--output-language", metavar="source|en", help="Of roles and descriptions.")
]
BudgetOption = Annotated[
    float | None, typer.Option("--budget-usd", metavar="X", help="Stop before models cost more than this.")
]
CacheOption = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Use answers that were paid for before, also for other graphs.")
]


def tokens_of(text: str) -> int | None:
    """Return the number of tokens that --chunk-tokens means; None for "max"."""
    if text == "max":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--chunk-tokens takes a number of tokens or max, not {text!r}")
    return int(text)
