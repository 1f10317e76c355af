"""What a wiki says about its pages: their content, links, redirects and revisions.

Asked through the client that `mediawiki.open_wiki` gives, one request at a time; long answers come in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from kg_neo4j.errors import SourceNotFound

MAX_LINKS = 5_000  # kept of one page, the first ones by title
MAX_REDIRECTS = 1_000  # likewise
PAGES_A_REQUEST = 50  # what a wiki answers at most at once
_ENTRIES_AN_ANSWER = 500  # likewise
_ADDRESS_BYTES = 6_000  # of titles in one request; servers refuse addresses of 8,000


@dataclass(frozen=True, slots=True)
class PageState:
    """What a wiki says about a page without its text."""

    title: str
    page_id: int | None  # None where there is no such page
    revision: int | None
    namespace: int  # 0 holds the articles
    is_redirect: bool
    is_disambiguation: bool


@dataclass(frozen=True, slots=True)
class FoundPage:
    """The page that a title leads to, without its text."""

    title: str
    page_id: int
    revision: int
    url: str | None
    language: str | None  # that the wiki states, of this page
    site_language: str | None  # of pages that state none
    categories: tuple[str, ...]
    has_disambiguation: bool  # the page property
    has_redirects: bool


def find(wiki: Any, title: str) -> FoundPage:
    """Return the page that a title leads to, by one request. Raises SourceNotFound, also for a circle of redirects."""
    page, host = wiki.page(title), wiki.site.host
    categories = wiki.categories(
        page,
        prop="info|categories|pageprops|redirects",
        inprop="url",
        ppprop="disambiguation",
        rdnamespace=0,
        rdlimit=1,
        meta="siteinfo",
    )
    query = wiki.last_answer["query"]
    if not query["pages"]:
        raise SourceNotFound(f"{title!r} on {host} only leads in a circle of redirects", hint="repair it on the wiki")
    found = next(iter(query["pages"].values()))
    if "pageid" not in found or "missing" in found:
        if query.get("redirects"):
            end = found.get("title")
            raise SourceNotFound(f"{title!r} leads to {end!r}, and {host} has no such page", hint="load another title")
        raise SourceNotFound(f"{host} has no page {title!r}", hint="titles are exact; --lang chooses another language")
    return FoundPage(
        title=found["title"],
        page_id=int(found["pageid"]),
        revision=int(found["lastrevid"]),
        url=found.get("fullurl"),
        language=found.get("pagelanguage"),
        site_language=query.get("general", {}).get("lang"),
        categories=tuple(categories),
        has_disambiguation="disambiguation" in found.get("pageprops", {}),
        has_redirects="redirects" in found,
    )


def content(wiki: Any, page: FoundPage) -> tuple[str, tuple[str, ...]]:
    """Return the HTML of a revision, and the titles of the articles that it links to, by one request.

    The titles are sorted, that of the page left out, at most `MAX_LINKS`. Raises RevisionGone.
    """
    asked = {"action": "parse", "format": "json", "formatversion": 2, "oldid": page.revision, "prop": "text|links"}
    asked |= {"disablelimitreport": 1, "disableeditsection": 1, "disabletoc": 1}
    parsed = wiki._get(wiki.language, asked)["parse"]
    links = {link["title"] for link in parsed.get("links", ()) if link["ns"] == 0}
    return parsed["text"], tuple(sorted(links - {page.title})[:MAX_LINKS])


def redirects_to(wiki: Any, title: str) -> tuple[str, ...]:
    """Return the titles that lead to a page, themselves or by one other, sorted; at most `MAX_REDIRECTS`."""
    asked = {"titles": title, "generator": "redirects", "grdnamespace": 0, "grdlimit": _ENTRIES_AN_ANSWER}
    asked |= {"prop": "redirects", "rdnamespace": 0, "rdlimit": _ENTRIES_AN_ANSWER, "rdprop": "title"}
    found: set[str] = set()
    for query in _answers(wiki, asked):
        for redirect in query["pages"].values():
            found |= {redirect["title"], *(other["title"] for other in redirect.get("redirects", ()))}
        if len(found) >= MAX_REDIRECTS:
            break
    return tuple(sorted(found - {title})[:MAX_REDIRECTS])


def states_by_id(wiki: Any, page_ids: Iterable[int]) -> Mapping[int, PageState]:
    """Return the state of each page, `PAGES_A_REQUEST` in one request; redirects are not followed."""
    states: dict[int, PageState] = {}
    for some in _batches(map(str, page_ids)):
        for query in _answers(wiki, {"prop": "info|pageprops", "ppprop": "disambiguation", "pageids": "|".join(some)}):
            states |= {int(number): _state(page) for number, page in query["pages"].items()}
    return states


def states_by_title(wiki: Any, titles: Iterable[str]) -> Mapping[str, PageState]:
    """Return the state of the page that each title leads to, `PAGES_A_REQUEST` in one request."""
    states: dict[str, PageState] = {}
    for some in _batches(titles):
        asked = {"prop": "info|pageprops", "ppprop": "disambiguation", "titles": "|".join(some), "redirects": 1}
        for query in _answers(wiki, asked):
            found = {page["title"]: _state(page) for page in query["pages"].values()}
            steps = {step["from"]: step["to"] for kind in ("normalized", "redirects") for step in query.get(kind, ())}
            states |= {title: found[end] for title in some if (end := _end(title, steps)) in found}
    return states


def _end(title: str, steps: Mapping[str, str]) -> str:
    """Return where a title leads; a circle leads nowhere new."""
    seen = {title}
    while (following := steps.get(title)) is not None and following not in seen:
        seen.add(following)
        title = following
    return title


def _state(page: Mapping[str, Any]) -> PageState:
    exists = "missing" not in page and "invalid" not in page
    return PageState(
        title=page.get("title", ""),
        page_id=int(page["pageid"]) if exists else None,
        revision=int(page["lastrevid"]) if exists and "lastrevid" in page else None,
        namespace=int(page.get("ns", 0)),
        is_redirect="redirect" in page,
        is_disambiguation="disambiguation" in page.get("pageprops", {}),
    )


def _answers(wiki: Any, asked: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    following: Mapping[str, Any] = {}
    while True:
        answer = wiki._get(wiki.language, {"action": "query", "format": "json", **asked, **following})
        yield answer["query"]
        if not answer.get("continue") or answer["continue"] == following:
            return
        following = answer["continue"]


def _batches(values: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for value in values:
        needed = len(quote(value)) + 3  # the mark between two
        if batch and (len(batch) == PAGES_A_REQUEST or length + needed > _ADDRESS_BYTES):
            yield batch
            batch, length = [], 0
        batch.append(value)
        length += needed
    if batch:
        yield batch
