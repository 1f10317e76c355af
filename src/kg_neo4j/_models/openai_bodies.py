"""Bodies of HTTP answers under a limit, decompressed here: a hook for the HTTP client that openai uses."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from kg_neo4j._models import openai_faults
from kg_neo4j._models.openai_endpoint import Endpoint

MAX_BODY = 32 * 1024 * 1024  # bytes: a batch of 128 vectors of 4,096 dimensions has about 12 MB
MAX_ERROR_BODY = 64 * 1024  # bytes: what an error says stands in the first few hundred
ACCEPTED = "gzip"  # what we ask for; zlib unpacks "deflate" as well

_PLAIN = frozenset({"", "identity"})
_ZLIB = frozenset({"gzip", "x-gzip", "deflate"})
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32  # the format is read from the first bytes
_PIECE = 64 * 1024  # bytes unpacked at a time


def bound_bodies(endpoint: Endpoint) -> Callable[[Any], Awaitable[None]]:
    """Return a hook for the responses of `endpoint`: bodies have at most MAX_BODY bytes, unpacked.

    The library reads an error body whole, and unpacks what is compressed without a limit: measured without this hook,
    one error body of a server took 11 GB of memory. The stream that replaces a response's has to be a class of the HTTP
    library, and which library openai uses depends on openai's version.

    A longer body raises Passing with a BadModelAnswer. The body of an error or a redirect ends after MAX_ERROR_BODY
    bytes, so that its status counts. The address of a redirect moves from the headers to an extension of the response:
    nothing follows it. Bodies are UTF-8, whatever their headers say.
    """

    class BoundedStream(openai_faults.http_library().AsyncByteStream):  # type: ignore[misc]
        """The stream of one response, unpacked and counted."""

        def __init__(self, stream: Any, encoding: str, is_error: bool) -> None:
            self._stream, self._encoding, self._is_error = stream, encoding, is_error
            self.aclose = stream.aclose

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                unpack = unpacker(self._encoding, MAX_ERROR_BODY if self._is_error else MAX_BODY)
                async for packed in self._stream:
                    for piece in unpack(packed):
                        yield piece
            except (ValueError, zlib.error) as error:
                if not self._is_error:
                    raise openai_faults.bad_answer(str(error), endpoint) from None

    async def bound(response: Any) -> None:
        encoding = ", ".join(response.headers.get_list("content-encoding", split_commas=True)).lower()
        response.headers.pop("content-encoding", None)
        response.extensions[openai_faults.REDIRECTED_TO] = response.headers.pop("location", "")
        response.encoding = "utf-8"
        response.stream = BoundedStream(response.stream, encoding, response.status_code >= 300)

    return bound


def unpacker(encoding: str, most: int) -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that unpacks the next bytes of a body in pieces of at most 64 KiB; it raises zlib.error.

    It raises ValueError where there are more than `most` bytes in all. Raises ValueError for an encoding that was not
    asked for, two on top of each other among them.
    """
    if encoding not in _PLAIN | _ZLIB:
        raise ValueError(f"an answer that is compressed as {encoding[:40]!r}; {ACCEPTED!r} was asked for")
    zipped = zlib.decompressobj(_GZIP_OR_ZLIB)
    left = most

    def pieces(packed: bytes) -> Iterator[bytes]:
        while piece := zipped.decompress(packed, _PIECE):
            yield piece
            packed = zipped.unconsumed_tail

    def unpack(packed: bytes) -> Iterator[bytes]:
        nonlocal left
        for piece in pieces(packed) if encoding in _ZLIB else (packed,):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"an answer of more than {most} bytes")
            yield piece

    return unpack
