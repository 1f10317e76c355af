"""A page of Wikipedia, or of any MediaWiki, becomes a document: pinned revision, section tree, redirects, licence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kg_neo4j.acquire import mediawiki, wiki_pages
from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.acquire.interface import ParsedText, TextBuilder
from kg_neo4j.errors import AmbiguousTitle, SourceNotFound, UnreadableSource, UsageError, WikipediaUnavailable
from kg_neo4j.records import Document

if TYPE_CHECKING:
    import wikipediaapi

LICENCE = "CC BY-SA 4.0"
READINGS = 3  # of a page that is edited while it is read
MAX_CHOICES = 100

_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]{1,12}){0,3}")
_HEADING = re.compile(r"^ *(={2,6}) *(\S.*?) *={2,6} *$", re.MULTILINE)
_NO_TITLE = re.compile(r"[|#<>\[\]{}\x00-\x1f\x7f]")
_DISAMBIGUATION = re.compile(
    r"disambig|begriffsklärung|ujednoznacznia|homonymie|desambigua|disambigua|doorverwijs|неоднозначност|多義|消歧义|"
    r"rozcestník|egyértelműsít|förgrening|dezambig|значений",
    re.IGNORECASE,
)


def fetch(title: str, *, graph: str, language: str = "en", url: str | None = None) -> Document:
    """Return the page `title` of the Wikipedia in `language`, or of the MediaWiki whose api.php is at `url`.

    Raises UsageError for what can be no title, and what `read_page` raises.
    """
    check_title(title, language)
    with mediawiki.open_wiki(language, url) as wiki:
        return read_page(wiki, title, graph=graph, where=mediawiki.host(language, url))


def check_title(title: str, language: str) -> None:
    """Raise UsageError for what can be no title, or no language, of a page."""
    if not title.strip() or _NO_TITLE.search(title) or len(title.encode()) > 255:
        raise UsageError(f"{title[:80]!r} cannot be the title of a page")
    if not _LANGUAGE.fullmatch(language):
        raise UsageError(f"{language[:30]!r} is not the code of a language", hint='such as "en", "pl" or "pt-br"')


def page_key(where: str, language: str, page_id: int) -> str:
    """Return the key of a page's document: its wiki, as it was asked, and its number there, which moving keeps."""
    return f"{where}/{language}/{page_id}"


def read_page(wiki: Any, title: str, *, graph: str, where: str) -> Document:
    """Return the page that `title` leads to, by a client that `mediawiki.open_wiki` gave; `where` is the wiki's host.

    The revision is read before and after the text, which is read again where they differ. Sections without any text are
    left out. The titles that lead to the page and those that it links to are kept, as evidence of who is who. Raises
    SourceNotFound for a missing page, AmbiguousTitle, which lists the choices, for a disambiguation page,
    UnreadableSource for one without text, and WikipediaUnavailable.
    """
    for _ in range(READINGS):
        page = wiki.page(title.strip())
        if not page.exists():
            raise SourceNotFound(
                f"{where} has no page {title!r}", hint="titles are exact; --lang chooses another language"
            )
        _refuse_disambiguation(wiki, page, where)
        wiki.extracts(page)
        parsed = _text(_answered_page(wiki)["extract"])
        links = wiki_pages.links_from(wiki, page.title)
        if wiki.page(page.title).lastrevid == page.lastrevid:
            document = _document(title, page, parsed, graph=graph, where=where)
            redirects = {*document.redirects, *wiki_pages.redirects_to(wiki, page.title)} - {page.title}
            return replace(document, links=links, redirects=tuple(sorted(redirects)))
    raise WikipediaUnavailable(f"{title!r} was edited each time it was read", hint="try again later")


def _document(asked: str, page: wikipediaapi.WikipediaPage, parsed: ParsedText, *, graph: str, where: str) -> Document:
    if not parsed.text.strip():
        raise UnreadableSource(f"{where}: the page {page.title!r} has no text")
    key = page_key(where, page.language, int(page.pageid))
    redirects = [step["from"] for step in getattr(page, "redirects", None) or ()]
    return Document(
        id=document_id(graph, "wikipedia", key),
        graph=graph,
        kind="wikipedia",
        key=key,
        title=page.title,
        source=asked,
        text=parsed.text,
        sha256=text_hash(parsed.text),
        sections=parsed.sections,
        url=page.fullurl,
        language=page.pagelanguage or page.language,
        page_id=int(page.pageid),
        revision=int(page.lastrevid),
        licence=LICENCE if _is_wikipedia(where) or _is_wikipedia(urlsplit(page.fullurl or "").netloc) else None,
        redirects=tuple(redirects),
    )


def _is_wikipedia(where: str) -> bool:
    return where.endswith(".wikipedia.org")


def _text(extract: str) -> ParsedText:
    """Return the text of an extract with its section tree; headings stand in the text as lines of their own.

    Cut from the wiki's own answer: the package loses a heading that opens a page, and doubles a page without a summary.
    """
    parts = _HEADING.split(_cleaned(extract))  # text, then again and again: signs, title, text
    sections = [(len(parts[i]) - 1, parts[i + 1], parts[i + 2].strip()) for i in range(1, len(parts), 3)]
    kept: list[tuple[int, str, str]] = []
    for section in reversed(sections):
        if section[2] or (kept and kept[-1][0] > section[0]):  # text of its own or below it
            kept.append(section)
    builder = TextBuilder()
    builder.add(parts[0].strip())
    for level, title, text in reversed(kept):
        builder.add_heading(title, level)
        builder.add(text)
    return builder.build()


def _answered_page(wiki: Any) -> Mapping[str, Any]:
    """Return the page in the wiki's last answer."""
    page: Mapping[str, Any] = next(iter(wiki.last_answer["query"]["pages"].values()), {})
    return page


def _cleaned(text: str) -> str:
    return clean(normalise_text(text)).strip()


def _refuse_disambiguation(wiki: Any, page: wikipediaapi.WikipediaPage, where: str) -> None:
    """Raise AmbiguousTitle for a disambiguation page, known by its page property or its categories."""
    categories = wiki.categories(page, prop="categories|pageprops", ppprop="disambiguation")
    if "disambiguation" not in _answered_page(wiki).get("pageprops", {}) and not any(
        map(_DISAMBIGUATION.search, categories)
    ):
        return
    choices = sorted(title for title, link in wiki.links(page).items() if link.namespace == 0)
    listed = ", ".join(choices[:MAX_CHOICES])
    raise AmbiguousTitle(
        f"{page.title!r} on {where} may mean several pages: {listed}",
        choices=choices,
        hint="load one of them by its exact title",
    )
