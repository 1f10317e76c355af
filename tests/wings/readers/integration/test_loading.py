"""A folder with a file of each kind is loaded in one command; answers cite slide, sheet and row, mail and part."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from lxml import html

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.settings import Settings
from kg_runner import Kg
from made_files import placed_pdf, scanned_pdf
from made_office import book, mail, open_document, presentation, shape
from served import served

PAINTED = "Hedda Krog painted the Ekeby lighthouse in 1922."
ASKED = {  # question -> title of the document, section, words of the passage
    "Who leads the survey of the Skarnes quarry?": ("plan", "Slide 2: Quarry", "Ann Lindqvist leads"),
    "Who bought the Orlen bell?": ("Bell sale", "Bell sale", "Marta Novak bought"),
    "Where did Tomas Berg build the mill?": ("The Bell", "Two", "built the mill in Bergen"),
    "When was the Vik lamp repaired?": ("Lamp", "Repairs", "repaired in 1931"),
    "Who measured the tides at Hvaler?": ("Tides", "Tides", "Ingrid Dahl measured"),
    "Who signed the lease of the Sund pier?": ("lease", "", "Olav Ruud signed"),
    "Who is the harbour master of Molde?": ("crew", "Crew", "harbour master | Molde | 3"),
    "Which firm owns the Nordlys?": ("ships", "", "Nordlys | Hansen Shipping | 2"),
    "Who leases the Vardal mill?": ("rents", "", "Vardal | Sigrid Holm | 312"),
    "Who painted the Ekeby lighthouse?": ("scan", "", "Hedda Krog painted the Ekeby lighthouse"),
    "What did Peter Falk lose in the fire?": ("fire (bell.eml/fire.txt)", "", "lost his violin"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of each kind, and three that no reader reads."""
    root = tmp_path / "shared"
    root.mkdir()
    words = "Ann Lindqvist leads the survey of the Skarnes quarry."
    slides = [shape(["Plan"], "title"), shape(["Quarry"], "title") + shape([words])]
    (root / "plan.pptx").write_bytes(presentation(slides))
    fire = b"Peter Falk lost his violin in the fire."
    sale = mail("Bell sale", "Marta Novak bought the Orlen bell.", attached={"fire.txt": fire})
    sale.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    (root / "bell.eml").write_bytes(sale.as_bytes())
    second = "<h1>Two</h1><p>Tomas Berg built the mill in Bergen.</p>"
    (root / "mill.epub").write_bytes(book({"1.xhtml": "<h1>One</h1><p>It rained.</p>", "2.xhtml": second}))
    body = '<text:h text:outline-level="1">Repairs</text:h><text:p>The Vik lamp was repaired in 1931.</text:p>'
    (root / "lamp.odt").write_bytes(open_document(body))
    cell = {"cell_type": "markdown", "source": "# Tides\n\nIngrid Dahl measured the tides at Hvaler."}
    (root / "tides.ipynb").write_text(json.dumps({"cells": [cell]}))
    (root / "lease.rtf").write_bytes(rb"{\rtf1\ansi Olav Ruud signed the lease of the Sund pier.\par}")
    sheet = openpyxl.Workbook()
    sheet.active.title = "Crew"
    for row in (["Name", "Role", "Town"], ["Kari Moe", "pilot", "Oslo"], ["Nils Aas", "harbour master", "Molde"]):
        sheet.active.append(row)
    sheet.save(root / "crew.xlsx")
    (root / "ships.csv").write_text("Ship;Firm\nNordlys;Hansen Shipping\nVega;Berg Lines\n")
    mills = [("Mill", "Leased by", "Rent"), ("Vardal", "Sigrid Holm", "312"), ("Visby", "Arne Lie", "98")]
    placed = [(x, 700 - 14 * row, cells[at]) for row, cells in enumerate(mills) for at, x in enumerate((72, 200, 330))]
    (root / "rents.pdf").write_bytes(placed_pdf([[(72, 740, "The rents of the year."), *placed]]))
    (root / "scan.pdf").write_bytes(scanned_pdf(["A note on lights.", PAINTED]))
    for name in ("photo.png", "style.css", "page.css"):
        (root / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    return root


def test_a_folder_of_office_files_is_loaded_and_answers_name_the_place(kg: Kg, folder: Path) -> None:
    code, out, err = kg("load", str(folder), "--no-analytics")
    assert code == 0, out + err
    assert "4 files of kinds that are not read (2 .css, 2 .png)" in out + err
    for question, (title, section, words) in ASKED.items():
        code, out, _ = kg("ask", question, "--json")
        passages = json.loads(out)["passages"]
        found = [
            (each["citation"]["document"], each["section"], each["before"] + each["citation"]["quote"] + each["after"])
            for each in passages
        ]
        assert any(t == title and s.endswith(section) and words in q for t, s, q in found), (question, found)


@pytest.mark.needs("kg_neo4j_serve")
def test_a_citation_leads_to_its_place_in_the_pages_of_kg_serve(kg: Kg, offline: Settings, folder: Path) -> None:
    home = folder.parent / "home"  # where pictures of scanned pages are kept
    home.mkdir()
    kg("load", str(folder), "--no-analytics", KG_HOME=str(home))
    with served(offline.model_copy(update={"home": home})) as client:
        for question, (title, _, words) in ASKED.items():
            passages = json.loads(kg("ask", question, "--json")[1])["passages"]
            cited = next(each["citation"] for each in passages if each["citation"]["document"] == title)
            place = {"id": cited["chunk_id"], "start": cited["start"], "end": cited["end"]}
            page = html.fromstring(client.get("/document", params=place).text)
            marked = " ".join(page.xpath("string((//mark[@class='meant'])[1]/..)").split())
            assert words.partition(" | ")[0] in marked, (question, marked)
            pictures = page.xpath("//figure[@class='scan']/img/@src")
            assert [each.partition(",")[0] for each in pictures] == ["data:image/jpeg;base64"] * (title == "scan")


def test_what_is_attached_goes_with_its_mail(kg: Kg, database: Database, graph: str, folder: Path) -> None:
    kg("load", str(folder), "--no-analytics")
    assert "shared/bell.eml/fire.txt" in {f"shared/{each.key}" for each in list_documents(database, graph)}
    without = mail("Bell sale", "Marta Novak bought the Orlen bell.")
    (folder / "bell.eml").write_bytes(without.as_bytes())
    assert kg("load", str(folder), "--no-analytics", "--prune")[0] == 0
    assert not any("fire.txt" in each.key for each in list_documents(database, graph))
    sold = mail("Bell sale", "Sold.", attached={"fire.txt": b"Peter Falk wept."})
    (folder / "bell.eml").write_bytes(sold.as_bytes())
    kg("load", str(folder), "--no-analytics")
    assert kg("unload", str(folder / "bell.eml"))[0] == 0
    assert not any("bell.eml" in each.key for each in list_documents(database, graph))


def test_a_file_that_is_named_and_refused_is_told_and_the_code_is_3(kg: Kg, folder: Path) -> None:
    (folder / "plan.pptx").write_bytes(b"PK\x03\x04 cut")
    code, out, err = kg("load", str(folder), "--no-analytics")
    assert code == 3
    assert "plan.pptx: damaged archive" in out + err
    code, out, err = kg("load", str(folder / "photo.png"), str(folder / "lease.rtf"))
    assert (code, "photo.png: binary" in out + err) == (3, True)
