"""What fits: the best passages, then lines from the graph that they do not say; never over the budget (row 85)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models import tokens
from kg_neo4j.acquire.passages import section_at
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, Place
from kg_neo4j.retrieve.packing import PackedContext, pack_found, render
from kg_neo4j.retrieve.question import read

TOKENISER = tokens.load("approximate-1")
SENTENCES = [f"Person {n} met Person {n + 1} in {1800 + n} at a long table in a quiet house." for n in range(40)]
QUESTION = read("Whom did Person 7 meet?")


@st.composite
def founds(draw: st.DrawFn) -> Found:
    """Chunks of some sentences; facts and entities that rest on words of them, or on chunks that were not found."""
    chunks = []
    for number in range(draw(st.integers(1, 5))):
        text = " ".join(draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=12)))
        chunks.append(FoundChunk(f"c{number}", text, 0, "", "Doc", draw(st.floats(0, 0.1))))
    places = []
    for chunk in chunks:
        start = draw(st.integers(0, len(chunk.text) - 2))
        places += [Place(chunk.id, None, start, start + 2), Place(chunk.id)]
    place = st.lists(st.sampled_from([*places, Place("absent", None, 0, 5)]), max_size=2).map(tuple)
    score = st.floats(0, 0.1)
    entities = tuple(
        FoundEntity(
            f"e{n}",
            f"Person {n}",
            "PERSON",
            (),
            draw(st.sampled_from(["", "a guest"])),
            "",
            True,
            draw(score),
            draw(place),
        )
        for n in range(draw(st.integers(0, 4)))
    )
    ends = st.integers(0, 6)
    facts = []
    for number in range(draw(st.integers(0, 6))):
        left, right = draw(ends), draw(ends)
        names = (f"Person {left}", f"e{left}", "MET", f"Person {right}", f"e{right}")
        facts.append(FoundFact(f"f{number}", *names, "", "", 1, draw(score), draw(place)))
    return Found("local", tuple(chunks), entities, tuple(facts))


@given(founds(), st.integers(20, 1500))
def test_what_is_shown_fits_and_can_be_cited(found: Found, budget: int) -> None:
    packed = pack_found(found, QUESTION, TOKENISER, budget)
    assert TOKENISER.count(render(packed.sources)) <= budget
    assert packed.tokens <= budget
    assert len(packed.evidence) == len(packed.sources)
    texts = {chunk.id: chunk.text for chunk in found.chunks}
    for source, each in zip(packed.sources, packed.evidence, strict=True):
        assert source.sentences
        assert each.chunk_id is not None
        shown = texts[each.chunk_id][each.start : each.end]
        assert shown == source.text
        assert each.text == (source.line or shown)
        assert (each.kind == "chunk") == (source.line == "")


def test_the_passage_with_the_words_of_the_question_comes_first_and_only_it_where_no_more_fits() -> None:
    text = " ".join(SENTENCES)
    chunk = FoundChunk("c", text, 0, "", "Doc", 1.0)
    (source,) = pack_found(Found("local", (chunk,)), QUESTION, TOKENISER, 250).sources
    assert SENTENCES[7] in source.text
    assert render([source]).startswith("[1] Doc\n1.1 Person ")


def test_he_is_shown_after_the_sentence_that_says_who() -> None:
    text = " ".join(f"He sold mill {n} to a man from the far north of the island." for n in range(40))
    found = Found("local", (FoundChunk("c", text, 0, "", "Doc", 1.0),))
    (first, *_) = pack_found(found, read("Who sold mill 25?"), TOKENISER, 250).sources
    assert "mill 25" in first.text
    before = text[: first.start].rstrip()
    assert before.endswith(text[slice(*first.sentences[0])])
    assert text[slice(*first.sentences[1])].startswith("He")


def test_a_passage_stands_under_its_own_heading() -> None:
    text = "\n\n".join(f"## Part {n}\n\n{' '.join(SENTENCES[10 * n : 10 * n + 10])}" for n in range(3))
    chunk = FoundChunk("c", text, 0, "Part 0", "Doc", 1.0)
    sources = pack_found(Found("local", (chunk,)), read("Whom did Person 25 meet?"), TOKENISER, 250).sources
    (source,) = (each for each in sources if SENTENCES[25] in each.text)
    assert render([source]).startswith(f"[{source.mark}] Doc > Part 2\n")


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("## The Andes", "The Andes"),
        ("## C#", "C#"),
        ("### Travels ##", "Travels"),
        ("== Life ==", "Life"),
        ("=====\nNo heading", "Part"),  # a rule of a table
        ("#hashtag", "Part"),
    ],
)
def test_a_heading_is_a_line_of_its_own(above: str, title: str) -> None:
    text = f"Before.\n\n{above}\n\nWords."
    assert section_at(text, len(text), "Part") == title


def test_rows_of_a_table_are_shown_with_the_names_of_its_columns() -> None:
    rows = "\n".join(f"{n} | Vessel {n} | {1900 + n} | lying at the eastern quay for the winter" for n in range(40))
    text = f"Number | Name | Built | Berth\n{rows}"
    packed = pack_found(
        Found("local", (FoundChunk("c", text, 0, "", "Fleet", 1.0),)), read("When was Vessel 33 built?"), TOKENISER, 300
    )
    (source,) = [each for each in packed.sources if "Vessel 33" in each.text]
    assert text[slice(*source.sentences[0])] == "Number | Name | Built | Berth"


def test_rows_of_another_graph_have_room_of_their_own_the_nearest_first() -> None:
    texts = tuple(
        FoundChunk(f"c{n}", " ".join(SENTENCES[n * 10 : n * 10 + 10]), 0, "", f"Doc {n}", 1.0) for n in range(4)
    )
    rows = tuple(
        FoundChunk(f"r{n}", f"name: Quay {chr(65 + n)}", 0, f"Q{n}", "Berth", 0.0, row=1 / (n + 1)) for n in range(30)
    )
    packed = pack_found(Found("local", (*texts, *rows)), QUESTION, TOKENISER, 500)
    shown = [each.chunk.id for each in packed.sources if each.chunk.row is not None]
    assert 3 < len(shown) < 20
    assert shown == [f"r{n}" for n in range(len(shown))]
    without = tuple(FoundChunk(each.id, each.text, 0, each.section, each.document, 0.0) for each in rows)
    packed = pack_found(Found("local", (*texts, *without)), QUESTION, TOKENISER, 500)
    assert not [each for each in packed.sources if each.chunk.id.startswith("r")]


def test_a_fact_whose_sentence_is_shown_is_not_told_again() -> None:
    names = ("Person 7", "e7", "MET", "Person 8", "e8")
    first = FoundChunk("c", SENTENCES[7], 0, "", "Doc", 1.0)
    other = FoundChunk("d", " ".join(SENTENCES[20:32]), 0, "", "Doc", 0.0)
    known = FoundFact("f", *names, "", "", 1, 1.0, (Place("c", None, 0, 12),))
    more = FoundFact(
        "g", "Person 21", "e21", "MET", "Person 22", "e22", "", "1821", 1, 0.5, (Place("d", None, 80, 90),)
    )
    packed = pack_found(Found("local", (first, other), (), (known, more)), read("Person 7 in 1821"), TOKENISER, 120)
    assert [each.kind for each in packed.evidence] == ["chunk", "fact"]
    assert "\nF1 Person 21 MET Person 22 (1821)" in render(packed.sources)
    assert packed.sources[1].text == SENTENCES[21]


def test_an_entity_that_is_only_a_name_is_no_evidence() -> None:
    place = (Place("c", None, 0, 8),)
    bare = FoundEntity("e1", "Person 7", "PERSON", (), "", "", True, 1.0, place)
    told = FoundEntity("e2", "Person 8", "PERSON", ("Eight",), "", "a guest", True, 0.5, place)
    large = FoundChunk("c", " ".join(SENTENCES[:12]), 0, "", "Doc", 1.0)
    packed = pack_found(Found("local", (large,), (bare, told)), read("Person 8, a guest"), TOKENISER, 60)
    assert [each.text for each in packed.evidence] == ["Person 8 (PERSON, also Eight): a guest"]


def test_a_description_is_cited_where_its_first_sentence_stands() -> None:
    chunk = FoundChunk("c", " ".join(SENTENCES[:12]), 0, "", "Doc", 1.0)
    starts = [chunk.text.index(SENTENCES[n]) for n in (7, 8)]
    places = tuple(Place("c", SENTENCES[n], start, start + 8) for n, start in zip((7, 8), starts, strict=True))
    told = FoundEntity("e", "Person 8", "PERSON", (), f"{SENTENCES[8]} {SENTENCES[7]}", "", True, 1.0, places)
    packed = pack_found(Found("local", (chunk,), (told,)), read("Person 8 at a table"), TOKENISER, 60)
    assert [each.text for each in packed.evidence] == [f"Person 8 (PERSON): {SENTENCES[8]}"]
    assert packed.sources[0].text == SENTENCES[8]


def test_two_versions_of_one_text_are_shown_once() -> None:
    chunks = tuple(FoundChunk(f"c{n}", " ".join(SENTENCES[5:9]), 0, "", f"Version {n}", 1.0) for n in range(2))
    assert len(pack_found(Found("local", chunks), QUESTION, TOKENISER, 2_000).sources) == 1


@pytest.mark.parametrize(("score", "is_shown"), [(0.5, True), (0.05, False)])
def test_the_best_passage_of_another_document_comes_first_where_its_chunk_was_found_nearly_as_well(
    score: float, is_shown: bool
) -> None:
    worded = FoundChunk("c", " ".join(SENTENCES), 0, "", "Doc", 1.0)
    told = " ".join(f"A lamp burned in the harbour for night {n}." for n in range(12))
    other = FoundChunk("d", told, 0, "", "Other", score)
    packed = pack_found(Found("local", (worded, other)), QUESTION, TOKENISER, 450)
    assert ("Other" in {each.document for each in packed.evidence}) == is_shown


def test_nothing_found_packs_to_nothing() -> None:
    assert pack_found(Found("local"), QUESTION, TOKENISER, 100) == PackedContext()
