"""The text of a passage in blocks and parts; and what a search shows of one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.records import Fact
from kg_neo4j.retrieve.excerpts import excerpt
from kg_neo4j_serve.pages.documents import MarkedFacts, MarkedMention, _statements, blocks

TEXT = "# Ada\n\nAda Lovelace met Charles Babbage in 1833.\nHe called her\nEnchantress.\n\nOh!\nAh!\n\n# no\nheading"
FACT = Fact("f", "Ada Lovelace", "a", "MET", "Charles Babbage", "b")


def span(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def test_a_text_is_cut_where_something_begins_or_ends() -> None:
    mentions = [MarkedMention(*span("Charles Babbage"), "Charles Babbage", "b")]
    statements = [MarkedFacts(1, *span("Lovelace met Charles Babbage in 1833."), (FACT,))]
    found = blocks(TEXT, mentions, statements, span("met Charles"), [(TEXT.index("in 1833"), 2)])
    assert [block.kind for block in found] == ["heading", "lines", "lines", "lines"]
    assert found[0].parts[0].text == "Ada"
    assert [(p.text, p.entity_id, p.statements, p.ended, p.meant, p.is_here, p.page) for p in found[1].parts] == [
        ("Ada ", "", (), (), False, False, None),
        ("Lovelace ", "", (1,), (), False, False, None),
        ("met ", "", (1,), (), True, True, None),
        ("Charles", "b", (1,), (), True, False, None),
        (" Babbage", "b", (1,), (), False, False, None),
        (" ", "", (1,), (), False, False, None),
        ("in 1833.", "", (1,), (1,), False, False, 2),
        ("\nHe called her\nEnchantress.", "", (), (), False, False, None),
    ]


def test_words_of_a_wrong_fact_are_marked_with_its_correction() -> None:
    start, end = span("Ada Lovelace met Charles Babbage in 1833.")
    rows = [(start, end, "f", "MET", "a", "Ada Lovelace", "b", "Charles Babbage")]
    corrected = [(*span("He called her"), "d", "Charles Babbage CALLED Ada Lovelace", "", "a letter")]
    found = _statements(rows, corrected)
    assert [(len(each.facts), len(each.corrected)) for each in found] == [(1, 0), (0, 1)]
    assert found[1].corrected[0]["wrong"] == "Charles Babbage CALLED Ada Lovelace"
    parts = [part for block in blocks(TEXT, (), found) for part in block.parts]
    assert [part.text for part in parts if part.corrected] == ["He called her"]
    assert [part.ended for part in parts if part.corrected] == [(2,)]


def test_prose_runs_on_and_verse_does_not() -> None:
    prose = "A line that is as long as those of a text that was wrapped at eighty columns are,\nand its end."
    assert [each.kind for each in blocks(f"{prose}\n\nShort\nlines")] == ["paragraph", "lines"]


def test_of_mentions_that_overlap_the_first_and_longest_is_kept() -> None:
    mentions = [
        MarkedMention(7, 19, "Ada Lovelace", "a"),
        MarkedMention(7, 10, "Ada", "x"),
        MarkedMention(11, 23, "none", "y"),
    ]
    [named] = [part for part in blocks(TEXT, mentions)[1].parts if part.entity_id]
    assert (named.text, named.entity_id) == ("Ada Lovelace", "a")


@st.composite
def spans(draw: st.DrawFn) -> list[tuple[int, int]]:
    return draw(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5))


@given(st.text("ab \n#", max_size=50), spans(), spans(), st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_no_word_is_lost_or_doubled(
    text: str, mentions: list[tuple[int, int]], statements: list[tuple[int, int]], meant: tuple[int, int]
) -> None:
    found = blocks(
        text,
        [MarkedMention(*each, "e", "e") for each in mentions],
        [MarkedFacts(number, *each, (FACT,)) for number, each in enumerate(statements, 1)],
        meant,
        [(each[0], 7) for each in statements],
    )
    words = "".join("".join(part.text for part in block.parts) for block in found)
    whole = "".join(text.split())
    assert [each for each in "".join(words.split()) if each != "#"] == [each for each in whole if each != "#"]
    assert all(part.text for block in found for part in block.parts)
    assert sum(part.is_here for block in found for part in block.parts) <= 1


def test_an_excerpt_is_around_the_first_word_that_was_looked_for() -> None:
    text = "## Head\n\n" + "x " * 200 + "then Babbage met the babbage of Ada. " + "y " * 200
    pieces = excerpt(text, "who is Babbage?")
    assert [piece.text for piece in pieces if piece.is_hit] == ["Babbage", "babbage"]
    shown = "".join(piece.text for piece in pieces)
    assert shown.startswith("… x ")
    assert shown.endswith("y …")
    assert shown.strip("… ") in re.sub(r"\s+", " ", text)
    assert "".join(piece.text for piece in excerpt("## Head\n\nNothing of it", "zzz")) == "Head Nothing of it"
    assert "".join(piece.text for piece in excerpt("a [b] ((c", "((c [b] .*")) == "a [b] ((c"
