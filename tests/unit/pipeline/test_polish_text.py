"""A Polish novel is read without a model: its names as they are, whatever form its letters have."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings
from kg_neo4j.extract import exchange
from kg_neo4j_scale.extract import ExtractReport, extract

pytestmark = pytest.mark.needs("kg_neo4j_offline")


@pytest.fixture(scope="module")
def chapters(shared_data: Path) -> str:
    """Some chapters of a Polish novel."""
    text = (shared_data / "narrative_polish" / "lalka.txt").read_text("utf-8")
    start = text.index("W początkach roku 1878")
    return text[start : start + 40_000]


def read(text: str, folder: Path) -> tuple[ExtractReport, str | None, set[tuple[str, str]]]:
    """Return the report, the language of the document, and its entities: name, type."""
    folder.mkdir()
    (folder / "lalka.txt").write_text(text, "utf-8")
    settings = Settings(openai_api_key=None, openai_base_url=None, embedding_model=None)
    to = folder / "to"
    report = extract([str(folder / "lalka.txt")], to=str(to), settings=settings, options=LoadOptions())
    ((header, extractions),) = [each for path in exchange.files_in(to) for each in exchange.read(path)]
    return report, header.document.language, {(row.name, row.type) for each in extractions for row in each.nodes}


def test_names_of_a_polish_novel_are_kept_in_either_form_of_its_letters(chapters: str, tmp_path: Path) -> None:
    report, language, entities = read(unicodedata.normalize("NFC", chapters), tmp_path / "composed")
    assert any("text in 'pl'" in note for note in report.notes)
    assert language == "pl"
    names = {name for name, _ in entities}
    assert {"Rzecki", "Wokulski"} <= {word for name in names for word in name.split()}
    assert [name for name in names if any(char in "ąćęłńóśźż" for char in name)]
    assert all(unicodedata.is_normalized("NFC", name) for name in names)
    assert read(unicodedata.normalize("NFD", chapters), tmp_path / "decomposed")[2] == entities
