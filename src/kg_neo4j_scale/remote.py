"""Objects in stores that are named by URLs, such as s3://bucket/folder: found and read through fsspec.

The extra `remote` installs fsspec with the clients of S3, Google Cloud Storage and Azure. Credentials are those that
each client finds by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from kg_neo4j.acquire.files import MAX_BYTES
from kg_neo4j.acquire.folders import FoundFile
from kg_neo4j.acquire.readers import NO_READER, kinds
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource


def is_remote(address: str) -> bool:
    """Return whether an address is a URL and not a path."""
    scheme, separator, _ = address.partition("://")
    return bool(separator) and scheme.isalnum() and len(scheme) > 1


def find(root: str) -> Iterator[FoundFile | SkippedSource]:
    """Return the objects below `root`, sorted by name, or `root` itself where it is an object.

    Keys are relative to `root`. Raises, at once, UsageError where the client of the store is not installed, and
    SourceNotFound where nothing is there or the store does not answer.
    """
    store, path = _opened(root)
    try:
        listed = store.find(path)
    except Exception as error:  # each client raises errors of its own
        raise SourceNotFound(f"{root} cannot be listed: {error}", hint="check the URL and the credentials") from error
    if not listed:
        raise SourceNotFound(f"nothing at {root}", hint="check the URL")
    return _found(store, path, sorted(listed))


def _found(store: Any, root: str, listed: list[str]) -> Iterator[FoundFile | SkippedSource]:
    for path in listed:
        url = store.unstrip_protocol(path)
        key = path.rpartition("/")[2] if path == root else path.removeprefix(root.rstrip("/")).strip("/")
        if any(part.startswith(".") for part in key.split("/")):
            yield SkippedSource(url, "hidden", "hidden")
        elif path != root and (suffix := PurePosixPath(path).suffix.lower()) not in kinds():
            yield SkippedSource(url, NO_READER, suffix or "-")
        else:
            yield FoundFile(Path(path), url, key, url, named=path == root)


def read(url: str) -> bytes:
    """Return an object's bytes. Raises UnreadableSource where that fails, and for one above the limit of a file."""
    store, path = _opened(url)
    try:
        with store.open(path, "rb") as stream:
            data: bytes = stream.read(MAX_BYTES + 1)
    except Exception as error:  # each client raises errors of its own
        raise UnreadableSource(f"the store did not give it: {error}") from error
    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"larger than {MAX_BYTES:,} bytes", hint="split it into several objects")
    return data


def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        store, path = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        raise UsageError(
            f"{url} needs the client of its store: {error}", hint="pip install 'kg-neo4j[remote]'"
        ) from error
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from error
    return store, path
