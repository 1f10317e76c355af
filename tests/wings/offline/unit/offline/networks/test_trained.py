"""The trained pipeline: whole, small, free of pickle, the same every time, and refused when a byte is another."""

from __future__ import annotations

import pickletools
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from kg_neo4j.errors import ModelDamaged
from kg_neo4j_offline.networks import trained
from kg_neo4j_offline.networks.trained import FOLDER, LOCK, names, process, read_lock, verify

TEXT = (
    "Marie Curie (7 November 1867 – 4 July 1934) was a Polish and naturalised-French physicist and chemist. "
    "She was born in Warsaw. In 1891 she followed her sister Bronisława to study at the University of Paris.\n"
    "Curie won the Nobel Prize in Physics with her husband Pierre Curie and with Henri\nBecquerel."
)


def found(text: str) -> set[tuple[str, str]]:
    return {(text[span.start : span.end].replace("\n", " "), span.type) for span in names(text)}


def test_it_finds_people_places_organisations_and_dates():
    assert found(TEXT) >= {
        ("Marie Curie", "PER"),
        ("Pierre Curie", "PER"),
        ("Warsaw", "LOC"),
        ("University of Paris", "ORG"),
        ("7 November 1867", "TIME"),
        ("1891", "TIME"),
    }


def test_a_name_goes_over_a_line_break():
    assert ("Henri Becquerel", "PER") in found(TEXT)


def test_process_gives_sentences_tags_lemmas_and_dependencies():
    doc = process("Ada Brandt was born in Oslo. She married Otto Lind, a cook.")
    assert [sentence.text for sentence in doc.sents] == [
        "Ada Brandt was born in Oslo.",
        "She married Otto Lind, a cook.",
    ]
    born, she = doc[3], doc[7]
    assert (born.tag_, born.pos_, born.dep_, doc[2].lemma_) == ("VBN", "VERB", "ROOT", "be")
    assert (she.dep_, she.head.text) == ("nsubj", "married")


def test_process_finds_the_names_that_names_finds():
    doc = process(TEXT)
    assert [(each.start_char, each.end_char, each.label_) for each in doc.ents] == [
        (span.start, span.end, span.type) for span in names(TEXT)
    ]


def test_spans_are_in_order_and_do_not_overlap():
    spans = names(TEXT * 3)
    assert all(before.end <= after.start for before, after in pairwise(spans))


def test_threads_get_what_one_gets():
    texts = [TEXT[start:] for start in range(0, 200, 20)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(names, texts)) == [names(text) for text in texts]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "...", "\u200b", "🙂", "A" * 5000, "۱۲۳ عمد", "\r\n\t"])
def test_no_text_breaks_it(text):
    assert all(span.end <= len(text) for span in names(text))
    assert process(text).text.replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")


def test_the_folder_is_what_the_lock_says_and_at_most_25_mb():
    verify()
    assert sum(size for _, size, _ in read_lock().files) <= 25_000_000


def test_no_file_is_a_pickle():
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file():
            with pytest.raises((ValueError, UnicodeDecodeError, IndexError)):
                list(pickletools.genops(path.read_bytes()))


def test_no_file_names_a_place_of_the_training():
    for path in (FOLDER / "config.cfg", FOLDER / "meta.json"):
        assert str(Path.home()) not in path.read_text(encoding="utf-8")
        assert "/tmp" not in path.read_text(encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "en_kg"))


def test_a_changed_byte_is_refused(copy):
    file = copy / "ner" / "model"
    content = bytearray(file.read_bytes())
    content[1000] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelDamaged, match="ner/model is not the file"):
        trained.load(copy, LOCK)


def test_a_missing_file_is_refused(copy):
    (copy / "types.npz").unlink()
    with pytest.raises(ModelDamaged, match=r"types\.npz is missing"):
        verify(copy)


def test_a_file_that_nobody_listed_is_refused(copy):
    (copy / "extra.py").write_text("print()", encoding="utf-8")
    with pytest.raises(ModelDamaged, match=r"extra\.py is not part of it"):
        verify(copy)
