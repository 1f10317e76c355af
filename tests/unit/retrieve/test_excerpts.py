"""The part of a passage that is shown for the words of a search."""

from __future__ import annotations

from kg_neo4j.retrieve.excerpts import AROUND, excerpt

TEXT = f"# Minutes\n\n{'Nothing was decided. ' * 40}The flood damaged the bridge. {'The meeting went on. ' * 40}"


def test_the_words_around_the_first_hit_are_shown() -> None:
    pieces = excerpt(TEXT, "flood damage")
    shown = "".join(each.text for each in pieces)
    assert "The flood damaged the bridge." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 2 * AROUND + 70
    assert [each.text for each in pieces if each.is_hit] == ["flood"]


def test_without_a_hit_the_beginning_is_shown() -> None:
    shown = "".join(each.text for each in excerpt(TEXT, "a volcano"))
    assert shown.startswith("Minutes Nothing was decided.")
