"""The small pieces that a document is made of."""

from __future__ import annotations

import re
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.interface import Heading, close_sections
from kg_neo4j.acquire.structure import pieces
from kg_neo4j.records import Document


def document(text: str, pages: tuple[int, ...] = ()) -> Document:
    found = re.finditer(
        r"^(#+) (.+)", re.sub("```.*?(?:```|$)", lambda code: "~" * len(code[0]), text, flags=re.S), re.M
    )
    headings = [Heading(each[2], len(each[1]), each.start()) for each in found]
    sections = close_sections(headings, len(text))
    return Document("0" * 32, "g", "file", "x", "x", "x", text, "", sections=sections, pages=pages)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, text[piece.start : piece.end]) for piece in pieces(document(text))]


def test_headings_paragraphs_lists_tables_and_code_are_told_apart():
    text = """# Title

A paragraph that is
wrapped.
- one
  more of one
- two
| a | b |
| 1 | 2 |

```
code

more code
```
After."""
    assert kinds(text) == [
        ("heading", "# Title"),
        ("paragraph", "A paragraph that is\nwrapped."),
        ("list", "- one\n  more of one\n- two"),
        ("table", "| a | b |\n| 1 | 2 |"),
        ("code", "```\ncode\n\nmore code\n```"),
        ("paragraph", "After."),
    ]


def test_heading_ends_with_its_line():
    assert kinds("# A\nText.\n# B\n## C\nText.") == [
        ("heading", "# A"),
        ("paragraph", "Text."),
        ("heading", "# B"),
        ("heading", "## C"),
        ("paragraph", "Text."),
    ]


def test_unwrapped_lines_are_paragraphs_each():
    long = "A sentence of many words that goes on and on, as lines of unwrapped text do. " * 4
    assert kinds(f"{long}\nShort one.\n{long}") == [
        ("paragraph", long.strip()),
        ("paragraph", "Short one."),
        ("paragraph", long.strip()),
    ]


def test_path_of_headings_and_level_are_kept():
    found = tuple(pieces(document("# A\n\none\n\n## B\n\ntwo\n\n# C\n\nthree")))
    assert [(piece.section, piece.level) for piece in found] == [
        ("A", 1),
        ("A", 0),
        ("A > B", 2),
        ("A > B", 0),
        ("C", 1),
        ("C", 0),
    ]


def test_page_border_is_a_border_of_pieces():
    found = tuple(pieces(document("one line\nsame page\nnext page\n\nlast page", pages=(0, 19, 30))))
    assert [piece.page for piece in found] == [0, 1, 2]
    assert [(piece.start, piece.end) for piece in found] == [(0, 18), (19, 28), (30, 39)]


@given(
    st.lists(st.sampled_from(["# A\n", "text", "\n", "\n\n", "- x\n", "| a | b\n", "```\n", " ", "===\n", "\t"])).map(
        "".join
    )
)
def test_pieces_hold_everything_but_white_space_in_order(text):
    found = tuple(pieces(document(text)))
    reached = 0
    for piece in found:
        assert reached <= piece.start < piece.end
        assert not text[reached : piece.start].strip()
        assert text[piece.start : piece.end] == text[piece.start : piece.end].strip()
        reached = piece.end
    assert not text[reached:].strip()


def test_paragraph_of_many_lines_takes_the_memory_of_one_line():
    long = document("x\n" * 50_000)
    tracemalloc.start()
    try:
        assert len(tuple(pieces(long))) == 1
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_empty_lines_in_a_row_are_read_as_one():
    assert kinds("one" + "\n" * 1_000_000 + "two\nthree\n \n\nfour") == [
        ("paragraph", "one"),
        ("paragraph", "two\nthree"),
        ("paragraph", "four"),
    ]
    assert kinds("```\na\n\n\n\nb\n```") == [("code", "```\na\n\n\n\nb\n```")]
