"""Which finder of main texts keeps most of a page, and leaves most of the rest out?

    python benchmarks/web_pages.py

Twenty pages are made here: articles with menus, banners, sidebars, comments and footers. `recall` is the share of the
words of the main text that a tool keeps, `precision` that of its words that are of the main text. `rows` is the share
of table rows whose cells are on one line, `heads` that of headings that are lines of their own.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module as used
from pathlib import Path

from lxml import html

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import PLAIN
from kg_neo4j_readers.web import read_page

CHOOSE = random.Random(7)
NAMES = "Orlen Skarnes Molde Hvaler Bergen Vardal Tromsund Kvitnes Lofthus Ekeby Sandvik Ronneby Visby".split()
PEOPLE = "Novak Lindqvist Berg Moe Hansen Dahl Ruud Falk Brandt Weber Kowalska Nowak Aas Holm".split()
THINGS = "bell ferry harbour mill quarry lighthouse museum bridge foundry archive chapel lantern".split()
SAID = {
    "en": """In {year} the {thing} of {name} was sold to {person}, who had asked for it twice before.
The people of {name} still say that {person} was the first who saw the {thing} after the storm of {year}.
It took until {year} before the {thing} of {name} was opened again, and {person} paid for all of it.""",
    "de": """Im Jahr {year} wurde die Glocke von {name} an {person} verkauft, der schon zweimal danach gefragt hatte.
In {name} sagt man bis heute, dass {person} sie nach dem Sturm von {year} als Erster wieder gesehen hat.""",
    "pl": """W {year} roku dzwon z miasta {name} został sprzedany, a kupił go {person}, który pytał o niego dwa razy.
W mieście {name} do dziś mówią, że {person} był pierwszym, który zobaczył go po burzy w {year} roku.""",
}
LINKS = "".join(f"<li><a href=/{each}>{each}</a></li>" for each in "Home Shop Jobs Contact Login Subscribe".split())
MORE = "".join(f"<li><a href=/{each}>Read more: ten things about {each} this weekend</a></li>" for each in PEOPLE)
PARTS = dict(  # of the layouts; {} is the main text
    part.split(" ", 1)
    for part in f"""ARTICLE <main><article>{{}}</article></main>
DIV <div id=page><div class=content>{{}}</div></div>
CELLS <table width=100%><tr><td width=20%><ul>{LINKS}</ul></td><td>{{}}</td></tr></table>
NAV <nav><ul>{LINKS}</ul></nav>
MENU <div class=navbar id=topmenu><ul class=nav>{LINKS}</ul></div>
COOKIES <div id=cookie-banner class=consent><p>We use cookies to make it better.</p><button>Accept</button></div>
ASIDE <aside class=sidebar><h3>Most read</h3><ul>{MORE}</ul></aside>
COMMENTS <div id=comments><h3>2 comments</h3><div class=comment><p>I really love this website, thanks!</p></div></div>
LETTER <div class=newsletter-popup role=dialog><h4>Stay informed</h4><p>Sign up for our weekly newsletter now.</p></div>
SHARE <div class=social-share><a href=/f>Share on Facebook</a> <a href=/x>Tweet this</a></div>
PLAIN <div class=c1><div class=c2><div class=c3>{{}}</div></div></div>
BAR <div class=c8><a href=/a>Home</a> <a href=/b>Shop</a> <a href=/c>Jobs</a> <a href=/d>Contact</a></div>
LEGAL <div class=c9><p>By using this website you accept it. {"We are not liable for what others write. " * 4}</p></div>
FOOTER <footer><p>Copyright Gazette Press. All rights reserved.</p><a href=/p>Privacy</a> <a href=/>Imprint</a></footer>
""".splitlines()
)
LAYOUTS = """NAV ARTICLE h p4 h p4; MENU ARTICLE h p3 t5x3 h p3 i4; COOKIES NAV ARTICLE de h p6; MENU ARTICLE pl h p6
MENU DIV h p5 h p2 t8x4; NAV COOKIES DIV h p2 i8 h p2; MENU DIV COMMENTS h p5; NAV ARTICLE COMMENTS h p3 h p3 t4x2
NAV ASIDE ARTICLE h p4 t12x5; MENU ASIDE DIV ASIDE h p3 h p4; CELLS h p5; NAV LETTER ARTICLE SHARE h p2 h i6 h i3
MENU DIV h p2 c h p3; COOKIES NAV ARTICLE h p1 t30x4; MENU COOKIES DIV SHARE h d3 h d3; NAV ARTICLE h p2
BAR PLAIN LEGAL h p4; BAR PLAIN LEGAL h b4 h b3; BAR PLAIN BAR LEGAL h p2 l6; BAR PLAIN ASIDE LEGAL h p1 h t9x3 h p2"""

CODE = "<pre><code>for hour in range(12):\n    ring(bell, strength=hour)</code></pre>"


def made(block: str, language: str) -> str:
    """Return a block: "h" is a heading, "c" code, "p4" four paragraphs, "t5x3" a table of five rows and so on."""

    def filled(text: str) -> str:
        name, person, thing = (CHOOSE.choice(each) for each in (NAMES, PEOPLE, THINGS))
        return text.format(year=CHOOSE.randint(1700, 1990), name=name, person=person, thing=thing)

    kind, (count, width) = block[0], [*map(int, re.findall(r"\d+", block)), 1, 1][:2]
    if kind in "hc":
        return filled("<h2>The {thing} of {name} in {year}</h2>" if kind == "h" else CODE)
    if kind == "t":
        rows = ("".join(filled("<td>{person} {year}</td>") for _ in range(width)) for _ in range(count))
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    said = SAID[language].splitlines()
    told = [" ".join(filled(CHOOSE.choice(said)) for _ in range(at % 3 + 1)) for at in range(count)]
    outer, inner = ("<ul>{}</ul>", "li") if kind in "il" else ("{}", {"d": "div", "b": "span"}.get(kind, "p"))
    link = "<a href=/x>{}</a>" if kind == "l" else "{}<br><br>" if kind == "b" else "{}"
    return outer.format("".join(f"<{inner}>{link.format(each)}</{inner}>" for each in told))


def pages() -> Iterator[tuple[str, html.HtmlElement]]:
    for line in LAYOUTS.replace("\n", "; ").split("; "):
        given = line.split()
        language = next((each for each in given if each in SAID), "en")
        main = "".join(made(each, language) for each in given if each not in SAID and each not in PARTS)
        body = "".join(PARTS[each] for each in [*given, "FOOTER"] if each in PARTS).replace("{}", main)
        page = f"<!doctype html><html lang={language}><title>Gazette</title><body>{body}</body></html>"
        yield page, html.fromstring(f"<div>{main}</div>")


def scores(text: str, main: html.HtmlElement) -> dict[str, float]:
    wanted, given = (Counter(re.findall(r"\w+", each.casefold())) for each in (" ".join(main.itertext()), text))
    both, lines = (wanted & given).total(), text.splitlines()
    rows = [".*".join(re.escape(cell.text) for cell in row) for row in main.iter("tr")]
    kept = {"rows": statistics.mean(any(re.search(row, line) for line in lines) for row in rows)} if rows else {}
    heads = statistics.mean(each.text in {line.strip("#* ") for line in lines} for each in main.iter("h2"))
    return {"recall": both / wanted.total(), "precision": both / max(given.total(), 1), "heads": heads, **kept}


def justext(page: str) -> str:
    stop = used("justext").get_stoplist({"en": "English", "de": "German", "pl": "Polish"}[page.split("lang=")[1][:2]])
    return "\n".join(each.text for each in used("justext").justext(page.encode(), stop) if not each.is_boilerplate)


COLUMNS = "recall precision rows heads".split()
MARKED = {"output_format": "markdown", "include_formatting": True}
TOOLS: dict[str, Callable[[str], str]] = {
    "trafilatura, as kg_neo4j_readers.web": lambda page: read_page(page.encode(), PLAIN).text,
    "trafilatura, recall": lambda page: used("trafilatura").extract(page, **MARKED, favor_recall=True) or "",
    "trafilatura, precision": lambda page: used("trafilatura").extract(page, **MARKED, favor_precision=True) or "",
    "lxml, read_html of the whole page": lambda page: read_html(page.encode()).text,
    "readability-lxml": lambda page: read_html(used("readability").Document(page).summary().encode()).text,
    "resiliparse": lambda page: used("resiliparse.extract.html2text").extract_plain_text(page, main_content=True),
    "justext": justext,
    "boilerpy3": lambda page: used("boilerpy3.extractors").ArticleExtractor().get_content(page),
    "goose3": lambda page: used("goose3").Goose().extract(raw_html=page).cleaned_text,
    "newspaper4k": lambda page: used("newspaper").article("http://example.org/", input_html=page).text,
}


def main() -> None:
    known = list(pages())
    print(f"| tool | {' | '.join(COLUMNS)} | ms a page |\n|---|---|---|---|---|---|")
    for name, tool in TOOLS.items():
        try:
            tool(known[0][0])
        except ImportError:
            print(f"| {name} | not installed |")
            continue
        start = time.perf_counter()
        texts = [tool(page) for page, _ in known]
        each_ms = 1000 * (time.perf_counter() - start) / len(known)
        found = [scores(text, main_text) for text, (_, main_text) in zip(texts, known, strict=True)]
        means = [f"{statistics.mean(each[of] for each in found if of in each):.2f}" for of in COLUMNS]
        print(f"| {name} | {' | '.join(means)} | {each_ms:.0f} |")


if __name__ == "__main__":
    main()
