"""Ids of documents and chunks. Pure: computed from content and names, never from places or times."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def text_hash(text: str) -> str:
    """Return the SHA-256 of `text` in UTF-8, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def document_id(graph: str, kind: str, key: str) -> str:
    """Return the id of the document that bears `key` among those of `kind` in `graph`."""
    return hash_id("document", graph, kind, key)


def chunk_id(document: str, hash_of_text: str, equal_before: int) -> str:
    """Return the id of a chunk: its document, its text and how many equal texts come before it; no index, no offset."""
    return hash_id("chunk", document, hash_of_text, str(equal_before))


def origin_id(path: str) -> str:
    """Return what is stored of the real path that a document was read from: enough to know it again."""
    return hash_id("origin", path)


def hash_id(*parts: str) -> str:
    """Return 32 hexadecimal digits; lengths go in, so that other splits of the same characters give other ids."""
    return hash_parts(map(id_part, parts))


def id_part(part: str) -> bytes:
    """Return what goes into an id of one part. Who makes many ids with the same parts makes these once."""
    data = part.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(8, "big") + data


def hash_parts(parts: Iterable[bytes]) -> str:
    """Return the id that `hash_id` gives for parts that `id_part` made."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:32]
