"""Pages that the loaded pages of a wiki link to: which of them to follow, most linked first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kg_neo4j.acquire import mediawiki, wiki_pages
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.acquire.wikipedia import read_page
from kg_neo4j.errors import AmbiguousTitle, SourceNotFound, UnreadableSource
from kg_neo4j.records import Document, SkippedSource

_IN_BRACKETS = re.compile(r"\s*\([^()]*\)$")


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
    if not display or display not in text:
        return 0
    return len(re.findall(rf"(?<!\w){re.escape(display)}(?!\w)", text))


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
                found = _read(wiki, title, state, graph=graph, text_language=text_language)
                if isinstance(found, Document):
                    if found.page_id in seen:  # its redirect was changed just now
                        continue
                    seen.add(found.page_id)
                    number -= 1
                yield found


def _read(
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
