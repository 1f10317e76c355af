"""Tables in `kg serve`: a citation leads to its row, whose cells are marked; support by tables is told from text."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from lxml import html

from hostile_pages import faults
from kg_neo4j import KnowledgeGraph
from kg_neo4j.pipeline.commands.search import ShownFact
from kg_neo4j.records import Filters
from kg_neo4j.settings import Settings
from kg_neo4j_serve.pages.documents import ROWS
from kg_runner import RunKg, environment_of
from served import served

MAP = """
[[tables]]
file = "people.csv"
unique = ["id"]
[tables.nodes.person]
type = "PERSON"
name = "name"
key = "id"
properties = { start_date = { column = "born", kind = "date" } }
[tables.nodes.firm]
table = "firms.csv"
key = "firm_id"
[tables.nodes.town]
type = "PLACE"
name = "town"
[[tables.relationships]]
from = "person"
type = "WORKED_FOR"
to = "firm"
[[tables.relationships]]
from = "person"
type = "BORN_IN"
to = "town"

[[tables]]
file = "firms.csv"
[tables.nodes.firm]
type = "ORGANIZATION"
name = "name"
key = "firm_id"
[tables.nodes.city]
type = "PLACE"
name = "city"
[[tables.relationships]]
from = "firm"
type = "LOCATED_IN"
to = "city"
"""
PEOPLE = [f"P{n},Clerk Number{n},,F2,,{'x' * (n % 3)}" for n in range(3, 60)]
NOTE = "Ann Lee worked for Northwind Shipping. Ann Lee was born in Bergen."


@pytest.fixture(scope="module")
def known(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("tables")
    lines = [
        "id,name,born,firm_id,town,note",
        "P1,Bo Berg,,F2,,",
        "P2,Ann Lee,1980-05-01,F1,Bergen,likes <b>tea</b>",
        *PEOPLE,
    ]
    (folder / "people.csv").write_text("\n".join([*lines, "P99,Too,many,cells,here,now,too"]), "utf-8")
    firms = ["firm_id,name,city", "F1,Northwind Shipping,Bergen", "F2,شركة النور,القاهرة"]
    (folder / "firms.csv").write_text("\n".join(firms), "utf-8")
    (folder / "map.toml").write_text(MAP, "utf-8")
    (folder / "note.txt").write_text(NOTE, "utf-8")
    with KnowledgeGraph(shared.graph, settings=shared) as found:
        found.load(map=folder / "map.toml")
        found.load(folder / "note.txt")
        yield found


@pytest.fixture(scope="module")
def server(known: KnowledgeGraph) -> Iterator[httpx.Client]:
    with served(known.settings) as client:
        yield client


def opened(server: httpx.Client, address: str, **given: str | int) -> html.HtmlElement:
    """Return a page that was found."""
    answer = server.get(address, params=given or None)
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    return html.fromstring(answer.text)


def words(element: html.HtmlElement) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def row_at(page: html.HtmlElement) -> tuple[dict[str, str], dict[str, str]]:
    """Return the cells of the one row that a link leads to, and those that are marked, by their columns."""
    [row] = page.xpath("//tr[@aria-current='true']")
    assert row.get("class") == "meant"
    columns = [words(each) for each in page.xpath("//thead//th[@scope='col']")]
    cells = dict(zip(columns, row.xpath("./*"), strict=True))
    marked = {name: cell for name, cell in cells.items() if cell.xpath(".//mark[@class='meant']")}
    assert all(words(cell) == " ".join(map(words, cell.xpath(".//mark"))) for cell in marked.values())
    return {name: words(cell) for name, cell in cells.items()}, {name: words(cell) for name, cell in marked.items()}


def ids_of(server: httpx.Client) -> dict[str, str]:
    return {each["title"]: each["id"] for each in server.get("/api/documents").json()["documents"]}


def fact_of(known: KnowledgeGraph) -> ShownFact:
    return next(each for each in known.entity("Ann Lee").facts if each.type == "BORN_IN")


def test_the_evidence_of_a_fact_leads_to_its_row_and_its_cells(server: httpx.Client, known: KnowledgeGraph) -> None:
    page = opened(server, "/entity", name="Ann Lee")
    fact = page.xpath(f"//li[@id='f-{fact_of(known).id}']")[0]
    assert words(fact.xpath(".//span[@class='badge']")[0]) == "2 quotes, 1 from tables"
    captions = {words(each).partition(",")[0]: each for each in fact.xpath(".//figcaption")}
    assert set(captions) == {"people.csv", "note"}
    assert words(captions["people.csv"]) == "people.csv, line 3 table"
    assert words(captions["note"]) == "note"
    quote = captions["people.csv"].xpath("../blockquote")[0]
    assert words(quote) == "name: Ann Lee | born: 1980-05-01 | firm_id: Northwind Shipping [F1] | town: Bergen"
    address, _, anchor = captions["people.csv"].xpath("./a/@href")[0].partition("#")
    shown = opened(server, address)
    cells, marked = row_at(shown)
    assert (cells["Line"], cells["id"], cells["note"]) == ("3", "P2", "likes <b>tea</b>")
    firm = "Northwind Shipping [F1]"
    assert marked == {"name": "Ann Lee", "born": "1980-05-01", "firm_id": firm, "town": "Bergen"}
    [here] = shown.xpath("//*[@id='here']")
    assert (anchor, here.tag, words(here)) == ("here", "mark", "Ann Lee")
    names = {words(each): each.get("href") for each in here.xpath("ancestor::tr//a[@class='name']")}
    assert set(names) == {"Ann Lee", "Northwind Shipping", "Bergen"}
    assert words(opened(server, names["Northwind Shipping"]).xpath("//h1")[0]) == "Northwind Shipping"
    stated = words(shown.xpath("//div[@class='row-statements']/p")[0])
    assert set(stated.split("; ")) == {"Ann Lee born in Bergen", "Ann Lee worked for Northwind Shipping"}


def test_an_answer_names_the_line_and_leads_there(server: httpx.Client) -> None:
    question = "Where is Northwind Shipping located?"
    answer = server.get("/api/ask", params={"question": question, "kinds": "table"}).json()
    places = {(each["document"], each["line"], each["page"]) for each in answer["passages"]}
    assert places == {("firms.csv", 2, None), ("people.csv", 3, None)}
    assert {(each["document"], each["line"]) for each in answer["quotes"]} <= {place[:2] for place in places}
    page = opened(server, "/ask", question=question, kinds="table")
    [link] = page.xpath("//figcaption/a[text()='firms.csv']")
    assert words(link.getparent()) == "firms.csv, line 2 table"
    cells, marked = row_at(opened(server, link.get("href").partition("#")[0]))
    assert cells["Line"] == "2"
    assert marked["city"] == "Bergen"


def test_a_table_is_shown_fifty_rows_a_page(server: httpx.Client) -> None:
    people = ids_of(server)["people.csv"]
    page = opened(server, "/document", id=people)
    columns = ["Line", "id", "name", "born", "firm_id", "town", "note"]
    assert [words(each) for each in page.xpath("//thead//th")] == columns
    assert not page.xpath("//tr[@aria-current] | //section[contains(@class, 'passage')]")
    assert "60 rows" in words(page.xpath("//p[contains(@class, 'parts')]")[0])
    lines = [words(each) for each in page.xpath("//tbody/tr/th")]
    [following] = page.xpath("//a[@rel='next']")
    last = opened(server, following.get("href"))
    lines += [words(each) for each in last.xpath("//tbody/tr/th")]
    assert lines == [str(line) for line in range(2, 62)]
    assert len(page.xpath("//tbody/tr")) == ROWS
    [whole] = last.xpath("//td[@colspan='4']")  # the row with seven cells; here no row has born or town
    assert words(whole) == "P99 | Too | many | cells | here | now | too"
    link = last.xpath("//tbody/tr/th/a")[3]
    address, _, anchor = link.get("href").partition("#")
    led = opened(server, address)
    cells, marked = row_at(led)
    assert (cells["Line"], marked) == (words(link), {})
    assert words(led.xpath(f"//*[@id='{anchor}']")[0]) == words(link)
    said = page.xpath("//details[contains(@class, 'statements')]//li")
    assert len(said) == ROWS
    assert words(said[0]) == "Line 2: Bo Berg worked for شركة النور"


def test_texts_are_shown_as_before(server: httpx.Client) -> None:
    page = opened(server, "/document", id=ids_of(server)["note"])
    assert page.xpath("//section[contains(@class, 'passage')]//p[contains(@class, 'source')]")
    assert not page.xpath("//article//table")
    twin = server.get("/document.json", params={"id": ids_of(server)["note"]}).json()["document"]
    assert (twin["columns"], twin["passages"][0]["line"], twin["passages"][0]["cells"]) == ([], None, {})


def test_support_by_tables_is_told_from_text(server: httpx.Client, known: KnowledgeGraph, run_kg: RunKg) -> None:
    card = server.get("/api/entity", params={"name": "Ann Lee"}).json()
    assert (card["documents"], card["tables"]) == (2, 1)
    meta = words(opened(server, "/entity", name="Ann Lee").xpath("//p[contains(@class, 'parts')]")[0])
    assert "in 2 documents, 1 of them a table" in meta
    fact = next(each for each in card["facts"] if each["type"] == "BORN_IN")
    assert (fact["evidence"], fact["in_tables"]) == (2, 1)
    only = next(each for each in known.entity("Bo Berg").facts if each.type == "WORKED_FOR")
    assert (only.evidence, only.in_tables, only.line, only.document) == (1, 1, 2, "people.csv")
    assert only.quote == "name: Bo Berg | firm_id: شركة النور [F2]"
    environment = environment_of(known.settings)
    _, shown, _ = run_kg(["show", "Ann Lee"], environment)
    assert f"in {card['documents']} documents, 1 of them a table" in " ".join(shown.split())
    assert "2, 1 in tables" in shown
    source = server.get("/api/source", params={"id": only.chunk_id, "around": 0}).json()
    assert [each["line"] for each in source["passages"]] == [2]


def test_paths_and_pictures_name_the_line(server: httpx.Client) -> None:
    found = server.get("/api/connect", params={"source": "Bo Berg", "target": "القاهرة"}).json()
    assert {(each["document"], each["line"]) for each in found["quotes"]} == {("people.csv", 2), ("firms.csv", 3)}
    picture = server.get("/graph.json", params={"name": "Bo Berg", "limit": 2}).json()["picture"]
    documents = {each["document"] for detail in picture["details"].values() for each in detail["quotes"]}
    assert "people.csv, line 2" in documents


def test_a_table_from_right_to_left_keeps_its_words(server: httpx.Client) -> None:
    page = opened(server, "/document", id=ids_of(server)["firms.csv"])
    [box] = page.xpath("//div[contains(@class, 'rows')]")
    assert box.get("dir") == "auto"
    assert box.xpath(".//*[@dir]") == []  # else its direction would be that of other words than the columns'
    assert "القاهرة" in [words(each) for each in page.xpath("//tbody//td/bdi")]


def test_the_kind_of_a_document_is_a_filter(known: KnowledgeGraph) -> None:
    question = "Whom did Ann Lee work for?"
    of_tables = known.ask(question, filters=Filters(kinds=("table",)))
    assert {each.document for each in of_tables.citations} == {"people.csv"}
    assert {each.document for each in known.ask(question, filters=Filters(kinds=("file",))).citations} == {"note"}
