"""Which pages of a wiki were changed since they were loaded: a revision is cheap to ask for, a text is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from kg_neo4j.acquire import mediawiki, wiki_pages
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.acquire.wikipedia import check_title, page_key, read_page
from kg_neo4j.errors import AmbiguousTitle, SourceNotFound, UnreadableSource
from kg_neo4j.records import Document


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it was loaded."""

    document_id: str
    key: str  # wiki host, language and page id
    title: str
    source: str  # how the user named it
    revision: int | None
    is_whole: bool  # all of it is extracted

    @property
    def where(self) -> tuple[str, str]:
        """The wiki's host and language."""
        host, language, _ = self.key.rsplit("/", 2)
        return host, language

    @property
    def page_id(self) -> int:
        """Number of the page in its wiki; it stays when the page is moved."""
        return int(self.key.rsplit("/", 1)[1])


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """What became of a page."""

    page: KnownPage
    document: Document | None = None  # its text now, where that had to be read
    is_gone: bool = False
    is_elsewhere: bool = False  # on a wiki that was not asked
    remark: str = ""  # one line where there is something to say


def keys(titles: Sequence[str], site: Site) -> Mapping[str, str]:
    """Return the key of the page that each title leads to; titles that lead nowhere are left out. No text is read.

    Raises UsageError for what can be no title, and WikipediaUnavailable.
    """
    for title in titles:
        check_title(title, site.language)
    plain = {title: title.strip().replace("_", " ") for title in titles}
    with mediawiki.open_wiki(site) as wiki:
        states = wiki_pages.states_by_title(wiki, [plain[title] for title in titles])
    found = {title: states[name].page_id for title, name in plain.items() if name in states}
    return {title: page_key(site, page_id) for title, page_id in found.items() if page_id is not None}


def check(
    pages: Sequence[KnownPage], *, graph: str, site: Site, text_language: str | None = None
) -> Iterator[CheckedPage]:
    """Yield each page, read again where its revision changed or where it is not whole.

    One request tells the revisions of 50 pages; the text of an unchanged page is not asked for. Pages of a wiki that is
    neither a Wikipedia nor `site` are left alone. `text_language` as in `read_page`. Raises WikipediaUnavailable.
    """
    for wiki, page, state in _states(pages, site):
        if wiki is None:
            yield CheckedPage(page, is_elsewhere=True)
        else:
            yield _checked(wiki, page, state, graph=graph, text_language=text_language)


def deleted(pages: Sequence[KnownPage], site: Site) -> Iterator[KnownPage]:
    """Yield the pages that their wiki no longer has, those of wikis that `check` leaves alone apart."""
    return (page for _, page, state in _states(pages, site) if state is not None and state.page_id is None)


def _states(pages: Sequence[KnownPage], site: Site) -> Iterator[tuple[Any, KnownPage, wiki_pages.PageState | None]]:
    """Yield each page with a client of its wiki and what that says of it; no client for a wiki that is left alone.

    A wiki that `site` moved from is `site`. Only that is sent the bot password.
    """
    ordered = sorted(pages, key=lambda page: (page.where, page.page_id))
    for (host, language), group in groupby(ordered, key=lambda page: page.where):
        asked = Site(language)
        if site.url is not None and host in (site.host, site.key_host):
            asked = replace(site, language=language, former_host=host)
        elif host != asked.host:
            yield from ((None, page, None) for page in group)
            continue
        known = list(group)
        with mediawiki.open_wiki(asked) as wiki:
            states = wiki_pages.states_by_id(wiki, (page.page_id for page in known))
            yield from ((wiki, page, states.get(page.page_id)) for page in known)


def _checked(
    wiki: Any, page: KnownPage, state: wiki_pages.PageState | None, *, graph: str, text_language: str | None
) -> CheckedPage:
    host = wiki.site.host
    if state is None or state.page_id is None:
        return CheckedPage(page, is_gone=True, remark=f"it was deleted from {host}")
    if state.is_redirect:
        return CheckedPage(page, is_gone=True, remark=f"on {host} it only leads to another page now")
    if state.revision == page.revision and state.title == page.title and page.is_whole:
        return CheckedPage(page)
    moved = f"it was moved to {state.title!r}" if state.title != page.title else ""
    try:
        document = read_page(wiki, state.title, graph=graph, text_language=text_language)
    except (AmbiguousTitle, SourceNotFound, UnreadableSource) as refused:
        return CheckedPage(page, remark=f"it stays as it was loaded: {refused}")
    if document.id != page.document_id:  # moved between the two questions
        return CheckedPage(page, remark="it stays as it was loaded: it was moved just now")
    return CheckedPage(page, replace(document, source=page.source), remark=moved)
