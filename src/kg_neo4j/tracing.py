"""Spans of OpenTelemetry, where the program has set it up: docs/how-to/tracing.md draws them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from kg_neo4j.records import Usage

_shows_text: ContextVar[bool] = ContextVar("shows_text", default=False)


@contextmanager
def span(name: str, about: Mapping[str, Any] | None = None, text: bool | None = None) -> Iterator[Callable[..., Any]]:
    """Open a span and yield what adds attributes; an error leaves its class there. `text` is for spans within, too."""
    if "opentelemetry.trace" not in sys.modules:  # who sets a tracer has imported it; else nothing is imported
        yield lambda _: None
        return
    from opentelemetry import trace

    kind = trace.SpanKind.CLIENT if "gen_ai.request.model" in (about or ()) else trace.SpanKind.INTERNAL
    start = trace.get_tracer("kg_neo4j").start_as_current_span
    with start(name, None, kind, about, record_exception=False, set_status_on_exception=False) as opened:
        before = _shows_text.set(_shows_text.get() if text is None else text)
        try:
            yield opened.set_attributes
        except BaseException as error:
            opened.set_status(trace.StatusCode.ERROR, type(error).__name__)
            opened.set_attribute("error.type", type(error).__name__)
            raise
        finally:
            _shows_text.reset(before)


def call(operation: str, model: Any) -> AbstractContextManager[Callable[..., Any]]:
    """Open the span of a call to a model; its server is that of `model.address`, if it has one."""
    about = {"gen_ai.operation.name": operation, "gen_ai.provider.name": "openai", "gen_ai.request.model": model.name}
    if (server := urlsplit(getattr(model, "address", ""))).hostname:
        about |= {"server.address": server.hostname, "server.port": server.port or {"http": 80}.get(server.scheme, 443)}
    return span(f"{operation} {model.name}", about)


def spent(usage: Usage, **said: str) -> dict[str, Any]:
    """Return what a call took as attributes; where texts are shown, with what was said by role, the answer last."""
    took: dict[str, Any] = {f"gen_ai.usage.{name}": getattr(usage, name) for name in ("input_tokens", "output_tokens")}
    took |= {"kg_neo4j.calls": usage.calls} | ({} if usage.usd is None else {"kg_neo4j.usd": usage.usd})
    if said and _shows_text.get():
        *asked, answer = [{"role": role, "parts": [{"type": "text", "content": said[role]}]} for role in said]
        took |= {"gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps([answer])}
    return took
