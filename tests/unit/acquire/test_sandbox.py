"""Files are read in a child process; hostile ones cost one reason, never a hang or a crash, and no child is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from kg_neo4j.acquire import docx_text, files, sandbox
from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource
from made_files import (
    archive,
    docx,
    docx_members,
    long_docx,
    lying_archive,
    page_of_attributes,
)


def refusal(kind: str, data: bytes, **limits: float) -> str:
    with Sandbox(**limits) as box, pytest.raises(UnreadableSource) as caught:
        box.parse(kind, data)
    return str(caught.value)


def parse(kind: str, data: bytes) -> ParsedText:
    with Sandbox() as box:
        return box.parse(kind, data)


def child_ids() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def gone(pid: int, within_s: float = 60.0) -> bool:
    """Wait until a process has ended."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_docx_headings_lists_and_tables_are_kept():
    parsed = parse("docx", docx())
    assert parsed.title == "Keepers of the light"
    assert [(s.title, s.level) for s in parsed.sections] == [("The keepers", 1), ("His tools", 2)]
    assert "- A lamp\n- A log book" in parsed.text
    assert "Year | Keeper\n1920 | Wzorek" in parsed.text
    assert parsed.text.endswith("He left in 1939.")
    assert all(parsed.text[s.start :].startswith(s.title) for s in parsed.sections)


def test_docx_bomb_is_refused_by_what_it_declares():
    bomb = lying_archive(b" " * 100_000, declared=1_000_000_000)
    assert "the archive declares 1,000,000,000" in refusal("docx", bomb)


def test_docx_bomb_is_refused_by_its_ratio():
    dense = archive([("word/document.xml", b" " * 20_000_000)])
    assert "zip bomb" in refusal("docx", dense)


def test_archive_that_lies_about_its_size_is_refused():
    assert refusal("docx", lying_archive(b" " * 5_000_000, declared=10))


def test_archive_with_too_many_members_is_refused():
    many = archive([(f"word/{number}.xml", b"") for number in range(10_000)])
    assert "10,000 members" in refusal("docx", many)


def test_archive_in_an_archive_is_not_opened():
    inner = archive([("word/document.xml", b"\0" * 9_000_000)])
    assert "damaged DOCX" in refusal("docx", archive([("inner.zip", inner)]))


@pytest.mark.parametrize("data", [b"no archive", docx()[:500], archive([("a.txt", b"text")])])
def test_docx_that_is_none_has_a_reason(data):
    assert "damaged " in refusal("docx", data)


def test_entities_in_docx_are_not_expanded():
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    xml = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{levels}]><x>&e9;</x>'
    members = [("[Content_Types].xml", xml.encode()), ("_rels/.rels", xml.encode())]
    assert refusal("docx", archive(members))


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("He &co; left", "He &co; left"),
        ("&co;&co;", "&co;&co;"),
        ("before <!-- comment -->after", "before after"),
        ("before <?target data?>after", "before after"),
    ],
)
def test_words_after_entities_and_comments_in_docx_are_kept(inside, text):
    members = docx_members()
    xml = members["word/document.xml"].replace(b"He left in 1939.", f"{inside} in 1939.".encode())
    place = xml.index(b"<w:document")
    members["word/document.xml"] = (
        xml[:place] + b'<!DOCTYPE d [<!ENTITY co SYSTEM "file:///etc/passwd">]>' + xml[place:]
    )
    assert parse("docx", archive(list(members.items()))).text.endswith(f"\n\n{text} in 1939.")


def test_child_is_killed_at_its_time_limit():
    assert "took longer than 0.01 s" in refusal("docx", docx(), seconds=0.01)


def test_child_is_stopped_at_its_memory_limit():
    long = long_docx(400_000)
    assert parse("docx", long_docx(40)).text.count("word") == 40
    assert "more than 143 MB" in refusal("docx", long, memory_bytes=150_000_000)


def test_real_size_is_counted_where_the_declared_one_is_small(monkeypatch):
    monkeypatch.setattr(docx_text, "MAX_XML_BYTES", 1_000)
    with pytest.raises(UnreadableSource, match="unpacks to more than 1,000 bytes"):
        docx_text.read_docx(docx())


def test_one_child_reads_file_after_file():
    before = child_ids()
    with Sandbox() as box:
        assert child_ids() == before
        texts = [box.parse("text", b"one").text, box.parse("html", b"<p>two").text]
        (child,) = child_ids() - before
        texts += [box.parse("markdown", b"# three").text, box.parse("docx", docx()).title]
        assert child_ids() - before == {child}
    assert texts == ["one", "two", "# three", "Keepers of the light"]
    assert child_ids() == before


def test_what_a_file_says_of_itself_comes_through():
    parsed = parse("markdown", "# Łódź\n\n\tText \U0001f600\u2028.\n\n## Zwei\n".encode())
    assert parsed.text == "# Łódź\n\nText \U0001f600\u2028.\n\n## Zwei"
    assert [(section.title, section.level) for section in parsed.sections] == [("Łódź", 1), ("Zwei", 2)]


def test_refused_file_costs_no_new_child():
    before = child_ids()
    with Sandbox() as box:
        box.parse("text", b"one")
        children = child_ids() - before
        with pytest.raises(UnreadableSource, match="binary"):
            box.parse("text", b"\x89PNG\r\n")
        assert box.parse("text", b"two").text == "two"
        assert child_ids() - before == children


def test_error_that_no_reader_expects_is_a_reason_and_the_next_file_is_read():
    with Sandbox() as box:
        with pytest.raises(UnreadableSource, match="cannot be read: ModuleNotFoundError"):
            box.parse("no_such_module:read", b"an unknown kind")
        assert box.parse("text", b"next").text == "next"


def test_file_after_one_that_takes_too_long_is_read():
    with Sandbox(seconds=2) as box:
        with pytest.raises(UnreadableSource, match="reading took longer than 2 s"):
            box.parse("html", page_of_attributes(300_000))
        assert box.parse("text", b"next").text == "next"


def test_file_after_one_that_takes_too_much_memory_is_read():
    with Sandbox(memory_bytes=150_000_000) as box:
        box.parse("text", b"first")
        with pytest.raises(UnreadableSource, match="more than 143 MB of memory"):
            box.parse("docx", long_docx(400_000))
        assert box.parse("text", b"next").text == "next"


def test_large_page_stays_under_the_memory_limit():
    elements = b"<p><b>x</b></p>" * 1_000_000
    assert "MB of memory" in refusal("html", elements, memory_bytes=400_000_000)


def test_child_that_ended_between_two_files_is_replaced():
    before = child_ids()
    with Sandbox() as box:
        box.parse("text", b"one")
        (child,) = child_ids() - before
        os.kill(child, signal.SIGKILL)
        assert box.parse("text", b"two").text == "two"


def test_child_that_has_used_much_of_its_memory_reads_no_further_file():
    before = child_ids()
    with Sandbox(memory_bytes=60_000_000) as box:  # an interpreter alone takes more than a quarter of that
        assert box.parse("text", b"one").text == "one"
        assert child_ids() == before
        assert box.parse("text", b"two").text == "two"


def test_child_that_has_read_a_thousand_files_reads_no_further_one():
    before = child_ids()
    with Sandbox() as box:
        for number in range(sandbox.FILES_A_CHILD - 1):
            assert box.parse("text", b"%d" % number).text == str(number)
        assert len(child_ids() - before) == 1
        box.parse("text", b"last")
        assert child_ids() == before


def test_no_child_that_can_be_started_is_a_reason(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "no process could be started" in refusal("text", b"text")


def test_documents_that_are_no_longer_wanted_leave_no_child(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("Text.", encoding="utf-8")
    before = child_ids()
    stream = files.read([str(tmp_path)], graph="g")
    next(stream)
    assert len(child_ids() - before) == 1
    stream.close()
    assert child_ids() == before


PARENT = """
import signal, sys, threading; sys.path[:] = {path!r}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background begins with it ignored
import psutil
from kg_neo4j.acquire.sandbox import Sandbox
with Sandbox(seconds={seconds}) as box:
    box.parse("text", b"one")
    print(psutil.Process().children()[0].pid, flush=True)
    box.parse("html", sys.stdin.buffer.read())
"""


@pytest.mark.parametrize(("page", "seconds"), [(None, 600), (page_of_attributes(1_000_000), 3)], ids=["idle", "busy"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_child_ends_after_its_parent(page, seconds, number):
    """Idle: at the end of its standard input. Busy with a file: at the latest when the file's time is over."""
    code = PARENT.format(path=sys.path, seconds=seconds)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        if page is not None:
            parent.stdin.write(page)
            parent.stdin.close()
            start = psutil.Process(child).cpu_times().user
            while psutil.Process(child).cpu_times().user < start + 0.5:
                time.sleep(0.05)
        os.killpg(parent.pid, number) if number == signal.SIGINT else parent.kill()
        parent.wait(timeout=60)
    assert gone(child)
