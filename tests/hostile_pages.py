"""A graph in which every text is hostile, and what must not be in a page that shows it."""

from __future__ import annotations

from lxml import html

from hostile_texts import PAYLOADS
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.search_indexes import create_fulltext
from small_graph import load

AROUND = ("{}", '">{}', "'>{}", "</title></textarea></select>{}<b ", 'x" onfocus="window.taken=1" autofocus x="{}')
STORABLE = [each for each in PAYLOADS if each.strip() == each and each.isprintable()]
TEXTS = tuple(dict.fromkeys(around.format(each) for around in AROUND for each in STORABLE))[:200]

ELEMENTS = frozenset(
    "html head meta title link script body a header svg path circle span nav main h1 h2 h3 p div form label input "
    "button select option details summary ul ol li section article aside footer table caption thead tbody tr th td "
    "figure blockquote figcaption mark bdi sup dl dt dd b strong pre code br g line text fieldset legend textarea "
    "rect progress noscript datalist".split()
)
ATTRIBUTES = frozenset(
    "lang charset name content rel href class aria-label aria-current aria-hidden aria-describedby id tabindex viewbox "
    "d cx cy r x y x1 y1 x2 y2 fill stroke stroke-opacity font-size text-anchor xmlns role action method for "
    "type value required maxlength autocomplete autofocus dir selected open "
    "data-stream data-inline src defer scope hidden "
    "width height colspan inputmode enctype multiple accept max http-equiv data-events data-shows list checked "
    "webkitdirectory aria-labelledby data-graph data-question".split()
)


def load_hostile(database: Database, graph: str) -> None:
    """Make every name, alias, description, quote, title, key, address and language of a graph one of `TEXTS`."""
    paragraphs = [f"{text} met {TEXTS[n - 1]}." for n, text in enumerate(TEXTS)]
    facts = [[(text, "MET", TEXTS[n - 1], paragraphs[n])] for n, text in enumerate(TEXTS)]
    load(database, graph, TEXTS[0], paragraphs, facts)
    rows = [{"text": text, "id": f"{n:032x}"} for n, text in enumerate(TEXTS)]
    with database.driver.session() as session:
        session.run(
            "UNWIND $rows AS row MATCH (e:KgEntity {graph: $graph, name: row.text}) "
            "SET e.aliases = coalesce(e.aliases, []) + [row.text + ' x'], e.description = row.text, e.role = row.text",
            rows=rows,
            graph=graph,
        ).consume()
        session.run(
            "UNWIND $rows AS row CREATE (d:KgDocument:Document {id: row.id, graph: $graph, title: row.text, "
            "key: row.text, kind: row.text, url: row.text, language: row.text}) "
            "CREATE (d)<-[:IN_DOCUMENT]-(:KgChunk:Chunk {id: 'c' + row.id, graph: $graph, index: 0, start: 0, "
            "text: row.text, section: row.text, token_count: 1, done: true})",
            rows=rows,
            graph=graph,
        ).consume()
    create_fulltext(database)


def faults(page: str) -> list[str]:
    """Return what is in a page though no template of ours has it: an element, an attribute, an address."""
    root = html.fromstring(page)
    found = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            found.append(f"a comment or instruction: {str(element)[:80]}")
            continue
        if element.tag not in ELEMENTS:
            found.append(f"element {element.tag}")
        for name, value in element.attrib.items():
            if name not in ATTRIBUTES:
                found.append(f"{element.tag} has attribute {name}={value[:80]!r}")
            if name in ("href", "src", "action", "data-stream", "data-events") and not _is_ours(value):
                found.append(f"{element.tag} leads to {value[:80]!r}")
        if element.tag == "script" and not (element.get("src") or element.get("type") == "application/json"):
            found.append("a script without a file")
        if element.tag == "script" and "<" in (element.text or ""):
            found.append("markup within data")
    return found


def _is_ours(address: str) -> bool:
    return address.startswith(("#", "/")) and not address.startswith(("//", "/\\"))
