"""A page of Wikipedia, or of any MediaWiki, becomes a document: pinned revision, section tree, redirects, licence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from kg_neo4j import data_files
from kg_neo4j.acquire import mediawiki, wiki_pages
from kg_neo4j.acquire.decoding import clean
from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.acquire.language import detect, primary
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.acquire.wiki_pages import FoundPage
from kg_neo4j.errors import AmbiguousTitle, SourceNotFound, UnreadableSource, UsageError, WikipediaUnavailable
from kg_neo4j.records import Document, SkippedSource

LICENCE = "CC BY-SA 4.0"
READINGS = 3  # of a page whose revision is deleted while it is read
MAX_CHOICES = 100

_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]{1,12}){0,3}")
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_NO_TITLE = re.compile(r"[|#<>\[\]{}\x00-\x1f\x7f]")
_DISAMBIGUATION = re.compile("|".join(data_files.beside(__file__).words("disambiguation")), re.IGNORECASE)


def fetch(titles: Sequence[str], *, graph: str, site: Site, text_language: str | None = None) -> tuple[Document, ...]:
    """Return the pages that `titles` lead to, in their order; `text_language` as in `read_page`.

    Raises UsageError for what can be no title, and what `read_page` raises.
    """
    for title in titles:
        check_title(title, site.language)
    with mediawiki.open_wiki(site) as wiki:
        return tuple(read_page(wiki, title, graph=graph, text_language=text_language) for title in titles)


def check_title(title: str, language: str) -> None:
    """Raise UsageError for what can be no title, or no language, of a page."""
    if not title.strip() or _NO_TITLE.search(title) or len(title.encode()) > 255:
        raise UsageError(f"{title[:80]!r} cannot be the title of a page")
    if not _LANGUAGE.fullmatch(language):
        raise UsageError(f"{language[:30]!r} is not the code of a language", hint='such as "en", "pl" or "pt-br"')


def page_key(site: Site, page_id: int) -> str:
    """Return the key of a page's document: its wiki, as it was asked, and its number there, which moving keeps."""
    return f"{site.key_host}/{site.language}/{page_id}"


def read_page(wiki: Any, title: str, *, graph: str, text_language: str | None = None) -> Document:
    """Return the page that `title` leads to, by a client that `mediawiki.open_wiki` gave.

    Two requests, a third where titles redirect to the page; the text is that of the revision that the first one named.
    Those titles, and those that the page links to, are kept as evidence of who is who. The language is `text_language`,
    else the one that the wiki states for this page, else it is found in the text; a Wikipedia has one language. Raises
    SourceNotFound for a missing page, AmbiguousTitle, which lists the choices, for a disambiguation page,
    UnreadableSource for one without text, WikipediaUnavailable and WikiAccessDenied.
    """
    for _ in range(READINGS):
        page = wiki_pages.find(wiki, title.strip())
        _refuse_disambiguation(wiki, page)
        try:
            html, links = wiki_pages.content(wiki, page)
        except mediawiki.RevisionGone:
            continue
        document = _document(wiki, page, html, graph=graph, text_language=text_language)
        redirects = wiki_pages.redirects_to(wiki, page.title) if page.has_redirects else ()
        return replace(document, source=title, links=links, redirects=redirects)
    raise WikipediaUnavailable(f"{title!r} was changed each time it was read", hint="try again later")


def _document(wiki: Any, page: FoundPage, html: str, *, graph: str, text_language: str | None) -> Document:
    site: Site = wiki.site
    try:
        parsed = wiki.sandbox.parse("wiki", clean(html).encode("utf-8"))
    except UnreadableSource as refused:
        raise UnreadableSource(f"{site.host}: the page {page.title!r} cannot be read: {refused}") from refused
    if not parsed.text.strip():
        raise UnreadableSource(f"{site.host}: the page {page.title!r} has no text")
    key = page_key(site, page.page_id)
    return Document(
        id=document_id(graph, "wikipedia", key),
        graph=graph,
        kind="wikipedia",
        key=key,
        title=page.title,
        source=page.title,
        text=parsed.text,
        sha256=text_hash(parsed.text),
        sections=parsed.sections,
        url=page.url,
        language=text_language or _language(parsed.text, page, site),
        page_id=page.page_id,
        revision=page.revision,
        licence=LICENCE if _is_wikipedia(site.host) or _is_wikipedia(urlsplit(page.url or "").netloc) else None,
    )


def _language(text: str, page: FoundPage, site: Site) -> str:
    """Return the language of a page: what the wiki states of all pages alike says little about one of them."""
    stated = page.language or site.language
    if _is_wikipedia(site.host) or stated != page.site_language:
        return stated
    found = detect(text)
    return stated if found is None or found == primary(stated) else found


def _is_wikipedia(where: str) -> bool:
    return where.endswith(".wikipedia.org")


def _refuse_disambiguation(wiki: Any, page: FoundPage) -> None:
    """Raise AmbiguousTitle for a disambiguation page, known by its page property or its categories."""
    if not page.has_disambiguation and not any(map(_DISAMBIGUATION.search, page.categories)):
        return
    linked = wiki.links(wiki.page(page.title))
    choices = sorted(title for title, link in linked.items() if link.namespace == 0)
    listed = ", ".join(choices[:MAX_CHOICES])
    raise AmbiguousTitle(
        f"{page.title!r} on {wiki.site.host} may mean several pages: {listed}",
        choices=choices,
        hint="load one of them by its exact title",
    )


# ------------------------------------------------------------------------------------------------- linked pages


def rank(documents: Sequence[Document]) -> tuple[str, ...]:
    """Return the titles that `documents` link to, the pages among them left out.

    By how many of them link there, then by how often their text has the title (without what stands in brackets at its
    end), then by title.
    """
    own = {title for document in documents for title in (document.title, *document.redirects)}
    linked = Counter(link for document in documents for link in document.links if link not in own)
    text = "\n".join(document.text for document in documents).casefold()
    return tuple(sorted(linked, key=lambda title: (-linked[title], -_occurrences(title, text), title)))


def _occurrences(title: str, text: str) -> int:
    display = _IN_BRACKETS.sub("", title).casefold()
    return len(re.findall(rf"(?<!\w){re.escape(display)}(?!\w)", text)) if display and display in text else 0


def follow(
    documents: Sequence[Document], number: int, *, graph: str, site: Site, text_language: str | None = None
) -> Iterator[Document | SkippedSource]:
    """Yield the `number` most linked pages of `documents`, one by one; see `rank`. Their own links are not followed.

    Pages that do not exist, disambiguation pages and pages without text are skipped, with the reason, and the next ones
    take their place. `text_language` as in `read_page`. Raises WikipediaUnavailable.
    """
    seen = {document.page_id for document in documents}
    titles = rank(documents)
    with mediawiki.open_wiki(site) as wiki:
        for start in range(0, len(titles), wiki_pages.PAGES_A_REQUEST):
            some = titles[start : start + wiki_pages.PAGES_A_REQUEST]
            states = wiki_pages.states_by_title(wiki, some) if number > 0 else {}
            for title in some:
                state = states.get(title)
                if number <= 0:
                    return
                if state is not None and (state.page_id in seen or state.namespace):
                    continue
                found = _read_linked(wiki, title, state, graph=graph, text_language=text_language)
                if isinstance(found, Document):
                    if found.page_id in seen:  # its redirect was changed just now
                        continue
                    seen.add(found.page_id)
                    number -= 1
                yield found


def _read_linked(
    wiki: Any, title: str, state: wiki_pages.PageState | None, *, graph: str, text_language: str | None
) -> Document | SkippedSource:
    if state is None or state.page_id is None:
        return SkippedSource(title, f"{wiki.site.host} has no such page")
    if state.is_disambiguation:
        return SkippedSource(title, "a disambiguation page")
    try:
        return read_page(wiki, title, graph=graph, text_language=text_language)
    except AmbiguousTitle:
        return SkippedSource(title, "a disambiguation page")
    except (SourceNotFound, UnreadableSource) as refused:
        return SkippedSource(title, str(refused))
