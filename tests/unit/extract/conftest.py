"""A document with chunks to extract from."""

from __future__ import annotations

import pytest

from kg_neo4j.records import Chunk, Document

SENTENCES = (
    "Ada Lovelace wrote to Charles Babbage in 1843.",
    "Mary Somerville taught Ada Lovelace mathematics.",
    "Charles Babbage lived in London and knew Mary Somerville.",
    "Augusta Byron was the mother of Ada Lovelace in London.",
)


@pytest.fixture
def document() -> Document:
    """A document of four sentences."""
    return Document("d" * 32, "main", "file", "ada.txt", "Ada", "ada.txt", "\n".join(SENTENCES), "0" * 64)


@pytest.fixture
def chunks(document: Document) -> tuple[Chunk, ...]:
    """One chunk for each sentence."""
    found = []
    for index, text in enumerate(SENTENCES):
        start = document.text.index(text)
        found.append(Chunk(f"{index:032x}", document.id, "main", index, text, 10, start, start + len(text), "Life"))
    return tuple(found)
