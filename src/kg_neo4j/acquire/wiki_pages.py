"""What a wiki knows about its pages besides their text: links, redirects, revisions.

Asked through the client that `mediawiki.open_wiki` gives, one request at a time; long answers come in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

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


def links_from(wiki: Any, title: str) -> tuple[str, ...]:
    """Return the titles of the articles that a page links to, sorted, itself left out; at most `MAX_LINKS`."""
    asked = {"prop": "links", "titles": title, "pllimit": _ENTRIES_AN_ANSWER, "plnamespace": 0}
    found = {link for link in _listed(wiki, asked, "links", MAX_LINKS) if link != title}
    return tuple(sorted(found))


def redirects_to(wiki: Any, title: str) -> tuple[str, ...]:
    """Return the titles that lead to a page, sorted; at most `MAX_REDIRECTS`."""
    asked = {"prop": "redirects", "titles": title, "rdlimit": _ENTRIES_AN_ANSWER, "rdnamespace": 0, "rdprop": "title"}
    return tuple(sorted(set(_listed(wiki, asked, "redirects", MAX_REDIRECTS))))


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


def _listed(wiki: Any, asked: Mapping[str, Any], prop: str, most: int) -> list[str]:
    """Return the titles of articles that the answers list, asking on as long as there are fewer than `most`."""

    def titles() -> Iterator[str]:
        for query in _answers(wiki, {**asked, "redirects": 1}):
            for page in query["pages"].values():
                yield from (entry["title"] for entry in page.get(prop, ()) if entry["ns"] == 0)

    return list(islice(titles(), most))


def _answers(wiki: Any, asked: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a wiki answers, part by part."""
    following: Mapping[str, Any] = {}
    while True:
        answer = wiki._get(wiki.language, {"action": "query", "format": "json", **asked, **following})
        yield answer["query"]
        if not answer.get("continue") or answer["continue"] == following:
            return
        following = answer["continue"]


def _batches(values: Iterable[str]) -> Iterator[list[str]]:
    """Yield as many values at a time as one request takes."""
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
