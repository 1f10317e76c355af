"""Server-sent events: a draft as a model writes it and the checked answer after it; how far a load is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from kg_neo4j._serve.api import given_by, method, plain
from kg_neo4j._serve.jobs import ENDED
from kg_neo4j._serve.refusals import error_shape
from kg_neo4j.errors import KgError

EVERY_S = 0.25  # between two looks at a load


def routes() -> list[Route]:
    """Return the routes of the streams."""
    return [Route("/api/ask/events", _ask, methods=["GET", "POST"]), Route("/api/jobs/{id}/events", _job)]


def event(name: str, data: Any) -> str:
    """Return one event: its name, and JSON in one line."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


async def _ask(request: Request) -> Response:
    arguments = method("ask").arguments(await given_by(request))
    return _stream(_answering(request, arguments))


async def _answering(request: Request, arguments: dict[str, Any]) -> AsyncIterator[str]:
    """Yield `draft` for each piece that a model writes, then `answer`, or `error`."""
    state, loop = request.app.state, asyncio.get_running_loop()
    pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def hear(piece: str) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    task = asyncio.ensure_future(state.turnstile.do(state.service.ask, **arguments, hear=hear))
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield event("draft", piece)
        answer = await task
        state.service.recent.put(arguments, answer)
        yield event("answer", plain(answer))
    except KgError as error:
        yield event("error", error_shape(error))
    finally:
        task.cancel()


async def _job(request: Request) -> Response:
    request.app.state.service.jobs.find(request.path_params["id"])  # 404 before the stream begins
    return _stream(_loading(request))


async def _loading(request: Request) -> AsyncIterator[str]:
    """Yield `job` whenever the load is further, until it has ended."""
    jobs, id = request.app.state.service.jobs, request.path_params["id"]
    shown = None
    while True:
        job = jobs.find(id)
        if job != shown:
            yield event("job", plain(job))
        if job.state in ENDED:
            return
        shown = job
        await asyncio.sleep(EVERY_S)


def _stream(events: AsyncIterator[str]) -> Response:
    return StreamingResponse(events, media_type="text/event-stream")
