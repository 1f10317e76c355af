"""What a node of a tree is cited by: the places beneath it that say most of a claim, with the way to each."""

from __future__ import annotations

from kg_neo4j.records import TreeStep
from kg_neo4j.retrieve.checking.citations import ShownSource, check, cite
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundNode, LeafPlace
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import read

TEXTS = (
    "Mara climbed the tower with a can of oil. The wind was high.",
    "A schooner struck the rocks before midnight. Four men reached the shore.",
    "Jonas had sold the house in Brennick. He came to ask her pardon.",
)
STEP = TreeStep("summary", "s1", "theme", 1, 0)


def leaf(number: int) -> ShownSource:
    text = TEXTS[number]
    return ShownSource("", FoundChunk(f"c{number}", text, 12, "", "Holm", 0.0), 0, len(text), steps=(STEP,))


def summary() -> ShownSource:
    shown = FoundChunk("s1", "A wreck, and a brother's pardon.", 0, "a summary of its theme", "Holm", 1.0)
    return ShownSource(
        "1", shown, 0, len(shown.text), ((0, len(shown.text)),), beneath=tuple(leaf(number) for number in range(3))
    )


def test_the_sentence_that_says_most_is_cited_with_its_way() -> None:
    ((citation, way),) = cite("The schooner struck the rocks before midnight", summary())
    assert (citation.chunk_id, citation.quote) == ("c1", "A schooner struck the rocks before midnight.")
    assert way == (STEP,)


def test_a_claim_of_two_places_cites_both() -> None:
    found = cite("The schooner struck the rocks, and Jonas came to ask her pardon", summary())
    assert [citation.chunk_id for citation, _ in found] == ["c2", "c1"]


def test_a_mark_of_a_summary_becomes_numbers_of_citations_in_chunks() -> None:
    checked = check("A schooner struck the rocks [1.1]. Jonas had sold the house [1.1].", [summary()])
    assert checked.text == "A schooner struck the rocks [1]. Jonas had sold the house [2]."
    assert {citation.chunk_id for citation in checked.citations} == {"c1", "c2"}
    assert set(checked.tree_paths) == set(checked.citations)


def test_a_source_that_is_a_chunk_is_cited_as_before() -> None:
    source = ShownSource("1", leaf(0).chunk, 0, len(TEXTS[0]))
    ((citation, way),) = cite("Mara climbed the tower", source)
    assert citation.quote == "Mara climbed the tower with a can of oil."
    assert way == ()


def test_the_way_to_a_citation_without_a_mark_prefers_what_was_read_itself() -> None:
    place = LeafPlace("c1", 0, 40)
    beneath = LeafPlace("c1", 0, 40, (STEP,))
    node = FoundNode("s1", "summary", "A wreck.", "theme", 1, 0, "Holm", 0.9, (beneath,))
    chunk = FoundNode("c1", "chunk", TEXTS[1], "", 0, 0, "Holm", 0.5, (place,))
    assert Found("tree", nodes=(node, chunk)).tree_path("c1", 5, 10) == ()
    assert Found("tree", nodes=(node,)).tree_path("c1", 5, 10) == (STEP,)
    assert Found("tree", nodes=(node,)).tree_path("c1", 40, 50) == ()


def test_a_leaf_over_two_chunks_is_packed_whole_or_not_at_all() -> None:
    class Words:
        name = "words"

        def count(self, text: str) -> int:
            return len(text.split())

        def spans(self, text: str) -> list[tuple[int, int]]:
            return []

    chunks = tuple(FoundChunk(f"c{n}", text, 12, "", "Holm", 0.0) for n, text in enumerate(TEXTS))
    places = (LeafPlace("c0", 42, len(TEXTS[0])), LeafPlace("c1", 0, 44))
    node = FoundNode("p", "chunk", "...", "", 0, 0, "Holm", 0.9, places)
    found = Found("tree", chunks, nodes=(node,))
    words = ["The wind was high.", "A schooner struck the rocks before midnight."]
    assert [each.text for each in pack_found(found, read("?wind"), Words(), 19).evidence] == words
    assert pack_found(found, read("?wind"), Words(), 18).evidence == ()
