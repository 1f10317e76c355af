"""Sync: what of the graph is changed or gone where it came from. Files of loaded folders, pages of wikis and sites.

What is gone is reported, and removed with `prune`: its chunks before the graph settles, the document itself after it,
so that a run that was stopped finds it again. Of a page that was deleted and made again the former text is removed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j import plugins
from kg_neo4j.acquire import page_refresh
from kg_neo4j.acquire.folders import LoadedFolder, loaded_folders
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.acquire.page_refresh import KnownPage
from kg_neo4j.errors import SourceNotFound
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import StoredDocument, withdraw_chunks
from kg_neo4j.graph.lease import Lease
from kg_neo4j.pipeline.options import WEB, CheckedSources, LoadOptions, documents_of, fetch_pages, site_of
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Document, SkippedSource
from kg_neo4j.settings import Settings

MAX_NAMED = 20  # documents that a note names; the others are counted
GONE = "no longer where they came from: they stay until --prune removes them"
UNSURE = "not checked: a folder of their path cannot be read"
OTHERS = "not in the folder, but loaded from another place of this name; `kg unload` removes them"


@dataclass(frozen=True, slots=True)
class FolderComparison:
    """What the graph has of a folder and the folder no longer has."""

    gone: tuple[StoredDocument, ...]  # to be reported or removed
    unsure: tuple[StoredDocument, ...]  # a folder of their path cannot be read
    others: tuple[StoredDocument, ...]  # of a folder of the same name, or of this one at its former place
    skipped: tuple[SkippedSource, ...] = ()  # the folder itself, where nothing of it may be removed

    @property
    def notes(self) -> list[str]:
        """What a report says of the documents that stay."""
        return [*_note(self.unsure, UNSURE), *_note(self.others, OTHERS)]


def compare(
    folder: LoadedFolder, stored: Sequence[StoredDocument], read: Mapping[str, str | None], *, prune: bool = False
) -> FolderComparison:
    """Compare the files that the graph has with those of a folder.

    `read` holds the documents of this run: id -> real path of the file. A folder of which none was read loses nothing
    by `prune`: it may be a disk that is not mounted.
    """
    files = [each for each in stored if each.kind == "file"]
    unread = [each for each in files if each.id not in read]
    paths = {each.id: folder.find(each.origin, each.key, each.source) for each in unread}
    states = {each.id: folder.is_gone(path) for each in unread if (path := paths[each.id]) is not None}
    unsure = tuple(each for each in unread if states.get(each.id, False) is None)
    others = _of_other_places(folder, files, read, [each for each in unread if paths[each.id] is None])
    gone = tuple(each for each in unread if states.get(each.id))
    if gone and prune and all(folder.path_in(each) is None for each in read.values()):
        name = folder.place.source
        reason = f"no file that can be read is left in it, so its {len(gone)} documents stay"
        skipped = SkippedSource(name, f"{reason}; `kg unload {name}` removes them")
        return FolderComparison((), unsure, others, (skipped,))
    return FolderComparison(gone, unsure, others)


def _of_other_places(
    folder: LoadedFolder,
    stored: Sequence[StoredDocument],
    read: Mapping[str, str | None],
    unread: Sequence[StoredDocument],
) -> tuple[StoredDocument, ...]:
    """Return the documents that a folder of the same name had, or this one at its former place.

    It was moved if one of its files is in the graph with another origin.
    """
    begins = {folder.prefix} - {""}
    for each in stored:
        path = folder.path_in(read.get(each.id))
        if path is not None and each.key.endswith(path) and each.origin not in (None, origin_id(folder.at(path))):
            begins.add(each.key.removesuffix(path))
    return tuple(
        each
        for each in unread
        if any(each.key.startswith(begin) and folder.is_gone(each.key.removeprefix(begin)) for begin in begins)
    )


def _note(documents: Sequence[StoredDocument], what: str) -> list[str]:
    """Return one note that names `documents`; none where there are none."""
    if not documents:
        return []
    names = [each.key if each.kind == "file" else each.title for each in documents]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return [f"{', '.join(names[:MAX_NAMED])}{more}: {what}"]


@dataclass(slots=True)
class Sync:
    """Compares the sources of a load with what the graph has of them."""

    stored: Callable[[], Sequence[StoredDocument]]  # reads what the graph has now
    settings: Settings
    options: LoadOptions
    tally: Tally
    sources: Sequence[str]  # files and folders
    addresses: Sequence[str] = ()  # of web pages to refresh; with none and no titles all pages are
    read: dict[str, str | None] = field(default_factory=dict)  # documents of this run: id -> real path of the file
    pages: set[tuple[str, str]] = field(default_factory=set)  # of this run: wiki, title
    gone: list[StoredDocument] = field(default_factory=list)
    removed: list[StoredDocument] = field(default_factory=list)  # their chunks are withdrawn; to be deleted at last

    def documents(self, documents: Iterator[Document]) -> Iterator[Document]:
        """Yield `documents`, and with `refresh` the pages of the graph that changed."""
        again = (self._refreshed(), self._asked_again()) if self.options.refresh else ()
        for document in itertools.chain(documents, *again):
            self.read[document.id] = document.origin
            if document.kind == "wikipedia":
                self.pages.add((_wiki(document.key), document.title))
            yield document

    def withdraw(self, database: Database, lease: Lease) -> None:
        """Delete the chunks of what is to be removed, and their evidence. Settle afterwards."""
        self.find_gone()
        for document in self.removed:
            self.tally.changes += 1 + withdraw_chunks(database, lease, self.settings.graph, document.id)

    def find_gone(self) -> None:
        """Find what is gone and what is to be removed, and report it."""
        folders = loaded_folders(self.sources, self.options.alias, self.options.root)
        stored = self.stored() if folders or self.pages else ()
        for folder in folders:
            found = compare(folder, stored, self.read, prune=self.options.prune)
            self.gone += found.gone
            self.tally.notes += found.notes
            self.tally.skipped += found.skipped
        replaced = self._replaced([each for each in stored if each.kind == "wikipedia"]) if self.pages else []
        gone = [each for each in self.gone if each not in replaced]
        self.removed = [*replaced, *(gone if self.options.prune else ())]
        self.tally.notes += _note(replaced, "deleted from the wiki and made again; the former text is removed")
        self.tally.notes += _note(gone, "removed: no longer where they came from" if self.options.prune else GONE)

    def _replaced(self, stored: Sequence[StoredDocument]) -> list[StoredDocument]:
        """Return the pages that their wiki no longer has and whose title is that of another page, read in this run."""
        rivals = {
            each.id: each for each in stored if each.id not in self.read and (_wiki(each.key), each.title) in self.pages
        }
        site = site_of(self.settings, self.options)
        return [rivals[page.document_id] for page in page_refresh.deleted([*map(_known, rivals.values())], site)]

    def _refreshed(self) -> Iterator[Document]:
        """Yield the pages that have to be read again, and pages that were named and are not in the graph."""
        pages, new = self._pages()
        checked = page_refresh.check(
            [_known(page) for page in pages.values()],
            graph=self.settings.graph,
            site=site_of(self.settings, self.options),
            text_language=self.options.language,
        )
        unchanged = 0
        elsewhere: Counter[str] = Counter()
        for each in checked:
            page = pages[each.page.document_id]
            if each.remark:
                self.tally.notes.append(f"{page.title!r}: {each.remark}")
            if each.is_gone:
                self.gone.append(page)
            if each.is_elsewhere:
                elsewhere[each.page.where[0]] += 1
            if each.document is not None:
                yield each.document
            unchanged += each.document is None and not each.remark and not each.is_elsewhere
        if pages or not self.addresses:
            self.tally.notes.append(f"wiki: {unchanged} of {len(pages) - elsewhere.total()} pages unchanged")
        for host, count in sorted(elsewhere.items()):
            self.tally.notes.append(
                f"{'1 page' if count == 1 else f'{count} pages'} of {host} not checked: set KG_WIKIPEDIA_URL to the "
                f"api.php of that wiki; if its address has changed, set KG_WIKIPEDIA_FORMER_HOST={host}, too"
            )
        yield from (each for each in fetch_pages(new, self.settings, self.options) if each.id not in self.read)

    def _asked_again(self) -> Iterator[Document]:
        """Yield the web pages that were changed or are not whole, and named ones that are not in the graph."""
        stored = {each.key: each for each in self.stored() if each.key.startswith(WEB) and each.origin is None}
        asked = self.addresses or ([] if self.options.wikipedia else [*stored])
        unchanged = 0
        for address in asked:
            source, page = plugins.opened(plugins.SOURCES, *address.split(":", 1)), stored.get(address)
            if page is not None:
                source = source.since(page.url, page.version if _known(page).is_whole else "")
            try:
                found = list(documents_of(source, self.settings, self.options))
            except SourceNotFound:
                self.gone += [page] if page else []
                continue
            unchanged += not found
            yield from CheckedSources(self.settings, self.options, self.tally, (), (), ()).documents(further=found)
        self.tally.notes += [f"web: {unchanged} of {len(asked)} pages unchanged"] if asked else []

    def _pages(self) -> tuple[dict[str, StoredDocument], Sequence[str]]:
        """Return the pages of the graph, those that were named where some were, and the titles that are not there."""
        stored = [each for each in self.stored() if each.kind == "wikipedia"]
        titles = self.options.wikipedia
        if not titles:
            return {each.id: each for each in stored if not self.addresses}, ()
        keys = page_refresh.keys(titles, site_of(self.settings, self.options))
        known = {each.id: each for each in stored if each.key in keys.values()}
        there = {each.key for each in known.values()}
        return known, [title for title in titles if keys.get(title) not in there]


def _wiki(key: str) -> str:
    """Return the part of a page's key that names its wiki."""
    return key.rpartition("/")[0]


def _known(stored: StoredDocument) -> KnownPage:
    is_whole = stored.chunks == stored.done > 0
    return KnownPage(stored.id, stored.key, stored.title, stored.source, stored.revision, is_whole)
