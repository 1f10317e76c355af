"""Files and folders become documents; whatever cannot is skipped with its reason, and nothing hangs."""

from __future__ import annotations

import hashlib
import itertools
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from another_user import as_nobody, open_folder
from kg_neo4j.acquire import files, folders, readers
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.records import Document, SkippedSource
from made_files import archive, docx, pdf


def read(*sources: Path | str, alias: str | None = None) -> list[Document | SkippedSource]:
    return list(files.read([str(source) for source in sources], graph="g", alias=alias))


def only_document(*sources: Path | str, alias: str | None = None) -> Document:
    (found,) = read(*sources, alias=alias)
    assert isinstance(found, Document), found
    return found


def only_reason(source: Path | str) -> str:
    (found,) = read(source)
    assert isinstance(found, SkippedSource)
    assert found.source == str(source)
    return found.reason


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_text("B text.", encoding="utf-8")
    (folder / "a.md").write_text("# A title\n\nText.", encoding="utf-8")
    (folder / "deep" / "c.html").write_text("<title>C</title><p>C text.</p>", encoding="utf-8")
    (folder / "deep" / "d.text").write_text("D text.", encoding="utf-8")
    (folder / "deep" / "e.docx").write_bytes(docx())
    return folder


def test_folder_is_read_in_the_order_of_names(corpus):
    found = read(corpus)
    assert [each.key for each in found if isinstance(each, Document)] == [
        "a.md",
        "b.txt",
        "deep/c.html",
        "deep/d.text",
        "deep/e.docx",
    ]
    assert [each.title for each in found if isinstance(each, Document)] == [
        "A title",
        "b",
        "C",
        "d",
        "Keepers of the light",
    ]


def test_keys_and_ids_do_not_depend_on_where_the_folder_is_or_how_it_is_named(corpus, monkeypatch):
    absolute = read(corpus)
    monkeypatch.chdir(corpus.parent)
    assert [each.id for each in read("corpus")] == [each.id for each in absolute]
    monkeypatch.chdir(corpus)
    assert [each.id for each in read(".")] == [each.id for each in absolute]


def test_file_is_known_by_its_name_and_kept_with_its_hash(corpus):
    document = only_document(corpus / "b.txt")
    assert (document.key, document.kind, document.graph) == ("b.txt", "file", "g")
    assert document.sha256 == hashlib.sha256(b"B text.").hexdigest()
    assert document.source == str(corpus / "b.txt")
    assert len(document.id) == 32


@pytest.mark.needs("kg_neo4j_readers")
def test_pages_of_a_pdf_reach_the_document(tmp_path):
    (tmp_path / "d.pdf").write_bytes(pdf(["D page one.", "D page two."]))
    assert len(only_document(tmp_path / "d.pdf").pages) == 2


def test_sections_of_a_docx_reach_the_document(corpus):
    assert only_document(corpus / "deep" / "e.docx").sections[0].title == "The keepers"


def test_documents_come_one_at_a_time(corpus):
    stream = files.read([str(corpus)], graph="g")
    assert isinstance(next(stream), Document)
    (corpus / "b.txt").unlink()
    second = next(stream)
    assert isinstance(second, SkippedSource)
    assert second.reason == "no such file or directory"


def test_newlines_and_marks_do_not_change_the_document(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes("Łódź\nis a city.".encode())
    plain = only_document(path)
    path.write_bytes(b"\xef\xbb\xbf" + "Łódź\r\nis a city.".encode())
    assert only_document(path) == plain


def test_alias_replaces_the_name_of_a_file_or_a_folder(corpus):
    assert only_document(corpus / "b.txt", alias="other").key == "other"
    assert next(each.key for each in read(corpus, alias="other") if isinstance(each, Document)) == "other/a.md"


def test_two_sources_of_one_name_are_refused_before_anything_is_read(corpus):
    (corpus / "deep" / "b.txt").write_text("Another.", encoding="utf-8")
    with pytest.raises(UsageError, match="would both have the key") as caught:
        next(files.read([str(corpus / "b.txt"), str(corpus / "deep" / "b.txt")], graph="g"))
    assert "--as" in (caught.value.hint or "")


def test_source_given_twice_is_read_once(corpus):
    first, second = read(corpus / "b.txt", corpus / "b.txt")
    assert isinstance(first, Document)
    assert second == SkippedSource(str(corpus / "b.txt"), "already read as 'b.txt'")


@pytest.mark.parametrize("alias", ["", " ", "a\nb", "a\0b", "x" * 2_000])
def test_alias_that_is_no_name_is_refused(corpus, alias):
    with pytest.raises(UsageError, match="is not a name"):
        files.read([str(corpus)], graph="g", alias=alias)


def test_alias_names_one_source(corpus):
    with pytest.raises(UsageError, match="names one source"):
        files.read([str(corpus), str(corpus / "b.txt")], graph="g", alias="x")


def test_source_that_does_not_exist_is_said_before_anything_is_read(corpus):
    with pytest.raises(SourceNotFound, match="no such file"):
        files.read([str(corpus), str(corpus / "missing.txt")], graph="g")


@pytest.mark.parametrize("source", ["", "  ", "a\0b"])
def test_what_is_no_path_is_refused(source):
    with pytest.raises(UsageError, match="is not a path"):
        files.read([source], graph="g")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\t\r\n ", "only white space"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary"),
        (b"\xef\xbb\xbf", "no text"),
    ],
)
def test_file_without_text_has_a_reason(tmp_path, content, reason):
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    assert reason in only_reason(path)


def test_one_letter_is_a_document(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"x")
    assert only_document(tmp_path / "x.txt").text == "x"


def test_unknown_suffix_is_skipped_in_a_folder_and_read_when_named(tmp_path):
    (tmp_path / "notes.log").write_text("A line.", encoding="utf-8")
    assert "no reader reads it" in read(tmp_path)[0].reason
    assert only_document(tmp_path / "notes.log").text == "A line."


@pytest.mark.needs("kg_neo4j_readers")
@pytest.mark.parametrize("content", [pdf(["P"]), docx(), b"<!DOCTYPE html><title>T</title><p>P</p>"])
def test_named_file_is_known_by_its_contents(tmp_path, content):
    path = tmp_path / "download"
    path.write_bytes(content)
    assert "<p>" not in only_document(path).text


def test_hidden_files_are_skipped_with_a_reason(corpus):
    (corpus / ".secret.txt").write_text("x", encoding="utf-8")
    assert SkippedSource(str(corpus / ".secret.txt"), "hidden", "hidden") in read(corpus)


def test_pipe_device_and_socket_do_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    assert "not a regular file" in only_reason(tmp_path / "pipe.txt")
    assert "not a regular file" in only_reason("/dev/zero")
    assert "not a regular file" in read(tmp_path)[0].reason


def test_file_that_would_have_to_be_waited_for_is_skipped(tmp_path, monkeypatch):
    """Some files of /proc say that they are regular ones and behave as pipes."""
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    monkeypatch.setattr(files.stat, "S_ISREG", lambda mode: True)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    try:
        assert only_reason(pipe) == "nothing to read yet"
    finally:
        os.close(writer)
        os.close(reader)


def test_file_that_cannot_be_read_from_its_beginning_is_skipped():
    assert only_reason("/proc/self/mem") == "input/output error"


def test_folder_that_vanishes_during_the_run_is_skipped(corpus):
    stream = files.read([str(corpus)], graph="g")
    next(stream)
    for path in (corpus / "deep").iterdir():
        path.unlink()
    (corpus / "deep").rmdir()
    assert [each.reason for each in stream if isinstance(each, SkippedSource)] == ["no such file or directory"]


def test_file_that_grows_while_it_is_waiting_is_read_as_it_is_then(corpus):
    stream = files.read([str(corpus)], graph="g")
    next(stream)
    (corpus / "b.txt").write_text("B text, and more.", encoding="utf-8")
    changed = next(stream)
    assert isinstance(changed, Document)
    assert changed.text == "B text, and more."
    assert changed.sha256 == hashlib.sha256(changed.text.encode()).hexdigest()


@pytest.fixture
def endless_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """More folders within each other than Python's functions may be; shutil cannot remove them either."""
    depth = 1_200
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        Path("a").mkdir()
        os.chdir("a")
    yield tmp_path
    for _ in range(depth):
        os.chdir("..")
        Path("a").rmdir()


def test_folders_within_each_other_without_end_are_skipped(endless_folders):
    (endless_folders / "b.txt").write_text("B text.", encoding="utf-8")
    deep, last = read(endless_folders)
    assert isinstance(deep, SkippedSource)
    assert deep.reason == "more than 200 folders deep"
    assert isinstance(last, Document)


def test_links_are_followed_only_within_the_folder(corpus, tmp_path):
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    (corpus / "out.txt").symlink_to(tmp_path / "outside.txt")
    (corpus / "in.txt").symlink_to(corpus / "deep" / "c.html")
    (corpus / "loop.txt").symlink_to(corpus / "loop.txt")
    (corpus / "up").symlink_to(corpus)
    found = read(corpus)
    reasons = {Path(each.source).name: each.reason for each in found if isinstance(each, SkippedSource)}
    assert "leads out of the folder" in reasons["out.txt"]
    assert "leads nowhere" in reasons["loop.txt"]
    assert reasons["up"] == "a link to a folder"
    assert not any("secret" in each.text for each in found if isinstance(each, Document))
    assert reasons["in.txt"] == "already read as 'deep/c.html'"


def test_loop_of_links_that_is_named_is_skipped(tmp_path):
    loop = tmp_path / "loop.txt"
    loop.symlink_to(loop)
    assert "symbolic links" in only_reason(loop)


@pytest.fixture(name="open_folder")
def fixture_open_folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


def test_what_may_not_be_read_is_skipped(open_folder):
    (open_folder / "a.txt").write_text("read me", encoding="utf-8")
    for name in ("b.txt", "deep/c.txt"):
        (open_folder / name).parent.mkdir(exist_ok=True)
        (open_folder / name).write_text("x", encoding="utf-8")
    (open_folder / "b.txt").chmod(0)
    (open_folder / "deep").chmod(0)
    stream = files.read([str(open_folder)], graph="g")
    found = [next(stream)]  # with the child process, which nobody may not be allowed to start
    with as_nobody():
        found += stream
        inside = read(open_folder / "deep" / "c.txt")
    (open_folder / "deep").chmod(0o755)
    assert [each.text for each in found if isinstance(each, Document)] == ["read me"]
    reasons = {Path(each.source).name: each.reason for each in [*found, *inside] if isinstance(each, SkippedSource)}
    assert reasons == {"b.txt": "permission denied", "deep": "permission denied", "c.txt": "permission denied"}


def test_file_over_the_limit_is_refused_without_being_read_whole(tmp_path):
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(1 << 30)
    assert "larger than 64,000,000 bytes" in only_reason(tmp_path / "huge.txt")


@pytest.mark.needs("kg_neo4j_readers")
def test_bombs_cost_one_reason_each_and_the_rest_is_read(corpus):
    (corpus / "bomb.docx").write_bytes(archive([("word/document.xml", b" " * 20_000_000)]))
    (corpus / "bomb.pdf").write_bytes(b"%PDF-1.4 nothing")
    found = read(corpus)
    assert sum(isinstance(each, Document) for each in found) == 5
    assert {Path(each.source).name for each in found if isinstance(each, SkippedSource)} == {"bomb.docx", "bomb.pdf"}


def test_names_that_are_no_text_can_be_stored(tmp_path):
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("x", encoding="utf-8")
    document = only_document(tmp_path / name)
    document.key.encode("utf-8")
    document.source.encode("utf-8")
    assert document.key == "caf\\udce9.txt"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=40))
@example(name="/")
@example(name="..")
@example(name="C:\\x")
@example(name="x" * 5_000)
def test_hostile_names_do_not_crash_and_keys_are_relative(tmp_path, name):
    try:
        found = list(itertools.islice(folders.find(folders.places_of([str(tmp_path / name)])), 20))
    except (UsageError, SourceNotFound):
        return
    for each in found:
        assert isinstance(each, SkippedSource) or not each.key.startswith(("/", ".."))


def test_link_that_may_not_be_read_is_skipped(open_folder):
    (open_folder / "link.txt").symlink_to("/proc/1/cwd")
    with as_nobody():
        (found,) = read(open_folder)
        (named,) = read(open_folder / "link.txt")
    assert isinstance(found, SkippedSource)
    assert "link" in found.reason
    assert isinstance(named, SkippedSource)


def test_hostile_corpus_is_accounted_for_file_by_file(tmp_path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    contents = [b"", b" ", b"x", bytes(100), bytes(range(256)), b"\xff\xfe", b"%PDF-", b"PK\x03\x04", b"<" * 5_000]
    contents += ["zażółć".encode(codec) for codec in ("utf-8", "utf-16", "cp1250", "iso8859-2", "cp852")]
    for number in range(200):
        suffix = list(readers.OWN)[number % 3]  # the kinds that are read in this process
        (folder / f"{number:03}{suffix}").write_bytes(contents[number % len(contents)])
    found = read(folder)
    assert len(found) == 200
    assert all(each.text.strip() if isinstance(each, Document) else each.reason for each in found)


@pytest.mark.long
def test_line_of_fifty_megabytes_is_read_and_chunked_under_a_memory_limit(tmp_path):
    path = tmp_path / "line.txt"
    path.write_bytes(b"a" * 50_000_000)
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from kg_neo4j._models.tokens import Approximation; from kg_neo4j.acquire import chunking, files\n"
        f"(document,) = files.read([{str(path)!r}], graph='g')\n"
        "chunks = chunking.chunk(document, Approximation())\n"
        "assert max(chunk.token_count for chunk in chunks) <= 1500\n"
        "assert sum(len(chunk.text) for chunk in chunks) == 50_000_000"
    )
    limit = 1 << 30
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        timeout=500,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )


@pytest.mark.parametrize(
    ("include", "exclude", "wanted"),
    [
        ((), (), ["a.md", "b.txt", "drafts/c.md", "old/d.txt", "old/drafts/e.txt"]),
        (("*.md",), (), ["a.md", "drafts/c.md"]),
        ((), ("drafts",), ["a.md", "b.txt", "old/d.txt"]),
        ((), ("drafts/",), ["a.md", "b.txt", "old/d.txt"]),
        ((), ("old/*.txt",), ["a.md", "b.txt", "drafts/c.md"]),
        (("old/*",), ("e.txt",), ["old/d.txt"]),
        (("*.log", "*.md"), ("drafts",), ["a.md", "f.log"]),
        (("*.none",), (), []),
    ],
)
def test_patterns_choose_the_files_of_folders(tmp_path, include, exclude, wanted):
    for name in ("a.md", "b.txt", "drafts/c.md", "old/d.txt", "old/drafts/e.txt", "f.log"):
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text(f"This is the text of {name}.")
    chosen = folders.FilePatterns(include, exclude)
    found = list(files.read([str(tmp_path / "notes")], graph="g", chosen=chosen))
    assert [each.key for each in found if isinstance(each, Document)] == wanted
    skipped = [Path(each.source).name for each in found if isinstance(each, SkippedSource)]
    assert skipped == ([] if include else ["f.log"])
    named = list(files.read([str(tmp_path / "notes" / "b.txt")], graph="g", chosen=chosen))
    assert [each.key for each in named] == ["b.txt"]
