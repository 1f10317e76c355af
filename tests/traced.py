"""A tracer for this process: the SDK's, which keeps the spans that have ended in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@cache
def exporter() -> InMemorySpanExporter:
    """Return what gets the spans of this process. A process sets its tracer once."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@contextmanager
def traced() -> Iterator[list[ReadableSpan]]:
    """Yield a list that has the spans of the block when the block is over, in the order of their ends."""
    found: list[ReadableSpan] = []
    exporter().clear()
    try:
        yield found
    finally:
        found += exporter().get_finished_spans()
        exporter().clear()


Tree = tuple[str, tuple["Tree", ...]]


def trees(spans: Sequence[ReadableSpan], parent: int | None = None) -> tuple[Tree, ...]:
    """Return the names of spans, each with those of the spans within, in the order of their beginnings."""
    assert {each.parent.span_id for each in spans if each.parent} <= {each.context.span_id for each in spans}
    children = [each for each in spans if (each.parent.span_id if each.parent else None) == parent]
    return tuple((each.name, trees(spans, each.context.span_id)) for each in sorted(children, key=began))


def began(span: ReadableSpan) -> int:
    """Return when a span began, in nanoseconds."""
    return span.start_time or 0


def named(spans: Sequence[ReadableSpan], name: str) -> list[ReadableSpan]:
    """Return the spans of a name."""
    return [each for each in spans if each.name == name]


def texts_of(span: ReadableSpan) -> str:
    """Return all that a span holds as one text: its JSON, with attributes, status, events and links."""
    return span.to_json()
