"""Pages without a text layer are read from their pictures; what is unsure, or not read, is named."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from kg_neo4j.acquire import pictures
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.acquire.interface import PLAIN, ParsedText, ReadOptions
from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.pdf import scans
from kg_neo4j_readers.pdf.text import read_pdf, read_scanned
from made_files import joined_pdf, pdf, placed_pdf, scanned_pdf

DEED = "The mill of Ivo Brandt was sold in 1874.\nThe guild of Saint Anne paid 312 marks."
LETTER = "Ada Marsh keeps the ledger."


def parse(data: bytes, home: Path | None = None) -> ParsedText:
    with Sandbox() as sandbox:
        return sandbox.parse(kinds()[".pdf"], data, ReadOptions(home=str(home) if home else None))


def test_scanned_pages_are_read_between_others_and_named() -> None:
    parsed = parse(joined_pdf(pdf([LETTER]), scanned_pdf([DEED, ""])))
    assert parsed.text == f"{LETTER}\n\n{DEED}"
    assert parsed.text[parsed.pages[1] :] == DEED
    assert parsed.left_out == "page 2 of 3 was read from a picture; page 3 of 3 has no text (a scan?)"


def test_a_scanned_page_that_bears_its_number_as_text_is_read() -> None:
    stream = io.BytesIO()
    writer = PdfWriter(clone_from=io.BytesIO(scanned_pdf([DEED])))
    number = PdfReader(io.BytesIO(placed_pdf([[(300, 30, "1")]]))).pages[0]
    writer.pages[0].merge_page(number)
    writer.write(stream)
    assert parse(stream.getvalue()).text.startswith(DEED)


def test_few_words_on_a_large_page_are_read() -> None:
    assert parse(scanned_pdf(["A note on lights."])).text == "A note on lights."


@pytest.mark.parametrize("turn", [90, 180, 2])
def test_a_page_that_was_scanned_turned_is_read(turn: int) -> None:
    lines = "\n".join(f"{LETTER} {DEED}".split(". "))
    found = parse(scanned_pdf([lines], turn=turn)).text
    assert " ".join(found.split()) == " ".join(lines.split())


def test_a_page_of_which_words_may_be_wrong_is_named() -> None:
    parsed = parse(scanned_pdf([DEED], blur=2.6))
    assert "page 1: many words may be wrong (confidence 0.9" in parsed.left_out


def test_of_a_page_that_nobody_can_read_no_words_are_made_up() -> None:
    with pytest.raises(UnreadableSource, match="no text on 1 pages"):
        parse(scanned_pdf([DEED], blur=2.8))


def test_what_was_read_and_the_picture_of_its_page_are_kept(tmp_path: Path) -> None:
    data = scanned_pdf([DEED])
    text = parse(data, tmp_path).text
    picture = pictures.of_page(tmp_path, text_hash(text), 1)
    assert picture.read_bytes()[:3] == b"\xff\xd8\xff"
    kept = pictures.folder(tmp_path, hashlib.sha256(data).hexdigest()) / "1.json"
    found = json.loads(kept.read_bytes())
    found["lines"][0][0] = "Another line."
    kept.write_text(json.dumps(found))
    assert parse(data, tmp_path).text.startswith("Another line.")


def test_pages_for_which_no_time_is_left_are_read_by_the_next_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = joined_pdf(pdf([LETTER]), scanned_pdf([DEED])), ReadOptions(home=str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(scans, "SECONDS", 0.0)
        assert read_scanned(data, options).left_out == "no time was left for page 2: load again to go on"
    assert read_scanned(data, options).text == f"{LETTER}\n\n{DEED}"


def test_without_the_extra_a_scan_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scans, "is_installed", lambda: False)
    with pytest.raises(UnreadableSource, match="no text on 1 pages") as caught:
        read_pdf(scanned_pdf([DEED]), PLAIN)
    assert caught.value.hint == "pip install 'kg-neo4j[ocr]' reads scans"
    told = read_pdf(joined_pdf(pdf([LETTER]), scanned_pdf([DEED])), PLAIN).left_out
    assert told == "page 2 of 2 has no text (a scan?: pip install 'kg-neo4j[ocr]' reads scans)"
