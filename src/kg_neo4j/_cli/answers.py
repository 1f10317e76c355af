"""How an answer is shown: what was asked for and the words that it rests on; on demand all that led there."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from kg_neo4j._cli.terminal import print_text, remark
from kg_neo4j.records import Answer, Citation, Passage, TreeStep

LONGEST_QUOTE = 300  # characters of a quote; --show prints it whole

SHOWN_KINDS = {"chunk": "passages", "entity": "entities", "fact": "facts", "report": "reports"}
SHOWN_KINDS |= {"summary": "summaries", "detail": "details"}
SUPPORT_SIGNS = {"supported": "supported", "quoted": "QUOTED"}
SUPPORT_SIGNS |= {
    "beside the question": "BESIDE THE QUESTION",
    "contradicted": "CONTRADICTED",
    "not all quoted": "NOT ALL QUOTED",
    "uncited": "CITES NOTHING",
}


def show_answer(answer: Answer, *, evidence: bool = False, stats: bool = False) -> None:
    """Print an answer and the words that it rests on, and the passages that fit best.

    With `evidence` also paths, ids, offsets, claims and all that was read, with `stats` what it took.
    """
    shown = _harmless(answer.answer)
    if answer.short and answer.path and not evidence:
        shown = shown.partition("\n")[0]  # further lines repeat the quotes
        shown += f" ({SUPPORT_SIGNS[answer.claims[0].support]})" if answer.claims else ""
    if answer.found or not answer.citations:  # else the best passage says it
        print_text(shown)
    if answer.short and not answer.path:
        print_text(f"  in short: {_line(answer.short)}")
    if evidence:
        _show_sources(answer)
        _show_evidence(answer)
    elif answer.found:
        for number, citation in enumerate(answer.citations, 1):
            print_text(f"  [{number}] {_quoted(citation, shown)}{_corrected(citation)}")
    if answer.passages:
        print_text("The passages that fit best:")
    for number, passage in enumerate(answer.passages, 1):
        _show_passage(number, passage)
    if evidence and answer.query:
        print_text(answer.query.cypher.rstrip())
        print_text(f"  with {json.dumps(answer.query.parameters, ensure_ascii=False)}")
    if stats:
        print_text(_stats(answer))
    if stats and answer.shares:
        count = sum(share.nodes for share in answer.shares)
        named = [
            f"{each.share:.0%} {each.kind}{' of ' + each.aspect.replace('_', ' ') if each.aspect else ''}"
            for each in answer.shares
        ]
        print_text(f"{count} nodes of the tree: {', '.join(named)}")


def _show_passage(number: int, passage: Passage) -> None:
    """Print where a passage stands, and its words; the sentence that answers has a line and a mark of its own."""
    section = _line(passage.section)
    heading = f", {section}" if section and section != _line(passage.citation.document) else ""
    print_text(f"  [{number}] {passage.citation.titled}{heading}")
    for mark, words in ((" ", passage.before), (">", passage.citation.quote), (" ", passage.after)):
        if words:
            print_text(f"    {mark} {_line(_readable(words))}")
    if passage.citation.correction:
        print_text(_corrected(passage.citation).lstrip("\n"))


def show_notes(answer: Answer, *, evidence: bool = False) -> None:
    """Print to standard error what limits an answer; with `evidence`, and where nothing was found, all notes."""
    remark("note", answer.limits)
    if evidence and answer.routing:
        typer.echo(f"note: mode {answer.routing.mode}, because {answer.routing.why}", err=True)
    if evidence or not answer.found:
        remark("note", answer.notes)


def _descent(steps: tuple[TreeStep, ...]) -> str:
    """Return how a tree leads to a chunk: "summary of theme, level 2, number 0 -> ... -> the chunk"."""
    named = [
        f"the summary of {step.aspect.replace('_', ' ')}, level {step.level}, number {step.number}"
        if step.kind == "summary"
        else f"{step.kind} {step.number}"
        for step in steps
    ]
    return " -> ".join([*named, "the chunk"])


def _stats(answer: Answer) -> str:
    """Return what an answer took: milliseconds, calls, tokens, price where it is known."""
    usage = answer.usage
    parts = [f"retrieval {1_000 * answer.retrieval_seconds:.0f} ms"]
    if usage.calls:
        price = "price not known" if usage.usd is None else f"{usage.usd:.6f} USD"
        tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        parts += [f"model {1_000 * answer.model_seconds:.0f} ms", f"{usage.calls} calls", tokens, price]
    else:
        parts.append("no model call, no price")
    return f"took {1_000 * answer.seconds:.0f} ms: {', '.join(parts)}"


def is_streamed(wanted: bool | None, as_json: bool) -> bool:
    """Return whether a model's words are shown as they come: if asked for, else on a terminal; never with JSON."""
    return not as_json and (sys.stdout.isatty() and sys.stderr.isatty() if wanted is None else wanted)


@contextmanager
def draft(*, stream: bool) -> Iterator[Callable[[str], None] | None]:
    """Yield what prints a model's words to standard error, between lines that say that they are a draft; or None."""
    if not stream:
        yield None
        return
    began = False

    def on_token(words: str) -> None:
        nonlocal began
        if not began:
            sys.stderr.write("draft, not checked yet:\n")
            began = True
        sys.stderr.write(_harmless(words))
        sys.stderr.flush()

    yield on_token
    if began:
        sys.stderr.write("\n\nthe answer, with its claims checked:\n")
        sys.stderr.flush()


def _quoted(citation: Citation, shown: str = "") -> str:
    """Return the title and the quote; the title alone where the answer has the same words."""
    quote = _line(_readable(citation.quote))
    if quote in _line(shown):
        return citation.titled
    return f"{citation.titled}, “{textwrap.shorten(quote, LONGEST_QUOTE, placeholder=' …')}”"


def _corrected(citation: Citation) -> str:
    """Return what a person corrected in the words, on a line of its own."""
    return f"\n      {_line(citation.correction)}" if citation.correction else ""


def _readable(quote: str) -> str:
    from kg_neo4j.retrieve.sentences import readable

    return readable(quote)


def _show_sources(answer: Answer) -> None:
    """Print the path and each citation with its place and how it was found."""
    for step in answer.path:
        print_text(f"  {_line(f'{step.source} -{step.relation}-> {step.target} [{step.citation}]')}")
    for number, citation in enumerate(answer.citations, 1):
        place = f"chunk {citation.chunk_id} [{citation.start}:{citation.end}]"
        print_text(f"  [{number}] {citation.titled}, {place}: “{_line(citation.quote)}”{_corrected(citation)}")
        if answer.paths:
            path = answer.paths[number - 1]
            report = f"community {path.number} of level {path.level} ({path.title})"
            print_text(f"      by the report on {report}, by its {path.kind} {path.name}")
        if answer.descents and answer.descents[number - 1]:
            print_text(f"      by {_descent(answer.descents[number - 1])}")


def _show_evidence(answer: Answer) -> None:
    if answer.claims:
        print_text("claims:")
    for claim in answer.claims:
        cited = "".join(f"[{number}]" for number in claim.citations)
        why = f" ({claim.reason})" if claim.reason else ""
        print_text(f"  {SUPPORT_SIGNS[claim.support]}{why}, by {claim.judged_by}: {claim.text} {cited}".rstrip())
    for kind, head in SHOWN_KINDS.items():
        listed = [each for each in answer.evidence if each.kind == kind]
        if listed:
            print_text(f"{head}:")
        for each in listed:
            at = f", {each.document} [{each.start}:{each.end}]" if each.chunk_id else ""
            at += f", of {each.aspect.replace('_', ' ')}" if each.aspect else ""
            at += f", level {each.level}" if each.level else ""
            print_text(f"  {each.kind} {each.id} ({each.score:.3f}{at}): {_line(each.text)}")


def _harmless(text: str) -> str:
    """Return text of a model or a document without what a terminal obeys; line ends stay."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def _line(text: str) -> str:
    return " ".join(_harmless(text).split())
