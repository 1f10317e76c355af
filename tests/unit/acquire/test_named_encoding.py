"""An encoding that the user names: it is used where detection is unsure or wrong, and an unknown name is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.acquire.decoding import check_encoding, decode
from kg_neo4j.acquire.interface import ReadOptions
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import Document, SkippedSource
from kg_neo4j_scale import manifest

CAFE = "Café"  # too short for its encoding to be certain
HTML = '<html><head><meta charset="utf-8"></head><body><p>Łódź</p></body></html>'


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as found:
        yield found


def only(path: Path, encoding: str | None = None) -> Document | SkippedSource:
    (found,) = files.read([str(path)], graph="g", options=ReadOptions(encoding))
    return found


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (CAFE, "cp1252", "windows-1252"),
        (CAFE, "iso8859-1", "latin-1"),
        ("привет", "koi8-r", "KOI8-R"),
        ("Łódź", "utf-16-le", "utf-16le"),
        ("Łódź", "utf-16-be", "UTF-16BE"),
        ("Hello, Ada.", "cp037", "cp037"),
        ("東京", "cp932", "windows-31j"),
    ],
)
def test_text_is_read_in_the_encoding_that_is_named(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec), encoding=check_encoding(name)) == text


def test_latin_1_with_a_byte_that_windows_1252_lacks_is_read() -> None:
    assert decode(b"a\x81 caf\xe9", encoding=check_encoding("latin-1")) == "a\x81 café"


def test_a_byte_order_mark_wins_over_the_name() -> None:
    assert decode("Łódź".encode("utf-8-sig"), encoding=check_encoding("cp1252")) == "Łódź"


def test_a_damaged_place_is_shown_as_one() -> None:
    assert decode("Łódź".encode()[:-1], encoding=check_encoding("utf-8")) == "Łód\ufffd"
    assert decode(b"\xef\xbb\xbf" + "Łódź".encode()[:-1], encoding=check_encoding("utf-8")) == "Łód\ufffd"


def test_a_text_that_is_not_in_the_named_encoding_is_refused() -> None:
    with pytest.raises(UnreadableSource, match="10 of 12 characters are not UTF-8") as caught:
        decode("привет, друг".encode("koi8-r").replace(b",", b"."), encoding=check_encoding("utf-8"))
    assert "--encoding" in str(caught.value.hint)
    with pytest.raises(UnreadableSource, match="a PDF"):
        decode(b"%PDF-1.7", encoding=check_encoding("utf-8"))


@pytest.mark.parametrize(
    "name", ["utf8x", "punycode", "rot13", "hex", "unicode_escape", "undefined", "", "\0", "é" * 99]
)
def test_an_unknown_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no text encoding") as caught:
        LoadOptions(encoding=name)
    assert caught.value.hint
    with pytest.raises(UsageError, match="no text encoding"):  # before anything is read
        files.read([str(tmp_path)], graph="g", options=ReadOptions(name))


def test_near_names_are_listed() -> None:
    with pytest.raises(UsageError) as caught:
        check_encoding("windows-125")
    assert "windows-1252" in str(caught.value.hint)
    with pytest.raises(UsageError) as caught:
        check_encoding("koi8-p")
    assert "koi8-r" in str(caught.value.hint)


def test_a_file_is_read_in_the_named_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CAFE.encode("cp1252"))
    skipped = only(path)
    assert isinstance(skipped, SkippedSource)
    assert "--encoding" in skipped.reason
    found = only(path, "cp1252")
    assert isinstance(found, Document)
    assert (found.text, found.left_out) == (CAFE, "")


def test_a_truncated_file_is_read_where_its_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Zażółć gęślą jaźń. Łódź".encode()[:-1])
    skipped = only(path)
    assert isinstance(skipped, SkippedSource)
    assert "--encoding utf-8" in skipped.reason
    found = only(path, "utf-8")
    assert isinstance(found, Document)
    assert found.text == "Zażółć gęślą jaźń. Łód\ufffd"
    assert "1 character" in found.left_out


def test_the_named_encoding_wins_over_what_a_page_declares(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(HTML.encode("cp1250"))
    found = only(path, "cp1250")
    assert isinstance(found, Document)
    assert found.text == "Łódź"


def test_an_encoding_changes_no_id_and_a_text_that_is_the_same_stays_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Łódź is a city.", "utf-8")
    assert only(path) == only(path, "utf-8")


def test_an_entry_of_a_manifest_is_read_in_the_named_encoding(tmp_path: Path, sandbox: Sandbox) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CAFE.encode("cp1252"))
    (entry,) = manifest.entries([str(path)])
    assert isinstance(entry, manifest.Entry)
    found = manifest.document(entry, graph="g", sandbox=sandbox, options=ReadOptions("cp1252"))
    assert isinstance(found, Document)
    assert found.text == CAFE


def test_files_of_one_process_may_have_different_encodings(sandbox: Sandbox) -> None:
    assert sandbox.parse("text", CAFE.encode("cp1252"), ReadOptions("cp1252")).text == CAFE
    assert sandbox.parse("text", CAFE.encode()).text == CAFE
    assert sandbox.parse("markdown", "привет".encode("koi8-r"), ReadOptions("koi8-r")).text == "привет"
