from kg_neo4j.retrieve.excerpts import nearest
from kg_neo4j.retrieve.interface import Found, FoundChunk
from kg_neo4j.retrieve.question import read


def chunk(name: str, text: str, score: float = 1.0) -> FoundChunk:
    return FoundChunk(name, text, 9, "", name, score)


def test_the_best_sentence_of_three_passages_names_first() -> None:
    chunks = (
        chunk("a", "A bridge was built. The bridge over the Auln was rebuilt late."),
        chunk("b", "Nothing is said here of all that."),
        chunk("c", "Guilhem was a merchant.\n\nGuilhem saw the bridge over the Auln."),
        chunk("d", "The bridge over the Auln fell down.", 0.0),  # was not found itself
        chunk("e", "Bridge\n\nThe old bridge stands."),
        chunk("f", "Another bridge stands elsewhere."),
    )
    found = nearest(read("When did Guilhem build the bridge over the Auln?"), Found("naive", chunks))
    assert [each.document for each in found] == ["c", "a", "e"]
    assert [each.quote for each in found] == [
        "Guilhem saw the bridge over the Auln.",
        "The bridge over the Auln was rebuilt late.",
        "The old bridge stands.",
    ]
    assert all(chunks["abcdef".index(each.chunk_id)].text[each.start : each.end] == each.quote for each in found)


def test_nothing_is_near_to_words_that_occur_nowhere() -> None:
    assert nearest(read("Who was Zenobia?"), Found("naive", (chunk("a", "Nothing is said here."),))) == ()
