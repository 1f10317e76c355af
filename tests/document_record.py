"""Loads without a graph: sources are read and compared with a record of documents. Nothing is extracted or stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kg_neo4j import LoadOptions, Settings
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.pipeline.commands.load import named
from kg_neo4j.pipeline.options import check_sources
from kg_neo4j.pipeline.sync import Sync
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Document


@dataclass
class DocumentRecord:
    """Stands for the documents of a graph."""

    settings: Settings
    stored: dict[str, StoredDocument] = field(default_factory=dict)  # by id
    texts: dict[str, Document] = field(default_factory=dict)  # as they were read last, by id

    def load(self, *sources: str, options: LoadOptions) -> Tally:
        """Do what a load does before and after it extracts: read, record, find what is gone, remove it."""
        tally, known = Tally(), {each.key: each.origin for each in self.listed() if each.origin is not None}
        checked = check_sources(sources, self.settings, options, tally)
        sync = Sync(self.listed, self.settings, options, tally, sources, checked.addresses)
        for document in sync.documents(checked.documents(known)):
            tally.documents += 1
            tally.changes += self.stored.get(document.id) != _stored(document)
            self.stored[document.id], self.texts[document.id] = _stored(document), document
        sync.find_gone()
        for each in sync.removed:
            tally.changes += 1
            del self.stored[each.id]
        return tally

    def unload(self, source: str, root: str | None = None) -> list[str]:
        """Remove the documents that an unload would remove; return their keys."""
        found = named(self.listed(), source, root)
        for each in found:
            del self.stored[each.id]
        return [each.key for each in found]

    def listed(self) -> tuple[StoredDocument, ...]:
        """Return the documents in the order of a graph."""
        return tuple(sorted(self.stored.values(), key=lambda each: (each.key, each.id)))

    @property
    def keys(self) -> list[str]:
        """The keys of all documents, in order."""
        return [each.key for each in self.listed()]

    @property
    def titled(self) -> Mapping[str, Document]:
        """The documents as they were read last, by title."""
        return {self.texts[each].title: self.texts[each] for each in self.stored}


def _stored(document: Document) -> StoredDocument:
    return StoredDocument(
        id=document.id,
        title=document.title,
        source=document.source,
        kind=document.kind,
        key=document.key,
        url=document.url,
        schema="described",
        schema_text=None,
        language=document.language,
        author=document.author,
        date=document.date,
        version=document.version,
        revision=document.revision,
        origin=origin_id(document.origin) if document.origin else None,
        config_hash=document.sha256,
        answers_hash="",
        options=None,
        chunks=1,
        done=1,
    )
