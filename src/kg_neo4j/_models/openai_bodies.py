"""Bodies of HTTP answers under a limit, decompressed here: event hooks for the HTTP client that openai uses.

The library would read an error body whole, and unpack what is compressed without a limit.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache
from typing import Any

from kg_neo4j._models import openai_faults
from kg_neo4j._models.openai_endpoint import Endpoint

MAX_BODY = 32 * 1024 * 1024  # bytes: a batch of 128 vectors of 4,096 dimensions has about 12 MB
MAX_ERROR_BODY = 64 * 1024  # bytes: what an error says stands in the first few hundred
ACCEPTED = "gzip"  # what we ask for; zlib unpacks "deflate" as well

_ZLIB = frozenset({"gzip", "x-gzip", "deflate"})
_PLAIN = frozenset({"", "identity"})
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32  # the format is read from the first bytes
_PIECE = 64 * 1024  # bytes unpacked at a time


def bound_bodies(endpoint: Endpoint) -> Callable[[Any], Awaitable[None]]:
    """Return a hook for the responses of `endpoint`: bodies have at most MAX_BODY bytes, unpacked.

    A longer body raises Passing with a BadModelAnswer. The body of an error or a redirect ends after MAX_ERROR_BODY
    bytes, so that its status counts. The address of a redirect moves from the headers to an extension of the response:
    nothing follows it. Bodies are UTF-8, whatever their headers say.
    """

    async def bound(response: Any) -> None:
        encoding = ", ".join(response.headers.get_list("content-encoding", split_commas=True)).lower()
        response.headers.pop("content-encoding", None)
        response.extensions[openai_faults.REDIRECTED_TO] = response.headers.pop("location", "")
        response.encoding = "utf-8"
        response.stream = _stream_class()(response.stream, encoding, response.status_code, endpoint)

    return bound


@cache
def _stream_class() -> Any:
    """Return the class of bounded streams; made on first use, because importing the HTTP library is slow."""

    class _BoundedResponse(openai_faults.http_library().AsyncByteStream):  # type: ignore[misc]
        """The stream of one response, unpacked and counted."""

        def __init__(self, stream: Any, encoding: str, status: int, endpoint: Endpoint) -> None:
            self._stream = stream
            self._encoding = encoding
            self._is_error = status >= 300
            self._endpoint = endpoint

        async def __aiter__(self) -> AsyncIterator[bytes]:
            most = MAX_ERROR_BODY if self._is_error else MAX_BODY
            try:
                unpack = unpacker(self._encoding)
                async for packed in self._stream:
                    for piece in unpack(packed):
                        most -= len(piece)
                        if most < 0:
                            raise ValueError(f"an answer of more than {MAX_BODY} bytes")
                        yield piece
            except (ValueError, zlib.error) as error:
                if not self._is_error:
                    raise openai_faults.bad_answer(str(error), self._endpoint) from None

        async def aclose(self) -> None:
            await self._stream.aclose()

    return _BoundedResponse


def unpacker(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that unpacks the next bytes of a body in pieces of at most 64 KiB; it raises zlib.error.

    Raises ValueError for an encoding that was not asked for, two on top of each other among them.
    """
    if encoding in _PLAIN:
        return lambda packed: iter((packed,))
    if encoding not in _ZLIB:
        raise ValueError(f"an answer that is compressed as {encoding[:40]!r}; {ACCEPTED!r} was asked for")
    zipped = zlib.decompressobj(_GZIP_OR_ZLIB)

    def unpack(packed: bytes) -> Iterator[bytes]:
        while piece := zipped.decompress(packed, _PIECE):
            yield piece
            packed = zipped.unconsumed_tail

    return unpack
